package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// found is a machine of the given age and claim.
func found(age time.Duration, claim string) func(context.Context, int, string) (lifecycle.Observation, error) {
	return func(_ context.Context, _ int, machine string) (lifecycle.Observation, error) {
		return lifecycle.Observation{ProviderID: machine, Claim: claim, CreatedAt: start().Add(-age)}, nil
	}
}

func TestMachineOfAnEarlierRunIsClaimedAnew(t *testing.T) {
	t.Parallel()

	launchClaim := identity("w").LaunchClaim(0)

	for name, test := range map[string]struct {
		observe func(context.Context, int, string) (lifecycle.Observation, error)
		adopted bool
	}{
		"older than this run":                 {found(3*time.Minute, launchClaim), true},
		"older, and its claim was taken away": {found(3*time.Minute, ""), true},
		"of the same minute":                  {found(119*time.Second, launchClaim), false},
		"not to be seen for a moment": {func(context.Context, int, string) (lifecycle.Observation, error) {
			return lifecycle.Observation{}, errTransient
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			f.onObserve = test.observe
			f.onClaim = func(_ context.Context, _ int, machine, claim string) error {
				if machine != "north.m-1" || claim != "random-1" {
					t.Errorf("claimed %s as %s", machine, claim)
				}

				return nil
			}

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
			if err != nil || allocated.Adopted != test.adopted || (allocated.Claim == "random-1") != test.adopted {
				t.Errorf("Allocate() = %+v, %v", allocated, err)
			}

			claims := 0
			if test.adopted {
				claims = 1
			}

			wantCounts(t, f.cloud, map[string]int{"begin": 1, "observe": 1, "claim": claims})
		})
	}
}

func TestAdoptionIsRepeatedUnderOneClaim(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onObserve = found(time.Hour, identity("w").LaunchClaim(0))
	f.onClaim = func(_ context.Context, n int, _, claim string) error {
		if claim != "random-1" {
			t.Errorf("claimed as %s", claim)
		}

		if n == 1 {
			return errTransient
		}

		return nil
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.Claim != "random-1" || !allocated.Adopted {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"claim": 2, "poll": 1})
}

func TestAdoptionWhoseAnswerWasLostIsReadBack(t *testing.T) {
	t.Parallel()

	claim := identity("w").LaunchClaim(0)

	f := newFleet(t, offering("one"))
	f.onObserve = func(ctx context.Context, n int, machine string) (lifecycle.Observation, error) {
		if n == 2 {
			return lifecycle.Observation{}, errTransient
		}

		return found(time.Hour, claim)(ctx, n, machine)
	}
	f.onClaim = func(_ context.Context, _ int, _, written string) error {
		claim = written

		return errTransient
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.Claim != "random-1" || !allocated.Adopted {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"claim": 1, "observe": 3})
}

func TestAdoptionThatIsNotReadBackLeavesNoState(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onObserve = found(time.Hour, identity("w").LaunchClaim(0))
	f.onClaim = func(context.Context, int, string, string) error {
		cancel()

		return errTransient
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if allocated.ProviderID != "" || allocated.Claim != "" || allocated.Pending != nil {
		t.Errorf("allocated %+v, want nothing to keep", allocated)
	}
}

func TestAdoptionThatWasNotBegunIsMadeByTheNextRun(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onObserve = func(ctx context.Context, n int, machine string) (lifecycle.Observation, error) {
		if n == 1 {
			cancel()
		}

		return found(time.Hour, identity("w").LaunchClaim(0))(ctx, n, machine)
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)
	wantCounts(t, f.cloud, map[string]int{"claim": 0})

	if allocated.ProviderID != "north.m-1" || allocated.Pending == nil {
		t.Fatalf("allocated %+v, want it kept", allocated)
	}

	f.restart(t)

	request := allocation("w")
	request.Pending, request.PendingOffering = allocated.Pending, allocated.Offering

	resumed, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || resumed.Claim != "random-1" || !resumed.Adopted {
		t.Errorf("resumed: %+v, %v", resumed, err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 1, "claim": 1})
}

func TestMachineOfAnotherRunIsLeftAlone(t *testing.T) {
	t.Parallel()

	for name, script := range map[string]func(*fleet){
		"claimed after it was seen running": func(f *fleet) { f.onObserve = found(0, "another's") },
		"older, and claimed":                func(f *fleet) { f.onObserve = found(time.Hour, "another's") },
		"claimed at the same time": func(f *fleet) {
			claim := identity("w").LaunchClaim(0)
			f.onObserve = func(ctx context.Context, n int, machine string) (lifecycle.Observation, error) {
				return found(time.Hour, claim)(ctx, n, machine)
			}
			f.onClaim = func(context.Context, int, string, string) error {
				claim = "another's"

				return errTransient
			}
		},
		"said by a look": func(f *fleet) {
			f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				if n == 1 {
					return booting(handle), nil
				}

				return broken(v1alpha3.ReasonTaken, host(handle)), nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"), offering("two"))
			script(f)

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
			wantFailed(t, err, v1alpha3.ReasonTaken)
			wantCounts(t, f.cloud, map[string]int{"begin": 1, "release": 0})

			if allocated.ProviderID != "" || allocated.Claim != "" || len(allocated.Result.OwnedResources) != 0 {
				t.Errorf("allocated %+v, want nothing to keep", allocated)
			}
		})
	}
}

func TestMachineThatRanAndIsGoneIsReplaced(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onObserve = func(ctx context.Context, n int, machine string) (lifecycle.Observation, error) {
		if n == 1 {
			return lifecycle.Observation{}, errors.Join(lifecycle.ErrAbsent, errTransient)
		}

		return found(0, "")(ctx, n, machine)
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-2" {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	f.wantAsked(t, "one", "two")
}

func TestResumedLaunchGoesByTheClaimThatItsMachineCarries(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onObserve = found(0, "random-of-then")

	request := allocation("w")
	request.Pending = &lifecycle.PendingOperation{
		Provider: cloudName, Kind: v1alpha3.OperationHostAllocate, OperationUID: identity("w").OperationUID(0), OperationID: "launch-1", ResumeToken: "m-1",
		BeganAt: start(), Stage: lifecycle.StageBegun, Attempts: 1, Claim: "random-of-then",
	}

	allocated, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || allocated.Claim != "random-of-then" {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	if claim := f.requests("poll")[0].Parameters[v1alpha3.ParameterClaim]; claim != "random-of-then" {
		t.Errorf("looked for a machine of claim %s", claim)
	}
}

func TestInterruptAfterAnAdoptionKeepsItsClaim(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onObserve = found(time.Hour, identity("w").LaunchClaim(0))
	f.onClaim = func(context.Context, int, string, string) error {
		cancel()

		return nil
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if allocated.Claim != "random-1" || allocated.Pending == nil || allocated.Pending.Claim != "random-1" {
		t.Fatalf("allocated %+v, want the claim that was read", allocated)
	}

	request := allocation("w")
	request.Pending, request.PendingOffering = allocated.Pending, allocated.Offering

	f.restart(t)

	resumed, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || resumed.Claim != "random-1" || resumed.ProviderID != "north.m-1" {
		t.Errorf("resumed: %+v, %v", resumed, err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 1, "poll": 1, "claim": 1})
}
