package ecs

import (
	"context"
	"encoding/json"

	"k8s.io/utils/clock"
)

// fetchListing lists the instances with all of the tags. It tells failed of every
// failed attempt, and ends with ctx only.
type fetchListing func(ctx context.Context, region string, tags map[string]string, failed func(*Error)) ([]Instance, error)

// listingReader lets equal listings that meet share one. While one runs, those
// that come in wait for the next, which all of them share: a listing is only
// ever served by calls that began after it.
type listingReader struct {
	*group
	fetch  fetchListing
	queues map[string]*listingQueue // by what is listed; guarded by the mutex
}

// listingQueue holds those who wait for the next listing of one kind.
type listingQueue struct {
	region  string
	tags    map[string]string
	next    *flight
	members []*member
}

func newListingReader(fetch fetchListing, clock clock.WithTicker) *listingReader {
	return &listingReader{group: newGroup(clock, clock, readPause), fetch: fetch, queues: make(map[string]*listingQueue)}
}

func (r *listingReader) read(ctx context.Context, region string, tags map[string]string) ([]Instance, error) {
	m, err := r.join(region, tags)
	if err != nil {
		return nil, err
	}
	if err := r.await(ctx, region, m); err != nil {
		return nil, err
	}
	return m.listed, nil
}

func (r *listingReader) join(region string, tags map[string]string) (*member, error) {
	// Marshaling sorts the keys; strings cannot fail it.
	key, err := json.Marshal([]any{region, tags})
	if err != nil {
		return nil, err
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	queue := r.queues[string(key)]
	if queue == nil {
		queue = &listingQueue{region: region, tags: tags}
		if !r.begin(func() { r.run(string(key), queue) }) {
			return nil, errClosed
		}
		r.queues[string(key)] = queue
	}
	if queue.next == nil || queue.next.abandoned() {
		queue.next = newFlight(r.root, 0)
	}
	m := newMember(queue.next)
	queue.members = append(queue.members, m)
	return m, nil
}

// run lists as long as somebody waits for a listing of this kind.
func (r *listingReader) run(key string, queue *listingQueue) {
	for {
		r.mutex.Lock()
		f := queue.next
		if f == nil {
			delete(r.queues, key)
			r.mutex.Unlock()
			return
		}
		r.mutex.Unlock()
		r.gather(f)
		r.mutex.Lock()
		f = queue.next
		members := queue.members
		queue.next, queue.members = nil, nil
		r.mutex.Unlock()

		instances, err := r.fetch(f.ctx, queue.region, queue.tags, func(failure *Error) { f.last.Store(failure) })
		f.cancel()
		for _, m := range members {
			m.err = r.reason(err)
			m.listed = make([]Instance, 0, len(instances))
			for _, instance := range instances {
				m.listed = append(m.listed, instance.clone())
			}
			close(m.done)
		}
	}
}
