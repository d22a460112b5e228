package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// running is the command in the background.
type running struct {
	lines map[string]string // exported variables
	text  string
	stop  func() error
}

func startCommand(t *testing.T, arguments ...string) running {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, append(arguments, "--listen", "127.0.0.1:0", "--control", "127.0.0.1:0", "--quiet"), writer, io.Discard)
		_ = writer.Close()
	}()
	r := running{lines: map[string]string{}}
	scanner := bufio.NewScanner(reader)
	for scanner.Scan() {
		r.text += scanner.Text() + "\n"
		if export, found := strings.CutPrefix(scanner.Text(), "export "); found {
			key, value, _ := strings.Cut(export, "=")
			r.lines[key] = value
			if key == "TF_MACHINE_CLOCK_FACTOR" {
				break
			}
		}
	}
	r.stop = func() error {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, reader) }()
		return <-done
	}
	t.Cleanup(cancel)
	return r
}

func TestCommandPrintsWhatToPasteAndStops(t *testing.T) {
	t.Parallel()
	r := startCommand(t, "--clock-factor", "30")
	if r.lines["ALIBABA_CLOUD_ACCESS_KEY_ID"] != ecsemulator.DefaultAccessKeyID || r.lines["TF_MACHINE_PROTOCOL"] != "http" ||
		r.lines["TF_MACHINE_CLOCK_FACTOR"] != "30" {
		t.Errorf("printed %v", r.lines)
	}
	_, after, found := strings.Cut(r.text, "control API:")
	address, _, _ := strings.Cut(strings.TrimSpace(after), "\n")
	control := ecsemulator.ControlClient{URL: address}
	reading, err := control.Clock(t.Context())
	if !found || err != nil || reading.Factor != 30 {
		t.Errorf("control at %q: %v %+v", address, err, reading)
	}
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	if _, err := control.Clock(t.Context()); err == nil {
		t.Error("still serving")
	}
}

func TestCommandPrintsOnlyLinesForEval(t *testing.T) {
	t.Parallel()
	r := startCommand(t, "--clock-factor", "2", "--print-env")
	for line := range strings.Lines(r.text) {
		if !strings.HasPrefix(line, "export ") {
			t.Errorf("printed %q", line)
		}
	}
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}

func TestCommandRefusesWhatItCannotDo(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken.json")
	if err := os.WriteFile(broken, []byte(`{"planets": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, arguments := range map[string][]string{
		"unknown flag":      {"--fast"},
		"argument":          {"now"},
		"negative factor":   {"--clock-factor", "-1"},
		"no such catalogue": {"--catalogue", broken + ".none"},
		"broken catalogue":  {"--catalogue", broken},
		"no such address":   {"--listen", "nowhere:x"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := run(ctx, arguments, io.Discard, io.Discard); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestCommandTakesACatalogue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(path, []byte(`{"regions": [{"id": "moon-1", "zones": ["moon-1a"]}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r := startCommand(t, "--clock-factor", "2", "--catalogue", path)
	if err := r.stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
}
