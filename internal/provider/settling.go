package provider

import (
	"context"
	"fmt"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

const (
	// settlingPause is how long no machine must have come before a call that is not full
	// is made, and settlingPatience the longest that it waits for more: Terraform reads
	// ten at a time. settlingBatch is how many one call takes (TagResources).
	settlingPause    = time.Second
	settlingPatience = 20 * time.Second
	settlingBatch    = 50
	// settlingTimeout bounds one call. What it does not do a later run does.
	settlingTimeout = 10 * time.Second
)

// settling marks machines as held by a state, in the background and as far as it
// can: a mark that is not written now is written by the next run that reads the
// machine. It is safe for concurrent use.
type settling struct {
	mark func(ctx context.Context, providerIDs []string) error
	// look tells whether the machine may be marked, for those of which that is not
	// known yet.
	look    func(ctx context.Context, machine settlement) bool
	clock   clock.Clock
	enabled bool

	mu    sync.Mutex
	queue []settlement
	known map[string]struct{}
	// names are those of the allocations whose machines were queued.
	names map[string]struct{}
	// idle is closed when nothing is queued or under way; nil means the same.
	idle chan struct{}
	// hurry is closed to end the pause; full says that a call is.
	hurry, full chan struct{}
	// failure is the last call's error. One that was refused for good stops all
	// further ones.
	failure error
	refused bool
}

// settlement is a machine to mark.
type settlement struct {
	providerID string
	// name is that of the allocation.
	name string
	// claim is what the machine has to carry. It is looked at first unless verified.
	claim    string
	verified bool
}

// add queues a machine, once.
func (s *settling) add(machine settlement) {
	s.mu.Lock()
	defer s.mu.Unlock()

	if _, queued := s.known[machine.providerID]; queued || !s.enabled || s.refused {
		return
	}

	if s.known == nil {
		s.known = map[string]struct{}{}
		s.names = map[string]struct{}{}
	}

	s.known[machine.providerID] = struct{}{}
	s.names[machine.name] = struct{}{}
	s.queue = append(s.queue, machine)

	if s.idle == nil {
		s.idle, s.hurry, s.full = make(chan struct{}), make(chan struct{}), make(chan struct{}, 1)
		go s.run(s.idle, s.hurry, s.full)
	}

	if len(s.queue) >= settlingBatch {
		select {
		case s.full <- struct{}{}:
		default:
		}
	}
}

// concerns reports whether a machine of this name was queued.
func (s *settling) concerns(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	_, concerned := s.names[name]

	return concerned
}

// queued is how many machines wait.
func (s *settling) queued() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return len(s.queue)
}

// gather returns when a call is full, when machines have stopped coming, or when it
// was told to hurry. It reports whether calls that are not full are to be made, too.
func (s *settling) gather(hurry, full chan struct{}) bool {
	seen := -1

	for waited := time.Duration(0); waited < settlingPatience; waited += settlingPause {
		queued := s.queued()
		if queued == seen {
			return true
		}

		seen = queued
		timer := s.clock.NewTimer(settlingPause)

		select {
		case <-timer.C():
		case <-full:
			timer.Stop()

			return false
		case <-hurry:
			timer.Stop()

			return true
		}
	}

	return true
}

// run marks until the queue is empty.
func (s *settling) run(idle, hurry, full chan struct{}) {
	defer close(idle)
	defer func() {
		recovered := recover()

		s.mu.Lock()
		defer s.mu.Unlock()

		s.idle, s.hurry, s.full = nil, nil, nil

		if recovered != nil {
			s.refused, s.failure = true, fmt.Errorf("marking machines as settled failed: %v", recovered)
		}
	}()

	for {
		all := s.gather(hurry, full)

		for all || s.queued() >= settlingBatch {
			batch := s.next()
			if len(batch) == 0 {
				break
			}

			s.write(batch)
		}

		if s.rest() {
			return
		}
	}
}

// next takes a batch from the queue.
func (s *settling) next() []settlement {
	s.mu.Lock()
	defer s.mu.Unlock()

	if s.refused {
		s.queue = nil
	}

	batch := s.queue[:min(len(s.queue), settlingBatch)]
	s.queue = s.queue[len(batch):]

	return batch
}

// rest reports whether nothing is left to do; from then on a new run begins.
func (s *settling) rest() bool {
	s.mu.Lock()
	defer s.mu.Unlock()

	if len(s.queue) > 0 && !s.refused {
		return false
	}

	s.idle, s.hurry, s.full = nil, nil, nil

	return true
}

func (s *settling) write(batch []settlement) {
	// It belongs to no RPC: what was read proves what it writes, whatever becomes of
	// the run.
	ctx, cancel := context.WithTimeout(context.Background(), settlingTimeout)
	defer cancel()

	var ids []string

	for _, machine := range batch {
		if machine.verified || s.look(ctx, machine) {
			ids = append(ids, machine.providerID)
		}
	}

	if len(ids) == 0 {
		return
	}

	err := s.mark(ctx, ids)

	s.mu.Lock()
	defer s.mu.Unlock()

	s.failure = err

	switch driver.CodeOf(err) {
	case driver.CodePermissionDenied, driver.CodeUnauthenticated:
		s.refused = true
	default:
	}
}

// flush returns when nothing is queued any more, with the last call's error, or
// when the context ends.
func (s *settling) flush(ctx context.Context) error {
	s.mu.Lock()
	idle := s.idle

	if s.hurry != nil {
		select {
		case <-s.hurry:
		default:
			close(s.hurry)
		}
	}
	s.mu.Unlock()

	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			return machineops.Ended(ctx)
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()

	return s.failure
}

// Background is work that outlives the RPC that caused it. The zero value is ready
// to use.
type Background struct {
	mu      sync.Mutex
	clients []*client
}

func (b *Background) add(c *client) {
	if b == nil {
		return
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	b.clients = append(b.clients, c)
}

// Flush ends the work of all providers that were configured: it returns when
// nothing is left, or when the context ends. What it leaves undone a later run does,
// so its errors are nobody's.
func (b *Background) Flush(ctx context.Context) {
	b.mu.Lock()
	clients := b.clients
	b.mu.Unlock()

	for _, c := range clients {
		// Best effort: see settling.
		_ = c.settling.flush(ctx)
	}
}
