package lifecycle

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// window is how long a machine may stay unlisted after its launch was answered:
// the longest time unlisted and a launch call's own timeout fit in it together.
const window = 35 * time.Second

// ErrAbsent is what Machines.Observe returns where absence is proven.
var ErrAbsent = errors.New("the machine does not exist")

// Machines is what an Allocator must see and do beyond the registration.
type Machines interface {
	// Observe looks at one machine. It returns ErrAbsent only where absence is
	// proven; any other error says nothing about the machine.
	Observe(ctx context.Context, providerID string) (Observation, error)
	// Claim writes the claim on the machine and returns when it can be read back.
	Claim(ctx context.Context, providerID, claim string) error
}

// Observation is what a look tells of one machine.
type Observation struct {
	ProviderID string
	Claim      string
	CreatedAt  time.Time
}

// Allocator allocates and releases hosts of one registration in one process. It
// is safe for concurrent use, and remembers what the process has seen.
type Allocator struct {
	runner   *Runner
	classes  *Classes
	machines Machines
	newID    func() string

	mu       sync.Mutex
	taken    map[types.UID]reservation
	released map[string]struct{}
	refusals map[refusalKey]refusal
}

// reservation says what an identity is taken by.
type reservation struct {
	allocating bool
	// providerID is the machine that an ended allocation holds.
	providerID string
}

// NewAllocator returns an allocator. newID makes random identifiers.
func NewAllocator(runner *Runner, classes *Classes, machines Machines, newID func() string) *Allocator {
	return &Allocator{
		runner:   runner,
		classes:  classes,
		machines: machines,
		newID:    newID,
		taken:    map[types.UID]reservation{},
		released: map[string]struct{}{},
		refusals: map[refusalKey]refusal{},
	}
}

// reserve takes the identity for one allocation. It reports false where this
// process is allocating under it, or has done so; only what is resumed from a
// record may have been allocated before.
func (a *Allocator) reserve(identity Identity, resumed bool) bool {
	a.mu.Lock()
	defer a.mu.Unlock()

	if taken, ok := a.taken[identity.UID()]; ok && (taken.allocating || !resumed) {
		return false
	}

	a.taken[identity.UID()] = reservation{allocating: true}

	return true
}

// settle ends an allocation. Where a machine is held the identity stays taken;
// where none is, a later call is no duplicate.
func (a *Allocator) settle(identity Identity, providerID string) {
	a.mu.Lock()
	defer a.mu.Unlock()

	if providerID == "" {
		delete(a.taken, identity.UID())

		return
	}

	a.taken[identity.UID()] = reservation{providerID: providerID}
}

// noteReleased remembers that the machine is gone, and lets its identity be
// allocated again. The identity of a machine that was replaced before it was
// released is by then its successor's, and stays so.
func (a *Allocator) noteReleased(identity Identity, providerID string) {
	if providerID == "" {
		return
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	a.released[providerID] = struct{}{}

	if taken := a.taken[identity.UID()]; !taken.allocating && taken.providerID == providerID {
		delete(a.taken, identity.UID())
	}
}

func (a *Allocator) sawReleased(providerID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()

	_, seen := a.released[providerID]

	return seen
}
