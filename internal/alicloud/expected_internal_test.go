package alicloud

import (
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestAMachineThatBootsIsNotLookedAtBeforeItCanBeThere(t *testing.T) {
	t.Parallel()

	answered := time.Date(2026, 11, 29, 10, 0, 1, 0, time.UTC)

	for name, test := range map[string]struct {
		took  []time.Duration
		after time.Duration
		want  time.Duration
	}{
		"nothing is known":         {nil, 2 * time.Second, time.Second},
		"too little is known":      {[]time.Duration{time.Minute, time.Minute, time.Minute}, 2 * time.Second, time.Second},
		"the soonest counts":       {[]time.Duration{40 * time.Second, 25 * time.Second, time.Minute, 30 * time.Second}, 2 * time.Second, 23 * time.Second},
		"it can be there any time": {[]time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second, 20 * time.Second}, 19 * time.Second, 2 * time.Second},
		"not too long":             {[]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}, 2 * time.Second, longestBlind},
		"the old is forgotten": {
			append([]time.Duration{time.Second}, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute), 40 * time.Second, 21 * time.Second,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			known := &expected{}
			for _, took := range test.took {
				known.note(took)
			}

			if got := known.nextLook(clocktesting.NewFakePassiveClock(answered.Add(test.after)), answered); got != test.want {
				t.Errorf("the next look is in %s, want %s", got, test.want)
			}
		})
	}
}

// Machines that have become faster are found out in the end.
func TestNowAndThenALookIsEarly(t *testing.T) {
	t.Parallel()

	answered := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	known := &expected{}

	for range remembered {
		known.note(20 * time.Second)
	}

	waits := map[time.Duration]int{}
	for range 10 * early {
		waits[known.nextLook(clocktesting.NewFakePassiveClock(answered), answered)]++
	}

	if waits[18*time.Second] != 10 || waits[20*time.Second] != 10*early-10 {
		t.Errorf("the waits are %v", waits)
	}
}
