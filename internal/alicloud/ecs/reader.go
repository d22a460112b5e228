package ecs

import (
	"context"
	"maps"
	"slices"

	"k8s.io/utils/clock"
)

// pageSize is the most instances that one DescribeInstances call answers, and
// the most IDs that it takes.
const pageSize = 100

// fetchInstances reads at most pageSize instances. It tells failed of every
// failed attempt, and ends with ctx only.
type fetchInstances func(ctx context.Context, region string, ids []string, failed func(*Error)) (map[string]Instance, error)

// instanceReader lets concurrent reads by ID share calls. A read is only ever
// served by a call that began after it, so that it cannot miss an effect that
// its caller has seen accepted.
type instanceReader struct {
	*group
	fetch   fetchInstances
	pending map[string]*idFlight // by region; guarded by the mutex
}

// idFlight is a flight that reads IDs.
type idFlight struct {
	*flight
	region  string
	ids     []string
	known   map[string]struct{}
	members []*member
}

func newInstanceReader(fetch fetchInstances, clock, waits clock.WithTicker) *instanceReader {
	return &instanceReader{group: newGroup(clock, waits, readPause), fetch: fetch, pending: make(map[string]*idFlight)}
}

// read returns those of the instances that exist.
func (r *instanceReader) read(ctx context.Context, region string, ids []string) (map[string]Instance, error) {
	members, err := r.join(region, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[string]Instance, len(ids))
	for index, m := range members {
		if err := r.await(ctx, region, m); err != nil {
			for _, rest := range members[index+1:] {
				r.leave(rest)
			}
			return nil, err
		}
		maps.Copy(found, m.instances)
	}
	return found, nil
}

// join puts the IDs into the flights that are about to begin.
func (r *instanceReader) join(region string, ids []string) ([]*member, error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	var members []*member
	var current *member
	for _, id := range ids {
		pending := r.pending[region]
		if pending != nil && pending.abandoned() {
			r.seal(pending)
			pending = nil
		}
		if pending == nil {
			pending = &idFlight{flight: newFlight(r.root, r.company(region)), region: region, known: make(map[string]struct{}, pageSize)}
			if !r.begin(func() { r.run(pending) }) {
				pending.cancel()
				return nil, errClosed
			}
			r.pending[region] = pending
			current = nil
		}
		if current == nil {
			current = newMember(pending.flight)
			members = append(members, current)
			pending.members = append(pending.members, current)
		}
		current.ids = append(current.ids, id)
		if _, known := pending.known[id]; !known {
			pending.known[id] = struct{}{}
			pending.ids = append(pending.ids, id)
		}
		if len(pending.ids) == pageSize {
			r.seal(pending)
			current = nil
		}
	}
	return members, nil
}

// seal lets nobody join any more; the mutex is held.
func (r *instanceReader) seal(pending *idFlight) {
	if r.pending[pending.region] == pending {
		delete(r.pending, pending.region)
		close(pending.full)
	}
}

// run is the whole life of a flight.
func (r *instanceReader) run(f *idFlight) {
	defer f.cancel()
	r.gather(f.flight)
	r.queue(f.region, f.flight)
	r.mutex.Lock()
	r.seal(f)
	r.departs(f.region, f.flight)
	r.mutex.Unlock()
	defer r.lands(f.region, f.flight)
	r.serve(f, f.members, f.ids)
}

// serve reads the members' IDs in one call. If the API refuses what was asked, it
// asks for halves: one caller's ID must not cost the others their read.
func (r *instanceReader) serve(f *idFlight, members []*member, ids []string) {
	instances, err := r.fetch(f.ctx, f.region, ids, func(failure *Error) { f.last.Store(failure) })
	if err != nil && len(members) > 1 && concernsRequest(ClassOf(err)) {
		half := len(members) / 2
		r.serve(f, members[:half], idsOf(members[:half]))
		r.serve(f, members[half:], idsOf(members[half:]))
		return
	}
	for _, m := range members {
		m.finish(instances, r.reason(err))
		r.leave(m)
	}
}

func idsOf(members []*member) []string {
	var ids []string
	for _, m := range members {
		for _, id := range m.ids {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// concernsRequest reports whether a refusal is about what was asked, and not
// about who asks or when.
func concernsRequest(class Class) bool {
	return class == ClassConfiguration || class == ClassGone || class == ClassConflict
}

// finish gives a member what it asked for, in copies of its own.
func (m *member) finish(instances map[string]Instance, err error) {
	m.err = err
	m.instances = make(map[string]Instance, len(m.ids))
	for _, id := range m.ids {
		if instance, found := instances[id]; found {
			m.instances[id] = instance.clone()
		}
	}
	close(m.done)
}

// clone returns a copy that shares nothing with the instance.
func (instance Instance) clone() Instance {
	instance.SecurityGroupIDs = slices.Clone(instance.SecurityGroupIDs)
	instance.PrivateIPs = slices.Clone(instance.PrivateIPs)
	instance.PublicIPs = slices.Clone(instance.PublicIPs)
	instance.LockReasons = slices.Clone(instance.LockReasons)
	instance.Tags = maps.Clone(instance.Tags)
	return instance
}
