package ecsemulator

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// virtualClock runs factor times as fast as the wall clock since its origin, and can be stepped forward.
type virtualClock struct {
	factor float64
	origin time.Time

	mu      sync.Mutex
	stepped time.Duration
	changed chan struct{}
}

// newVirtualClock returns a clock that has run fast since origin, or since now where origin is the zero time.
func newVirtualClock(factor float64, origin time.Time) *virtualClock {
	if origin.IsZero() {
		origin = time.Now()
	}
	return &virtualClock{factor: factor, origin: origin, changed: make(chan struct{})}
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

// set moves the clock forward to a moment.
func (c *virtualClock) set(to time.Time) error {
	d := to.Sub(c.now())
	if d < 0 {
		return fmt.Errorf("clock cannot be set to %s: that is %s ago, and time only moves forward", to.UTC().Format(time.RFC3339), -d)
	}
	return c.step(d)
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
