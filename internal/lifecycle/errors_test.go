package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

func TestErrorsTellWhatIsKnown(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		err  error
		text string
	}{
		"failed with a message": {&lifecycle.FailedError{Reason: "R", Message: "m", Err: errTransient}, "m"},
		"failed with a cause":   {&lifecycle.FailedError{Reason: "R", Err: errTransient}, errTransient.Error()},
		"failed with a reason":  {&lifecycle.FailedError{Reason: "R"}, "R"},
		"unfinished": {
			&lifecycle.UnfinishedError{Cause: context.Canceled, LastError: errTransient, LastState: "booting"},
			"the wait ended before the operation did (it was interrupted); last known state: booting; the last attempt failed: the service is busy",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := test.err.Error(); got != test.text {
				t.Errorf("error is %q, want %q", got, test.text)
			}
		})
	}

	unfinished := &lifecycle.UnfinishedError{Cause: context.DeadlineExceeded, LastError: errTransient}
	if !errors.Is(unfinished, errTransient) || !errors.Is(unfinished, context.DeadlineExceeded) || lifecycle.Interrupted(unfinished) {
		t.Errorf("an unfinished wait does not lead to its causes")
	}
}

func TestTheEndOfAWaitIsToldAsAUserWould(t *testing.T) {
	t.Parallel()

	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the server is told to end"))

	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"an interrupt":             {&lifecycle.UnfinishedError{Cause: context.Canceled}, "(it was interrupted)"},
		"a timeout":                {&lifecycle.UnfinishedError{Cause: context.DeadlineExceeded}, "(its timeout has passed)"},
		"an interrupt for a cause": {&lifecycle.UnfinishedError{Cause: fmt.Errorf("%w: %w", stopped.Err(), context.Cause(stopped))}, "(it was interrupted: the server is told to end)"},
	} {
		if text := test.err.Error(); !strings.Contains(text, test.want) {
			t.Errorf("%s is told as %q", name, text)
		}
	}
}
