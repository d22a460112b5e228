package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstalledProviderStandsInTheMirror(t *testing.T) {
	t.Parallel()

	mirror := t.TempDir()

	var output bytes.Buffer
	if err := run(t.Context(), []string{"-mirror", mirror, "-version", "1.2.3"}, &output); err != nil {
		t.Fatal(err)
	}

	place, ok := strings.CutPrefix(strings.TrimSpace(output.String()), "installed ")
	if !ok {
		t.Fatalf("it printed %q", output.String())
	}

	matches, err := filepath.Glob(filepath.Join(mirror, "*", "terraform-machine", "machine", "1.2.3", "*", "terraform-provider-machine_v1.2.3*"))
	if err != nil || len(matches) != 1 || matches[0] != place {
		t.Fatalf("the mirror holds %v (%v), the command said %s", matches, err, place)
	}

	info, err := os.Stat(place)
	if err != nil {
		t.Fatal(err)
	}

	if info.Mode().Perm()&0o111 == 0 {
		t.Errorf("%s cannot be run: %s", place, info.Mode())
	}
}

func TestUnknownArgumentIsAnError(t *testing.T) {
	t.Parallel()

	if err := run(t.Context(), []string{"-nonsense"}, &bytes.Buffer{}); err == nil {
		t.Error("no error")
	}
}
