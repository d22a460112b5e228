package machineops_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

func TestPermanentErrorIsFoundThroughWrapping(t *testing.T) {
	t.Parallel()

	cause := &fs.PathError{Op: "open", Path: "nowhere", Err: fs.ErrNotExist}
	err := fmt.Errorf("allocate: %w", errors.Join(
		errors.New("another"),
		&machineops.PermanentError{Reason: "Refused", Err: fmt.Errorf("look: %w", cause)},
	))

	var permanent *machineops.PermanentError
	if !errors.As(err, &permanent) || permanent.Reason != "Refused" {
		t.Errorf("errors.As found %v, want the permanent error", permanent)
	}

	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("errors.Is does not reach the cause")
	}

	var path *fs.PathError
	if !errors.As(err, &path) || path != cause {
		t.Errorf("errors.As does not reach the cause")
	}
}

func TestOrdinaryErrorIsNotPermanent(t *testing.T) {
	t.Parallel()

	var permanent *machineops.PermanentError
	if errors.As(fmt.Errorf("poll: %w", fs.ErrNotExist), &permanent) {
		t.Errorf("an ordinary error passes for a permanent one")
	}
}

func TestPermanentErrorText(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		err  *machineops.PermanentError
		text string
	}{
		"reason and cause": {&machineops.PermanentError{Reason: "Refused", Err: errors.New("locked")}, "Refused: locked"},
		"cause only":       {&machineops.PermanentError{Err: errors.New("locked")}, "locked"},
		"reason only":      {&machineops.PermanentError{Reason: "Refused"}, "Refused"},
		"nothing":          {&machineops.PermanentError{}, "permanent error"},
		"nil":              {nil, "permanent error"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if text := test.err.Error(); text != test.text {
				t.Errorf("Error() = %q, want %q", text, test.text)
			}
		})
	}
}

func TestNilPermanentErrorUnwrapsToNothing(t *testing.T) {
	t.Parallel()

	var permanent *machineops.PermanentError
	if cause := permanent.Unwrap(); cause != nil {
		t.Errorf("Unwrap() = %v", cause)
	}
}
