package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// probeWait is how long a launch waits for the answer to another one.
const probeWait = 6 * time.Second

// waiters has the clock hold the waits for another launch, and returns a channel that
// is closed when so many wait.
func (f *fleet) waiters(count int) <-chan struct{} {
	enough := make(chan struct{})

	var waiting atomic.Int64

	f.clk.hold = func(_ int, d time.Duration) bool {
		if d == probeWait && waiting.Add(1) == int64(count) {
			close(enough)
		}

		return d == probeWait
	}

	return enough
}

// allocateAll allocates so many machines side by side, and returns their errors.
func (f *fleet) allocateAll(ctx context.Context, count int) []error {
	var all sync.WaitGroup

	errs := make([]error, count)

	for i := range count {
		all.Go(func() { _, errs[i] = f.allocator.Allocate(ctx, allocation(fmt.Sprintf("w-%d", i))) })
	}

	all.Wait()

	return errs
}

func TestWhatOneMachineIsRefusedTheOthersDoNotAskFor(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("first"), offering("second"), offering("third"))
	everybody := f.waiters(9)
	f.onBegin = func(_ context.Context, n int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		if n == 1 {
			<-everybody
		}

		if request.Allocation.Offering.ID != "third" {
			return machineops.BeginResult{}, permanent(v1alpha3.ReasonInsufficientCapacity, "sold out")
		}

		return launched(n), nil
	}

	for i, err := range f.allocateAll(t.Context(), 10) {
		if err != nil {
			t.Errorf("machine %d: %v", i, err)
		}
	}

	asked := map[string]int{}
	for _, id := range f.asked() {
		asked[id]++
	}

	if asked["first"] != 1 || asked["second"] != 1 || asked["third"] != 10 {
		t.Errorf("asked for %v, want the refused ones once each", asked)
	}
}

func TestOnceALaunchIsAcceptedNobodyWaitsForAnother(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))

	// All ten are on the wire together, once the first of them was answered.
	var launching sync.WaitGroup

	launching.Add(9)

	f.clk.hold = func(_ int, d time.Duration) bool { return d == probeWait }
	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n > 1 {
			launching.Done()
			launching.Wait()
		}

		return launched(n), nil
	}

	for _, err := range f.allocateAll(t.Context(), 10) {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestALaunchThatIsNotAnsweredSoonIsNotWaitedFor(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))

	// The first launch is answered only after all others were. The stepping clock
	// passes their waits.
	var others sync.WaitGroup

	others.Add(4)

	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n == 1 {
			others.Wait()
		} else {
			others.Done()
		}

		return launched(n), nil
	}

	for _, err := range f.allocateAll(t.Context(), 5) {
		if err != nil {
			t.Error(err)
		}
	}
}

func TestALaunchThatFailsForAnotherCauseLetsTheNextOneGo(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	everybody := f.waiters(2)
	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n == 1 {
			<-everybody

			return machineops.BeginResult{}, permanent(v1alpha3.ReasonQuotaExceeded, "no more")
		}

		return launched(n), nil
	}

	failures := 0

	for _, err := range f.allocateAll(t.Context(), 3) {
		if err != nil {
			wantFailed(t, err, v1alpha3.ReasonQuotaExceeded)

			failures++
		}
	}

	if failures != 1 {
		t.Errorf("%d machines failed, want only the one that was refused", failures)
	}
}

func TestTheWaitForAnotherLaunchEndsWithItsContext(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	somebody := f.waiters(1)
	ctx, cancel := context.WithCancel(t.Context())
	first, asked := make(chan struct{}), make(chan struct{})

	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		close(asked)
		<-first

		return launched(n), nil
	}

	var all sync.WaitGroup

	all.Go(func() {
		if _, err := f.allocator.Allocate(t.Context(), allocation("first")); err != nil {
			t.Error(err)
		}
	})

	<-asked

	all.Go(func() {
		defer close(first)

		_, err := f.allocator.Allocate(ctx, allocation("second"))
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	})

	<-somebody
	cancel()
	all.Wait()

	wantCounts(t, f.cloud, map[string]int{"begin": 1})
}

func TestAFullNetworkIsFullForEveryType(t *testing.T) {
	t.Parallel()

	full, free, other := offering("large-full"), offering("large-free"), offering("small-full")
	full.InstanceType, free.InstanceType = "large", "large"
	full.Network, free.Network, other.Network = "net-full", "net-free", "net-full"

	f := newFleet(t, full, free, other)
	f.onBegin = func(_ context.Context, _ int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		if request.Allocation.Offering.Network == "net-full" {
			return machineops.BeginResult{}, permanent(v1alpha3.ReasonNetworkFull, "no address is free")
		}

		return machineops.BeginResult{}, permanent(v1alpha3.ReasonInsufficientCapacity, "sold out")
	}

	first := allocation("w")
	first.Class.ZonesInOrder = true

	_, err := f.allocator.Allocate(t.Context(), first)
	// Once more each, since the first refusals may be answers to an earlier process.
	f.wantAsked(t, "large-full", "large-free", "large-full", "large-free")

	for _, text := range []string{"large in net-full, a (on_demand): no address is free", "large in a (on_demand): sold out", "type-small-full in net-full, a (on_demand): no address is free (asked 0s before"} {
		if err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("the error lacks %q: %v", text, err)
		}
	}
}

func TestZonesInOrderAreNotSpread(t *testing.T) {
	t.Parallel()

	a, b := offering("large-a"), offering("large-b")
	a.InstanceType, b.InstanceType, b.Zone = "large", "large", "b"

	f := newFleet(t, a, b)

	for i := range 6 {
		request := allocation(fmt.Sprintf("w-%d", i))
		request.Class.ZonesInOrder = true

		if _, err := f.allocator.Allocate(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}

	f.wantAsked(t, "large-a", "large-a", "large-a", "large-a", "large-a", "large-a")
}

func TestTermsThatOneClassIsRefusedOthersMayStillGet(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("spot"), offering("on-demand"))
	f.onBegin = refuse(v1alpha3.ReasonTermsNotOffered, 1)

	other := allocation("c")
	other.Class.ProviderConfig.Data = map[string]string{"class": "another bid"}

	for _, request := range []lifecycle.AllocateRequest{allocation("a"), allocation("b"), other} {
		if _, err := f.allocator.Allocate(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}

	f.wantAsked(t, "spot", "on-demand", "on-demand", "spot")
}

func TestADeadlineTellsWhatWasRefusedBefore(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("first"), offering("second"))
	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n == 2 {
			cancel()
		}

		return machineops.BeginResult{}, permanent(v1alpha3.ReasonInsufficientCapacity, "sold out (request 1)")
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if text := allocated.Refusals(); !strings.Contains(text, "- type-first in a (on_demand): sold out (request 1)") {
		t.Errorf("the refusals are %q", text)
	}

	if text := (lifecycle.Allocated{}).Refusals(); text != "" {
		t.Errorf("without a refusal there is %q", text)
	}
}
