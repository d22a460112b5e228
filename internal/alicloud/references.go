package alicloud

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// referenceLifetime is for how long what a class names is believed to be there.
const referenceLifetime = 10 * time.Minute

// references remembers which of the things that classes name were found, for all
// classes of the process. What was missing is asked for again: it may have been made
// meanwhile. It is safe for concurrent use.
type references struct {
	clock  clock.PassiveClock
	logger *slog.Logger

	mu    sync.Mutex
	known map[string]*reference
}

// reference is one thing. Who holds the turn may use the rest.
type reference struct {
	turn chan struct{}
	// until is how long it need not be looked at again.
	until time.Time
}

// notAskedError is a look that the credentials may not make.
type notAskedError struct{ err error }

func (e *notAskedError) Error() string { return e.err.Error() }

func (e *notAskedError) Unwrap() error { return e.err }

func newReferences(c clock.PassiveClock, logger *slog.Logger) *references {
	return &references{clock: c, logger: logger, known: map[string]*reference{}}
}

// find lets look see whether something is there, unless that is known. Callers who
// ask for the same at a time wait for each other. A look that the credentials may not
// make says nothing against what it was for: the launch will tell.
func (r *references) find(ctx context.Context, look func(context.Context) error, key ...string) error {
	one := r.reference(strings.Join(key, "\x00"))

	select {
	case one.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}

	defer func() { <-one.turn }()

	if r.clock.Now().Before(one.until) {
		return nil
	}

	err := look(ctx)

	var unasked *notAskedError
	if errors.As(err, &unasked) {
		r.logger.WarnContext(ctx, "what a class names could not be looked up, for want of a permission", "name", strings.Join(key, " "), "error", unasked.err.Error())

		err = nil
	}

	if err == nil {
		one.until = r.clock.Now().Add(referenceLifetime)
	}

	return err
}

func (r *references) reference(key string) *reference {
	r.mu.Lock()
	defer r.mu.Unlock()

	one, ok := r.known[key]
	if !ok {
		one = &reference{turn: make(chan struct{}, 1)}
		r.known[key] = one
	}

	return one
}
