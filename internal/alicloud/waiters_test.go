package alicloud_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// 500 machines that boot are waited for with a call for 100 of them and tick. The
// calls of one tick can be more where this machine stalls in its midst, so it is the
// best of some ticks that is exact.
func TestWaitersShareTheCallsOfATick(t *testing.T) {
	t.Parallel()

	const waiters, ticks = 500, 6

	b := newBench(t, ecsemulator.Options{})

	requests := make([]machineops.OperationRequest, waiters)
	for i := range requests {
		id := b.add(t, ecsemulator.NewInstance{Name: fmt.Sprintf("worker-%d", i)})
		requests[i] = b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil)
	}

	handles := make([]machineops.ProviderOperation, waiters)

	together(waiters, func(i int) {
		begun, err := b.begin(t.Context(), t, requests[i])
		if err != nil {
			t.Error(err)
		}

		handles[i] = begun.Operation
	})

	var counts []int

	for range ticks {
		counts = append(counts, b.counted(func() {
			together(waiters, func(i int) {
				if _, err := b.poll(t, requests[i], handles[i]); err != nil {
					t.Error(err)
				}
			})
		})["DescribeInstances"])
	}

	if least := slices.Min(counts); least != waiters/100 {
		t.Errorf("the ticks of %d waiters took %v calls, want %d", waiters, counts, waiters/100)
	}

	if most := slices.Max(counts); most > waiters/20 {
		t.Errorf("the ticks of %d waiters took %v calls", waiters, counts)
	}
}

// together calls f for each of n at one moment.
func together(n int, f func(i int)) {
	var (
		group sync.WaitGroup
		start = make(chan struct{})
	)

	for i := range n {
		group.Go(func() {
			<-start
			f(i)
		})
	}

	close(start)
	group.Wait()
}

// The waits that polls ask for end at one moment, so that those who wait meet.
func TestPollsAskForOneMoment(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	request := b.allocation(t, "worker-a")

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	look, err := b.poll(t, request, begun.Operation)
	if err != nil {
		t.Fatal(err)
	}

	for _, wait := range []time.Duration{begun.RequeueAfter, look.RequeueAfter} {
		if wait < time.Second || wait > 3*time.Second {
			t.Errorf("the next look is in %s", wait)
		}
	}
}
