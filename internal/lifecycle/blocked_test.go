package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// blocked is an operation that somebody has to act on.
func blocked() error {
	return fmt.Errorf("asking: %w", &machineops.BlockedError{Reason: v1alpha3.ReasonPermissionDenied, Err: errors.New("may not start it")})
}

// wantHalted wants a wait that ended at once, and an outcome that can be gone on with.
func wantHalted(t *testing.T, outcome lifecycle.Outcome, err error) {
	t.Helper()

	var (
		unfinished *lifecycle.UnfinishedError
		blocked    *machineops.BlockedError
		failed     *lifecycle.FailedError
	)

	if !errors.As(err, &unfinished) || !errors.As(err, &blocked) || errors.As(err, &failed) || lifecycle.Interrupted(err) || err.Error() != "asking: may not start it" {
		t.Fatalf("the error is %v", err)
	}

	if outcome.Pending == nil || outcome.Phase != v1alpha3.OperationPhaseInProgress || outcome.Reason != v1alpha3.ReasonPermissionDenied || outcome.Message != err.Error() {
		t.Fatalf("the outcome is %+v", outcome)
	}
}

func TestABlockedLookEndsTheWaitAndIsGoneOnWith(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 1 {
			return machineops.PollResult{}, blocked()
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
			return machineops.BeginResult{}, blocked()
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
