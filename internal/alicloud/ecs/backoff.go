package ecs

import "time"

const (
	firstBackoff   = 500 * time.Millisecond
	longestBackoff = 20 * time.Second
	// tokenBackoff is for an earlier call that still runs, which takes seconds.
	tokenBackoff        = 2 * time.Second
	longestTokenBackoff = 5 * time.Second
	shortestBackoff     = 50 * time.Millisecond

	// After a change of an instance's type, the next one is refused as throttled
	// for this long.
	specificationWindow = 5 * time.Minute
)

// delay returns how long to wait after the failure of an attempt, counted from 1.
func (c *Client) delay(failure *Error, attempt int) time.Duration {
	switch failure.Class {
	case ClassThrottled:
		return c.throttleDelay(failure, attempt)
	case ClassTokenProcessing:
		return c.jitter(tokenBackoff, longestTokenBackoff, attempt)
	default:
		return c.jitter(firstBackoff, longestBackoff, attempt)
	}
}

// throttleDelay is for refusals that are none of the limiter's: it lets the next
// attempt wait for the next minute itself.
func (c *Client) throttleDelay(failure *Error, attempt int) time.Duration {
	switch {
	case countsCalls(failure):
		return 0
	case failure.Code == "Throttling.ConcurrentLimitExceeded":
		// Room comes as soon as another call ends.
		return c.jitter(firstBackoff, longestBackoff, attempt)
	default:
		return specificationWindow + time.Duration(c.random()*float64(throttleSpread))
	}
}

// jitter is the full jitter of an exponential backoff: anything up to a bound
// that doubles with each attempt, so that those who fail together come apart.
func (c *Client) jitter(first, longest time.Duration, attempt int) time.Duration {
	bound := first
	for step := 1; step < attempt && bound < longest; step++ {
		bound *= 2
	}
	return max(shortestBackoff, time.Duration(c.random()*float64(min(bound, longest))))
}
