package lifecycle

import (
	"time"

	"k8s.io/utils/clock"
)

// scaledClock runs factor times as fast as the clock it is made from.
type scaledClock struct {
	clock.WithTickerAndDelayedExecution

	origin time.Time
	factor float64
}

// ScaledClock returns a clock on which factor seconds pass for each second of
// base, from now on. A factor of 1 or below 0 returns base itself. It serves
// tests against a server whose own clock is scaled alike.
func ScaledClock(base clock.WithTickerAndDelayedExecution, factor float64) clock.WithTickerAndDelayedExecution {
	if factor == 1 || factor <= 0 {
		return base
	}

	return ScaledClockSince(base, factor, base.Now())
}

// ScaledClockSince is a ScaledClock that has been running fast since origin, so
// that it agrees with another clock that was scaled alike at that moment.
func ScaledClockSince(base clock.WithTickerAndDelayedExecution, factor float64, origin time.Time) clock.WithTickerAndDelayedExecution {
	if factor == 1 || factor <= 0 {
		return base
	}

	return &scaledClock{WithTickerAndDelayedExecution: base, origin: origin, factor: factor}
}

// NoFaster returns a clock that agrees with c as long as c is not faster than the clock
// it is made from, and else that one.
func NoFaster(c clock.WithTickerAndDelayedExecution) clock.WithTickerAndDelayedExecution {
	if scaled, ok := c.(*scaledClock); ok && scaled.factor > 1 {
		return scaled.WithTickerAndDelayedExecution
	}

	return c
}

func (c *scaledClock) Now() time.Time {
	elapsed := c.WithTickerAndDelayedExecution.Now().Sub(c.origin)

	return c.origin.Add(time.Duration(float64(elapsed) * c.factor))
}

func (c *scaledClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

func (c *scaledClock) shrink(d time.Duration) time.Duration {
	shrunk := time.Duration(float64(d) / c.factor)
	if d > 0 && shrunk < 1 {
		return 1
	}

	return shrunk
}

func (c *scaledClock) After(d time.Duration) <-chan time.Time {
	return c.WithTickerAndDelayedExecution.After(c.shrink(d))
}

func (c *scaledClock) NewTimer(d time.Duration) clock.Timer {
	return &scaledTimer{Timer: c.WithTickerAndDelayedExecution.NewTimer(c.shrink(d)), clock: c}
}

func (c *scaledClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	return &scaledTimer{Timer: c.WithTickerAndDelayedExecution.AfterFunc(c.shrink(d), f), clock: c}
}

func (c *scaledClock) NewTicker(d time.Duration) clock.Ticker {
	return c.WithTickerAndDelayedExecution.NewTicker(c.shrink(d))
}

func (c *scaledClock) Tick(d time.Duration) <-chan time.Time { return c.NewTicker(d).C() }

func (c *scaledClock) Sleep(d time.Duration) { c.WithTickerAndDelayedExecution.Sleep(c.shrink(d)) }

type scaledTimer struct {
	clock.Timer

	clock *scaledClock
}

func (t *scaledTimer) Reset(d time.Duration) bool { return t.Timer.Reset(t.clock.shrink(d)) }
