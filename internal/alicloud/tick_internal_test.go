package alicloud

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestAllThatWaitLookAtOneMoment(t *testing.T) {
	t.Parallel()

	tick := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

	for _, test := range []struct {
		name  string
		after time.Duration
		want  time.Time
	}{
		{name: "on the tick", after: 0, want: tick.Add(2 * time.Second)},
		{name: "a moment after it", after: 40 * time.Millisecond, want: tick.Add(2 * time.Second)},
		{name: "half an interval after it", after: time.Second, want: tick.Add(2 * time.Second)},
		{name: "shortly before the next, which would be too soon", after: 1900 * time.Millisecond, want: tick.Add(4 * time.Second)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			now := tick.Add(test.after)
			if next := now.Add(nextLook(clocktesting.NewFakePassiveClock(now))); !next.Equal(test.want) {
				t.Errorf("the next look is at %s, want %s", next, test.want)
			}
		})
	}
}
