package alicloud

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// priceLifetime is how long a list price is believed, marketLifetime how long a
	// spot price is, and that there is none.
	priceLifetime  = time.Hour
	marketLifetime = 10 * time.Minute
	// pricePatience ends the wait for all prices of one class: long enough to see a
	// throttled minute through, as ECS counts calls by the minute.
	pricePatience = 75 * time.Second
	// pricesAtATime is how many prices are asked for side by side.
	pricesAtATime = 4
)

// The hours by which the price of a subscription is divided.
const (
	hoursOfWeek  = 7 * 24
	hoursOfMonth = 730
	hoursOfYear  = 8760
)

// priceKey is what a price is asked for by. A spot price is told for all zones.
type priceKey struct {
	region       string
	instanceType string
	capacityType v1alpha3.CapacityType
	unit         string
	period       int
}

// priceEntry is what is known of one. It has no prices where there is none.
type priceEntry struct {
	// byZone has one entry, of the zone "", for a price that is the same everywhere.
	byZone map[string]ecs.Price
	until  time.Time
}

// priceBook keeps prices for all classes of the process. It is safe for concurrent
// use.
type priceBook struct {
	clock  clock.PassiveClock
	logger *slog.Logger
	// turn is held while prices are asked for, so that two classes do not ask for the
	// same, nor twice as often as the rate limit likes.
	turn chan struct{}

	mu          sync.Mutex
	entries     map[priceKey]priceEntry
	deniedUntil time.Time
	// denied is the refusal that holds until then.
	denied error
}

func newPriceBook(c clock.PassiveClock, logger *slog.Logger) *priceBook {
	return &priceBook{clock: c, logger: logger, turn: make(chan struct{}, 1), entries: map[priceKey]priceEntry{}}
}

// hourly returns what is known of a price.
func (b *priceBook) hourly(key priceKey, zone string) (ecs.Price, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()

	entry := b.entries[key]
	if price, ok := entry.byZone[zone]; ok {
		return price, true
	}

	price, ok := entry.byZone[""]

	return price, ok
}

// look asks for the prices that are not known, as far as that is allowed and does not
// take too long. A price that cannot be had is no error; only the caller's own
// context ends it with one.
func (b *priceBook) look(ctx context.Context, client *ecs.Client, keys []priceKey) error {
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return machineops.Ended(ctx)
	}

	defer func() { <-b.turn }()

	bounded, cancel := context.WithTimeout(ctx, pricePatience)
	defer cancel()

	queue := make(chan priceKey)

	var workers sync.WaitGroup
	for range pricesAtATime {
		workers.Go(func() {
			for key := range queue {
				b.ask(bounded, client, key)
			}
		})
	}

	for _, key := range keys {
		if b.wanted(key) && bounded.Err() == nil {
			queue <- key
		}
	}

	close(queue)
	workers.Wait()

	return machineops.Ended(ctx)
}

// denial is the refusal because of which prices are not asked for now; nil where there
// is none.
func (b *priceBook) denial() error {
	b.mu.Lock()
	defer b.mu.Unlock()

	if !b.clock.Now().Before(b.deniedUntil) {
		return nil
	}

	return b.denied
}

// wanted reports whether a price has to be asked for, and may be.
func (b *priceBook) wanted(key priceKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()

	now := b.clock.Now()

	return !now.Before(b.entries[key].until) && !now.Before(b.deniedUntil)
}

func (b *priceBook) ask(ctx context.Context, client *ecs.Client, key priceKey) {
	var (
		prices   map[string]ecs.Price
		lifetime = priceLifetime
		err      error
	)

	if key.capacityType == v1alpha3.CapacityTypeSpot {
		lifetime = marketLifetime
		prices, err = client.SpotPrices(ctx, key.region, key.instanceType)
	} else {
		prices, err = listPrice(ctx, client, key)
	}

	if ctx.Err() != nil {
		return
	}

	b.mu.Lock()
	defer b.mu.Unlock()

	now := b.clock.Now()

	switch class := ecs.ClassOf(err); {
	case err == nil && len(prices) > 0:
		b.entries[key] = priceEntry{byZone: prices, until: now.Add(lifetime)}
	case err != nil && (class == ecs.ClassPermission || class == ecs.ClassCredentials):
		// Whoever may not see one price may see none.
		b.deniedUntil, b.denied = now.Add(marketLifetime), err
		b.logger.WarnContext(ctx, "prices are left out, and decide no order: the credentials may not see them", "error", err)
	default:
		b.entries[key] = priceEntry{until: now.Add(marketLifetime)}
		b.logger.DebugContext(ctx, "a price is left out", "instance_type", key.instanceType, "capacity_type", key.capacityType, "error", err)
	}
}

// listPrice returns the price of an hour on demand, or of a subscription by the hour.
func listPrice(ctx context.Context, client *ecs.Client, key priceKey) (map[string]ecs.Price, error) {
	query := ecs.PriceQuery{Region: key.region, InstanceType: key.instanceType, SystemDiskCategory: categoryESSD, Unit: key.unit, Period: key.period}

	price, err := client.InstancePrice(ctx, query)

	var refused *ecs.Error
	if errors.As(err, &refused) && strings.Contains(refused.Code, "DiskCategory") {
		// An older type, which does not take that category: ECS knows one that it does.
		query.SystemDiskCategory = ""
		price, err = client.InstancePrice(ctx, query)
	}

	if err != nil || price.Amount <= 0 {
		return nil, err
	}

	price.Amount /= hoursOf(key.unit) * float64(key.period)

	return map[string]ecs.Price{"": price}, nil
}

func hoursOf(unit string) float64 {
	switch unit {
	case "Week":
		return hoursOfWeek
	case "Month":
		return hoursOfMonth
	case "Year":
		return hoursOfYear
	default:
		return 1
	}
}
