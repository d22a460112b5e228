package machineops

import (
	"context"
	"errors"
)

// EndedError reports work that ended with its context. errors.Is finds context.Canceled or
// context.DeadlineExceeded in it; its text is a user's and not a programmer's.
type EndedError struct{ err error }

// Ended returns nil while the context lives, and then an *EndedError.
func Ended(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &EndedError{err: err}
	}

	return nil
}

// Error says that the work was interrupted, or out of time.
func (e *EndedError) Error() string {
	if errors.Is(e.err, context.Canceled) {
		return "interrupted"
	}

	return "out of time"
}

// Unwrap returns the context's error.
func (e *EndedError) Unwrap() error { return e.err }
