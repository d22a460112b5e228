package provider

import (
	"context"
	"errors"
	"sync"

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
	// region is where things go that name no region; it may be empty.
	region    string
	cloud     Cloud
	auth      *machineops.OperationAuth
	clock     clock.WithTickerAndDelayedExecution
	classes   *lifecycle.Classes
	allocator *lifecycle.Allocator
	machines  *machines
	planned   plannedNames
	held      heldMachines
}

func newClient(owner string, settings driver.Settings, cloud Cloud, auth *machineops.OperationAuth) *client {
	c := &client{
		owner:  owner,
		region: settings.Region,
		cloud:  cloud,
		auth:   auth,
		clock:  settings.Clock,
	}

	authenticate := func(context.Context) (*machineops.OperationAuth, error) { return auth, nil }

	c.machines = &machines{client: c, latest: map[string]*driver.ObservedMachine{}}
	c.classes = lifecycle.NewClasses(cloud.Registration(), authenticate, settings.Clock, owner)
	c.allocator = lifecycle.NewAllocator(
		&lifecycle.Runner{
			Registration: cloud.Registration(),
			Auth:         authenticate,
			Clock:        settings.Clock,
			Logger:       settings.Logger,
		},
		c.classes, c.machines, newID)

	return c
}

// newID returns a random identifier.
func newID() string { return string(uuid.NewUUID()) }

func (c *client) secret() *corev1.Secret { return c.cloud.Secret(c.auth) }

// observe looks at one machine. Its error is of code CodeNotFound only where the
// machine's absence is proven.
func (c *client) observe(ctx context.Context, providerID string) (*driver.ObservedMachine, error) {
	return c.cloud.Observer().ObserveMachine(ctx, &driver.ObserveMachineRequest{
		ProviderID: providerID,
		Secret:     c.secret(),
	})
}

// machines is the client as the lifecycle sees it. It keeps what the lifecycle
// saw last of a machine until the resource takes it, so that one look serves both.
type machines struct {
	client *client

	mu     sync.Mutex
	latest map[string]*driver.ObservedMachine
}

// Observe implements lifecycle.Machines.
func (m *machines) Observe(ctx context.Context, providerID string) (lifecycle.Observation, error) {
	machine, err := m.client.observe(ctx, providerID)
	if driver.CodeOf(err) == driver.CodeNotFound {
		return lifecycle.Observation{}, errors.Join(lifecycle.ErrAbsent, err)
	}

	if err != nil {
		return lifecycle.Observation{}, err
	}

	m.mu.Lock()
	m.latest[providerID] = machine
	m.mu.Unlock()

	return lifecycle.Observation{
		ProviderID: machine.ProviderID,
		Claim:      machine.Identity.Claim,
		CreatedAt:  machine.CreatedAt,
	}, nil
}

// Claim implements lifecycle.Machines. The claim is read back before it returns.
func (m *machines) Claim(ctx context.Context, providerID, claim string) error {
	err := m.client.cloud.Tagger().TagMachine(ctx, &driver.TagMachineRequest{
		ProviderID: providerID,
		Secret:     m.client.secret(),
		Identity:   &driver.MachineIdentity{Claim: claim},
	})
	if err != nil {
		return err
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

// plannedNames notes which allocation names one run plans, since two resources of
// one name would take each other's machine.
type plannedNames struct {
	mu sync.Mutex
	// machines are the machines of the names, empty for those to be launched.
	machines map[string]string
}

// add reports whether nothing but the machine is planned under the name in the
// region. A machine is empty while it is not launched.
func (p *plannedNames) add(region, name, machine string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()

	if p.machines == nil {
		p.machines = map[string]string{}
	}

	key := region + "\x00" + name
	if planned, there := p.machines[key]; there {
		return machine != "" && planned == machine
	}

	p.machines[key] = machine

	return true
}

// heldMachines notes which machines this process has put into state. One of them
// that it is then asked to release belongs to an older record: the launch of a
// replacement was answered with the machine that was to be replaced.
type heldMachines struct {
	mu  sync.Mutex
	ids map[string]struct{}
}

func (h *heldMachines) add(providerID string) {
	h.mu.Lock()
	defer h.mu.Unlock()

	if h.ids == nil {
		h.ids = map[string]struct{}{}
	}

	h.ids[providerID] = struct{}{}
}

func (h *heldMachines) has(providerID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()

	_, held := h.ids[providerID]

	return held
}
