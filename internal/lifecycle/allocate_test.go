package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func refuse(reason string, times int) func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
	return func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n <= times {
			return machineops.BeginResult{}, permanent(reason, "refused by the cloud (request R-1)")
		}

		return launched(n), nil
	}
}

func TestHostIsAllocatedFromTheFirstOffering(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil {
		t.Fatalf("Allocate: %v", err)
	}

	if allocated.ProviderID != "north.m-1" || allocated.Offering.ID != "one" || allocated.Claim != identity("w").LaunchClaim(0) ||
		allocated.Pending != nil || allocated.Adopted || len(allocated.Attempts) != 0 ||
		allocated.Result.ProviderResourceID != "m-1" || len(allocated.Result.OwnedResources) != 1 {
		t.Errorf("allocated %+v", allocated)
	}

	wantCounts(t, f.cloud, map[string]int{"resolve": 1, "begin": 1, "poll": 1, "observe": 1, "claim": 0, "release": 0})

	begin, poll := f.requests("begin")[0], f.requests("poll")[0]
	if begin.OperationUID != identity("w").OperationUID(0) || begin.Allocation.UID != identity("w").UID() ||
		begin.Parameters[v1alpha3.ParameterClaim] != allocated.Claim || begin.Parameters[v1alpha3.ParameterOwner] != "team" ||
		begin.Parameters[v1alpha3.ParameterFingerprint] != "f" || begin.Allocation.HostName != "w" {
		t.Errorf("begun with %+v", begin)
	}

	if begin.Allocation.UserData != secret || begin.Allocation.ProviderConfig.Data["class"] != "content" {
		t.Errorf("Begin was not given the first-boot data and the class")
	}

	if poll.Allocation.UserData != "" || poll.Allocation.ProviderConfig.Data != nil || poll.OperationUID != begin.OperationUID {
		t.Errorf("Poll was given %+v", poll.Allocation)
	}
}

func TestRefusalForCapacityLeadsToTheNextOfferingAndIndex(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"), offering("three"))
	f.onBegin = refuse(v1alpha3.ReasonInsufficientCapacity, 2)

	var records []lifecycle.PendingOperation

	request := allocation("w")
	request.Recorder = f.recorder(&records)

	allocated, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || allocated.ProviderID != "north.m-3" || allocated.Claim != identity("w").LaunchClaim(2) || len(allocated.Attempts) != 2 {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	f.wantAsked(t, "one", "two", "three")

	for i, begin := range f.requests("begin") {
		if begin.OperationUID != identity("w").OperationUID(i) || begin.Parameters[v1alpha3.ParameterClaim] != identity("w").LaunchClaim(i) {
			t.Errorf("launch %d was begun as %+v", i, begin)
		}
	}

	if last := records[len(records)-1]; last.Attempts != 3 {
		t.Errorf("recorded %d attempts, want 3", last.Attempts)
	}

	// The refusals are known to every machine of the process, for a while.
	if allocated, err = f.allocator.Allocate(t.Context(), allocation("x")); err != nil || len(allocated.Attempts) != 2 || !allocated.Attempts[0].Remembered {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	f.wantAsked(t, "one", "two", "three", "three")

	f.clk.Step(5 * time.Minute)

	if _, err = f.allocator.Allocate(t.Context(), allocation("y")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "one", "two", "three", "three", "one")
	wantCounts(t, f.cloud, map[string]int{"resolve": 1})
}

func TestExhaustionNamesEveryCandidateAndIsNoHold(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onBegin = refuse(v1alpha3.ReasonInsufficientCapacity, 99)

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))

	var exhausted *lifecycle.ExhaustedError
	if !errors.As(err, &exhausted) || allocated.ProviderID != "" || allocated.Pending != nil {
		t.Fatalf("Allocate() = %+v, %v, want an ExhaustedError", allocated, err)
	}

	for _, part := range []string{"type-one in a (on_demand): refused by the cloud (request R-1)", "type-two in a"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}

	f.clk.Step(90 * time.Second)

	_, err = f.allocator.Allocate(t.Context(), allocation("w"))
	if !errors.As(err, &exhausted) || !strings.Contains(err.Error(), "asked 1m30s before, at 12:00:00 UTC, and not again") {
		t.Errorf("error is %v, want the age of what is remembered", err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 2})
}

func TestEmptyClassIsExhausted(t *testing.T) {
	t.Parallel()

	_, err := newFleet(t).allocator.Allocate(t.Context(), allocation("w"))

	var exhausted *lifecycle.ExhaustedError
	if !errors.As(err, &exhausted) || !strings.Contains(err.Error(), `"worker" has no offering`) {
		t.Errorf("error is %v", err)
	}
}

func TestWhatIsPublishedAsSoldOutIsAskedForLast(t *testing.T) {
	t.Parallel()

	soldOut, gone, low := offering("sold-out"), offering("gone"), offering("low")
	soldOut.Availability, gone.Availability, low.Availability = v1alpha3.AvailabilitySoldOut, v1alpha3.AvailabilityDiscontinued, v1alpha3.AvailabilityLow

	f := newFleet(t, soldOut, low, gone, offering("unknown"))
	f.onBegin = refuse(v1alpha3.ReasonInsufficientCapacity, 3)

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "low", "unknown", "sold-out", "gone")
}

func TestFleetSpreadsOverTheZonesOfOneType(t *testing.T) {
	t.Parallel()

	var offerings []v1alpha3.MachineClassOffering

	for _, zone := range []string{"a", "b", "c"} {
		next := offering("large-" + zone)
		next.InstanceType, next.Zone = "large", zone
		offerings = append(offerings, next)
	}

	f := newFleet(t, append(offerings, offering("small"))...)

	for i := range 60 {
		if _, err := f.allocator.Allocate(t.Context(), allocation("w-"+string(rune('A'+i)))); err != nil {
			t.Fatal(err)
		}
	}

	for _, next := range offerings {
		count := 0

		for _, asked := range f.asked() {
			if asked == next.ID {
				count++
			}
		}

		if count < 10 {
			t.Errorf("%s got %d of 60 machines", next.ID, count)
		}
	}

	if slices.Contains(f.asked(), "small") {
		t.Errorf("another instance type was asked for while the first one was not refused")
	}
}

func TestNothingIsLaunchedPastItsValidity(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		switch n {
		case 1:
			look := booting(handle)
			look.RequeueAfter = 11 * time.Minute

			return look, nil
		case 2:
			return broken(v1alpha3.ReasonWithdrawn, machineops.OperationResult{}), nil
		default:
			return running(handle), nil
		}
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "one", "two")
	wantCounts(t, f.cloud, map[string]int{"resolve": 2, "begin": 2})

	for _, request := range f.requests("begin")[1:] {
		if until := request.Allocation.Offering.ValidUntil; !until.After(start().Add(11 * time.Minute)) {
			t.Errorf("launched from an offering that was valid until %v", until)
		}
	}
}

func TestSpentIndexLeadsToTheNextOneOfTheSameOffering(t *testing.T) {
	t.Parallel()

	for _, reason := range []string{v1alpha3.ReasonReplayed, v1alpha3.ReasonTokenSpent} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"), offering("two"))
			f.onBegin = refuse(reason, 3)

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
			if err != nil || len(allocated.Attempts) != 3 || allocated.Claim != identity("w").LaunchClaim(3) {
				t.Fatalf("Allocate() = %+v, %v", allocated, err)
			}

			f.wantAsked(t, "one", "one", "one", "one")

			if got, want := f.clk.waited(), seconds(2, 4); !slices.Equal(got, want) {
				t.Errorf("waited %v, want %v: a long row is not hurried", got, want)
			}
		})
	}
}

func TestRowOfSpentIndexesEndsWithTheWait(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onBegin = refuse(v1alpha3.ReasonTokenSpent, 1000)
	f.clk.hold = func(wait int, _ time.Duration) bool {
		if wait == 5 {
			cancel()
		}

		return wait == 5
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)
	wantCounts(t, f.cloud, map[string]int{"begin": 6})

	if allocated.ProviderID != "" || len(allocated.Attempts) != 6 {
		t.Errorf("allocated %+v", allocated)
	}
}

func TestRowOfSpentIndexesIsNotContinuedPastTheValidity(t *testing.T) {
	t.Parallel()

	one := offering("one")
	f := newFleet(t, one)
	f.onBegin = refuse(v1alpha3.ReasonTokenSpent, 2)
	f.onResolve = func(_ context.Context, n int) (machineops.ClassResolution, error) {
		if n == 1 {
			one.ValidUntil = metav1.NewTime(start().Add(time.Second))
		} else {
			one.ValidUntil = metav1.NewTime(start().Add(time.Hour))
		}

		return machineops.ClassResolution{Offerings: []v1alpha3.MachineClassOffering{one}}, nil
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "one", "one", "one")
	wantCounts(t, f.cloud, map[string]int{"resolve": 2})

	if until := f.requests("begin")[2].Allocation.Offering.ValidUntil; !until.Equal(&metav1.Time{Time: start().Add(time.Hour)}) {
		t.Errorf("launched from an offering that was valid until %v", until)
	}
}

func TestFinalRefusalEndsTheAllocation(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onBegin = refuse(v1alpha3.ReasonQuotaExceeded, 1)

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	wantFailed(t, err, v1alpha3.ReasonQuotaExceeded)
	f.wantAsked(t, "one")

	if allocated.ProviderID != "" || allocated.Claim != "" || allocated.Pending != nil {
		t.Errorf("allocated %+v, want nothing to keep", allocated)
	}

	// Nothing is held, so asking again is no duplicate.
	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Errorf("Allocate: %v", err)
	}
}

func TestClassThatCannotBeResolvedLaunchesNothing(t *testing.T) {
	t.Parallel()

	f := newFleet(t)
	f.onResolve = func(context.Context, int) (machineops.ClassResolution, error) {
		return machineops.ClassResolution{}, permanent(v1alpha3.ReasonInvalidConfiguration, "no such image")
	}

	_, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err == nil || !strings.Contains(err.Error(), "no such image") {
		t.Errorf("error is %v", err)
	}

	wantCounts(t, f.cloud, map[string]int{"resolve": 1, "begin": 0})
}

func TestSuccessWithoutAHostIsAFailure(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
		return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded}, nil
	}

	_, err := f.allocator.Allocate(t.Context(), allocation("w"))
	wantFailed(t, err, lifecycle.ReasonIncompleteAnswer)
	wantCounts(t, f.cloud, map[string]int{"observe": 0, "claim": 0})
}

func TestOneIdentityIsAllocatedOnceInAProcess(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))

	var duplicate *lifecycle.DuplicateError

	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		resumed := allocation("w")
		resumed.Pending = &lifecycle.PendingOperation{Stage: lifecycle.StageIntended}

		for name, request := range map[string]lifecycle.AllocateRequest{"anew": allocation("w"), "resumed": resumed} {
			if _, err := f.allocator.Allocate(t.Context(), request); !errors.As(err, &duplicate) || duplicate.Name != "w" {
				t.Errorf("asked for %s while it is allocated: %v", name, err)
			}
		}

		return launched(n), nil
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); !errors.As(err, &duplicate) {
		t.Errorf("asked for once more: %v", err)
	}

	// The release of another machine of that name, its predecessor, changes nothing.
	release := lifecycle.ReleaseRequest{Identity: identity("w"), ProviderID: "north.m-0"}
	if _, err := f.allocator.Release(t.Context(), release); err != nil {
		t.Fatal(err)
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); !errors.As(err, &duplicate) {
		t.Errorf("asked for after its predecessor was released: %v", err)
	}

	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		return launched(n), nil
	}
	release.ProviderID = "north.m-1"

	if _, err := f.allocator.Release(t.Context(), release); err != nil {
		t.Fatal(err)
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Errorf("asked for after its release: %v", err)
	}
}
