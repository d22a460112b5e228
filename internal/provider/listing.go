package provider

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// listings shares the lists of the owner's machines among all who need one. It is
// safe for concurrent use.
type listings struct {
	list  func(ctx context.Context, region string) ([]*driver.ObservedMachine, error)
	clock clock.PassiveClock

	mu      sync.Mutex
	regions map[string]*regionListing
}

// regionListing is the latest list of a region, and the one under way.
type regionListing struct {
	begun    time.Time
	machines map[string]*driver.ObservedMachine
	running  *listingRun
}

// listingRun is a list under way. Its result may be read once done is closed.
type listingRun struct {
	begun    time.Time
	done     chan struct{}
	machines map[string]*driver.ObservedMachine
	err      error
	// abandoned is set where it ended with the context of the caller that listed,
	// which says nothing to those who waited for it.
	abandoned bool
}

var errUnfinishedList = errors.New("the list of machines was not finished")

func newListings(c clock.PassiveClock, list func(context.Context, string) ([]*driver.ObservedMachine, error)) *listings {
	return &listings{list: list, clock: c, regions: map[string]*regionListing{}}
}

// since returns the machines of the region, by provider ID, from a list that was
// begun at notBefore or later. The machines are shared and must not be changed.
func (l *listings) since(ctx context.Context, region string, notBefore time.Time) (map[string]*driver.ObservedMachine, error) {
	for {
		known, running, leading := l.enter(region, notBefore)
		if known != nil {
			return known, nil
		}

		if leading {
			l.lead(ctx, region, running)
		} else {
			select {
			case <-running.done:
			case <-ctx.Done():
				return nil, machineops.Ended(ctx)
			}
		}

		if !running.begun.Before(notBefore) && (leading || !running.abandoned) {
			return running.machines, running.err
		}
	}
}

// enter returns what is known, or the list to wait for, and whether it is the
// caller's to make.
func (l *listings) enter(region string, notBefore time.Time) (map[string]*driver.ObservedMachine, *listingRun, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()

	of := l.regions[region]
	if of == nil {
		of = &regionListing{}
		l.regions[region] = of
	}

	if of.machines != nil && !of.begun.Before(notBefore) {
		return of.machines, nil, false
	}

	if of.running != nil {
		return nil, of.running, false
	}

	of.running = &listingRun{begun: l.clock.Now(), done: make(chan struct{}), abandoned: true}

	return nil, of.running, true
}

// lead makes the list, and lets those go who wait for it, even where that panics.
func (l *listings) lead(ctx context.Context, region string, running *listingRun) {
	defer func() {
		l.mu.Lock()
		defer l.mu.Unlock()

		of := l.regions[region]
		of.running = nil

		if running.machines != nil {
			of.begun, of.machines = running.begun, running.machines
		}

		close(running.done)
	}()

	// What panics has listed nothing, which is not the same as that there is nothing.
	running.err = errUnfinishedList

	machines, err := l.list(ctx, region)
	running.err = err
	running.abandoned = ctx.Err() != nil && err != nil

	if err != nil {
		return
	}

	running.machines = make(map[string]*driver.ObservedMachine, len(machines))
	for _, machine := range machines {
		running.machines[machine.ProviderID] = machine
	}
}
