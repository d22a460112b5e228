package main

import (
	"context"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// build makes the emulator's command.
func build(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ecs-emulator")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", path, "../ecs-emulator")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return path
}

func TestLoadPassesAndTellsWhatItMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := run(t.Context(), []string{"-emulator", build(t), "-machines", "20", "-clients", "4", "-for", "1500ms"}, &out, io.Discard)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	for _, want := range []string{"RunInstances", "DescribeInstances", "p99", "calls a second", "memory of the emulator: "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in %s", want, out.String())
		}
	}
}

func TestLoadFailsWhereMemoryIsExceeded(t *testing.T) {
	t.Parallel()
	err := run(t.Context(), []string{"-emulator", build(t), "-machines", "2", "-clients", "1", "-for", "50ms", "-memory", "1"}, io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "more than 1") {
		t.Errorf("error %v", err)
	}
}

func TestLoadEndsWithItsContext(t *testing.T) {
	t.Parallel()
	path := build(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := run(ctx, []string{"-emulator", path, "-machines", "10", "-clients", "2", "-for", "1h"}, io.Discard, io.Discard); err == nil {
		t.Error("a load that was cut short passed")
	}
}

func TestSettingsThatCannotBeAreRefused(t *testing.T) {
	t.Parallel()
	for name, arguments := range map[string][]string{
		"more clients than machines": {"-machines", "1", "-clients", "2"},
		"no client":                  {"-clients", "0"},
		"no time":                    {"-for", "0s"},
		"an argument":                {"now"},
		"no emulator":                {"-emulator", filepath.Join(t.TempDir(), "none")},
	} {
		if err := run(t.Context(), arguments, io.Discard, io.Discard); err == nil {
			t.Errorf("%s: passed", name)
		}
	}
}

func TestSurprisesMakeTheVerdict(t *testing.T) {
	t.Parallel()
	seen := notes{latencies: map[string][]time.Duration{"A": {3, 1, 2}}, surprises: map[string]int{}}
	o := gather([]*user{{client: &client{notes: seen}}}, time.Second)
	if err := o.verdict(); err != nil {
		t.Error(err)
	}
	o.unwanted("something odd")
	if err := o.verdict(); err == nil || !strings.Contains(err.Error(), "something odd (1 times)") {
		t.Errorf("verdict %v", err)
	}
}

func TestQuantiles(t *testing.T) {
	t.Parallel()
	sorted := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for share, want := range map[float64]time.Duration{0: 1, .5: 6, .99: 10, 1: 10} {
		if got := quantile(sorted, share); got != want {
			t.Errorf("quantile %v: %d, want %d", share, got, want)
		}
	}
	if got := quantile(nil, .5); got != 0 {
		t.Errorf("of nothing: %d", got)
	}
}
