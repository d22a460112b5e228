package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// firstUnlisted makes the first machine unlisted from its (seen+1)th look on; the
// later ones run at once. It is gone where absent says so.
func (f *fleet) firstUnlisted(seen int, absent bool, more ...v1alpha3.ProviderOwnedResource) {
	looks := 0
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if handle.OperationID != "launch-1" {
			return running(handle), nil
		}

		if looks++; looks <= seen {
			return booting(handle, more...), nil
		}

		return notListed(handle), nil
	}

	found := f.onObserve
	f.onObserve = func(ctx context.Context, n int, machine string) (lifecycle.Observation, error) {
		if machine != "north.m-1" {
			return found(ctx, n, machine)
		}

		if absent {
			return lifecycle.Observation{}, errors.Join(lifecycle.ErrAbsent, errTransient)
		}

		return lifecycle.Observation{}, errTransient
	}
}

func TestMachineThatVanishesIsACapacityRefusalThatCameLate(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.firstUnlisted(2, true)

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-2" || len(allocated.Attempts) != 1 || allocated.Attempts[0].Reason != v1alpha3.ReasonWithdrawn {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	f.wantAsked(t, "one", "two")
	// 2 looks that show it, 19 over 36 seconds that do not, and one at its successor;
	// its absence is looked for once, after the window.
	wantCounts(t, f.cloud, map[string]int{"poll": 22, "observe": 2, "claim": 0, "release": 0})

	// The refusal holds for the others.
	if allocated, err := f.allocator.Allocate(t.Context(), allocation("x")); err != nil || !allocated.Attempts[0].Remembered {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}
}

func TestDisksOfAMachineThatVanishedAreReleased(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.firstUnlisted(1, true, disk())

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	wantCounts(t, f.cloud, map[string]int{"release": 1, "begin": 2})

	owned := f.requests("release")[0].Allocation.OwnedResources
	if !slices.Contains(owned, disk()) {
		t.Errorf("released %v, want the disk too", owned)
	}
}

func TestMachineThatIsNotProvenAbsentIsWaitedFor(t *testing.T) {
	t.Parallel()

	for name, seen := range map[string]int{"seen before": 1, "never seen": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			ctx, cancel := context.WithCancel(t.Context())
			f := newFleet(t, offering("one"), offering("two"))
			f.firstUnlisted(seen, false)
			f.clk.hold = func(wait int, _ time.Duration) bool {
				if wait == 50 {
					cancel()
				}

				return wait == 50
			}

			allocated, err := f.allocator.Allocate(ctx, allocation("w"))
			wantUnfinished(t, err, context.Canceled)
			f.wantAsked(t, "one")

			if held := allocated.ProviderID != ""; held != (seen > 0) || allocated.Pending == nil {
				t.Errorf("allocated %+v: a machine is kept if and only if it was seen", allocated)
			}
		})
	}
}

func TestMachineThatIsListedInTimeIsKept(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if n <= 11 {
			// 20 seconds.
			return notListed(handle), nil
		}

		return running(handle), nil
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-1" || len(allocated.Attempts) != 0 {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 1, "observe": 1})
}

// A machine that is never listed may be the answer to a launch of long ago, so its
// offering is asked for again; under an index that nobody has used, it was withdrawn.
func TestMachinesThatAreNeverListedAreGivenUpOneWindowEach(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if handle.OperationID == launched(3).Operation.OperationID {
			return running(handle), nil
		}

		return notListed(handle), nil
	}
	f.onObserve = func(_ context.Context, _ int, machine string) (lifecycle.Observation, error) {
		if machine == "north.m-3" {
			return lifecycle.Observation{ProviderID: machine, CreatedAt: f.clk.Now()}, nil
		}

		return lifecycle.Observation{}, lifecycle.ErrAbsent
	}

	began := f.clk.Now()

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-3" || len(allocated.Attempts) != 2 ||
		allocated.Attempts[0].Reason != v1alpha3.ReasonReplayed || allocated.Attempts[1].Reason != v1alpha3.ReasonWithdrawn {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	f.wantAsked(t, "one", "one", "two")

	if took := f.clk.Now().Sub(began); took > 115*time.Second {
		t.Errorf("two that were never listed took %s", took)
	}
}

// Before nothing is left to be asked for, what was given up is looked for once more.
func TestOneThatWasGivenUpIsTakenOverAtTheLastMoment(t *testing.T) {
	t.Parallel()

	for name, appears := range map[string]time.Duration{"it was late": 80 * time.Second, "it was withdrawn": time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			listed := f.clk.Now().Add(appears)
			late := func() bool { return !f.clk.Now().Before(listed) }
			found := lifecycle.Observation{ProviderID: "north.m-1", Name: "w", ClassUID: "class-uid", Fingerprint: "f", CreatedAt: f.clk.Now()}

			f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				if late() {
					return running(handle), nil
				}

				return notListed(handle), nil
			}
			f.onObserve = func(context.Context, int, string) (lifecycle.Observation, error) {
				if late() {
					return found, nil
				}

				return lifecycle.Observation{}, lifecycle.ErrAbsent
			}
			f.onList = func(int, time.Time) ([]lifecycle.Observation, error) {
				if late() {
					return []lifecycle.Observation{found}, nil
				}

				return nil, nil
			}

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
			f.wantAsked(t, "one", "one")

			var exhausted *lifecycle.ExhaustedError
			if appears < time.Hour && (err != nil || allocated.ProviderID != "north.m-1") {
				t.Errorf("Allocate() = %+v, %v; want the machine that was late", allocated, err)
			} else if appears == time.Hour && !errors.As(err, &exhausted) {
				t.Errorf("Allocate() = %+v, %v; want no capacity", allocated, err)
			}
		})
	}
}

func TestOneThatWasGivenUpAndAppearsEndsTheGivingUp(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"), offering("two"))
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		return notListed(handle), nil
	}
	f.onObserve = func(_ context.Context, n int, machine string) (lifecycle.Observation, error) {
		if machine == "north.m-1" && n > 1 {
			return lifecycle.Observation{ProviderID: machine, CreatedAt: f.clk.Now()}, nil
		}

		return lifecycle.Observation{}, lifecycle.ErrAbsent
	}
	f.clk.hold = func(wait int, _ time.Duration) bool {
		if wait == 100 {
			cancel()
		}

		return wait == 100
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	// It is machines that are listed late, and one more would be one more twin.
	f.wantAsked(t, "one", "one")

	if allocated.ProviderID != "" || len(allocated.Attempts) != 1 || allocated.Attempts[0].Reason != v1alpha3.ReasonReplayed {
		t.Errorf("allocated %+v", allocated)
	}
}

func TestAnswerThatNamesAMachineReleasedByThisProcessIsAnOldOne(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))

	if _, err := f.allocator.Release(t.Context(), lifecycle.ReleaseRequest{Identity: identity("w"), ProviderID: "north.m-1"}); err != nil {
		t.Fatal(err)
	}

	f.firstUnlisted(0, false)

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-2" || allocated.Attempts[0].Reason != v1alpha3.ReasonReplayed {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	// Known at the first look, without a wait or a proof.
	wantCounts(t, f.cloud, map[string]int{"poll": 2, "observe": 1})
}

func TestInterruptKeepsWhatWasSeen(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		looks []func(machineops.ProviderOperation) machineops.PollResult
		kept  bool
	}{
		"before it was looked for": {nil, false},
		"before it was seen":       {[]func(machineops.ProviderOperation) machineops.PollResult{notListed}, false},
		"once it was seen": {[]func(machineops.ProviderOperation) machineops.PollResult{notListed, func(h machineops.ProviderOperation) machineops.PollResult {
			return booting(h)
		}}, true},
		"in a look that does not show it any more": {[]func(machineops.ProviderOperation) machineops.PollResult{func(h machineops.ProviderOperation) machineops.PollResult {
			return booting(h)
		}, notListed}, true},
		"as soon as it runs": {[]func(machineops.ProviderOperation) machineops.PollResult{running}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			ctx, cancel := context.WithCancel(t.Context())
			f := newFleet(t, offering("one"))
			f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				if n == len(test.looks) {
					cancel()
				}

				return test.looks[n-1](handle), nil
			}

			if len(test.looks) == 0 {
				f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
					cancel()

					return launched(n), nil
				}
			}

			allocated, err := f.allocator.Allocate(ctx, allocation("w"))
			wantUnfinished(t, err, context.Canceled)
			wantCounts(t, f.cloud, map[string]int{"observe": 0, "claim": 0, "release": 0, "begin": 1})

			if (allocated.ProviderID == "north.m-1") != test.kept || (allocated.Claim != "") != test.kept || len(allocated.Result.OwnedResources) > 0 != test.kept {
				t.Errorf("allocated %+v, want it kept: %v", allocated, test.kept)
			}

			if !test.kept {
				return
			}

			if allocated.Offering.ID != "one" || allocated.Pending == nil {
				t.Fatalf("allocated %+v, want what the next run goes on with", allocated)
			}

			// The next process goes on, and launches nothing.
			f.restart(t)
			f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				return running(handle), nil
			}

			request := allocation("w")
			request.Pending, request.PendingOffering = allocated.Pending, allocated.Offering

			resumed, err := f.allocator.Allocate(t.Context(), request)
			if err != nil || resumed.ProviderID != "north.m-1" || resumed.Claim != allocated.Claim || resumed.Pending != nil {
				t.Errorf("resumed: %+v, %v", resumed, err)
			}

			wantCounts(t, f.cloud, map[string]int{"begin": 1, "claim": 0})
		})
	}
}

func TestInterruptAfterTheWindowLooksForNothingMore(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 30 {
			cancel()
		}

		if n < 30 && n > 1 {
			return machineops.PollResult{}, errTransient
		}

		return notListed(handle), nil
	}

	_, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)
	wantCounts(t, f.cloud, map[string]int{"observe": 0})
}

func TestResumedLaunchGoesOnAtItsIndex(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.firstUnlisted(0, true)

	request := allocation("w")
	request.PendingOffering = offering("one")
	request.Pending = &lifecycle.PendingOperation{
		Provider: cloudName, Kind: v1alpha3.OperationHostAllocate, OperationUID: identity("w").OperationUID(2),
		OperationID: "launch-1", ResumeToken: "m-1", BeganAt: start(), Stage: lifecycle.StageBegun, Attempts: 3,
	}

	// What a record knows was seen, so its absence is a withdrawal and no old answer.
	f.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
		return launched(2), nil
	}

	allocated, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || allocated.ProviderID != "north.m-2" || allocated.Claim != identity("w").LaunchClaim(3) ||
		len(allocated.Attempts) != 1 || allocated.Attempts[0].Reason != v1alpha3.ReasonWithdrawn {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	f.wantAsked(t, "two")

	if uid := f.requests("begin")[0].OperationUID; uid != identity("w").OperationUID(3) {
		t.Errorf("relaunched under %s, want the index after the recorded one", uid)
	}

	if uid := f.requests("poll")[0].OperationUID; uid != identity("w").OperationUID(2) {
		t.Errorf("looked for %s, want the recorded launch", uid)
	}
}

func TestResumedLaunchOfUnknownOfferingIsNamedAsSuch(t *testing.T) {
	t.Parallel()

	f := newFleet(t)
	f.firstUnlisted(0, true)

	request := allocation("w")
	request.Pending = &lifecycle.PendingOperation{
		Provider: cloudName, Kind: v1alpha3.OperationHostAllocate, OperationUID: "u", OperationID: "launch-1", ResumeToken: "m-1",
		BeganAt: start(), Stage: lifecycle.StageBegun, Attempts: 1,
	}

	_, err := f.allocator.Allocate(t.Context(), request)
	if err == nil || !strings.Contains(err.Error(), "the launch that an earlier run began: the machine north.m-1 was accepted") {
		t.Errorf("error is %v", err)
	}
}

func TestIntentWithoutAnAnswerIsLaunchedAgainAtItsIndex(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))

	request := allocation("w")
	request.Pending = &lifecycle.PendingOperation{
		Provider: cloudName, Kind: v1alpha3.OperationHostAllocate, OperationUID: identity("w").OperationUID(1), Stage: lifecycle.StageIntended, Attempts: 2,
	}

	if _, err := f.allocator.Allocate(t.Context(), request); err != nil {
		t.Fatal(err)
	}

	if begun := f.requests("begin"); len(begun) != 1 || begun[0].OperationUID != identity("w").OperationUID(1) || begun[0].Allocation.Offering.ID != "one" {
		t.Errorf("launched %+v", begun)
	}
}

// A process that released a machine knows by its claim which launches are spent, so
// that a replacement does not ask for the machines of all its predecessors first.
func TestSuccessorOfAReleasedMachineBeginsAfterItsLaunch(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))

	if _, err := f.allocator.Release(t.Context(), lifecycle.ReleaseRequest{
		Identity: identity("w"), ProviderID: "north.m-9", Claim: identity("w").LaunchClaim(6),
	}); err != nil {
		t.Fatal(err)
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	requests := f.requests("begin")
	if len(requests) != 1 || requests[0].OperationUID != identity("w").OperationUID(7) {
		t.Errorf("launched under %+v", requests)
	}
}

func TestSuccessorOfASettledMachineBeginsAfterItsLaunch(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	neighbor := left("o", settled)
	neighbor.Claim = identity("w").LaunchClaim(2)
	f.contains(neighbor)

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	requests := f.requests("begin")
	if len(requests) != 1 || requests[0].OperationUID != identity("w").OperationUID(3) {
		t.Errorf("launched under %+v", requests)
	}
}
