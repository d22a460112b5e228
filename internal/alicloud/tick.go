package alicloud

import (
	"time"

	"k8s.io/utils/clock"
)

// nextLook is how long to wait for the next look: to the next whole pollInterval on
// the clock, and at least half of one. So all that wait in a process look at one
// moment, and their looks travel in one call for 100 machines.
func nextLook(c clock.PassiveClock) time.Duration {
	now := c.Now()

	next := now.Truncate(pollInterval).Add(pollInterval)
	if next.Sub(now) < pollInterval/2 {
		next = next.Add(pollInterval)
	}

	return next.Sub(now)
}
