package alicloud

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

const (
	// catalogueLifetime is how long a region's types are believed. New ones come a few
	// times a year.
	catalogueLifetime = time.Hour
	// mostTypesByID is up to how many types are asked for by ID, in one call; for more,
	// the whole catalogue costs no more and serves all classes.
	mostTypesByID = 10
)

// typeCatalogue keeps what regions say of instance types, for all classes of the
// process. It is safe for concurrent use.
type typeCatalogue struct {
	clock clock.PassiveClock

	mu      sync.Mutex
	regions map[string]*regionTypes
}

// regionTypes is one region's part. Who holds the turn may use the rest.
type regionTypes struct {
	turn chan struct{}
	// types is replaced as a whole, so that who was given it may go on reading.
	types    map[string]ecs.InstanceType
	complete bool
	since    time.Time
}

func newTypeCatalogue(c clock.PassiveClock) *typeCatalogue {
	return &typeCatalogue{clock: c, regions: map[string]*regionTypes{}}
}

// known returns the region's types, at least those of the IDs that there are; without
// IDs all of them. The caller must not change the map. Callers that ask at a time
// wait for each other, so that the calls are made once.
func (c *typeCatalogue) known(ctx context.Context, client *ecs.Client, region string, ids []string) (map[string]ecs.InstanceType, error) {
	types := c.region(region)

	select {
	case types.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, machineops.Ended(ctx)
	}

	defer func() { <-types.turn }()

	if c.clock.Since(types.since) >= catalogueLifetime {
		types.types, types.complete = nil, false
	}

	missing := types.missing(ids)
	if types.complete || (len(ids) > 0 && len(missing) == 0) {
		return types.types, nil
	}

	if len(missing) > mostTypesByID {
		missing = nil
	}

	found, err := client.InstanceTypes(ctx, region, missing)
	if err != nil {
		return nil, err
	}

	if len(types.types) == 0 {
		types.since = c.clock.Now()
	}

	types.complete = len(missing) == 0
	types.add(found)

	return types.types, nil
}

func (c *typeCatalogue) region(name string) *regionTypes {
	c.mu.Lock()
	defer c.mu.Unlock()

	types, ok := c.regions[name]
	if !ok {
		types = &regionTypes{turn: make(chan struct{}, 1)}
		c.regions[name] = types
	}

	return types
}

func (r *regionTypes) missing(ids []string) []string {
	var missing []string

	for _, id := range ids {
		if _, ok := r.types[id]; !ok {
			missing = append(missing, id)
		}
	}

	return missing
}

func (r *regionTypes) add(found []ecs.InstanceType) {
	types := maps.Clone(r.types)
	if types == nil {
		types = make(map[string]ecs.InstanceType, len(found))
	}

	for _, instanceType := range found {
		types[instanceType.ID] = instanceType
	}

	r.types = types
}
