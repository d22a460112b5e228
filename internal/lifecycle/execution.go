package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// execution is one call of Run.
type execution struct {
	*Runner

	run       Run
	operation *machineops.Operation
	// place is the operation's in the queue of its machine; nil where there is none.
	place *place
	// outcome.Pending is the record, from the intent on.
	outcome Outcome
}

// drive takes the operation from the stage of its record to its end.
func (e *execution) drive(ctx context.Context) error {
	resumed := e.outcome.Pending != nil

	if !resumed {
		if err := e.intend(ctx); err != nil {
			return err
		}
	}

	pending := e.outcome.Pending

	switch pending.Stage {
	case StageComplete:
		e.outcome.Phase = v1alpha3.OperationPhaseComplete
		e.outcome.Pending = nil

		return nil
	case StageFailed:
		return e.failed(&FailedError{Reason: pending.Reason, Message: pending.Message})
	case StageApplied, StageSucceeded:
		// A record of version 1 has the handle and not the result; the handle still
		// leads to it.
		if pending.Result == nil && pending.handle() != (machineops.ProviderOperation{}) {
			pending.Stage = StageBegun
		}
	case StageIntended, StageBegun:
	}

	e.outcome.Phase = v1alpha3.OperationPhaseInProgress

	if err := e.succeed(ctx, resumed); err != nil {
		return err
	}

	return e.finish(ctx)
}

// succeed takes the operation to StageSucceeded.
func (e *execution) succeed(ctx context.Context, resumed bool) error {
	if e.operation.Mode() == machineops.OperationModeImmediate {
		return e.execute(ctx, resumed)
	}

	delay, err := e.begin(ctx)
	if err != nil {
		return err
	}

	return e.poll(ctx, delay)
}

// beforeBegin reports whether the provider has still to be given the request.
func (e *execution) beforeBegin() bool {
	return e.outcome.Pending == nil || e.outcome.Pending.Stage == StageIntended
}

// intend records that the operation is about to begin.
func (e *execution) intend(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return e.unfinished(err)
	}

	e.outcome.Pending = &PendingOperation{
		Provider:     e.Registration.Name(),
		Kind:         e.run.Request.Operation,
		OperationUID: e.run.Request.OperationUID,
		BeganAt:      e.Clock.Now().UTC(),
		Stage:        StageIntended,
		Attempts:     max(e.run.Attempts, 1),
	}

	return e.keep(ctx)
}

// keep records what is known. After a cancelled context it still tries once, so
// that what was just learned is not lost.
func (e *execution) keep(ctx context.Context) error {
	if e.run.Recorder == nil {
		return nil
	}

	longer, release := outlive(ctx, e.Clock, recordGrace)
	defer release()

	for failures := 0; ; failures++ {
		err := e.run.Recorder.RecordOperation(longer, *e.outcome.Pending)
		if err == nil {
			return nil
		}

		err = fmt.Errorf("recording the operation: %w", err)
		if permanentError(err) != nil {
			return e.unfinished(err)
		}

		e.log().WarnContext(ctx, "recording failed, trying again", "operation", e.run.Request.Operation, "error", err)

		if cause := wait(ctx, e.Clock, retryDelay(failures)); cause != nil {
			return unfinished(ctx, cause, err, e.outcome.Message)
		}
	}
}

// retry repeats attempt after ordinary errors, at growing intervals, until it
// succeeds or fails for good (the *machineops.PermanentError is in the error's
// chain), the caller is refused it again and again, or the context ends (both are an
// *UnfinishedError). It begins no attempt after that.
func (e *execution) retry(ctx context.Context, doing string, attempt func(context.Context) error) error {
	if err := ended(ctx); err != nil {
		return e.unfinished(err)
	}

	var (
		told     error
		patience Patience
	)

	for {
		err := attempt(ctx)
		if err == nil || permanentError(err) != nil {
			return err
		}

		delay, refusal := patience.Failed(err)
		if refusal != nil && ctx.Err() == nil {
			return e.unfinished(refusal)
		}

		// An attempt that the end cut short tells less than the one before it.
		if told == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
			told = err
		}

		went, cause := e.letAhead(ctx, err)

		switch {
		case cause != nil:
			return unfinished(ctx, cause, told, e.outcome.Message)
		case went:
			patience.Succeeded()

			continue
		}

		e.markStalled(ctx)
		e.log().InfoContext(ctx, doing+" failed, trying again", "operation", e.run.Request.Operation, "error", err)

		if cause := wait(ctx, e.Clock, delay); cause != nil {
			return unfinished(ctx, cause, told, e.outcome.Message)
		}
	}
}

// authenticated returns the request with credentials. The context is looked at
// once more, since obtaining them may take a while.
func (e *execution) authenticated(ctx context.Context, request machineops.OperationRequest) (machineops.OperationRequest, error) {
	auth, err := e.Auth(ctx)
	if err != nil {
		return request, fmt.Errorf("obtaining credentials: %w", err)
	}

	request.Auth = auth

	return request, ended(ctx)
}

// end records the failure and makes the outcome that of a failed operation.
func (e *execution) end(ctx context.Context, failed *FailedError) error {
	pending := e.outcome.Pending
	pending.Stage = StageFailed
	pending.Reason, pending.Message = failed.Reason, failed.Error()
	pending.Result = recordResult(e.outcome.Result)
	e.outcome.Message = pending.Message

	if err := e.keep(ctx); err != nil {
		return err
	}

	return e.failed(failed)
}

func (e *execution) failed(failed *FailedError) error {
	e.outcome.Phase = v1alpha3.OperationPhaseFailed
	e.outcome.Reason, e.outcome.Message = failed.Reason, failed.Error()
	e.outcome.Pending = nil

	return failed
}

func (e *execution) unfinished(cause error) *UnfinishedError {
	return &UnfinishedError{Cause: cause, LastState: e.outcome.Message}
}

// markStalled says once that the operation takes longer than expected. It ends
// nothing.
func (e *execution) markStalled(ctx context.Context) {
	limit := e.StallAfter
	if limit <= 0 {
		limit = defaultStallAfter
	}

	if e.outcome.Stalled || e.Clock.Since(e.outcome.Pending.BeganAt) < limit {
		return
	}

	e.outcome.Stalled = true

	e.log().WarnContext(ctx, "operation takes longer than expected", "operation", e.run.Request.Operation,
		"began_at", e.outcome.Pending.BeganAt, "message", e.outcome.Message)
}
