package alicloud

import (
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// remembered is how many ends are remembered, and enough how many of them tell
	// something.
	remembered = 8
	enough     = remembered / 2
	// early is how often, in looks, one is made sooner than any machine was there, to find
	// out whether they have become faster.
	early = 64
	// longestBlind is the longest that nobody looks at a machine that boots: one that
	// ECS withdraws should not be waited for in vain.
	longestBlind = 45 * time.Second
	// longestPatience is the longest that a look is put off for company.
	longestPatience = 10 * time.Second
)

// expected remembers how long what was begun took to its end, so that what is begun
// next is not looked at while it cannot be there yet. And it lets those who wait look
// at moments that suit many: each of them is a call that all of them share. It is
// safe for concurrent use.
type expected struct {
	mu     sync.Mutex
	recent []time.Duration
	// absent is when each machine was last seen not to be there.
	absent map[string]time.Time
	// moments are those at which somebody is going to look, the next one first.
	moments []time.Time
	looks   int
}

// note is told of a machine whose end is there, and when what led to it was accepted.
func (e *expected) note(c clock.PassiveClock, machine string, accepted time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()

	now := c.Now()
	before, looked := e.absent[machine]
	delete(e.absent, machine)

	took := now.Sub(accepted)
	if accepted.IsZero() || took < 0 {
		// Unknown, or told by the clock of another machine.
		return
	}

	switch known := len(e.recent) >= enough; {
	case looked && now.Sub(before) <= 2*pollInterval:
		// It came about between two looks. They may lie further apart than usual, so that
		// somebody has company, which is no reason to expect the next one later.
		took = min(took, before.Sub(accepted)+pollInterval)
	case !known:
		return
	default:
		// It was there when it was expected: it may have been for long.
		took = min(took, slices.Min(e.recent))
	}

	if len(e.recent) == remembered {
		e.recent = e.recent[1:]
	}

	e.recent = append(e.recent, took)
}

// nextLook is how long to wait for the next look at a machine that is not there yet,
// and whose launch or release was accepted at a moment; the zero time says that this
// is not known.
func (e *expected) nextLook(c clock.PassiveClock, machine string, accepted time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()

	now := c.Now()

	if e.absent == nil {
		e.absent = map[string]time.Time{}
	}

	e.absent[machine] = now

	if len(e.recent) < enough || accepted.IsZero() {
		return e.soonLook(c)
	}

	soonest := slices.Min(e.recent)
	from, patience := accepted.Add(soonest), patienceFor(soonest)

	if e.looks++; e.looks%early == 0 {
		from, patience = from.Add(-pollInterval), 0
	}

	if least := now.Add(pollInterval / 2); from.Before(least) {
		from = least
	}

	if blind := now.Add(longestBlind); from.After(blind) {
		from = blind.Add(-patience)
	}

	return e.meet(now, from, from.Add(2*patience), from.Add(patience)).Sub(now)
}

// firstLook is how long to wait for the first look at what was just accepted. Once it
// is known that it takes a while, that can wait for company, too.
func (e *expected) firstLook(c clock.PassiveClock) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()

	if len(e.recent) < enough {
		return e.soonLook(c)
	}

	now := c.Now()
	from := now.Add(pollInterval / 2)
	patience := patienceFor(slices.Min(e.recent))

	return e.meet(now, from, from.Add(2*patience), from.Add(patience)).Sub(now)
}

// patienceFor is for how long a look at what takes so long is put off, so that others
// can join it, and twice that how long to join somebody's. Groups that came apart by
// less than that come together again. Ten machines whose launches Terraform hands out
// one after the other, within some seconds, stay one group with it.
func patienceFor(soonest time.Duration) time.Duration {
	return min(max(pollInterval, soonest/8), longestPatience)
}

// soonLook is how long to wait for the next look; the lock is held.
func (e *expected) soonLook(c clock.PassiveClock) time.Duration {
	now := c.Now()

	return e.meet(now, now.Add(pollInterval/2), now.Add(pollInterval*3/2), now.Add(nextLook(c))).Sub(now)
}

// meet returns the first moment of those between from and to at which somebody is
// going to look anyway. Where there is none it is otherwise, which others then
// find. The lock is held.
func (e *expected) meet(now, from, to, otherwise time.Time) time.Time {
	e.moments = slices.DeleteFunc(e.moments, func(moment time.Time) bool { return moment.Before(now) })

	index, _ := slices.BinarySearchFunc(e.moments, from, time.Time.Compare)
	if index < len(e.moments) && !e.moments[index].After(to) {
		return e.moments[index]
	}

	index, _ = slices.BinarySearchFunc(e.moments, otherwise, time.Time.Compare)
	e.moments = slices.Insert(e.moments, index, otherwise)

	return otherwise
}
