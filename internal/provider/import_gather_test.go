package provider

import (
	"context"
	"sync"
	"testing"
	"time"

	testingclock "k8s.io/utils/clock/testing"
)

func TestAFullGatheringGoesOnAtOnce(t *testing.T) {
	t.Parallel()

	// The clock stands still: nobody waits for a pause.
	together := gathering{clock: testingclock.NewFakeClock(time.Unix(0, 0))}

	var imports sync.WaitGroup

	for range 3 * gatherSize {
		imports.Go(func() { together.meet(t.Context()) })
	}

	imports.Wait()
}

func TestAGatheringOfFewGoesOnAfterAPause(t *testing.T) {
	t.Parallel()

	fake := testingclock.NewFakeClock(time.Unix(0, 0))
	together := gathering{clock: fake}

	done := make(chan struct{})

	go func() {
		defer close(done)

		together.meet(t.Context())
	}()

	for !fake.HasWaiters() {
		select {
		case <-done:
			t.Fatal("one import did not wait for others")
		case <-t.Context().Done():
			t.Fatal("nobody waits")
		default:
		}
	}

	fake.Step(gatherPause)
	<-done

	if together.gate != nil {
		t.Error("the gate is still there")
	}
}

func TestAGatheringEndsWithItsContext(t *testing.T) {
	t.Parallel()

	together := gathering{clock: testingclock.NewFakeClock(time.Unix(0, 0))}
	ctx, cancel := context.WithCancel(t.Context())

	done := make(chan struct{})

	go func() {
		defer close(done)

		together.meet(ctx)
	}()

	cancel()
	<-done
}
