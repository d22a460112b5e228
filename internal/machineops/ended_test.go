package machineops_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

func TestTheEndOfAContextIsToldAsAUserWould(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	if err := machineops.Ended(ctx); err != nil {
		t.Errorf("a context that lives has ended: %v", err)
	}

	cancel()

	late, release := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer release()

	for text, err := range map[string]error{"interrupted": machineops.Ended(ctx), "out of time": machineops.Ended(late)} {
		if err == nil || err.Error() != text || errors.Is(err, context.Canceled) != (text == "interrupted") || errors.Is(err, context.DeadlineExceeded) == (text == "interrupted") {
			t.Errorf("it is told as %v, want %q", err, text)
		}
	}
}
