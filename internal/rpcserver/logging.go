package rpcserver

import (
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/go-hclog"
)

// The variables that Terraform and its SDKs read, see
// https://developer.hashicorp.com/terraform/plugin/log/managing.
const (
	envLog             = "TF_LOG"
	envLogProvider     = "TF_LOG_PROVIDER"
	envLogSDK          = "TF_LOG_SDK"
	envLogSDKProto     = "TF_LOG_SDK_PROTO"
	envLogSDKFramework = "TF_LOG_SDK_FRAMEWORK"
)

// shownLevel returns the least severe level of a provider's log lines that
// Terraform shows: TF_LOG_PROVIDER, else TF_LOG, else none. As in Terraform, JSON
// and any unknown word mean TRACE.
func shownLevel(getenv func(string) string) hclog.Level {
	value := getenv(envLogProvider)
	if value == "" {
		value = getenv(envLog)
	}
	if value == "" {
		return hclog.Off
	}
	if level := hclog.LevelFromString(value); level != hclog.NoLevel {
		return level
	}
	return hclog.Trace
}

// quietVariables returns the environment variables that have to be set so that
// log lines are made only if someone reads them. Unset, each of them means TRACE:
// the SDKs then write about ten lines per RPC, with fields and an own encoding
// each, which Terraform throws away unless TF_LOG asks for them.
//
// A variable that the user set is never changed, and what they set for the SDK
// as a whole holds for its parts. providerType is the last part of the
// provider's address; it names the variable of the provider's own lines.
func quietVariables(getenv func(string) string, providerType string) map[string]string {
	shown := shownLevel(getenv)
	set := make(map[string]string)
	quiet := func(variable string, level hclog.Level) {
		if getenv(variable) == "" && level != hclog.Trace {
			set[variable] = strings.ToUpper(level.String())
		}
	}

	sdk := shown
	if asked := getenv(envLogSDK); asked != "" {
		sdk = hclog.LevelFromString(asked)
		if sdk == hclog.NoLevel {
			sdk = hclog.Trace
		}
	}
	quiet(envLogSDK, sdk)
	quiet(envLogSDKProto, sdk)
	quiet(envLogSDKFramework, sdk)
	quiet(envLogProvider+"_"+strings.ToUpper(strings.ReplaceAll(providerType, "-", "_")), shown)
	return set
}

// quietUnreadLogs applies quietVariables to this process. The SDKs offer no other
// way: they read the environment anew for every RPC.
func quietUnreadLogs(providerType string) error {
	for variable, level := range quietVariables(os.Getenv, providerType) {
		if err := os.Setenv(variable, level); err != nil {
			return fmt.Errorf("setting %s to %s: %w", variable, level, err)
		}
	}
	return nil
}
