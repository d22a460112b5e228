package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/utils/clock"
)

// ended returns nil while the context lives, and then why it ended. errors.Is
// finds context.Canceled or context.DeadlineExceeded in it, whatever cause the
// context was given.
func ended(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}

	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}

	// The cause is told and not wrapped: a cause may itself be a deadline, and an
	// interrupt must not be taken for one.
	return fmt.Errorf("%w: %v", err, cause) //nolint:errorlint // See above.
}

// wait returns nil after d on the clock, or why the context ended as soon as it
// has.
func wait(ctx context.Context, c clock.Clock, d time.Duration) error {
	if err := ended(ctx); err != nil {
		return err
	}

	if d <= 0 {
		return nil
	}

	timer := c.NewTimer(d)
	defer timer.Stop()

	select {
	case <-ctx.Done():
		return ended(ctx)
	case <-timer.C():
		return nil
	}
}

// outlive returns a context that ends the given time after ctx does, and a
// function that lets it go.
func outlive(ctx context.Context, c clock.Clock, grace time.Duration) (context.Context, func()) {
	longer, cancel := context.WithCancelCause(context.WithoutCancel(ctx))

	stop := context.AfterFunc(ctx, func() {
		// Only the end of longer ends this wait early, and the caller brings that about.
		if wait(longer, c, grace) == nil {
			cancel(ended(ctx))
		}
	})

	return longer, func() {
		stop()
		cancel(nil)
	}
}

// retryDelay is the wait after so many failures in a row, which grows from
// defaultPollInterval to longestPollInterval.
func retryDelay(failures int) time.Duration {
	delay := defaultPollInterval
	for range min(failures, 8) {
		delay *= 2
	}

	return min(delay, longestPollInterval)
}
