package machineopstest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

const concurrentRule = "ConcurrentBeginsAreOneEffect"

// beginningWith puts another beginning before, or in place of, the right one.
func beginningWith(
	begin func(context.Context, *cloud, machineops.OperationRequest) (machineops.BeginResult, error),
) func(*cloud, *callbacks) {
	return func(c *cloud, r *callbacks) {
		r.beginAllocate = func(
			ctx context.Context, request machineops.OperationRequest,
		) (machineops.BeginResult, error) {
			if err := errors.Join(ctx.Err(), checkConfig(request.Allocation.ProviderConfig)); err != nil {
				return machineops.BeginResult{}, err
			}

			return begin(ctx, c, request)
		}
	}
}

// pollingInto changes what polling an allocation observes.
func pollingInto(
	change func(*cloud, machineops.OperationRequest, *machineops.PollResult) error,
) func(*cloud, *callbacks) {
	return func(c *cloud, r *callbacks) {
		r.pollAllocate = func(
			ctx context.Context, request machineops.OperationRequest, handle machineops.ProviderOperation,
		) (machineops.PollResult, error) {
			polled, err := c.pollAllocate(ctx, request, handle)
			if err == nil {
				err = change(c, request, &polled)
			}

			return polled, err
		}
	}
}

// resultingIn changes the result of an allocation.
func resultingIn(change func(*machineops.OperationResult)) func(*cloud, *callbacks) {
	return pollingInto(func(_ *cloud, _ machineops.OperationRequest, polled *machineops.PollResult) error {
		if polled.Result.Allocation != nil {
			change(&polled.Result)
		}

		return nil
	})
}

func wrongAllocate() []wrongRegistration {
	return append([]wrongRegistration{
		{"BeginIsIdempotent", "every Begin launches", beginningWith(
			func(_ context.Context, c *cloud, request machineops.OperationRequest) (machineops.BeginResult, error) {
				token := fmt.Sprint(launchToken(request), c.count())
				c.launch(token, request.Allocation.Offering)

				return begun(token), nil
			})},
		{"BeginIsIdempotent", "only the own process is remembered", rememberingBegins},
		{"BeginIsIdempotent", "the second handle leads nowhere", beginningWith(
			func(ctx context.Context, c *cloud, request machineops.OperationRequest) (machineops.BeginResult, error) {
				if _, again := c.launched(launchToken(request)); again {
					return begun("again"), nil
				}

				return c.beginAllocate(ctx, request)
			})},
		{"BeginIsIdempotent", "Begin panics", beginningWith(
			func(context.Context, *cloud, machineops.OperationRequest) (machineops.BeginResult, error) {
				panic("out of order")
			})},
		{concurrentRule, "looks first and launches then", beginningWith(lookThenLaunch)},
		{concurrentRule, "the loser gives up for good", beginningWith(
			func(ctx context.Context, c *cloud, request machineops.OperationRequest) (machineops.BeginResult, error) {
				if c.meet(ctx, request) {
					return machineops.BeginResult{}, &machineops.PermanentError{Err: errors.New("in progress")}
				}

				return c.beginAllocate(ctx, request)
			})},
		{"BeginIsKeyedOnTheAllocation", "the OperationUID alone is the key", beginningWith(
			func(_ context.Context, c *cloud, request machineops.OperationRequest) (machineops.BeginResult, error) {
				c.launch(string(request.OperationUID), request.Allocation.Offering)

				return begun(string(request.OperationUID)), nil
			})},
	}, append(wrongCancellation(), wrongAllocationResult()...)...)
}

// rememberingBegins remembers what it began, but in its own memory only.
func rememberingBegins(c *cloud, r *callbacks) {
	var mu sync.Mutex

	tokens := map[string]string{}

	beginningWith(func(
		_ context.Context, c *cloud, request machineops.OperationRequest,
	) (machineops.BeginResult, error) {
		mu.Lock()
		defer mu.Unlock()

		token, ok := tokens[launchToken(request)]
		if !ok {
			token = fmt.Sprint(launchToken(request), c.count())
			tokens[launchToken(request)] = token
			c.launch(token, request.Allocation.Offering)
		}

		return begun(token), nil
	})(c, r)
}

// lookThenLaunch leaves a gap between looking and launching.
func lookThenLaunch(
	ctx context.Context, c *cloud, request machineops.OperationRequest,
) (machineops.BeginResult, error) {
	if _, ok := c.launched(launchToken(request)); ok {
		return c.beginAllocate(ctx, request)
	}

	token := launchToken(request)
	if c.meet(ctx, request) {
		token = fmt.Sprint(token, c.count())
	}

	c.launch(token, request.Allocation.Offering)

	return begun(token), nil
}

// meet makes the first two callers of the rule about concurrent Begins overlap: the
// first waits for the second, for which meet returns true.
func (c *cloud) meet(ctx context.Context, request machineops.OperationRequest) bool {
	if !strings.HasPrefix(request.Allocation.Name, concurrentRule) {
		return false
	}

	switch c.arrived.Add(1) {
	case 1:
		select {
		case <-c.met:
		case <-ctx.Done():
		}

		return false
	case 2:
		close(c.met)

		return true
	default:
		return false
	}
}

func wrongCancellation() []wrongRegistration {
	const rule = "CancellationChangesAndEndsNothing"

	return []wrongRegistration{
		{rule, "Begin launches nevertheless", func(c *cloud, r *callbacks) {
			r.beginAllocate = func(
				ctx context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				return c.beginAllocate(context.WithoutCancel(ctx), request)
			}
		}},
		{rule, "release removes nevertheless", func(c *cloud, r *callbacks) {
			r.beginRelease = func(
				ctx context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				return c.beginRelease(context.WithoutCancel(ctx), request)
			}
		}},
		{rule, "Begin gives up for good", func(c *cloud, r *callbacks) {
			r.beginAllocate = func(
				ctx context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				if err := ctx.Err(); err != nil {
					return machineops.BeginResult{}, &machineops.PermanentError{Err: err}
				}

				return c.beginAllocate(ctx, request)
			}
		}},
		{rule, "Poll calls the operation canceled", func(c *cloud, r *callbacks) {
			r.pollAllocate = func(
				ctx context.Context, request machineops.OperationRequest, handle machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				if ctx.Err() != nil {
					return machineops.PollResult{State: machineops.ProviderOperationStateCanceled}, nil //nolint:nilerr // This is the wrong that is to be found.
				}

				return c.pollAllocate(ctx, request, handle)
			}
		}},
	}
}

func wrongAllocationResult() []wrongRegistration {
	const rule = "AllocationResultIsWellFormed"

	return []wrongRegistration{
		{rule, "no allocation result", resultingIn(func(r *machineops.OperationResult) { r.Allocation = nil })},
		{rule, "no provider ID", resultingIn(func(r *machineops.OperationResult) { r.ProviderID = "" })},
		{rule, "another host", resultingIn(func(r *machineops.OperationResult) {
			r.Allocation.ProviderResourceID = "h-0"
		})},
		{rule, "another instance type", resultingIn(func(r *machineops.OperationResult) {
			r.Allocation.InstanceType = "small"
		})},
		{rule, "no zone", resultingIn(func(r *machineops.OperationResult) { r.Allocation.Zone = "" })},
		{rule, "the host is not owned", resultingIn(func(r *machineops.OperationResult) {
			r.Allocation.OwnedResources = r.Allocation.OwnedResources[1:]
		})},
		{rule, "an owned resource without a kind", resultingIn(func(r *machineops.OperationResult) {
			r.Allocation.OwnedResources[1].Kind = ""
		})},
		{rule, "an owned resource named twice", resultingIn(func(r *machineops.OperationResult) {
			r.Allocation.OwnedResources[1] = r.Allocation.OwnedResources[0]
		})},
	}
}

func wrongPoll() []wrongRegistration {
	return []wrongRegistration{
		{"PollResumesInAnotherProcess", "the handle's meaning is kept in memory", func(c *cloud, r *callbacks) {
			var mu sync.Mutex

			known := map[machineops.ProviderOperation]bool{}
			r.beginAllocate = func(
				ctx context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				result, err := c.beginAllocate(ctx, request)

				mu.Lock()
				defer mu.Unlock()

				known[result.Operation] = true

				return result, err
			}
			r.pollAllocate = func(
				ctx context.Context, request machineops.OperationRequest, handle machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				mu.Lock()
				defer mu.Unlock()

				if !known[handle] {
					return machineops.PollResult{}, errors.New("the handle is not known here")
				}

				return c.pollAllocate(ctx, request, handle)
			}
		}},
		{"PollResumesInAnotherProcess", "the provider configuration is needed", pollingInto(
			func(_ *cloud, request machineops.OperationRequest, _ *machineops.PollResult) error {
				return checkConfig(request.Allocation.ProviderConfig)
			})},
		{"PollResumesInAnotherProcess", "the user data is needed", pollingInto(
			func(_ *cloud, request machineops.OperationRequest, _ *machineops.PollResult) error {
				if request.Allocation.UserData == "" {
					return errors.New("the user data is missing")
				}

				return nil
			})},
		{"PollOnlyObserves", "polling starts the host", pollingInto(
			func(c *cloud, request machineops.OperationRequest, _ *machineops.PollResult) error {
				c.once("start "+string(request.Allocation.UID), "start", "h-0")

				return nil
			})},
		{"PollKeepsTheEnd", "success is told once", pollingInto(
			func(c *cloud, request machineops.OperationRequest, polled *machineops.PollResult) error {
				defer c.called()()

				key := "told " + launchToken(request)
				if c.done[key] {
					polled.State = machineops.ProviderOperationStateInProgress
				}

				c.done[key] = c.done[key] || polled.State == machineops.ProviderOperationStateSucceeded

				return nil
			})},
		{"PollKeepsTheEnd", "the result changes", resultingIn(func(r *machineops.OperationResult) {
			r.Allocation.Image = time.Now().String()
		})},
		{"PollBelievesNoForeignHandle", "the unknown is done", func(c *cloud, r *callbacks) {
			r.pollAllocate = func(
				ctx context.Context, request machineops.OperationRequest, handle machineops.ProviderOperation,
			) (machineops.PollResult, error) {
				polled, err := c.pollAllocate(ctx, request, handle)
				if err != nil && ctx.Err() == nil {
					return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded}, nil
				}

				return polled, err
			}
		}},
	}
}
