package alicloud

import (
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// remembered is how many launches are remembered.
	remembered = 8
	// early is how often, in looks, one is made sooner than any machine was there, to find
	// out whether they have become faster.
	early = 64
	// longestBlind is the longest that nobody looks at a machine that boots: one that
	// ECS withdraws should not be waited for in vain.
	longestBlind = 30 * time.Second
)

// expected remembers how long machines took from the accepted launch to Running, so
// that the next ones are not looked at while they cannot be there yet. It is safe for
// concurrent use.
type expected struct {
	mu     sync.Mutex
	recent []time.Duration
	looks  int
}

func (e *expected) note(took time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()

	if len(e.recent) == remembered {
		e.recent = e.recent[1:]
	}

	e.recent = append(e.recent, took)
}

// nextLook is how long to wait for the next look at a machine whose launch was
// answered at a moment.
func (e *expected) nextLook(c clock.PassiveClock, answered time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()

	next := nextLook(c)
	if len(e.recent) < remembered/2 || answered.IsZero() {
		return next
	}

	// All that were launched together look at one whole interval, when they are there.
	now := c.Now()
	soonest := answered.Add(slices.Min(e.recent) + pollInterval - 1).Truncate(pollInterval)

	if e.looks++; e.looks%early == 0 {
		soonest = soonest.Add(-pollInterval)
	}

	return max(next, min(soonest.Sub(now), longestBlind))
}
