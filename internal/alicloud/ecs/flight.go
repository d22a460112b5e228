package ecs

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/utils/clock"
)

const (
	// A shared call begins when no caller has joined for a pause; it waits for more
	// for ten pauses at most. What changes something can wait longer than a look: it
	// takes the API seconds.
	readPause   = 6 * time.Millisecond
	changePause = 20 * time.Millisecond
	mostPauses  = 10
	// wireLimit is the longest that it waits for the call before it: those who come
	// while that is on the wire go together, however busy this machine is. A call that
	// hangs must not hold up the others.
	wireLimit = 250 * time.Millisecond
	// companyPatience is the longest that it waits, on the clock of the waits, for the
	// next of those who shared the calls before it, and mostCompanyPatience for all of
	// them: who went together comes back together, a while apart, as Terraform handles
	// the results of ten machines one after the other.
	companyPatience     = time.Second
	mostCompanyPatience = 10 * companyPatience
)

var errClosed = errors.New("the client is closed")

// flight is one read that several callers share. It ends when it is done, or
// when the last caller who waits for it has left.
type flight struct {
	ctx    context.Context
	cancel context.CancelFunc
	// last is the most recent failed attempt, for those who leave early.
	last atomic.Pointer[Error]
	// full is closed when nobody can join any more, landed when all is done.
	full, landed chan struct{}
	// met is sent to when another one has joined.
	met chan struct{}

	// Guarded by the reader's mutex.
	waiting  int
	joined   int
	expected int
}

// newFlight makes a flight that so many callers are expected to share.
func newFlight(root context.Context, expected int) *flight {
	ctx, cancel := context.WithCancel(root)
	return &flight{
		ctx: ctx, cancel: cancel, expected: expected,
		full: make(chan struct{}), landed: make(chan struct{}), met: make(chan struct{}, 1),
	}
}

// member is one caller's part in a flight.
type member struct {
	flight *flight
	ids    []string
	done   chan struct{}
	left   bool // guarded by the reader's mutex
	// Written before done is closed.
	instances map[string]Instance
	listed    []Instance
	err       error
}

// abandoned reports whether nobody waits for the flight any more; the reader's
// mutex is held. Who joined it would share its end.
func (f *flight) abandoned() bool { return f.ctx.Err() != nil }

func newMember(f *flight) *member {
	f.waiting++
	f.joined++
	select {
	case f.met <- struct{}{}:
	default:
	}
	return &member{flight: f, done: make(chan struct{})}
}

// group is what both shared readers are made of: the mutex that guards their
// flights, and the end of their life.
type group struct {
	mutex   sync.Mutex
	root    context.Context
	cancel  context.CancelFunc
	running sync.WaitGroup
	// clock is that on which callers meet, waits that on which they wait for company.
	clock, waits clock.WithTicker
	pause        time.Duration
	// before are the latest flights of each kind that have begun, and shared is how many
	// shared the last two; guarded by the mutex.
	before map[any]*flight
	shared map[any][2]int
}

func newGroup(clock, waits clock.WithTicker, pause time.Duration) *group {
	root, cancel := context.WithCancel(context.Background())
	return &group{
		root: root, cancel: cancel, clock: clock, waits: waits, pause: pause,
		before: make(map[any]*flight), shared: make(map[any][2]int),
	}
}

// queue returns when the flight before of its kind has landed, or has been on the
// wire for long, or when this one need not wait any more.
func (g *group) queue(kind any, f *flight) {
	g.mutex.Lock()
	before := g.before[kind]
	g.mutex.Unlock()
	if before == nil {
		return
	}
	timer := g.clock.NewTimer(wireLimit)
	defer timer.Stop()
	select {
	case <-before.landed:
	case <-timer.C():
	case <-f.full:
	case <-f.ctx.Done():
	}
}

// departs makes the flight the latest of its kind; the mutex is held.
func (g *group) departs(kind any, f *flight) {
	g.before[kind] = f
	g.shared[kind] = [2]int{f.joined, g.shared[kind][0]}
}

// company is how many are expected to share the next flight of a kind; the mutex is
// held. One who came too late for the last is no reason not to wait for the others.
func (g *group) company(kind any) int { return max(g.shared[kind][0], g.shared[kind][1]) }

// lands ends the flight for those who wait for it to be over.
func (g *group) lands(kind any, f *flight) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	close(f.landed)
	if g.before[kind] == f {
		delete(g.before, kind)
	}
}

// begin runs a goroutine that close waits for; the mutex is held. It reports
// whether the group is still open.
func (g *group) begin(run func()) bool {
	if g.root.Err() != nil {
		return false
	}
	g.running.Go(run)
	return true
}

func (g *group) close() {
	g.mutex.Lock()
	g.cancel()
	g.mutex.Unlock()
	g.running.Wait()
}

// reason is what a caller is told of a read that failed: it is not the caller
// whose context ended when the client was closed.
func (g *group) reason(err error) error {
	if err != nil && g.root.Err() != nil {
		return errClosed
	}
	return err
}

// gather returns when callers have stopped joining, and as many have as before or no
// more of them come; when the flight is full, or when nobody waits for it any more.
func (g *group) gather(f *flight) {
	seen := -1
	for range mostPauses {
		joined := g.joined(f)
		if joined == seen {
			break
		}
		seen = joined
		timer := g.clock.NewTimer(g.pause)
		select {
		case <-timer.C():
		case <-f.full:
			timer.Stop()
			return
		case <-f.ctx.Done():
			timer.Stop()
			return
		}
	}
	g.awaitCompany(f)
}

// awaitCompany waits for those who are expected, as long as they come.
func (g *group) awaitCompany(f *flight) {
	if g.joined(f) >= f.expected {
		return
	}
	until := g.waits.Now().Add(mostCompanyPatience)
	for g.joined(f) < f.expected && g.waits.Now().Before(until) {
		patience := g.waits.NewTimer(companyPatience)
		select {
		case <-f.met:
			patience.Stop()
		case <-patience.C():
			return
		case <-f.full:
			patience.Stop()
			return
		case <-f.ctx.Done():
			patience.Stop()
			return
		}
	}
}

func (g *group) joined(f *flight) int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return f.joined
}

// sharedAction is the action whose calls are shared.
const sharedAction = "DescribeInstances"

// await waits for a member's part within the caller's own context.
func (g *group) await(ctx context.Context, region string, m *member) error {
	select {
	case <-m.done:
		return m.err
	case <-ctx.Done():
	}
	select {
	case <-m.done:
		// Both came at once: what was learned counts.
		return m.err
	default:
	}
	g.leave(m)
	text := fmt.Sprintf("%s in %s: %s before an answer", sharedAction, region, howEnded(ctx))
	failure := &gaveUpError{text: text, cause: ctx.Err()}
	if last := m.flight.last.Load(); last != nil {
		failure.text = fmt.Sprintf("%s in %s: %s; the last attempt: %s", sharedAction, region, howEnded(ctx), last.Error())
		failure.last = last
	}
	return failure
}

// leave takes one caller out of a flight, and ends it with the last.
func (g *group) leave(m *member) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if m.left {
		return
	}
	m.left = true
	m.flight.waiting--
	if m.flight.waiting == 0 {
		m.flight.cancel()
	}
}
