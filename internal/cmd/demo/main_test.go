package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The demo judges itself: an error is a promise that did not hold.
func TestDemoHoldsAndLeavesNothing(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)

	var output bytes.Buffer
	if err := run(t.Context(), &output); err != nil {
		t.Fatalf("%v\nbefore that:\n%s", err, output.String())
	}

	t.Log("\n" + output.String())

	for _, step := range []string{"init ", "plan ", "apply ", "output ", "reboot ", "import ", "forget ", "destroy ", "secrets "} {
		if !strings.Contains(output.String(), "\n"+step) {
			t.Errorf("the story lacks the step %q", step)
		}
	}

	if left, err := filepath.Glob(filepath.Join(temporary, "terraform-provider-machine-*")); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}

func TestDemoEndsWhenItIsInterrupted(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)

	cause := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)

	if err := run(ctx, &bytes.Buffer{}); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}

	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("it left %v (%v)", left, err)
	}
}
