package lifecycle

import (
	"context"
	"errors"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ErrAbsent is what Machines.Observe returns where absence is proven.
var ErrAbsent = errors.New("the machine does not exist")

// Machines is what an Allocator must see and do beyond the registration.
type Machines interface {
	// Observe looks at one machine. It returns ErrAbsent only where absence is
	// proven; any other error says nothing about the machine. A
	// *machineops.BlockedError says that the caller may not look.
	Observe(ctx context.Context, providerID string) (Observation, error)
	// Claim writes the claim on the machine and returns when it can be read back.
	Claim(ctx context.Context, providerID, claim string) error
	// List returns the owner's machines in the region, from a list that was begun at
	// notBefore or later; callers may share it. An empty list is proven to be one. A
	// *machineops.PermanentError says that no repetition will help.
	List(ctx context.Context, region string, notBefore time.Time) ([]Observation, error)
	// Replacing writes, or takes off, the mark that a successor is launched beside the
	// machine. A later process that reads the machine then knows to wait for what it
	// cannot see yet. It does what it can: a machine that cannot be marked is not.
	Replacing(ctx context.Context, providerID string, on bool)
	// Handle returns the handle by which the allocation of a machine that is already
	// there is polled.
	Handle(machine Observation) (machineops.ProviderOperation, error)
}

// Observation is what a look tells of one machine. A field is empty where the
// machine does not say, which does not make it another's.
type Observation struct {
	ProviderID string
	// Name is that of the allocation.
	Name        string
	ClassUID    string
	Fingerprint string
	Claim       string
	CreatedAt   time.Time
	// Settled means that a stored state holds the machine.
	Settled bool
	// Releasing means that a run has begun to release it.
	Releasing bool
	// OwnedResources are what its release gives back.
	OwnedResources []v1alpha3.ProviderOwnedResource
}

// Older reports whether m was created before other; of the same time, the smaller
// ID counts as older, so that all who compare agree.
func (m Observation) Older(other Observation) bool {
	if !m.CreatedAt.Equal(other.CreatedAt) {
		return m.CreatedAt.Before(other.CreatedAt)
	}

	return m.ProviderID < other.ProviderID
}

// Unsettled reports whether nothing says that a state holds the machine: it has no
// mark, and was created within the given time before now.
func (m Observation) Unsettled(now time.Time, within time.Duration) bool {
	return !m.Settled && (m.CreatedAt.IsZero() || !m.CreatedAt.Add(within).Before(now))
}
