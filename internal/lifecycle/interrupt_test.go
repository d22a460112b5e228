package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

func TestNothingIsBegunOnceTheContextHasEnded(t *testing.T) {
	t.Parallel()

	// Whatever the context ends in, only the record of it may follow.
	for last, want := range map[string][]string{
		"":                 {},
		"record intended":  {"record intended"},
		"begin":            {"record intended", "begin", "record begun"},
		"record begun":     {"record intended", "begin", "record begun"},
		"poll":             {"record intended", "begin", "record begun", "poll", "record succeeded"},
		"record succeeded": {"record intended", "begin", "record begun", "poll", "record succeeded"},
		"apply":            {"record intended", "begin", "record begun", "poll", "record succeeded", "apply", "record applied"},
		"record applied":   {"record intended", "begin", "record begun", "poll", "record succeeded", "apply", "record applied"},
	} {
		t.Run("ended in "+last, func(t *testing.T) {
			t.Parallel()

			var records []lifecycle.PendingOperation

			ctx, cancel := context.WithCancel(t.Context())
			if last == "" {
				cancel()
			}

			c := newCloud()
			c.afterEvent = func(event string) {
				if event == last {
					cancel()
				}
			}

			run := lifecycle.Run{
				Request: reboot(), Recorder: c.recorder(&records),
				Apply: func(context.Context, machineops.OperationResult) error { c.note("apply", nil); return nil },
			}

			outcome, err := c.runner(t, newClock()).Run(ctx, run)
			wantUnfinished(t, err, context.Canceled)

			if !lifecycle.Interrupted(err) {
				t.Errorf("%v is not taken for an interrupt", err)
			}

			if got := c.happened(); !slices.Equal(got, want) {
				t.Errorf("happened: %v, want %v", got, want)
			}

			// What was recorded last goes on to the same end, each step taken once.
			c.afterEvent = nil

			run.Pending = outcome.Pending
			if _, err := c.runner(t, newClock()).Run(t.Context(), run); err != nil {
				t.Fatalf("resumed: %v", err)
			}

			wantCounts(t, c, map[string]int{"begin": 1, "poll": 1, "apply": 1, "cleanup": 1})
		})
	}
}

func TestEveryWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()

	fail := func(c *cloud, event string) {
		c.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
			if event == "begin" {
				return machineops.BeginResult{}, errTransient
			}

			return begun(), nil
		}
		c.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
			switch event {
			case "poll":
				return machineops.PollResult{}, errTransient
			case "progress":
				return inProgress(time.Hour), nil
			default:
				return succeeded(), nil
			}
		}
		c.onCleanup = func(context.Context, int, machineops.OperationRequest, machineops.OperationResult) error {
			if event == "cleanup" {
				return errTransient
			}

			return nil
		}
	}

	ends := map[string]struct {
		end         func(context.Context) (context.Context, func())
		cause       error
		interrupted bool
	}{
		"cancelled": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancel(ctx)

			return ctx, cancel
		}, context.Canceled, true},
		"cancelled for a cause": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)

			return ctx, func() { cancel(errors.New("told to stop")) }
		}, context.Canceled, true},
		"cancelled for a cause that is a deadline": {func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)

			return ctx, func() { cancel(context.DeadlineExceeded) }
		}, context.Canceled, true},
		"past its deadline": {func(ctx context.Context) (context.Context, func()) {
			expired := &expiringContext{Context: ctx, done: make(chan struct{})}

			return expired, expired.expire
		}, context.DeadlineExceeded, false},
	}

	for name, test := range ends {
		for _, event := range []string{"begin", "poll", "progress", "record", "apply", "cleanup"} {
			t.Run(event+" "+name, func(t *testing.T) {
				t.Parallel()

				ctx, end := test.end(t.Context())
				c, clk := newCloud(), newClock()
				fail(c, event)

				clk.hold = func(int, time.Duration) bool {
					end()

					return true
				}

				_, err := c.runner(t, clk).Run(ctx, lifecycle.Run{
					Request: reboot(),
					Recorder: lifecycle.RecorderFunc(func(_ context.Context, operation lifecycle.PendingOperation) error {
						if event == "record" && operation.Stage == lifecycle.StageBegun {
							return errTransient
						}

						return nil
					}),
					Apply: func(context.Context, machineops.OperationResult) error {
						if event == "apply" {
							return errTransient
						}

						return nil
					},
				})

				unfinished := wantUnfinished(t, err, test.cause)
				if lifecycle.Interrupted(err) != test.interrupted {
					t.Errorf("Interrupted(%v) = %v", err, !test.interrupted)
				}

				if event != "progress" && !errors.Is(unfinished.LastError, errTransient) {
					t.Errorf("last error is %v, want why it had to wait", unfinished.LastError)
				}

				if waits := len(clk.waited()); waits != 1 {
					t.Errorf("waited %d times, want once", waits)
				}
			})
		}
	}
}

// expiringContext passes its deadline when it is told to.
type expiringContext struct {
	context.Context

	done chan struct{}
}

func (c *expiringContext) Done() <-chan struct{} { return c.done }

func (c *expiringContext) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func (c *expiringContext) expire() { close(c.done) }

func TestCauseOfAnInterruptIsTold(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the server is told to stop"))

	_, err := newCloud().runner(t, newClock()).Run(ctx, lifecycle.Run{Request: reboot()})
	if !lifecycle.Interrupted(err) || !strings.Contains(err.Error(), "told to stop") {
		t.Errorf("error is %v, want an interrupt and its cause", err)
	}
}

func TestAttemptCutShortIsNoErrorOfItsOwn(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())

	c := newCloud()
	c.onPoll = func(ctx context.Context, _ int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
		cancel()

		return machineops.PollResult{}, ctx.Err()
	}

	_, err := c.runner(t, newClock()).Run(ctx, lifecycle.Run{Request: reboot()})
	if unfinished := wantUnfinished(t, err, context.Canceled); unfinished.LastError != nil {
		t.Errorf("last error is %v", unfinished.LastError)
	}
}

func TestCredentialsThatArriveTooLateBeginNothing(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())

	c := newCloud()
	runner := c.runner(t, newClock())
	runner.Auth = func(ctx context.Context) (*machineops.OperationAuth, error) {
		cancel()

		return credentials(ctx)
	}

	outcome, err := runner.Run(ctx, lifecycle.Run{Request: reboot()})
	wantUnfinished(t, err, context.Canceled)
	wantCounts(t, c, map[string]int{"begin": 0})

	if outcome.Pending == nil || outcome.Pending.Stage != lifecycle.StageIntended {
		t.Errorf("pending is %+v", outcome.Pending)
	}
}

func TestRecorderHasASecondAfterAnInterrupt(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	c, clk := newCloud(), newClock()

	returned := make(chan error, 1)
	recording := make(chan struct{})

	go func() {
		_, err := c.runner(t, clk).Run(ctx, lifecycle.Run{
			Request: reboot(),
			Recorder: lifecycle.RecorderFunc(func(ctx context.Context, operation lifecycle.PendingOperation) error {
				if operation.Stage != lifecycle.StageBegun {
					return nil
				}

				cancel()

				if err := ctx.Err(); err != nil {
					t.Errorf("the recorder has no time at all: %v", err)
				}

				close(recording)
				<-ctx.Done()

				return ctx.Err()
			}),
		})
		returned <- err
	}()

	<-recording

	// The second begins when the interrupt is noticed.
	for {
		select {
		case err := <-returned:
			wantUnfinished(t, err, context.Canceled)
			wantCounts(t, c, map[string]int{"begin": 1, "poll": 0})

			return
		default:
			clk.Step(time.Second)
		}
	}
}

// What was refused until the end is told, though the very last attempt was cut short.
func TestAttemptCutShortDoesNotHideTheOneBefore(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())

	c := newCloud()
	c.onPoll = func(ctx context.Context, n int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 1 {
			return machineops.PollResult{}, errTransient
		}

		cancel()

		return machineops.PollResult{}, fmt.Errorf("looking: %w", ctx.Err())
	}

	_, err := c.runner(t, newClock()).Run(ctx, lifecycle.Run{Request: reboot()})
	if unfinished := wantUnfinished(t, err, context.Canceled); !errors.Is(unfinished.LastError, errTransient) {
		t.Errorf("last error is %v, want %v", unfinished.LastError, errTransient)
	}
}
