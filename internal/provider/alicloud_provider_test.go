package provider

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

func TestLoopbackIsSeenByItsTextAlone(t *testing.T) {
	t.Parallel()

	for endpoint, want := range map[string]bool{
		"127.0.0.1:8080":                  true,
		"127.0.0.1":                       true,
		"127.1.2.3:80":                    true,
		"localhost":                       true,
		"localhost:8080":                  true,
		"http://127.0.0.1:8080":           true,
		"https://localhost":               true,
		"[::1]:8080":                      true,
		"[::1]":                           true,
		"::1":                             true,
		"":                                false,
		"ecs.cn-hangzhou.aliyuncs.com":    false,
		"10.0.0.1:8080":                   false,
		"0.0.0.0:8080":                    false,
		"localhost.example.com":           false,
		"127.0.0.1.example.com:80":        false,
		"http://127.0.0.1@example.com:80": false,
		"[::2]:8080":                      false,
	} {
		t.Run(endpoint, func(t *testing.T) {
			t.Parallel()

			if got := loopback(endpoint); got != want {
				t.Errorf("loopback(%q) is %v", endpoint, got)
			}
		})
	}
}

func TestTheClockFactorIsHonoredOnThisMachineOnly(t *testing.T) {
	t.Parallel()

	const (
		here  = "127.0.0.1:8080"
		there = "ecs.cn-hangzhou.aliyuncs.com"
	)

	for name, test := range map[string]struct {
		factor, endpoint string
		unset            bool
		scaled           bool
		logs, fails      bool
	}{
		"an emulator here":        {factor: "20", endpoint: here, scaled: true},
		"the cloud":               {factor: "20", endpoint: there, logs: true},
		"no endpoint":             {factor: "20", endpoint: "", logs: true},
		"not set":                 {unset: true, endpoint: here},
		"empty":                   {factor: "", endpoint: here},
		"not set, with the cloud": {unset: true, endpoint: there},
		"no number":               {factor: "fast", endpoint: here, fails: true},
		"zero":                    {factor: "0", endpoint: here, fails: true},
		"backwards":               {factor: "-1", endpoint: there, fails: true},
		"no number at all":        {factor: "NaN", endpoint: here, fails: true},
		"without end":             {factor: "+Inf", endpoint: here, fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var (
				diagnostics diag.Diagnostics
				logged      bytes.Buffer
			)

			p := &machineProvider{lookupEnv: func(name string) (string, bool) {
				return test.factor, name == clockFactorVariable && !test.unset
			}}
			settings := driver.Settings{Endpoints: map[string]string{"ecs": test.endpoint}, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
			made := p.clock(t.Context(), settings, &diagnostics)

			if _, wall := made.(clock.RealClock); wall == test.scaled {
				t.Errorf("the clock is the wall clock: %v", wall)
			}

			// A warning would stand beside the error of an endpoint that is mistyped.
			if diagnostics.HasError() != test.fails || diagnostics.WarningsCount() > 0 {
				t.Errorf("got %v", diagnostics)
			}

			if strings.Contains(logged.String(), clockFactorVariable+" is not honored") != test.logs {
				t.Errorf("the log has %q", logged.String())
			}
		})
	}
}

func TestAScaledClockMakesWaitsShort(t *testing.T) {
	t.Parallel()

	var diagnostics diag.Diagnostics

	p := &machineProvider{lookupEnv: func(string) (string, bool) { return "1000000", true }}
	scaled := p.clock(t.Context(), driver.Settings{Endpoints: map[string]string{"ecs": "localhost"}}, &diagnostics)

	// A wait of an hour would outlast the test.
	timer := scaled.NewTimer(time.Hour)
	defer timer.Stop()

	select {
	case <-timer.C():
	case <-t.Context().Done():
	}
}
