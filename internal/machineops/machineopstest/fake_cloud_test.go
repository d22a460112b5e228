package machineopstest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/machineopstest"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	region  = "north"
	bootsIn = 2 * time.Second
)

// cloud is the smallest cloud that a registration can be written for.
type cloud struct {
	mu      sync.Mutex
	now     time.Time
	hosts   map[string]*host
	byToken map[string]string
	done    map[string]bool
	effects []machineopstest.Effect
	calls   int
	created int
	log     strings.Builder
	arrived atomic.Int32
	met     chan struct{}
}

type host struct {
	id, disk     string
	instanceType string
	zone, image  string
	readyAt      time.Time
	off          bool
	gone         bool
}

func newCloud() *cloud {
	return &cloud{
		now:     time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		hosts:   map[string]*host{},
		byToken: map[string]string{},
		done:    map[string]bool{},
		met:     make(chan struct{}),
	}
}

// called counts a request and returns the unlock function.
func (c *cloud) called() func() {
	c.mu.Lock()
	c.calls++

	return c.mu.Unlock
}

// launch creates a host, once for each token.
func (c *cloud) launch(token string, offering unboundedv1alpha3.MachineClassOffering) string {
	defer c.called()()

	if id, ok := c.byToken[token]; ok {
		return id
	}

	c.created++
	created := &host{
		id:           fmt.Sprintf("h-%d", c.created),
		disk:         fmt.Sprintf("d-%d", c.created),
		instanceType: offering.InstanceType,
		zone:         offering.Zone,
		image:        "image",
		readyAt:      c.now.Add(bootsIn),
	}
	c.hosts[created.id] = created
	c.byToken[token] = created.id
	c.record(machineopstest.ActionCreate, unboundedv1alpha3.OwnedResourceInstance, created.id)
	c.record(machineopstest.ActionCreate, unboundedv1alpha3.OwnedResourceDisk, created.disk)

	return created.id
}

// launched returns a copy of the host that a token created.
func (c *cloud) launched(token string) (host, bool) {
	defer c.called()()

	id, ok := c.byToken[token]
	if !ok {
		return host{}, false
	}

	return *c.hosts[id], true
}

// remove removes a host or disk, if it is there, and reports whether it was.
func (c *cloud) remove(owned unboundedv1alpha3.ProviderOwnedResource) bool {
	defer c.called()()

	if c.done["remove "+owned.ID] {
		return false
	}

	c.done["remove "+owned.ID] = true
	if found, ok := c.hosts[owned.ID]; ok {
		found.gone = true
	}

	c.record(machineopstest.ActionRemove, owned.Kind, owned.ID)

	return true
}

func (c *cloud) removed(owned unboundedv1alpha3.ProviderOwnedResource) bool {
	defer c.called()()

	return c.done["remove "+owned.ID]
}

// once does something to a host, once for each key.
func (c *cloud) once(key, action, id string) {
	defer c.called()()

	if !c.done[key] {
		c.done[key] = true
		c.record(action, unboundedv1alpha3.OwnedResourceInstance, id)
	}
}

// stop powers a host off and reports whether it was on.
func (c *cloud) stop(id string) bool {
	defer c.called()()

	found, ok := c.hosts[id]
	if !ok || found.off {
		return false
	}

	found.off = true
	c.record("stop", unboundedv1alpha3.OwnedResourceInstance, id)

	return true
}

func (c *cloud) hostIDs() []string {
	defer c.called()()

	var ids []string

	for id, found := range c.hosts {
		if !found.gone {
			ids = append(ids, id)
		}
	}

	slices.Sort(ids)

	return ids
}

func (c *cloud) record(action string, kind unboundedv1alpha3.OwnedResourceKind, id string) {
	c.effects = append(c.effects, machineopstest.Effect{Action: action, Kind: kind, ID: id})
}

func (c *cloud) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.now
}

func (c *cloud) pass(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.now = c.now.Add(d)

	return ctx.Err()
}

func (c *cloud) journal(context.Context) ([]machineopstest.Effect, error) {
	c.mu.Lock()
	defer c.mu.Unlock()

	return slices.Clone(c.effects), nil
}

func (c *cloud) callCount() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.calls
}

func (c *cloud) print(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.log.WriteString(text)
}

func (c *cloud) printed() string {
	c.mu.Lock()
	defer c.mu.Unlock()

	return c.log.String()
}
