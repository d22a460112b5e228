package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// defaultPollInterval is the wait between looks where the provider names none.
	defaultPollInterval = 2 * time.Second
	// longestPollInterval bounds the growing wait between attempts that fail.
	longestPollInterval = 30 * time.Second
	// defaultStallAfter is when an operation is reported to take longer than usual.
	defaultStallAfter = 10 * time.Minute
	// recordGrace is how long a recorder may go on after the context has ended.
	recordGrace = time.Second
)

// Runner drives operations of one registration. Its fields are set once, before
// use; a Runner is safe for concurrent use and must not be copied.
type Runner struct {
	Registration *machineops.Provider
	// Auth returns the credentials that every callback is given.
	Auth func(context.Context) (*machineops.OperationAuth, error)
	// Clock is what waits follow.
	Clock clock.WithTickerAndDelayedExecution
	// Logger receives progress; nil discards it.
	Logger *slog.Logger
	// StallAfter is when an operation is marked as stalled; 0 means ten minutes.
	StallAfter time.Duration

	turns turns
}

// Run is one operation to drive.
type Run struct {
	// Request is the operation. Its OperationUID must be the same whenever the same
	// operation is asked for, until a record of it is handed back as Pending. What
	// only Begin may see (the class's provider configuration, first-boot data) is
	// taken out before anything else sees it.
	Request machineops.OperationRequest
	// Pending is what an earlier Run recorded; nil begins anew. It is not changed.
	Pending *PendingOperation
	// Attempts is recorded with a new operation.
	Attempts int
	// Recorder, where set, is given the record at every stage: the intent before
	// Begin, the handle before the first poll, the result before it is applied, and
	// the end. Where it fails, it is tried again to the deadline, and nothing that
	// rests on the record happens before.
	Recorder Recorder
	// Begun, where set, is told as soon as the provider has accepted the operation.
	Begun func()
	// Judge, where set, sees every look that leaves the operation in progress. A
	// *FailedError ends the operation as failed; any other error ends the wait for it.
	Judge func(context.Context, machineops.PollResult) error
	// Enough, where set, sees every look that leaves the operation in progress. Where
	// it returns true, the operation counts as succeeded with what is known so far.
	Enough func(machineops.PollResult) bool
	// Apply, where set, takes the result of a succeeded operation over, with the
	// identity that it replaced (CleanupProviderID). It is repeated after an ordinary
	// error, and by a later Run where its success was not recorded; a PermanentError
	// of it ends the operation as failed. Cleanup runs after it.
	Apply func(context.Context, machineops.OperationResult) error
	// CleanupLater returns as soon as the result is applied and leaves the Cleanup
	// to a Run that is handed Outcome.Pending: for callers whose own return is what
	// persists the result.
	CleanupLater bool
}

// Outcome is what is known when Run returns, with or without an error.
type Outcome struct {
	Phase v1alpha3.OperationPhase
	// Result is complete for a complete operation, else what is known so far; of a
	// failed allocation it names what there is to release.
	Result  machineops.OperationResult
	Reason  string
	Message string
	// Pending is what to hand back to go on. It is nil where nothing was begun and
	// where nothing is outstanding. With a complete operation it is set where only
	// Cleanup is.
	Pending *PendingOperation
	// Stalled is set when the operation takes longer than expected.
	Stalled bool
	// CleanupError is set where the operation is complete and Cleanup has failed for
	// good. It is the caller's to tell; Pending then repeats the Cleanup.
	CleanupError error
}

// Run drives the operation, or takes up Pending at whatever stage it is, and
// returns when the operation has ended or the context has. Operations on one
// machine wait for each other in the order in which Run was called.
//
// The error is nil exactly when the operation is complete; otherwise it is a
// *FailedError, or an *UnfinishedError with an outcome that can be resumed. Once
// the context has ended, nothing is begun, applied or cleaned up any more.
func (r *Runner) Run(ctx context.Context, run Run) (Outcome, error) {
	execution := &execution{Runner: r, run: run}
	execution.outcome.Phase = v1alpha3.OperationPhasePending

	if run.Pending != nil {
		pending := *run.Pending
		execution.outcome.Pending = &pending
		execution.outcome.Result = pending.Result.result()
		// The operation is the recorded one, whatever the caller would call a new one.
		execution.run.Request.OperationUID = pending.OperationUID
	}

	if failed := execution.admit(); failed != nil {
		execution.outcome.Phase = v1alpha3.OperationPhaseFailed
		execution.outcome.Reason, execution.outcome.Message = failed.Reason, failed.Error()

		return execution.outcome, failed
	}

	if err := execution.takeTurn(ctx); err != nil {
		return execution.outcome, err
	}

	defer func() { r.turns.leave(machineOf(run.Request), execution.place) }()

	err := execution.drive(ctx)

	return execution.outcome, err
}

// takeTurn waits for older operations on the same machine.
func (e *execution) takeTurn(ctx context.Context) error {
	machine := machineOf(e.run.Request)

	if e.turns.busy(machine) {
		e.outcome.Message = "waiting for an older operation on the same machine"
		e.log().InfoContext(ctx, e.outcome.Message, "operation", e.run.Request.Operation, "machine", machine)
	}

	taken, err := e.turns.take(ctx, machine, e.run.Request.OperationUID)
	if err != nil {
		return e.unfinished(err)
	}

	e.place = taken

	return nil
}

// letAhead has an operation go first that the machine is under and that waits for this
// one's end, as the one of a run that was killed and is gone on with by this: each would
// wait for the other. It reports whether there was one.
func (e *execution) letAhead(ctx context.Context, err error) (bool, error) {
	var awaited *machineops.AwaitedError
	if !errors.As(err, &awaited) {
		return false, nil
	}

	return e.turns.letAhead(ctx, machineOf(e.run.Request), e.place, awaited.Is)
}

// admit finds the operation, and refuses what can never be driven before anything
// is asked of the provider.
func (e *execution) admit() *FailedError {
	request, name := e.run.Request, e.Registration.Name()

	operation, ok := e.Registration.Operation(request.Operation)
	if !ok {
		return &FailedError{
			Reason:  v1alpha3.ReasonUnsupported,
			Message: fmt.Sprintf("%s does not support the operation %s", name, request.Operation),
		}
	}

	e.operation = operation

	if pending := e.outcome.Pending; pending != nil {
		if pending.Provider != name || pending.Kind != request.Operation {
			return &FailedError{
				Reason: v1alpha3.ReasonUnsupported,
				Message: fmt.Sprintf("the recorded operation is %s of %s, and cannot be resumed as %s of %s",
					pending.Kind, pending.Provider, request.Operation, name),
			}
		}

		if err := pending.check(); err != nil {
			return &FailedError{
				Reason:  v1alpha3.ReasonUnsupported,
				Message: "the recorded operation cannot be resumed: " + err.Error(),
				Err:     err,
			}
		}
	}

	if request.OperationUID == "" {
		return &FailedError{
			Reason:  v1alpha3.ReasonInvalidConfiguration,
			Message: fmt.Sprintf("the operation %s was given no UID that makes its repetition harmless", request.Operation),
		}
	}

	if operation.RequiresReplaceUserData() && request.ReplaceUserData == "" && e.beforeBegin() {
		return &FailedError{
			Reason:  v1alpha3.ReasonInvalidConfiguration,
			Message: fmt.Sprintf("%s needs user data for the operation %s, and was given none", name, request.Operation),
		}
	}

	return nil
}

func (r *Runner) log() *slog.Logger {
	if r.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}

	return r.Logger
}
