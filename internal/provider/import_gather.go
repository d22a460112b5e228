package provider

import (
	"context"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// gatherSize is how many imports Terraform has under way at a time, unless it is told
	// otherwise.
	gatherSize = 10
	// gatherPause is how long nobody may come before those who are there go on.
	gatherPause = 50 * time.Millisecond
)

// gathering lets imports that run side by side go on together, so that their looks at
// machines that no list of ours shows share a call. It is safe for concurrent use.
type gathering struct {
	clock clock.Clock

	mu sync.Mutex
	// gate is closed when those who wait may go on; nil where nobody waits.
	gate    chan struct{}
	waiting int
}

// meet returns when enough have come, when nobody has come for a while, or when the
// context ends.
func (g *gathering) meet(ctx context.Context) {
	gate, seen := g.come()

	for {
		timer := g.clock.NewTimer(gatherPause)

		select {
		case <-gate:
			timer.Stop()

			return
		case <-ctx.Done():
			timer.Stop()

			return
		case <-timer.C():
			seen = g.openIfQuiet(gate, seen)
		}
	}
}

// come adds one to those who wait, and opens the gate where they are enough.
func (g *gathering) come() (gate chan struct{}, seen int) {
	g.mu.Lock()
	defer g.mu.Unlock()

	if g.gate == nil {
		g.gate, g.waiting = make(chan struct{}), 0
	}

	gate = g.gate
	g.waiting++
	seen = g.waiting

	if g.waiting >= gatherSize {
		close(g.gate)
		g.gate = nil
	}

	return gate, seen
}

// openIfQuiet opens the gate where nobody has come since so many were seen, and
// returns how many there are now.
func (g *gathering) openIfQuiet(gate chan struct{}, seen int) int {
	g.mu.Lock()
	defer g.mu.Unlock()

	if g.gate != gate {
		return seen
	}

	if g.waiting == seen {
		close(g.gate)
		g.gate = nil
	}

	return g.waiting
}
