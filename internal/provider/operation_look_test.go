package provider

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

func TestALookThatFailedIsNotRepeated(t *testing.T) {
	t.Parallel()

	var (
		looks planLooks
		made  atomic.Int64
		plans sync.WaitGroup
	)

	dead := driver.NewError(driver.CodeUnavailable, "nobody answers")

	for range 50 {
		plans.Go(func() {
			err := looks.once(t.Context(), "list", func(context.Context) error {
				made.Add(1)

				return dead
			})
			if !errors.Is(err, dead) {
				t.Errorf("the look ended with %v", err)
			}
		})
	}

	plans.Wait()

	if made.Load() != 1 {
		t.Errorf("it was looked %d times", made.Load())
	}
}

func TestWhichFailuresOfALookLast(t *testing.T) {
	t.Parallel()

	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()

	for name, test := range map[string]struct {
		ctx   context.Context
		err   error
		looks int64
	}{
		"nothing":          {t.Context(), nil, 2},
		"nobody answers":   {t.Context(), driver.NewError(driver.CodeUnavailable, "nobody answers"), 1},
		"out of time":      {t.Context(), context.DeadlineExceeded, 1},
		"no credentials":   {t.Context(), driver.NewError(driver.CodeUnauthenticated, "no credentials"), 1},
		"another's":        {t.Context(), driver.NewError(driver.CodePermissionDenied, "not allowed"), 2},
		"a wrong argument": {t.Context(), driver.NewError(driver.CodeInvalidArgument, "what is that"), 2},
		"not there":        {t.Context(), driver.NewError(driver.CodeNotFound, "not there"), 2},
		"an interrupt":     {interrupted, driver.NewError(driver.CodeCanceled, "interrupted"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var (
				looks planLooks
				made  int64
			)

			for range 2 {
				if err := looks.try(test.ctx, "machine", func(context.Context) error {
					made++

					return test.err
				}); !errors.Is(err, test.err) {
					t.Errorf("it ended with %v", err)
				}
			}

			if made != test.looks {
				t.Errorf("it was looked %d times, want %d", made, test.looks)
			}
		})
	}
}
