package provider

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// machines is the client as the lifecycle sees it. It keeps what the lifecycle
// saw last of a machine until the resource takes it, so that one look serves both.
type machines struct {
	client *client

	mu     sync.Mutex
	latest map[string]*driver.ObservedMachine
	// replacingDenied is set once a mark was refused for good.
	replacingDenied atomic.Bool
}

var _ lifecycle.Machines = (*machines)(nil)

// Observe implements lifecycle.Machines.
func (m *machines) Observe(ctx context.Context, providerID string) (lifecycle.Observation, error) {
	machine, err := m.client.observe(ctx, providerID)
	if driver.CodeOf(err) == driver.CodeNotFound {
		return lifecycle.Observation{}, errors.Join(lifecycle.ErrAbsent, err)
	}

	if err != nil {
		return lifecycle.Observation{}, lookError(providerID, err)
	}

	m.mu.Lock()
	m.latest[providerID] = machine
	m.mu.Unlock()

	return observation(machine), nil
}

// observation is what the lifecycle needs of a machine.
func observation(machine *driver.ObservedMachine) lifecycle.Observation {
	return lifecycle.Observation{
		ProviderID:     machine.ProviderID,
		Name:           machine.Identity.Allocation,
		ClassUID:       machine.Identity.ClassUID,
		Fingerprint:    machine.Identity.Fingerprint,
		Claim:          machine.Identity.Claim,
		CreatedAt:      machine.CreatedAt,
		Settled:        machine.Settled,
		Releasing:      machine.Releasing,
		OwnedResources: ownedBy(machine),
	}
}

// ownedBy is what the release of a machine gives back whose record is lost.
func ownedBy(machine *driver.ObservedMachine) []v1alpha3.ProviderOwnedResource {
	return []v1alpha3.ProviderOwnedResource{
		{Kind: v1alpha3.OwnedResourceInstance, ID: machine.ResourceID, Region: machine.Region},
	}
}

// Claim implements lifecycle.Machines. The claim is read back before it returns.
func (m *machines) Claim(ctx context.Context, providerID, claim string) error {
	m.client.written.add(providerID)

	err := m.client.cloud.Tagger().TagMachine(ctx, &driver.TagMachineRequest{
		ProviderID: providerID,
		Secret:     m.client.secret(),
		Identity:   &driver.MachineIdentity{Claim: claim},
	})
	if err != nil {
		return lifecycleError(err)
	}

	observation, err := m.Observe(ctx, providerID)
	if err != nil {
		return err
	}

	if observation.Claim != claim {
		return driver.NewError(driver.CodeAborted, "%s was claimed by another run at the same time", providerID)
	}

	return nil
}

// List implements lifecycle.Machines.
func (m *machines) List(ctx context.Context, region string, notBefore time.Time) ([]lifecycle.Observation, error) {
	listed, err := m.client.listings.since(ctx, region, notBefore)
	if err != nil {
		return nil, lifecycleError(err)
	}

	observations := make([]lifecycle.Observation, 0, len(listed))
	for _, machine := range listed {
		observations = append(observations, observation(machine))
	}

	return observations, nil
}

// Replacing implements lifecycle.Machines. A machine that cannot be marked costs the
// user nothing now, and is found by a later plan, so the error is nobody's.
func (m *machines) Replacing(ctx context.Context, providerID string, on bool) {
	if m.replacingDenied.Load() {
		return
	}

	switch driver.CodeOf(m.client.mark(ctx, driver.MarkReplacing, !on, providerID)) {
	case driver.CodePermissionDenied, driver.CodeUnauthenticated:
		m.replacingDenied.Store(true)
	default:
	}
}

// Handle implements lifecycle.Machines.
func (m *machines) Handle(machine lifecycle.Observation) (machineops.ProviderOperation, error) {
	id, err := m.client.cloud.Observer().ParseProviderID(machine.ProviderID, "")
	if err != nil {
		return machineops.ProviderOperation{}, err
	}

	return m.client.cloud.Handle(id)
}

// lifecycleError makes an error permanent that no repetition will help against.
func lifecycleError(err error) error {
	reason := driverReason(err)
	if reason == "" {
		return err
	}

	return &machineops.PermanentError{Reason: reason, Err: err}
}

// lookError tells a look that the caller is refused from one that failed.
func lookError(providerID string, err error) error {
	switch reason := driverReason(err); reason {
	case v1alpha3.ReasonPermissionDenied, v1alpha3.ReasonCredentialsRefused, v1alpha3.ReasonRefused:
		return &machineops.BlockedError{Reason: reason, ProviderID: providerID, Err: err}
	default:
		return err
	}
}

// take returns what was last seen of the machine, once, or looks.
func (m *machines) take(ctx context.Context, providerID string) (*driver.ObservedMachine, error) {
	m.mu.Lock()
	machine := m.latest[providerID]
	delete(m.latest, providerID)
	m.mu.Unlock()

	if machine != nil {
		return machine, nil
	}

	return m.client.observe(ctx, providerID)
}

// regionOf is the region in a provider ID.
func regionOf(providerID string) string {
	region, _ := splitProviderID(providerID)

	return region
}

// splitProviderID returns the region and the cloud's own ID in a provider ID that is
// in canonical form.
func splitProviderID(providerID string) (region, resourceID string) {
	region, resourceID, _ = strings.Cut(providerID, ".")

	return region, resourceID
}
