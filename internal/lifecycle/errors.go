package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// The reasons that this package gives, beside those of the registration.
const (
	// ReasonUnknownState means that the provider reports a state that this version
	// does not know. The operation is taken to be in progress.
	ReasonUnknownState = "UnknownState"
	// ReasonOutcomeLost means that an immediate operation was begun, that nobody
	// knows whether it had its effect, and that it must not be repeated.
	ReasonOutcomeLost = "OutcomeLost"
	// ReasonIncompleteAnswer means that the provider reported success without what
	// it owes: the handle to go on with, or the host.
	ReasonIncompleteAnswer = "IncompleteAnswer"
)

// FailedError reports that an operation ended without its end state. No repeat of
// the same operation can succeed.
type FailedError struct {
	// Reason is one of the Reason constants of v1alpha3 or of this package, or the
	// provider's own.
	Reason string
	// Message is what the provider said, for people.
	Message string
	// Err is the cause, where there is one.
	Err error
}

// Error returns the message, or the cause's text, or the reason.
func (e *FailedError) Error() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return e.Err.Error()
	default:
		return e.Reason
	}
}

// Unwrap returns the cause.
func (e *FailedError) Unwrap() error { return e.Err }

// UnfinishedError reports that the wait ended before the operation did: by an
// interrupt, by its deadline, because what was learned could not be recorded, or because
// the caller is refused what it takes to follow the operation (see Blocked).
// The operation goes on at the provider; Pending resumes it.
type UnfinishedError struct {
	// Cause is why the wait ended. errors.Is finds context.Canceled in it after an
	// interrupt, and context.DeadlineExceeded after a deadline.
	Cause error
	// LastError is the last failed attempt, where the last attempt failed.
	LastError error
	// LastState is what the provider said last, for people.
	LastState string
}

// Error tells the cause and what was last known.
func (e *UnfinishedError) Error() string {
	text := fmt.Sprintf("the wait ended before the operation did (%s)", endText(e.Cause))
	if blocked := blockedError(e.Cause); blocked != nil {
		text = blocked.Error()
	}

	if e.LastState != "" {
		text += "; last known state: " + e.LastState
	}

	if e.LastError != nil {
		text += "; the last attempt failed: " + e.LastError.Error()
	}

	return text
}

// endText says why a wait ended, in words that are not a programmer's. A cause that
// tells more is told as it is.
func endText(cause error) string {
	for programmers, users := range map[error]string{context.Canceled: "it was interrupted", context.DeadlineExceeded: "its timeout has passed"} {
		if rest, is := strings.CutPrefix(fmt.Sprint(cause), programmers.Error()); is {
			return users + rest
		}
	}

	return fmt.Sprint(cause)
}

// Unwrap returns the cause and the last failed attempt.
func (e *UnfinishedError) Unwrap() []error {
	if e.LastError == nil {
		return []error{e.Cause}
	}

	return []error{e.Cause, e.LastError}
}

// Interrupted reports whether err says that the wait was cancelled from outside,
// as opposed to having passed its own deadline.
func Interrupted(err error) bool {
	var unfinished *UnfinishedError

	return errors.As(err, &unfinished) && errors.Is(unfinished.Cause, context.Canceled)
}

// unfinished returns the error of a wait that ended with its context. A last attempt
// that says no more than that it was cut short by the same end, as one that waited for
// something then, is left out; one that tells what was refused before is what the user
// needs.
func unfinished(ctx context.Context, cause, last error, state string) *UnfinishedError {
	var waited *machineops.EndedError
	if last != nil && (errors.As(last, &waited) || errors.Is(ctx.Err(), last) || errors.Is(cause, last)) {
		last = nil
	}

	return &UnfinishedError{Cause: cause, LastError: last, LastState: state}
}

// permanentError returns the permanent error in err's chain, or nil.
func permanentError(err error) *machineops.PermanentError {
	var permanent *machineops.PermanentError
	if errors.As(err, &permanent) {
		return permanent
	}

	return nil
}

// failedBy returns what a permanent error means for the operation.
func failedBy(permanent *machineops.PermanentError) *FailedError {
	failed := &FailedError{Reason: permanent.Reason, Err: permanent}
	if permanent.Err != nil {
		failed.Message = permanent.Err.Error()
	}

	return failed
}
