package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// ClockFactor is how many seconds pass for emulator and provider in one second.
const ClockFactor = 100

// clockOriginVariable is since when all clocks of this process run fast, so that
// the provider's and every emulator's agree.
const clockOriginVariable = "TF_MACHINE_CLOCK_ORIGIN"

// Variables that terraform-plugin-testing reads for a command other than
// Terraform, which completes a provider's address with another host.
const (
	hostVariable      = "TF_ACC_PROVIDER_HOST"
	namespaceVariable = "TF_ACC_PROVIDER_NAMESPACE"
)

// Main runs the tests of a package in an environment that no setting of the
// caller reaches, and returns the exit status. Call it from TestMain.
func Main(m *testing.M) int {
	directory, err := os.MkdirTemp("", "acctest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)

		return 1
	}

	defer os.RemoveAll(directory)

	if err := isolate(context.Background(), directory); err != nil {
		fmt.Fprintln(os.Stderr, err)

		return 1
	}

	return m.Run()
}

// isolate takes what a cloud or a CLI reads out of this process's environment and
// sets what the tests rest on.
func isolate(ctx context.Context, directory string) error {
	cli, err := terraformcli.Find(ctx, os.Environ())
	if err != nil && !errors.Is(err, terraformcli.ErrNotFound) {
		return err
	}

	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !isSetting(name) {
			continue
		}

		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}

	configFile := filepath.Join(directory, "empty.tfrc")
	if err := os.WriteFile(configFile, nil, 0o600); err != nil {
		return err
	}

	variables := map[string]string{
		"CHECKPOINT_DISABLE":      "1",
		"TF_CLI_CONFIG_FILE":      configFile,
		"TF_MACHINE_CLOCK_FACTOR": strconv.Itoa(ClockFactor),
		clockOriginVariable:       time.Now().UTC().Format(time.RFC3339Nano),
		// Neither a profile of whoever runs the tests nor the role of a machine that they
		// run on signs anything.
		"ALIBABA_CLOUD_CLI_PROFILE_DISABLED":  "true",
		"ALIBABA_CLOUD_ECS_METADATA_DISABLED": "true",
	}

	if cli.Path != "" {
		variables[terraformcli.PathVariable] = cli.Path
	}

	if cli.Product == terraformcli.OpenTofu {
		// The namespace is the one that both commands give a provider without a source.
		source := terraformcli.Source{Namespace: "hashicorp", Type: "machine"}

		host, err := terraformcli.ProviderHost(ctx, cli, source)
		if err != nil {
			return err
		}

		variables[hostVariable], variables[namespaceVariable] = host, source.Namespace
	}

	for name, value := range variables {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}

	return nil
}

// isSetting reports whether a variable could decide how a test ends. What
// terraform-plugin-testing reads to log or to keep files is the caller's to set.
func isSetting(name string) bool {
	for _, prefix := range []string{"ALIBABA_", "ALIBABACLOUD_", "ALICLOUD_", "TF_"} {
		if strings.HasPrefix(name, prefix) {
			return !strings.HasPrefix(name, "TF_ACC_LOG") && name != "TF_ACC_PERSIST_WORKING_DIR" && name != "TF_ACC_TEMP_DIR"
		}
	}

	return false
}

// RequireCLI skips a test on a machine that has neither Terraform nor OpenTofu.
// `make test` refuses to start there.
func RequireCLI(t testing.TB) {
	t.Helper()

	if os.Getenv(terraformcli.PathVariable) == "" {
		t.Skip(terraformcli.ErrNotFound)
	}
}
