package provider

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// client is one configured provider, as resources use it. It is shared by all
// operations of the process.
type client struct {
	owner string
	// defaultTags are the tags of every machine, below those of its class.
	defaultTags map[string]string
	// process is this run's own identifier.
	process string
	// started is when the provider was configured.
	started time.Time
	// region is where things go that name no region; it may be empty.
	region    string
	cloud     Cloud
	auth      *machineops.OperationAuth
	clock     clock.WithTickerAndDelayedExecution
	classes   *lifecycle.Classes
	allocator *lifecycle.Allocator
	operator  *lifecycle.Operator
	machines  *machines
	listings  *listings
	settling  *settling
	imports   *gathering
	account   *account
	planned   plannedNames
	uids      plannedUIDs
	// operations are those that are planned, planLooks what their plans look at together, and
	// warned what they were told.
	operations plannedOperations
	planLooks  planLooks
	warned     noted
	// held are the machines that this process has put into state. One of them that it
	// is then asked to release belongs to an older record: the launch of a replacement
	// was answered with the machine that was to be replaced.
	held noted
	// touched are the machines that this process launched, adopted, updated or read;
	// written those whose tags it has changed.
	touched, written noted
	// unretained are, by region and name, the machines that were read or planned with data disks
	// that go with them.
	unretained noted
	// newClasses are the class UIDs that this process has made; unresolved those of classes
	// in state of which the plan found that they cannot be resolved as they are configured.
	newClasses, unresolved noted
	// told are the machines of which this process has said that another run's claim is on
	// them.
	told noted
	// applied is set once this process has changed anything.
	applied atomic.Bool
	// tracesDenied is set once the permission turned out to be lacking by which a read
	// takes traces of operations away.
	tracesDenied atomic.Bool
}

// clientOptions are the provider's arguments beside those of a cloud.
type clientOptions struct {
	owner       string
	defaultTags map[string]string
	adoptWithin time.Duration
	markSettled bool
}

func newClient(options clientOptions, settings driver.Settings, cloud Cloud, auth *machineops.OperationAuth) *client {
	if settings.Meetings == nil {
		settings.Meetings = clock.RealClock{}
	}

	c := &client{
		owner:       options.owner,
		defaultTags: options.defaultTags,
		process:     newID(),
		started:     settings.Clock.Now(),
		region:      settings.Region,
		cloud:       cloud,
		auth:        auth,
		clock:       settings.Clock,
	}

	authenticate := func(context.Context) (*machineops.OperationAuth, error) { return auth, nil }

	c.machines = &machines{client: c, latest: map[string]*driver.ObservedMachine{}}
	c.listings = newListings(settings.Clock, c.list)
	c.settling = &settling{mark: c.markSettled, look: c.maySettle, clock: clock.RealClock{}, enabled: options.markSettled}
	c.imports = &gathering{clock: settings.Meetings}
	c.account = newAccount(func(ctx context.Context, region string) (string, error) {
		return cloud.Accountant().AccountID(ctx, c.secret(), region)
	})
	c.classes = lifecycle.NewClasses(cloud.Registration(), authenticate, settings.Clock, options.owner)

	runner := &lifecycle.Runner{
		Registration: cloud.Registration(),
		Auth:         authenticate,
		Clock:        settings.Clock,
		Logger:       settings.Logger,
	}
	c.operator = lifecycle.NewOperator(runner)
	c.allocator = lifecycle.NewAllocator(runner, c.classes, c.machines,
		lifecycle.Options{NewID: newID, Started: c.started, AdoptWithin: options.adoptWithin})

	return c
}

// newID returns a random identifier.
func newID() string { return string(uuid.NewUUID()) }

func (c *client) secret() *corev1.Secret { return c.cloud.Secret(c.auth) }

// offerings lists what the class can get.
func (c *client) offerings(ctx context.Context, class lifecycle.Class, prices bool) (*driver.OfferingList, error) {
	return c.cloud.OfferingLister().ListOfferings(ctx, &driver.ListOfferingsRequest{
		ProviderConfig: class.ProviderConfig.Data, Prices: prices, Secret: c.secret(),
	})
}

// unmetRequirements tells which requirements of the class the type does not meet.
func (c *client) unmetRequirements(ctx context.Context, class lifecycle.Class, instanceType string) ([]string, error) {
	return c.cloud.OfferingLister().UnmetRequirements(ctx, &driver.UnmetRequirementsRequest{
		ProviderConfig: class.ProviderConfig.Data, InstanceType: instanceType, Secret: c.secret(),
	})
}

// unknownExclusions names what the class leaves out and there is not.
func (c *client) unknownExclusions(ctx context.Context, class lifecycle.Class) ([]string, error) {
	return c.cloud.OfferingLister().UnknownExclusions(ctx, &driver.ClassRequest{ProviderConfig: class.ProviderConfig.Data, Secret: c.secret()})
}

// disks tells what disks a machine of the class has.
func (c *client) disks(ctx context.Context, providerID, classUID string) ([]driver.MachineDisk, error) {
	return c.cloud.DiskLister().MachineDisks(ctx, &driver.MachineDisksRequest{ProviderID: providerID, ClassUID: classUID, Secret: c.secret()})
}

// observe looks at one machine. Its error is of code CodeNotFound only where the
// machine's absence is proven.
func (c *client) observe(ctx context.Context, providerID string) (*driver.ObservedMachine, error) {
	return c.cloud.Observer().ObserveMachine(ctx, &driver.ObserveMachineRequest{
		ProviderID: providerID,
		Secret:     c.secret(),
	})
}

// list lists the owner's machines in a region.
func (c *client) list(ctx context.Context, region string) ([]*driver.ObservedMachine, error) {
	return c.cloud.Lister().ListOwnedMachines(ctx, &driver.ListOwnedMachinesRequest{
		Region: region,
		Owner:  c.owner,
		Secret: c.secret(),
	})
}

// freshness is how old a list may be that a machine is read from once this process
// has changed something. Until then all machines are read from one list, so that a
// plan sees them as they were at one moment, however long it takes.
const freshness = time.Minute

// snapshot is since when a list may have been begun that a machine is read from.
func (c *client) snapshot() time.Time {
	if c.applied.Load() {
		return c.clock.Now().Add(-freshness)
	}

	return c.started
}

// read returns the machine, from the shared list where that shows it as it is, and
// the list. Its error is of code CodeNotFound only where the machine's absence is
// proven.
func (c *client) read(ctx context.Context, providerID string) (*driver.ObservedMachine, map[string]*driver.ObservedMachine, error) {
	listed, err := c.listings.since(ctx, regionOf(providerID), c.snapshot())
	if err == nil && !c.written.has(providerID) {
		if machine, there := listed[providerID]; there {
			return machine, listed, nil
		}
	}

	machine, err := c.observe(ctx, providerID)

	return machine, listed, err
}

// mark writes or takes off a mark.
func (c *client) mark(ctx context.Context, mark driver.Mark, remove bool, providerIDs ...string) error {
	for _, id := range providerIDs {
		c.written.add(id)
	}

	return c.cloud.Marker().MarkMachines(ctx, &driver.MarkMachinesRequest{
		ProviderIDs: providerIDs, Mark: mark, Remove: remove, Secret: c.secret(),
	})
}

func (c *client) markSettled(ctx context.Context, providerIDs []string) error {
	return c.mark(ctx, driver.MarkSettled, false, providerIDs...)
}

// maySettle looks whether a machine still carries the claim that a state holds.
func (c *client) maySettle(ctx context.Context, machine settlement) bool {
	observed, err := c.observe(ctx, machine.providerID)

	return err == nil && !observed.Settled && observed.Identity.Owner == c.owner && observed.Identity.Claim == machine.claim
}

// plannedNames notes which allocation names one run plans, since two resources of
// one name would take each other's machine.
type plannedNames struct {
	mu sync.Mutex
	// machines are the machines of the names, empty for those to be launched.
	machines map[string]string
	// names are the names under which machines are planned.
	names map[string]string
}

// addMachine returns under which other name the machine is planned, if it is.
func (p *plannedNames) addMachine(machine, name string) (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.names == nil {
		p.names = map[string]string{}
	}

	other, there := p.names[machine]
	if !there {
		p.names[machine] = name
	}

	return other, there && other != name
}

// add reports whether nothing but the machine is planned under the name in the
// region. A machine is empty while it is not launched.
func (p *plannedNames) add(region, name, machine string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.machines == nil {
		p.machines = map[string]string{}
	}

	key := named(region, name)
	if planned, there := p.machines[key]; there {
		return machine != "" && planned == machine
	}

	p.machines[key] = machine

	return true
}

// plannedUIDs notes which class UIDs one run plans, since two classes of one UID
// would take each other's machines.
type plannedUIDs struct {
	mu sync.Mutex
	// classes are what the classes are told apart by.
	classes map[string]string
}

// add reports whether nothing but the class is planned under the UID.
func (p *plannedUIDs) add(uid, class string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.classes == nil {
		p.classes = map[string]string{}
	}

	if planned, there := p.classes[uid]; there {
		return planned == class
	}

	p.classes[uid] = class

	return true
}

// noted is a set of identifiers.
type noted struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

func (n *noted) add(id string) { n.once(id) }

// once adds the identifier, and reports whether it was not there.
func (n *noted) once(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()

	if _, there := n.ids[id]; there {
		return false
	}

	if n.ids == nil {
		n.ids = map[string]struct{}{}
	}

	n.ids[id] = struct{}{}

	return true
}

func (n *noted) has(id string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()

	_, there := n.ids[id]

	return there
}
