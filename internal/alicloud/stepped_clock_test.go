package alicloud_test

import (
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// steppedClock is the emulator's clock. A wait on it moves the emulator's clock
// instead of lasting, so that a test spends no time.
type steppedClock struct {
	clock.RealClock

	server *ecsemulator.Server
	// onWait, where set, is called before each wait.
	onWait func(time.Duration)
}

// Now implements clock.PassiveClock.
func (c *steppedClock) Now() time.Time { return c.server.Now() }

// Since implements clock.PassiveClock.
func (c *steppedClock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// NewTimer implements clock.Clock.
func (c *steppedClock) NewTimer(d time.Duration) clock.Timer {
	if c.onWait != nil {
		c.onWait(d)
	}

	if err := c.server.Step(d); err != nil {
		panic(err)
	}

	ended := clocktesting.NewFakeClock(time.Time{})
	timer := ended.NewTimer(time.Second)
	ended.Step(time.Second)

	return timer
}

// standing is a factor of the emulator's clock with which it moves by its steps alone,
// however long a loaded machine takes to run the test.
const standing = 1e-9

// newSteppedBench is a bench whose waits move the emulator's clock, and nothing else.
func newSteppedBench(t *testing.T, options ecsemulator.Options) *bench {
	t.Helper()

	options.ClockFactor = standing
	b := newBench(t, options)
	b.clock = &steppedClock{server: b.Server}
	b.cloud = b.process(t)

	return b
}
