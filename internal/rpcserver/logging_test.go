//go:build unix

package rpcserver

import (
	"maps"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

func TestQuietVariables(t *testing.T) {
	t.Parallel()
	type variables = map[string]string
	for name, test := range map[string]struct {
		environment, want variables
	}{
		"nothing asks for a log": {
			environment: variables{},
			want: variables{
				"TF_LOG_SDK": "OFF", "TF_LOG_SDK_PROTO": "OFF", "TF_LOG_SDK_FRAMEWORK": "OFF",
				"TF_LOG_PROVIDER_TINY_ONE": "OFF",
			},
		},
		"all is asked for":            {environment: variables{"TF_LOG": "TRACE"}, want: variables{}},
		"in small letters":            {environment: variables{"TF_LOG": "trace"}, want: variables{}},
		"as JSON":                     {environment: variables{"TF_LOG": "JSON"}, want: variables{}},
		"with a word nobody knows":    {environment: variables{"TF_LOG": "1"}, want: variables{}},
		"all of the providers":        {environment: variables{"TF_LOG_PROVIDER": "TRACE"}, want: variables{}},
		"only the core's log":         {environment: variables{"TF_LOG_CORE": "TRACE"}, want: all("OFF")},
		"the providers' log excluded": {environment: variables{"TF_LOG": "TRACE", "TF_LOG_PROVIDER": "OFF"}, want: all("OFF")},
		"from INFO on":                {environment: variables{"TF_LOG": "INFO"}, want: all("INFO")},
		"the providers' from INFO on": {environment: variables{"TF_LOG_PROVIDER": "info"}, want: all("INFO")},
		"the SDK's": {
			environment: variables{"TF_LOG_SDK": "TRACE"},
			want:        variables{"TF_LOG_PROVIDER_TINY_ONE": "OFF"},
		},
		"the SDK's from WARN on": {
			environment: variables{"TF_LOG_SDK": "WARN"},
			want: variables{
				"TF_LOG_SDK_PROTO": "WARN", "TF_LOG_SDK_FRAMEWORK": "WARN", "TF_LOG_PROVIDER_TINY_ONE": "OFF",
			},
		},
		"one part of the SDK's": {
			environment: variables{"TF_LOG_SDK_PROTO": "DEBUG"},
			want: variables{
				"TF_LOG_SDK": "OFF", "TF_LOG_SDK_FRAMEWORK": "OFF", "TF_LOG_PROVIDER_TINY_ONE": "OFF",
			},
		},
		"this provider's own": {
			environment: variables{"TF_LOG_PROVIDER_TINY_ONE": "DEBUG"},
			want:        variables{"TF_LOG_SDK": "OFF", "TF_LOG_SDK_PROTO": "OFF", "TF_LOG_SDK_FRAMEWORK": "OFF"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := quietVariables(func(variable string) string { return test.environment[variable] }, "tiny-one")
			if !maps.Equal(got, test.want) {
				t.Errorf("set %v, want %v", got, test.want)
			}
		})
	}
}

// all is every variable at one level.
func all(level string) map[string]string {
	return map[string]string{
		"TF_LOG_SDK": level, "TF_LOG_SDK_PROTO": level, "TF_LOG_SDK_FRAMEWORK": level, "TF_LOG_PROVIDER_TINY_ONE": level,
	}
}

func TestShownLevel(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]hclog.Level{
		"": hclog.Off, "OFF": hclog.Off, "ERROR": hclog.Error, "WARN": hclog.Warn, "INFO": hclog.Info,
		"DEBUG": hclog.Debug, "TRACE": hclog.Trace, "JSON": hclog.Trace, "yes": hclog.Trace,
	} {
		getenv := func(variable string) string { return map[string]string{"TF_LOG": value}[variable] }
		if got := shownLevel(getenv); got != want {
			t.Errorf("TF_LOG=%s shows %s, want %s", value, got, want)
		}
	}
}

// What a provider process writes to its log, by who wrote it.
func TestLogLinesAreMadeOnlyIfSomeoneReadsThem(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mode                  string
		variables             []string
		proto, framework, own bool
		silent                bool
	}{
		"by default no line at all":               {mode: "serve", silent: true},
		"the SDK by itself writes them all":       {mode: "stock", proto: true, framework: true, own: true},
		"TF_LOG=TRACE":                            {mode: "serve", variables: []string{"TF_LOG=TRACE"}, proto: true, framework: true, own: true},
		"TF_LOG=JSON":                             {mode: "serve", variables: []string{"TF_LOG=JSON"}, proto: true, framework: true, own: true},
		"TF_LOG_PROVIDER=TRACE":                   {mode: "serve", variables: []string{"TF_LOG_PROVIDER=TRACE"}, proto: true, framework: true, own: true},
		"TF_LOG_PROVIDER=INFO leaves our own":     {mode: "serve", variables: []string{"TF_LOG_PROVIDER=INFO"}, own: true},
		"TF_LOG_PROVIDER=WARN leaves none":        {mode: "serve", variables: []string{"TF_LOG_PROVIDER=WARN"}, silent: true},
		"TF_LOG_SDK=TRACE":                        {mode: "serve", variables: []string{"TF_LOG_SDK=TRACE"}, proto: true, framework: true},
		"TF_LOG_SDK_PROTO=TRACE":                  {mode: "serve", variables: []string{"TF_LOG_SDK_PROTO=TRACE"}, proto: true},
		"TF_LOG_SDK_FRAMEWORK=TRACE":              {mode: "serve", variables: []string{"TF_LOG_SDK_FRAMEWORK=TRACE"}, framework: true},
		"TF_LOG_PROVIDER_TINY=INFO":               {mode: "serve", variables: []string{"TF_LOG_PROVIDER_TINY=INFO"}, own: true},
		"TF_LOG_CORE=TRACE is no provider's":      {mode: "serve", variables: []string{"TF_LOG_CORE=TRACE"}, silent: true},
		"TF_LOG_SDK=OFF wins over TF_LOG=TRACE":   {mode: "serve", variables: []string{"TF_LOG=TRACE", "TF_LOG_SDK=OFF"}, own: true},
		"TF_LOG=DEBUG leaves out the trace lines": {mode: "serve", variables: []string{"TF_LOG=DEBUG"}, framework: true, own: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startTiny(t, test.mode, test.variables...)
			p.create(t, "fine")
			p.client.Kill()
			log := p.stderr.String()
			for _, writer := range []struct {
				mark string
				want bool
			}{
				{`"@module":"sdk.proto"`, test.proto},
				{`"@module":"sdk.framework"`, test.framework},
				{ownLine, test.own},
			} {
				if got := strings.Contains(log, writer.mark); got != writer.want {
					t.Errorf("lines with %s: %v, want %v", writer.mark, got, writer.want)
				}
			}
			if test.silent && log != "" {
				t.Errorf("the log is not empty:\n%s", log)
			}
		})
	}
}
