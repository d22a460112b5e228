package ecs

import (
	"context"
	"fmt"
	"slices"
)

// changer gathers changes that meet, and makes them in as few calls as they take.
type changer struct {
	*group
	send    func(b *batch, ids []string) (map[string]error, error)
	pending map[changeKey]*batch // guarded by the mutex
}

type changeKey struct{ action, region, kind string }

// batch is a flight that changes instances.
type batch struct {
	*flight
	change change
	ids    []string
	// seats are the members by the IDs that they asked for.
	seats map[string][]*changing
	// wire is closed when the call that is on the wire has ended; nil if none is.
	wire chan struct{}
}

// changing is one caller's part in a batch.
type changing struct {
	*member
	// open is how many of its IDs have no outcome yet.
	open int
	// wire is that of the call that carries some of its IDs.
	wire    chan struct{}
	refused []error
}

func newChanger(g *group, send func(b *batch, ids []string) (map[string]error, error)) *changer {
	return &changer{group: g, send: send, pending: make(map[changeKey]*batch)}
}

// change returns what was refused.
func (r *changer) change(ctx context.Context, wanted change, ids []string) []error {
	parts, err := r.join(ctx, wanted, ids)
	if err != nil {
		return []error{err}
	}
	var refused []error
	for _, part := range parts {
		refused = append(refused, r.awaitChange(ctx, wanted, part)...)
	}
	return refused
}

// join puts the IDs into the batches that are about to begin.
func (r *changer) join(ctx context.Context, wanted change, ids []string) ([]*changing, error) {
	key := changeKey{wanted.action, wanted.region, wanted.kind}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var (
		parts   []*changing
		current *changing
	)
	for _, id := range ids {
		pending := r.pending[key]
		if pending != nil && pending.abandoned() {
			r.seal(key, pending)
			pending = nil
		}
		if pending == nil {
			pending = r.newBatch(key, ctx, wanted) //nolint:contextcheck // A batch outlives each of its callers: it takes values, and no end.
			if !r.begin(func() { r.run(key, pending) }) {
				pending.cancel()
				return nil, errClosed
			}
			r.pending[key], current = pending, nil
		}
		if current == nil {
			current = &changing{member: newMember(pending.flight)}
			parts = append(parts, current)
		}
		current.open++
		if len(pending.seats[id]) == 0 {
			pending.ids = append(pending.ids, id)
		}
		pending.seats[id] = append(pending.seats[id], current)
		if len(pending.ids) == wanted.most {
			r.seal(key, pending)
			current = nil
		}
	}
	return parts, nil
}

// newBatch makes a batch. The log's lines of its calls go where those of the first
// caller go, which is what the values are for.
func (r *changer) newBatch(key changeKey, values valuer, wanted change) *batch {
	return &batch{flight: newFlight(valuesOf{Context: r.root, values: values}, r.company(key)), change: wanted, seats: make(map[string][]*changing)}
}

// valuer is the part of a context that ends nothing.
type valuer interface{ Value(key any) any }

// valuesOf is a context that ends as one does and carries another's values.
type valuesOf struct {
	context.Context
	values valuer
}

// Value implements context.Context.
func (c valuesOf) Value(key any) any {
	if value := c.Context.Value(key); value != nil {
		return value
	}
	return c.values.Value(key)
}

// seal lets nobody join any more; the mutex is held.
func (r *changer) seal(key changeKey, pending *batch) {
	if r.pending[key] == pending {
		delete(r.pending, key)
		close(pending.full)
	}
}

// run is the whole life of a batch.
func (r *changer) run(key changeKey, b *batch) {
	defer b.cancel()
	r.gather(b.flight)
	r.queue(key, b.flight)
	r.mutex.Lock()
	r.seal(key, b)
	r.departs(key, b.flight)
	r.mutex.Unlock()
	defer r.lands(key, b.flight)
	r.serve(b, b.ids)
}

// serve makes the change to the IDs. Where a call is refused for one of several,
// the rest must not suffer: it is made again in parts.
func (r *changer) serve(b *batch, ids []string) {
	if ids = r.wanted(b, ids); len(ids) == 0 {
		return
	}
	refused, err := r.send(b, ids)
	if err != nil && len(ids) > 1 {
		if parts := r.parts(b, ids, err); len(parts) > 1 {
			r.land(b)
			for _, part := range parts {
				r.serve(b, part)
			}
			return
		}
	}
	var again []string
	for _, id := range ids {
		outcome := err
		if err == nil {
			outcome = refused[id]
		}
		if err == nil && len(ids) > 1 && !b.change.once && writeRepeats(ClassOf(outcome)) {
			again = append(again, id)
			continue
		}
		r.finish(b, id, r.reason(outcome))
	}
	r.land(b)
	for _, id := range again {
		r.serve(b, []string{id})
	}
}

// parts returns how to make a refused call again: in halves where one of the
// instances is at fault, by caller where somebody may not do it to some.
func (r *changer) parts(b *batch, ids []string, err error) [][]string {
	switch class := ClassOf(err); {
	case concernsInstance(class), class == ClassQuota:
		half := len(ids) / 2
		return [][]string{ids[:half], ids[half:]}
	case class == ClassPermission:
		r.mutex.Lock()
		defer r.mutex.Unlock()
		var parts [][]string
		byMember := make(map[*changing]int)
		for _, id := range ids {
			first := b.seats[id][0]
			index, known := byMember[first]
			if !known {
				index = len(parts)
				byMember[first] = index
				parts = append(parts, nil)
			}
			parts[index] = append(parts[index], id)
		}
		return parts
	}
	return nil
}

// wanted returns those of the IDs that somebody still waits for.
func (r *changer) wanted(b *batch, ids []string) []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return b.wanted(ids)
}

func (b *batch) wanted(ids []string) []string {
	return slices.DeleteFunc(slices.Clone(ids), func(id string) bool {
		return !slices.ContainsFunc(b.seats[id], func(m *changing) bool { return !m.left })
	})
}

// depart says who goes along with the call that is about to be sent.
func (r *changer) depart(b *batch, ids []string) []string {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	aboard := b.wanted(ids)
	b.wire = make(chan struct{})
	for _, id := range aboard {
		for _, m := range b.seats[id] {
			m.wire = b.wire
		}
	}
	return aboard
}

// land ends the time on the wire: who wants to leave may.
func (r *changer) land(b *batch) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if b.wire != nil {
		close(b.wire)
		b.wire = nil
	}
}

// finish tells all who asked for an ID what became of it.
func (r *changer) finish(b *batch, id string, outcome error) {
	r.mutex.Lock()
	var done []*changing
	for _, m := range b.seats[id] {
		if outcome != nil {
			m.refused = append(m.refused, outcome)
		}
		if m.open--; m.open == 0 {
			done = append(done, m)
		}
	}
	r.mutex.Unlock()
	for _, m := range done {
		close(m.done)
		r.leave(m.member)
	}
}

// awaitChange waits for a part within the caller's own context, and beyond it for
// a call that is on the wire.
func (r *changer) awaitChange(ctx context.Context, wanted change, m *changing) []error {
	for {
		select {
		case <-m.done:
			return compactErrors(m.refused)
		case <-ctx.Done():
		}
		r.mutex.Lock()
		wire := m.wire
		r.mutex.Unlock()
		if wire != nil {
			select {
			case <-m.done:
			case <-wire:
			}
		}
		select {
		case <-m.done:
			return compactErrors(m.refused)
		default:
		}
		if r.leaveUnsent(m, wire) {
			return []error{leftError(ctx, wanted, m, wire != nil)}
		}
	}
}

// leaveUnsent takes a caller out whose IDs are on no other wire than the one that
// it waited for.
func (r *changer) leaveUnsent(m *changing, waited chan struct{}) bool {
	r.mutex.Lock()
	same := m.wire == waited
	if same && !m.left {
		m.left = true
		m.flight.waiting--
		if m.flight.waiting == 0 {
			m.flight.cancel()
		}
	}
	r.mutex.Unlock()
	return same
}

func leftError(ctx context.Context, wanted change, m *changing, sent bool) error {
	failure := &gaveUpError{text: fmt.Sprintf("%s in %s: %s before an answer", wanted.action, wanted.region, howEnded(ctx)), cause: ctx.Err()}
	last := m.flight.last.Load()
	switch {
	case !sent:
		failure.text = fmt.Sprintf("%s in %s: not begun: %s", wanted.action, wanted.region, howEnded(ctx))
	case last != nil:
		failure.text, failure.last = fmt.Sprintf("%s in %s: %s; the last attempt: %s", wanted.action, wanted.region, howEnded(ctx), last.Error()), last
	}
	return failure
}

// compactErrors drops repetitions: what refused a whole call is told once.
func compactErrors(all []error) []error {
	var distinct []error
	for _, err := range all {
		if !slices.Contains(distinct, err) {
			distinct = append(distinct, err)
		}
	}
	return distinct
}
