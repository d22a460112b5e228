package lifecycle

import (
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// mostBlocked is how often in a row a caller is refused before that ends the wait. The
// pauses between make it a quarter of a minute, in which a permission that was just
// granted comes to count; whoever lacks it for good is not let wait for the timeout.
const mostBlocked = 4

// blockade counts what is refused in a row.
type blockade struct{ refused int }

// ends returns the refusal once it has come often enough to end the wait. Anything but
// a refusal begins the count anew.
func (b *blockade) ends(err error) *machineops.BlockedError {
	blocked := blockedError(err)
	if blocked == nil {
		b.refused = 0

		return nil
	}

	if b.refused++; b.refused < mostBlocked && !blocked.AtOnce {
		return nil
	}

	return blocked
}

// Patience is what goes by for whoever repeats what failed: how long to wait in between,
// and when it has been refused often enough. The zero Patience has seen nothing fail; it is
// not safe for concurrent use.
type Patience struct {
	failures int
	blocked  blockade
}

// Failed notes a failure and returns how long to wait before the next try: longer each
// time. Where a *machineops.BlockedError in the failure's chain has come often enough to
// end the tries, it is returned, too.
func (p *Patience) Failed(err error) (time.Duration, *machineops.BlockedError) {
	delay := retryDelay(p.failures)
	p.failures++

	return delay, p.blocked.ends(err)
}

// Succeeded forgets the failures before.
func (p *Patience) Succeeded() { *p = Patience{} }

// blockedError returns the refusal in err's chain, or nil.
func blockedError(err error) *machineops.BlockedError {
	var blocked *machineops.BlockedError
	if errors.As(err, &blocked) {
		return blocked
	}

	return nil
}

// Blocked returns what the caller was refused where that ended the wait, and nil where
// something else did.
func Blocked(err error) *machineops.BlockedError {
	var unfinished *UnfinishedError
	if !errors.As(err, &unfinished) {
		return nil
	}

	return blockedError(unfinished.Cause)
}

// noteBlocked remembers that a launch cannot be followed.
func (a *Allocator) noteBlocked() {
	a.mu.Lock()
	defer a.mu.Unlock()

	a.blockedAt = a.runner.Clock.Now()
}

// lastBlocked is when noteBlocked was called last; the zero time where it never was.
func (a *Allocator) lastBlocked() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()

	return a.blockedAt
}

// stepFailed is a step that failed which a machine that is held still needs. That it
// failed is no reason to give the machine up, so a permanent error is told and not
// wrapped; where the caller is refused the step for good, the error is a
// *machineops.BlockedError.
func stepFailed(machine, doing string, err error) error {
	text := &toldError{text: fmt.Sprintf("%s: %v", doing, err), of: err}
	if plain, is := err.(*machineops.PermanentError); is && plain.Err != nil { //nolint:errorlint // Not what it wraps, but what it is.
		// The reason is for programs.
		text.text = fmt.Sprintf("%s: %v", doing, plain.Err)
	}

	if blocked := blockedError(err); blocked != nil {
		return &machineops.BlockedError{Reason: blocked.Reason, ProviderID: machine, Err: text}
	}

	if permanent := permanentError(err); permanent != nil && Blocks(permanent.Reason) {
		return &machineops.BlockedError{Reason: permanent.Reason, ProviderID: machine, Err: text}
	}

	return text
}

// Blocks reports whether what is refused for the reason stays so until somebody acts.
func Blocks(reason string) bool {
	switch reason {
	case v1alpha3.ReasonPermissionDenied, v1alpha3.ReasonCredentialsRefused, v1alpha3.ReasonRefused:
		return true
	default:
		return false
	}
}

// toldError is what an error says, and what the cloud said, without what a caller could
// decide on.
type toldError struct {
	text string
	of   error
}

// Error returns the text.
func (e *toldError) Error() string { return e.text }

// Refused returns what the cloud said, and to which request; see machineops.Refused.
func (e *toldError) Refused() (said, requestID string) { return machineops.Refused(e.of) }
