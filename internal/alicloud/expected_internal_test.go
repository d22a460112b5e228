package alicloud

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

var accepted = time.Date(2026, 11, 29, 10, 0, 1, 0, time.UTC)

// at is the clock of so long after the acceptance.
func at(after time.Duration) *clocktesting.FakePassiveClock {
	return clocktesting.NewFakePassiveClock(accepted.Add(after))
}

// knowing is told of machines that were looked at every pollInterval and took so long.
func knowing(took ...time.Duration) *expected {
	known := &expected{}

	for index, one := range took {
		id := fmt.Sprintf("earlier-%d", index)
		known.nextLook(at(one-pollInterval), id, accepted)
		known.note(at(one), id, accepted)
	}

	known.looks, known.moments = 0, nil

	return known
}

func TestAMachineThatBootsIsNotLookedAtBeforeItCanBeThere(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		took  []time.Duration
		after time.Duration
		want  time.Duration
	}{
		"nothing is known":         {nil, 2 * time.Second, time.Second},
		"too little is known":      {[]time.Duration{time.Minute, time.Minute, time.Minute}, 2 * time.Second, time.Second},
		"the soonest counts":       {[]time.Duration{40 * time.Second, 25 * time.Second, time.Minute, 30 * time.Second}, 2 * time.Second, 26125 * time.Millisecond},
		"it can be there any time": {[]time.Duration{20 * time.Second, 20 * time.Second, 20 * time.Second, 20 * time.Second}, 19500 * time.Millisecond, 3500 * time.Millisecond},
		"not too long":             {[]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}, 2 * time.Second, longestBlind},
		"the old is forgotten": {
			append([]time.Duration{3 * time.Second}, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute, time.Minute), 40 * time.Second, 27500 * time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := knowing(test.took...).nextLook(at(test.after), "i-1", accepted); got != test.want {
				t.Errorf("the next look is in %s, want %s", got, test.want)
			}
		})
	}
}

// Machines that have become faster are found out in the end.
func TestNowAndThenALookIsEarly(t *testing.T) {
	t.Parallel()

	known := knowing(20*time.Second, 20*time.Second, 20*time.Second, 20*time.Second)
	waits := map[time.Duration]int{}

	for range 10 * early {
		waits[known.nextLook(at(0), "i-1", accepted)]++
	}

	if waits[18*time.Second] != 10 || waits[22500*time.Millisecond] != 10*early-10 {
		t.Errorf("the waits are %v", waits)
	}
}

// What was launched within the patience looks at one moment, and comes back together,
// however the launches lay to the clock, and in whatever order the machines are asked
// about after the first look.
func TestLaunchesThatLieApartLookAtOneMoment(t *testing.T) {
	t.Parallel()

	answered := func(number int) time.Duration { return time.Duration(400*number) * time.Millisecond }

	for range 100 {
		known := knowing(30*time.Second, 30*time.Second, 30*time.Second, 30*time.Second)
		first, looks := map[time.Time]int{}, map[time.Time]int{}

		for number := range 10 {
			first[accepted.Add(answered(number)+known.firstLook(at(answered(number))))]++
		}

		const look = 6 * time.Second

		for _, number := range rand.Perm(10) {
			looks[accepted.Add(look+known.nextLook(at(look), fmt.Sprint(number), accepted.Add(answered(number))))]++
		}

		if len(first) != 1 || len(looks) != 1 {
			t.Fatalf("ten machines look first at %v, then at %v", first, looks)
		}

		for moment := range looks {
			if after := moment.Sub(accepted); after < 30*time.Second || after > 38*time.Second {
				t.Fatalf("they look %s after the first launch", after)
			}
		}
	}
}

// To wait for company must not make the next ones be expected later, and so on.
func TestWaitingForCompanyIsNotTakenForABoot(t *testing.T) {
	t.Parallel()

	known := knowing(30*time.Second, 30*time.Second, 30*time.Second, 30*time.Second)

	for number := range 1000 {
		id, now := fmt.Sprint(number), 4*time.Second

		// Each of them boots for 29 seconds.
		for now < 29*time.Second {
			now += known.nextLook(at(now), id, accepted)
		}

		if now > 34*time.Second {
			t.Fatalf("machine %d is found after %s", number, now)
		}

		known.note(at(now), id, accepted)
		known.moments = nil
	}
}

// Slow machines among fast ones do not make anybody wait for longer.
func TestSlowMachinesAmongFastOnesDelayNobody(t *testing.T) {
	t.Parallel()

	known := knowing(30*time.Second, 30*time.Second, 30*time.Second, 30*time.Second)

	for number := range 200 {
		id, now, boot := fmt.Sprint(number), 4*time.Second, 30*time.Second
		if number%2 == 0 {
			boot = 2 * time.Minute
		}

		for now < boot {
			now += known.nextLook(at(now), id, accepted)
		}

		if late := now - boot; late > 5*time.Second {
			t.Fatalf("machine %d is found %s late", number, late)
		}

		known.note(at(now), id, accepted)
		known.moments = nil
	}
}

// All of them being slower is learned, so that nobody looks in vain for long.
func TestThatMachinesHaveBecomeSlowerIsLearned(t *testing.T) {
	t.Parallel()

	known := knowing(10*time.Second, 10*time.Second, 10*time.Second, 10*time.Second)
	looks := 0

	for number := range 40 {
		id, now := fmt.Sprint(number), 4*time.Second
		looks = 0

		for now < 30*time.Second {
			now += known.nextLook(at(now), id, accepted)
			looks++
		}

		known.note(at(now), id, accepted)
		known.moments = nil
	}

	if looks > 2 {
		t.Errorf("the fortieth machine is looked at %d times", looks)
	}
}

// A machine that was adopted, or whose launch an earlier process made, tells nothing
// of how long boots take.
func TestWhatWasNotWatchedTellsNothing(t *testing.T) {
	t.Parallel()

	known := &expected{}

	for number := range remembered {
		known.note(at(time.Second), fmt.Sprint(number), time.Time{})
		known.note(at(time.Hour), fmt.Sprint(number), accepted)

		// The machine that launched it is an hour ahead.
		known.nextLook(at(0), fmt.Sprint(number), accepted.Add(time.Hour))
		known.note(at(time.Second), fmt.Sprint(number), accepted.Add(time.Hour))
	}

	if len(known.recent) != 0 {
		t.Errorf("it was told of %v", known.recent)
	}
}
