package lifecycle

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// finish applies the result, then cleans up, as far as the record says that this
// has not happened yet.
func (e *execution) finish(ctx context.Context) error {
	if e.outcome.Pending.Stage == StageSucceeded {
		if err := e.apply(ctx); err != nil {
			return err
		}
	}

	if e.run.CleanupLater {
		e.outcome.Phase = v1alpha3.OperationPhaseComplete

		return nil
	}

	return e.cleanUp(ctx)
}

func (e *execution) apply(ctx context.Context) error {
	if e.run.Apply != nil {
		err := e.retry(ctx, "applying the result", func(ctx context.Context) error {
			return e.run.Apply(ctx, e.outcome.Result)
		})
		if permanent := permanentError(err); permanent != nil {
			return e.end(ctx, failedBy(permanent))
		}

		if err != nil {
			return err
		}
	}

	e.outcome.Pending.Stage = StageApplied

	return e.keep(ctx)
}

// cleanUp repeats Cleanup until it has succeeded once. Where it cannot, the
// operation is complete all the same: its effect and its result stand.
func (e *execution) cleanUp(ctx context.Context) error {
	err := e.retry(ctx, "cleanup", func(ctx context.Context) error {
		request, err := e.authenticated(ctx, withoutBeginInput(e.run.Request))
		if err != nil {
			return err
		}

		return e.operation.Cleanup(ctx, request, e.outcome.Result)
	})
	if permanent := permanentError(err); permanent != nil {
		e.outcome.Phase = v1alpha3.OperationPhaseComplete
		e.outcome.CleanupError = &FailedError{Reason: permanent.Reason, Message: "cleaning up: " + failedBy(permanent).Error(), Err: err}
		e.log().WarnContext(ctx, "cleanup failed for good", "operation", e.run.Request.Operation, "error", err)

		// The operation is complete; CleanupError tells the rest.
		return nil
	}

	if err != nil {
		return err
	}

	e.outcome.Pending.Stage = StageComplete

	if err := e.keep(ctx); err != nil {
		return err
	}

	e.outcome.Phase = v1alpha3.OperationPhaseComplete
	e.outcome.Pending = nil

	return nil
}
