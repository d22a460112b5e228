package ecs

import (
	"context"
	"math"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

const (
	// throttleWindow: the API counts calls in fixed minutes. Who was refused in one is
	// let in again in the next. Those who wait for it come apart by the spread.
	throttleWindow = time.Minute
	throttleSpread = 3 * time.Second

	// probePerMinute is the rate after the first refusal of who was let in less often:
	// the vendor's advice is one call a second.
	probePerMinute = 60
	// firstProbePause is how long after a refused probe the next one follows; it
	// doubles. A probe is refused where the API's minute begins later than this one.
	firstProbePause = 2 * time.Second
	// probePatience is how often those look who wait for a probe's answer.
	probePatience = 200 * time.Millisecond
	// pressing is the part of a limit from which on it is what holds the calls up.
	pressing = 0.9
	// calmDoubles and calmForgets are after how many minutes without a refusal a limit
	// that presses doubles, and one that does not is forgotten.
	calmDoubles, calmForgets = 2, 10
)

// limiter keeps the calls of each action and region below what the API lets
// through. It knows no quota: it learns from refusals what it got in the minute
// before the first one, asks for a little more in the next, and spaces its calls
// evenly. As all who share an account are refused at the same moment of a minute,
// and ask for about the same more, what they get becomes equal.
type limiter struct {
	clock  clock.PassiveClock
	random func() float64
	// most is the user's own bound for a minute; 0 is none.
	most int

	mutex sync.Mutex
	gates map[gateKey]*gate
}

type gateKey struct{ action, region string }

func newLimiter(c clock.PassiveClock, random func() float64, most int) *limiter {
	return &limiter{clock: c, random: random, most: most, gates: make(map[gateKey]*gate)}
}

// ticket is a call that was let through.
type ticket struct {
	gate  *gate
	probe bool
}

// admit returns a ticket, or how long to wait before asking again.
func (l *limiter) admit(action, region string) (ticket, time.Duration) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	key := gateKey{action, region}
	g := l.gates[key]
	if g == nil {
		g = &gate{most: l.most}
		l.gates[key] = g
	}
	probe, wait := g.admit(l.clock.Now())
	return ticket{gate: g, probe: probe}, wait
}

// report tells what became of a call.
func (l *limiter) report(t ticket, outcome outcome) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	t.gate.report(l.clock.Now(), t.probe, outcome, time.Duration(l.random()*float64(throttleSpread)))
}

// outcome is what became of a call as far as its quota goes.
type outcome int

const (
	// outcomeUnknown: nothing was learned of the quota.
	outcomeUnknown outcome = iota
	// outcomeCounted: the API let it through, whatever it then said.
	outcomeCounted
	// outcomeThrottled: the API refused it for the rate of calls.
	outcomeThrottled
)

// gate is the limiter of one action and region. It has no clock and no lock.
type gate struct {
	most int
	// window is the minute that is counted: sent are the calls that were let through
	// to the API in it, counted those that the API let through.
	window        time.Time
	sent, counted int
	// limit is how many calls a minute are tried; 0 is no limit.
	limit float64
	// credit is how many calls may go at once, as of credited.
	credit   float64
	credited time.Time
	// refused is set once the API has refused a call of this minute; calm counts the
	// minutes since one in which it did.
	refused bool
	calm    int
	// closedUntil is set from a refusal to the first probe that the API lets through.
	closedUntil time.Time
	probing     bool
	probes      int
}

// admit reports whether the call is a probe, or how long to wait.
func (g *gate) admit(now time.Time) (probe bool, wait time.Duration) {
	g.roll(now)
	switch {
	case now.Before(g.closedUntil):
		return false, g.closedUntil.Sub(now)
	case g.most > 0 && g.sent >= g.most:
		return false, g.window.Add(throttleWindow).Sub(now)
	case g.probing:
		return false, probePatience
	case !g.closedUntil.IsZero():
		g.probing = true
		g.sent++
		return true, 0
	}
	if g.limit > 0 {
		if wait := g.pace(now); wait > 0 {
			return false, wait
		}
	}
	g.sent++
	return false, 0
}

// pace takes one of the calls that are spread over the minute, or returns how long
// it is to the next.
func (g *gate) pace(now time.Time) time.Duration {
	perCall := float64(throttleWindow) / g.limit
	burst := max(1, g.limit/10)
	g.credit = min(burst, g.credit+float64(now.Sub(g.credited))/perCall)
	g.credited = now
	if g.credit < 1 {
		return time.Duration(math.Ceil((1 - g.credit) * perCall))
	}
	g.credit--
	return 0
}

func (g *gate) report(now time.Time, probe bool, outcome outcome, spread time.Duration) {
	g.roll(now)
	if probe {
		g.probing = false
	}
	switch outcome {
	case outcomeCounted:
		g.counted++
		if probe {
			g.closedUntil, g.probes = time.Time{}, 0
			g.credit, g.credited = 0, now
		}
	case outcomeThrottled:
		g.throttled(now, probe, spread)
	case outcomeUnknown:
	}
}

// throttled closes the gate to the next minute, and learns from it.
func (g *gate) throttled(now time.Time, probe bool, spread time.Duration) {
	next := g.window.Add(throttleWindow + spread)
	if probe {
		pause := firstProbePause << min(g.probes, 10)
		g.probes++
		g.closedUntil = now.Add(pause)
		if g.closedUntil.After(next) {
			g.closedUntil = next
		}
		return
	}
	if !g.closedUntil.IsZero() {
		// One of several calls that were on the wire; the first has told.
		return
	}
	g.closedUntil, g.refused = next, true
	if g.limit == 0 {
		g.limit = max(float64(g.counted), probePerMinute)
		return
	}
	// Who asked for less than the limit learns how far it would have come.
	passed := float64(now.Sub(g.window)) / float64(throttleWindow)
	g.limit = max(1, float64(g.counted), g.limit*passed)
}

// roll begins a new minute.
func (g *gate) roll(now time.Time) {
	minute := now.Truncate(throttleWindow)
	if minute.Equal(g.window) {
		return
	}
	missed := int(minute.Sub(g.window) / throttleWindow)
	switch {
	case g.limit == 0:
	case g.window.IsZero() || missed > calmForgets:
		g.limit = 0
	case g.refused:
		g.limit, g.calm = g.limit+more(g.limit), 0
	default:
		g.calm += missed
		pressed := float64(g.counted) >= pressing*g.limit
		switch {
		case pressed && g.calm >= calmDoubles:
			g.limit *= 2
		case pressed:
			g.limit += more(g.limit)
		case g.calm >= calmForgets:
			g.limit = 0
		}
	}
	g.window, g.sent, g.counted, g.refused = minute, 0, 0, false
}

// more is what is tried above what was let through: the less one has the more, in
// proportion, so that who has little catches up.
func more(limit float64) float64 { return max(5, 2*math.Sqrt(limit)) }

// admitted waits until a call may go out. It returns false as soon as ctx has
// ended.
func (c *Client) admitted(ctx context.Context, k call) (ticket, bool) {
	for ctx.Err() == nil {
		t, wait := c.limits.admit(k.action, k.region)
		if wait == 0 {
			return t, true
		}
		if !c.wait(ctx, wait) {
			return ticket{}, false
		}
	}
	return ticket{}, false
}

// outcomeOf is what an attempt tells of the quota.
func outcomeOf(failure *Error) outcome {
	switch {
	case failure == nil:
		return outcomeCounted
	case countsCalls(failure):
		return outcomeThrottled
	case failure.RequestID != "" || failure.Code != "":
		return outcomeCounted
	default:
		return outcomeUnknown
	}
}

// countsCalls reports whether a call was refused for how many there were in the
// minute, and not for how many there are at once or for a change of the type that
// has just been.
func countsCalls(failure *Error) bool {
	switch {
	case failure.Class != ClassThrottled, failure.Code == "Throttling.ConcurrentLimitExceeded":
		return false
	case failure.Code == "Throttling":
		return failure.Action != "ModifyInstanceSpec" && failure.Action != "ModifyPrepayInstanceSpec"
	}
	return true
}
