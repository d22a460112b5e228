package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// begin repeats Begin under the same OperationUID until it is accepted, then
// records the handle. It returns how long to wait before the first look.
func (e *execution) begin(ctx context.Context) (time.Duration, error) {
	if !e.beforeBegin() {
		return 0, nil
	}

	var result machineops.BeginResult

	err := e.retry(ctx, "begin", func(ctx context.Context) error {
		request, err := e.authenticated(ctx, e.beginRequest())
		if err != nil {
			return err
		}

		result, err = e.operation.Begin(ctx, request)

		return err
	})
	if permanent := permanentError(err); permanent != nil {
		return 0, e.end(ctx, failedBy(permanent))
	}

	if err != nil {
		return 0, err
	}

	if result.Operation == (machineops.ProviderOperation{}) {
		return 0, e.end(ctx, &FailedError{
			Reason: ReasonIncompleteAnswer,
			Message: fmt.Sprintf("%s accepted the operation %s and gave nothing to follow it by (%s)",
				e.Registration.Name(), e.run.Request.Operation, result.Message),
		})
	}

	if e.run.Begun != nil {
		e.run.Begun()
	}

	e.outcome.Message = result.Message
	e.outcome.Pending.OperationID = result.Operation.OperationID
	e.outcome.Pending.ResumeToken = result.Operation.ResumeToken
	e.outcome.Pending.Stage = StageBegun

	return result.RequeueAfter, e.keep(ctx)
}

// execute runs an immediate operation. Its effect cannot be looked for, so one
// whose outcome is not known is repeated only where that is declared to be safe.
func (e *execution) execute(ctx context.Context, resumed bool) error {
	switch {
	case !e.beforeBegin():
		return nil
	case resumed && !e.operation.ReplaySafe():
		return e.end(ctx, e.outcomeLost(errors.New("the process that began it did not see its end")))
	}

	var (
		result machineops.OperationResult
		lost   *FailedError
	)

	err := e.retry(ctx, "execution", func(ctx context.Context) error {
		request, err := e.authenticated(ctx, e.beginRequest())
		if err != nil {
			return err
		}

		result, err = e.operation.Execute(ctx, request)
		if err != nil && permanentError(err) == nil && !e.operation.ReplaySafe() {
			lost = e.outcomeLost(err)

			return nil
		}

		return err
	})

	switch permanent := permanentError(err); {
	case permanent != nil:
		return e.end(ctx, failedBy(permanent))
	case err != nil:
		return err
	case lost != nil:
		return e.end(ctx, lost)
	}

	return e.succeeded(ctx, result)
}

func (e *execution) outcomeLost(err error) *FailedError {
	return &FailedError{
		Reason: ReasonOutcomeLost,
		Message: fmt.Sprintf("it is not known whether the operation %s had its effect, and it is not repeated, since that might do it twice: %v",
			e.run.Request.Operation, err),
		Err: err,
	}
}

// succeeded records the result, after which nothing is asked of the operation but
// its Cleanup.
func (e *execution) succeeded(ctx context.Context, result machineops.OperationResult) error {
	e.outcome.Result = result
	e.outcome.Pending.Stage = StageSucceeded
	e.outcome.Pending.Result = recordResult(result)

	return e.keep(ctx)
}

// beginRequest returns the request as the provider gets it first. First-boot data
// and the class's configuration are for HostAllocate alone.
func (e *execution) beginRequest() machineops.OperationRequest {
	if e.run.Request.Operation == v1alpha3.OperationHostAllocate {
		return e.run.Request
	}

	request := withoutBeginInput(e.run.Request)
	request.ReplaceUserData = e.run.Request.ReplaceUserData

	return request
}

// withoutBeginInput returns the request as everything but its beginning may see
// it.
func withoutBeginInput(request machineops.OperationRequest) machineops.OperationRequest {
	request.ReplaceUserData = ""

	if request.Allocation != nil {
		allocation := *request.Allocation
		allocation.ProviderConfig = machineops.ProviderConfig{}
		allocation.UserData = ""
		request.Allocation = &allocation
	}

	return request
}
