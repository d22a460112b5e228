package lifecycle_test

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

func TestScaledClockRunsFaster(t *testing.T) {
	t.Parallel()

	base := clocktesting.NewFakeClock(start())
	scaled := lifecycle.ScaledClock(base, 60)

	base.Step(time.Second)

	if got := scaled.Now(); !got.Equal(start().Add(time.Minute)) {
		t.Errorf("Now() = %v after a second, want a minute later", got)
	}

	if got := scaled.Since(start()); got != time.Minute {
		t.Errorf("Since() = %v, want a minute", got)
	}
}

func TestScaledClockShortensEveryWait(t *testing.T) {
	t.Parallel()

	base := clocktesting.NewFakeClock(start())
	scaled := lifecycle.ScaledClock(base, 60)

	timer := scaled.NewTimer(time.Hour)
	timer.Reset(time.Minute)

	called := make(chan time.Time, 1)
	scaled.AfterFunc(time.Minute, func() { called <- start() })

	waits := map[string]<-chan time.Time{
		"After":     scaled.After(time.Minute),
		"NewTimer":  timer.C(),
		"NewTicker": scaled.NewTicker(time.Minute).C(),
		"Tick":      scaled.Tick(time.Minute),
		"AfterFunc": called,
	}

	base.Step(time.Second - 1)

	for name, wait := range waits {
		select {
		case <-wait:
			t.Errorf("%s was too early", name)
		default:
		}
	}

	base.Step(1)

	for name, wait := range waits {
		select {
		case <-wait:
		default:
			t.Errorf("%s did not end with its minute", name)
		}
	}
}

func TestScaledClockNeverShortensAWaitToNone(t *testing.T) {
	t.Parallel()

	base := clocktesting.NewFakeClock(start())
	timer := lifecycle.ScaledClock(base, 1000).NewTimer(time.Nanosecond)

	select {
	case <-timer.C():
		t.Errorf("the wait took no time at all")
	default:
	}
}

func TestClockThatNeedsNoScalingIsTheClockItself(t *testing.T) {
	t.Parallel()

	base := clocktesting.NewFakeClock(start())

	for _, factor := range []float64{1, 0, -2} {
		if lifecycle.ScaledClock(base, factor) != base {
			t.Errorf("a factor of %v changes the clock", factor)
		}
	}
}
