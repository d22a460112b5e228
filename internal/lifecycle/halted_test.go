package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// halted is an operation that somebody has to act on.
func halted() error {
	return fmt.Errorf("asking: %w", &machineops.BlockedError{Reason: v1alpha3.ReasonPermissionDenied, AtOnce: true, Err: errors.New("may not start it")})
}

// wantHalted wants a wait that ended at once, and an outcome that can be gone on with.
func wantHalted(t *testing.T, outcome lifecycle.Outcome, err error) {
	t.Helper()

	var (
		unfinished *lifecycle.UnfinishedError
		blocked    *machineops.BlockedError
		failed     *lifecycle.FailedError
	)

	if !errors.As(err, &unfinished) || !errors.As(err, &blocked) || errors.As(err, &failed) || lifecycle.Interrupted(err) || !strings.HasPrefix(err.Error(), "may not start it") {
		t.Fatalf("the error is %v", err)
	}

	if outcome.Pending == nil || outcome.Phase != v1alpha3.OperationPhaseInProgress {
		t.Fatalf("the outcome is %+v", outcome)
	}
}

func TestABlockedLookEndsTheWaitAndIsGoneOnWith(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 1 {
			return machineops.PollResult{}, halted()
		}

		return succeeded(), nil
	}

	operator, request := newOperator(t, c, newClock()), kernelReboot()

	outcome, err := operator.Operate(t.Context(), request)
	wantHalted(t, outcome, err)
	wantCounts(t, c, map[string]int{"begin": 1, "poll": 1})

	request.Pending = outcome.Pending

	if outcome, err = operator.Operate(t.Context(), request); err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete {
		t.Errorf("the outcome is %+v, %v", outcome, err)
	}

	wantCounts(t, c, map[string]int{"begin": 1, "poll": 2})
}

func TestABlockedBeginEndsTheWaitAndIsAskedAgain(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n == 1 {
			return machineops.BeginResult{}, halted()
		}

		return begun(), nil
	}

	operator, request := newOperator(t, c, newClock()), kernelReboot()

	outcome, err := operator.Operate(t.Context(), request)
	wantHalted(t, outcome, err)

	request.Pending = outcome.Pending

	if outcome, err = operator.Operate(t.Context(), request); err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete {
		t.Errorf("the outcome is %+v, %v", outcome, err)
	}

	wantCounts(t, c, map[string]int{"begin": 2, "poll": 1})
}
