package ecsemulator

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// virtualClock runs factor times as fast as the wall clock, from the wall time at which it was made, and can be stepped forward.
type virtualClock struct {
	factor float64
	origin time.Time

	mu      sync.Mutex
	stepped time.Duration
	changed chan struct{}
}

func newVirtualClock(factor float64) *virtualClock {
	return &virtualClock{factor: factor, origin: time.Now(), changed: make(chan struct{})}
}

// now is the virtual time, in UTC.
func (c *virtualClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	elapsed := time.Duration(float64(time.Since(c.origin)) * c.factor)
	return c.origin.Add(elapsed + c.stepped).UTC().Round(0)
}

// step moves the clock forward at once and wakes all that wait.
func (c *virtualClock) step(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("clock step %s is negative: time only moves forward", d)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stepped += d
	close(c.changed)
	c.changed = make(chan struct{})
	return nil
}

// wait returns once the virtual time d has passed, or with the context's error.
func (c *virtualClock) wait(ctx context.Context, d time.Duration) error {
	until := c.now().Add(d)
	for {
		c.mu.Lock()
		changed := c.changed
		c.mu.Unlock()
		left := until.Sub(c.now())
		if left <= 0 {
			return nil
		}
		wall := min(max(float64(left)/c.factor, float64(time.Millisecond)), float64(time.Hour))
		timer := time.NewTimer(time.Duration(wall))
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}
