package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

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

	// Each was asked for twice: the first answer may have been an old token's.
	wantCounts(t, f.cloud, map[string]int{"begin": 4})
}

func TestEmptyClassIsExhausted(t *testing.T) {
	t.Parallel()

	_, err := newFleet(t).allocator.Allocate(t.Context(), allocation("w"))

	var exhausted *lifecycle.ExhaustedError
	if !errors.As(err, &exhausted) || !strings.Contains(err.Error(), `"worker" has no offering`) {
		t.Errorf("error is %v", err)
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

func TestManyMachinesAtOnce(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onBegin = func(_ context.Context, n int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		if request.Allocation.Offering.ID == "one" {
			return machineops.BeginResult{}, permanent(v1alpha3.ReasonInsufficientCapacity, "no stock")
		}

		return launched(n), nil
	}

	const machines = 40

	results := make(chan lifecycle.Allocated, machines)

	for i := range machines {
		go func() {
			allocated, err := f.allocator.Allocate(t.Context(), allocation(fmt.Sprintf("w-%d", i)))
			if err != nil {
				t.Errorf("Allocate: %v", err)
			}

			results <- allocated
		}()
	}

	hosts := map[string]bool{}

	for range machines {
		hosts[(<-results).ProviderID] = true
	}

	if len(hosts) != machines {
		t.Errorf("%d machines for %d allocations", len(hosts), machines)
	}

	wantCounts(t, f.cloud, map[string]int{"resolve": 1, "poll": machines, "observe": machines})
}

func TestDuplicateIsNamed(t *testing.T) {
	t.Parallel()

	if got := (&lifecycle.DuplicateError{Name: "w"}).Error(); !strings.Contains(got, `"w" is created twice`) {
		t.Errorf("error is %q", got)
	}
}
