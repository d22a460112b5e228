package rpcserver

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// watched is an abandonment under a clock that the test moves.
type watched struct {
	clock      *clocktesting.FakeClock
	gone, idle atomic.Bool
	looks      chan struct{}
	result     chan error
	cancel     context.CancelFunc
}

func watch(t *testing.T) *watched {
	t.Helper()
	w := &watched{
		clock:  clocktesting.NewFakeClock(time.Unix(0, 0)),
		looks:  make(chan struct{}),
		result: make(chan error, 1),
	}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	w.cancel = cancel
	subject := abandonment{
		clock: w.clock,
		gone: func() bool {
			w.looks <- struct{}{}
			return w.gone.Load()
		},
		idle: func() bool {
			w.looks <- struct{}{}
			return w.idle.Load()
		},
	}
	go func() { w.result <- subject.wait(ctx) }()
	for !w.clock.HasWaiters() {
		select {
		case err := <-w.result:
			t.Fatalf("the watch ended before it began: %v", err)
		default:
		}
	}
	return w
}

// tick moves the clock by one interval and returns after the look.
func (w *watched) tick() {
	w.clock.Step(abandonmentInterval)
	<-w.looks
}

func TestAProviderWithAReaderIsNeverAbandoned(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.idle.Store(true)
	for range 200 {
		w.tick()
	}
	w.cancel()
	if err := <-w.result; !errors.Is(err, context.Canceled) {
		t.Errorf("the watch ended with %v, want %v", err, context.Canceled)
	}
}

func TestAnAbandonedProviderAwaitsItsRPCs(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.gone.Store(true)
	w.tick()
	<-w.looks // the same tick asks whether it is idle
	w.tick()
	select {
	case err := <-w.result:
		t.Fatalf("the watch ended beside a running RPC: %v", err)
	default:
	}
	w.idle.Store(true)
	w.tick()
	if err := <-w.result; !errors.Is(err, ErrAbandoned) {
		t.Errorf("the watch ended with %v, want %v", err, ErrAbandoned)
	}
}

func TestAnAbandonedProviderDoesNotAwaitItsRPCsForEver(t *testing.T) {
	t.Parallel()
	w := watch(t)
	w.gone.Store(true)
	w.tick()
	<-w.looks
	for range int(abandonmentGrace/abandonmentInterval) - 1 {
		w.tick()
	}
	select {
	case err := <-w.result:
		t.Fatalf("the watch ended within the grace: %v", err)
	default:
	}
	w.tick()
	if err := <-w.result; !errors.Is(err, ErrAbandoned) {
		t.Errorf("the watch ended with %v, want %v", err, ErrAbandoned)
	}
}
