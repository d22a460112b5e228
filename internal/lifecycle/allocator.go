package lifecycle

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// window is how long a machine may stay unlisted after its launch was answered:
// the longest time unlisted and a launch call's own timeout fit in it together.
func window() time.Duration {
	if safeguard.Missing(safeguard.Window) {
		return 0
	}

	return 35 * time.Second
}

// launchTimeout is how long a launch call is under way: one that was sent before a
// process began can make its machine until so long after that.
const launchTimeout = 12 * time.Second

// DefaultAdoptWithin is for how long an unrecorded machine is taken for what an
// interrupted run left.
const DefaultAdoptWithin = 72 * time.Hour

// Options are what an Allocator is told beside its collaborators.
type Options struct {
	// NewID makes random identifiers.
	NewID func() string
	// Started is when this process was configured. What an earlier process asked for
	// can appear until a window later.
	Started time.Time
	// AdoptWithin bounds the age of machines that are adopted; 0 means
	// DefaultAdoptWithin.
	AdoptWithin time.Duration
}

// Allocator allocates and releases hosts of one registration in one process. It
// is safe for concurrent use, and remembers what the process has seen.
type Allocator struct {
	runner   *Runner
	classes  *Classes
	machines Machines
	options  Options

	mu       sync.Mutex
	taken    map[types.UID]reservation
	released map[string]struct{}
	// spent are how many launches of an identity are known to have been answered, by
	// the claims of their machines.
	spent    map[types.UID]int
	refusals map[refusalKey]refusal
	// probes are the launches that others wait for; accepted is when the last launch
	// of an offering was accepted.
	probes   map[refusalKey]*probe
	accepted map[refusalKey]time.Time
	// confirmed are the refusals that are no old answers.
	confirmed map[refusalKey]time.Time
	// blockedAt is when a launch was last found to be one that cannot be followed.
	blockedAt time.Time
}

// reservation says what an identity is taken by.
type reservation struct {
	allocating bool
	// providerID is the machine that an ended allocation holds.
	providerID string
}

// NewAllocator returns an allocator.
func NewAllocator(runner *Runner, classes *Classes, machines Machines, options Options) *Allocator {
	if options.AdoptWithin <= 0 {
		options.AdoptWithin = DefaultAdoptWithin
	}

	return &Allocator{
		runner:   runner,
		classes:  classes,
		machines: machines,
		options:  options,
		taken:    map[types.UID]reservation{},
		released: map[string]struct{}{},
		spent:    map[types.UID]int{},
		refusals: map[refusalKey]refusal{},
		probes:   map[refusalKey]*probe{},
		accepted: map[refusalKey]time.Time{},
	}
}

// WindowEnd is when everything that an earlier process asked for can be seen.
func (a *Allocator) WindowEnd() time.Time { return a.options.Started.Add(window()) }

// AwaitWindow returns nil after WindowEnd, or why the context ended before.
func (a *Allocator) AwaitWindow(ctx context.Context) error {
	return wait(ctx, a.runner.Clock, a.WindowEnd().Sub(a.runner.Clock.Now()))
}

// Unsettled reports whether nothing says that a state holds the machine.
func (a *Allocator) Unsettled(machine Observation) bool {
	return machine.Unsettled(a.runner.Clock.Now(), a.options.AdoptWithin)
}

// Released reports whether this process saw the machine released.
func (a *Allocator) Released(providerID string) bool { return a.sawReleased(providerID) }

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
func (a *Allocator) noteReleased(identity Identity, providerID, claim string) {
	if providerID == "" {
		return
	}

	a.noteSpent(identity, claim)

	a.mu.Lock()
	defer a.mu.Unlock()

	a.released[providerID] = struct{}{}

	if taken := a.taken[identity.UID()]; !taken.allocating && taken.providerID == providerID {
		delete(a.taken, identity.UID())
	}
}

// noteSpent remembers the launch that wrote a claim: its token has been answered, and
// so have those before it. Asking under them again would only bring up machines that
// are long gone, one window each.
func (a *Allocator) noteSpent(identity Identity, claim string) {
	index, known := identity.launchIndex(claim)
	if !known {
		return
	}

	a.mu.Lock()
	defer a.mu.Unlock()

	a.spent[identity.UID()] = max(a.spent[identity.UID()], index+1)
}

// firstIndex is the first launch of the identity that is not known to be spent.
func (a *Allocator) firstIndex(identity Identity) int {
	a.mu.Lock()
	defer a.mu.Unlock()

	return a.spent[identity.UID()]
}

func (a *Allocator) sawReleased(providerID string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()

	_, seen := a.released[providerID]

	return seen
}
