package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// poll looks until the operation has ended. An ordinary error says nothing about
// the machine and is followed by another look.
func (e *execution) poll(ctx context.Context, delay time.Duration) error {
	if e.outcome.Pending.Stage != StageBegun {
		return nil
	}

	for {
		if cause := wait(ctx, e.Clock, delay); cause != nil {
			return e.unfinished(cause)
		}

		look, err := e.look(ctx)
		if permanent := permanentError(err); permanent != nil {
			return e.end(ctx, failedBy(permanent))
		}

		if err != nil {
			return err
		}

		done, err := e.judge(ctx, look)
		if done || err != nil {
			return err
		}

		delay = look.RequeueAfter
		if delay <= 0 {
			delay = defaultPollInterval
		}
	}
}

// look repeats one look until it tells something.
func (e *execution) look(ctx context.Context) (machineops.PollResult, error) {
	var look machineops.PollResult

	err := e.retry(ctx, "look", func(ctx context.Context) error {
		request, err := e.authenticated(ctx, withoutBeginInput(e.run.Request))
		if err != nil {
			return err
		}

		look, err = e.operation.Poll(ctx, request, e.outcome.Pending.handle())

		return err
	})

	return look, err
}

// judge takes over what one look tells. It reports whether the operation has
// succeeded, or an error where it has failed.
func (e *execution) judge(ctx context.Context, look machineops.PollResult) (bool, error) {
	e.outcome.Result = known(e.outcome.Result, look.Result)
	e.outcome.Reason, e.outcome.Message = look.Reason, look.Message

	switch look.State {
	case machineops.ProviderOperationStateSucceeded:
		return true, e.succeeded(ctx, e.outcome.Result)
	case machineops.ProviderOperationStateFailed, machineops.ProviderOperationStateCanceled:
		reason := look.Reason
		if reason == "" {
			reason = string(look.State)
		}

		return false, e.end(ctx, &FailedError{Reason: reason, Message: look.Message})
	case machineops.ProviderOperationStateInProgress:
	default:
		// A state of a later version: go on looking, and say so.
		e.outcome.Reason = ReasonUnknownState
		e.outcome.Message = fmt.Sprintf("the provider reports the unknown state %q", look.State)

		if look.Message != "" {
			e.outcome.Message += ": " + look.Message
		}
	}

	e.markStalled(ctx)
	e.log().InfoContext(ctx, e.progress(look.Result.ProviderID), "operation", e.run.Request.Operation,
		"machine", look.Result.ProviderID, "reason", e.outcome.Reason, "message", e.outcome.Message)

	if e.run.Enough != nil && e.run.Enough(look) {
		return true, e.succeeded(ctx, e.outcome.Result)
	}

	if e.run.Judge == nil {
		return false, nil
	}

	err := e.run.Judge(ctx, look)

	var failed *FailedError
	if errors.As(err, &failed) {
		return false, e.end(ctx, failed)
	}

	if err != nil {
		return false, e.unfinished(err)
	}

	return false, nil
}

// progress says in words what is waited for, on which machine, and since when.
func (e *execution) progress(machine string) string {
	what := string(e.run.Request.Operation)
	if machine != "" {
		what += " of " + machine
	}

	if pending := e.outcome.Pending; pending != nil && !pending.BeganAt.IsZero() {
		what += ", begun " + e.Clock.Since(pending.BeganAt).Round(time.Second).String() + " ago,"
	}

	if e.outcome.Message == "" {
		return what + " is still in progress"
	}

	return what + " is still in progress: " + e.outcome.Message
}

// known adds what a look tells of the result to what is known of it. A look that
// shows nothing of a host does not make what belongs to it forgotten, unless it is
// about another host.
func known(before, now machineops.OperationResult) machineops.OperationResult {
	if now.ProviderID == "" {
		now.ProviderID = before.ProviderID
	}

	if now.CleanupProviderID == "" {
		now.CleanupProviderID = before.CleanupProviderID
	}

	if now.Allocation == nil && now.ProviderID == before.ProviderID {
		now.Allocation = before.Allocation
	}

	return now
}
