package alicloud

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"k8s.io/utils/clock"
)

// referenceLifetime is for how long what is named is believed to be there.
const referenceLifetime = 10 * time.Minute

// references remembers which of the things that classes name were found, for all
// classes of the process. What was missing is asked for again: it may have been made
// meanwhile.
type references struct {
	logger *slog.Logger
	found  *answers[struct{}]
}

// notAskedError is a look that the credentials may not make.
type notAskedError struct{ err error }

func (e *notAskedError) Error() string { return e.err.Error() }

func (e *notAskedError) Unwrap() error { return e.err }

func newReferences(c clock.PassiveClock, logger *slog.Logger) *references {
	return &references{logger: logger, found: newAnswers[struct{}](c, referenceLifetime)}
}

// find lets look see whether something is there, unless that is known. A look that the
// credentials may not make says nothing against what it was for: the launch will tell.
func (r *references) find(ctx context.Context, look func(context.Context) error, key ...string) error {
	_, err := r.found.get(ctx, strings.Join(key, "\x00"), func(ctx context.Context) (struct{}, error) {
		err := look(ctx)

		var unasked *notAskedError
		if errors.As(err, &unasked) {
			r.logger.WarnContext(ctx, "what a class names could not be looked up, for want of a permission", "name", strings.Join(key, " "), "error", unasked.err.Error())

			err = nil
		}

		return struct{}{}, err
	})

	return err
}
