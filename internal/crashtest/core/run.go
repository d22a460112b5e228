package core

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Factory makes a provider as a new process has it, and what the process does at its end.
type Factory func() (server tfprotov6.ProviderServer, end func(context.Context), err error)

// Configuration is what the user wants.
type Configuration struct {
	// Provider are the arguments of the provider block.
	Provider Arguments
	// Class and Allocation are the arguments of the resources; nil is none. The
	// allocation's class is the class.
	Class, Allocation Arguments
	// CreateBeforeDestroy is the lifecycle of the allocation.
	CreateBeforeDestroy bool
	// Replace forces the allocation's replacement, as -replace does.
	Replace bool
	// Operations are the operations on the allocation's machine, each of which comes
	// after the one before it.
	Operations []Operation
	// Import is the ID by which the allocation is imported where it is not in state.
	Import string
	// Forget takes the allocation out of state, as state rm does, and does nothing else.
	Forget bool
}

// Run is one command: a plan and its apply.
type Run struct {
	factory       Factory
	configuration Configuration
	// remote saves late.
	remote bool

	mu      sync.Mutex
	working State
	saved   State
	said    strings.Builder
	servers []tfprotov6.ProviderServer
	// stopped is set once the run is to start nothing more; dead once the command was
	// killed, and mute once its provider was.
	stopped, dead, mute bool
	// killed is closed by KillProvider.
	killed chan struct{}
}

// NewRun returns a run that begins with a state. A remote state is saved at the end.
func NewRun(factory Factory, configuration Configuration, state State, remote bool) *Run {
	return &Run{
		factory: factory, configuration: configuration, remote: remote,
		working: state.Clone(), saved: state.Clone(), killed: make(chan struct{}),
	}
}

// Saved is what is saved by now.
func (r *Run) Saved() State {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.saved.Clone()
}

// Said is what the provider has said by now. It may only be called once the run has
// ended.
func (r *Run) Said() string { return r.said.String() }

// Stop tells the provider to stop, and the run to start nothing more. Whoever calls it
// cancels the context of the run, too.
func (r *Run) Stop(ctx context.Context) error {
	r.mu.Lock()
	r.stopped = true
	r.saved = r.working.Clone()
	servers := slices.Clone(r.servers)
	r.mu.Unlock()

	var errs []error

	for _, server := range servers {
		_, err := server.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
		errs = append(errs, err)
	}

	return errors.Join(errs...)
}

// KillCommand makes the run save nothing more.
func (r *Run) KillCommand() {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.dead = true
}

// KillProvider makes the run hear nothing more of its provider; it is called once.
// Whoever calls it sees to it that no call of the provider arrives any more.
func (r *Run) KillProvider() {
	r.mu.Lock()
	defer r.mu.Unlock()

	r.mute = true
	close(r.killed)
}

// errStopped ends a run that was told to stop.
var errStopped = errors.New("stopped")

// update changes the working state, and saves it where that is due.
func (r *Run) update(change func(*State)) {
	r.mu.Lock()
	defer r.mu.Unlock()

	change(&r.working)

	if !r.dead && (!r.remote || r.stopped) {
		r.saved = r.working.Clone()
	}
}

// finish saves at the end. A command whose provider died still does.
func (r *Run) finish() {
	r.mu.Lock()
	defer r.mu.Unlock()

	if !r.dead {
		r.saved = r.working.Clone()
	}
}

// goesOn reports an error once the run was told to stop.
func (r *Run) goesOn() error {
	r.mu.Lock()
	defer r.mu.Unlock()

	if r.stopped || r.dead || r.mute {
		return errStopped
	}

	return nil
}

// Apply refreshes, plans and applies the configuration. A configuration without
// resources destroys.
func (r *Run) Apply(ctx context.Context) error {
	defer r.finish()

	if r.configuration.Forget {
		r.update(func(s *State) { s.Allocation = nil })

		return nil
	}

	planner, err := r.start(ctx)
	if err != nil {
		return err
	}

	intent, err := r.refreshAndPlan(ctx, planner)
	if err != nil {
		return err
	}

	if err := r.goesOn(); err != nil {
		return err
	}

	applier, err := r.start(ctx)
	if err != nil {
		return err
	}

	defer r.end(ctx, applier)

	return r.carryOut(ctx, applier, intent)
}

// refreshAndPlan is what the first provider of a command does, up to its end.
func (r *Run) refreshAndPlan(ctx context.Context, planner *process) (intent, error) {
	defer r.end(ctx, planner)

	if err := r.refresh(ctx, planner); err != nil {
		return intent{}, err
	}

	return r.plan(ctx, planner)
}

// end lets a provider end that was not killed. It does so whatever became of the
// command.
func (r *Run) end(ctx context.Context, p *process) {
	select {
	case <-r.killed:
	default:
		p.end(context.WithoutCancel(ctx))
	}
}

// refresh reads all that is in state. What it learns is saved with the apply.
func (r *Run) refresh(ctx context.Context, p *process) error {
	state := r.working.Clone()

	if err := r.takeOver(ctx, p, &state); err != nil {
		return err
	}

	if state.Class != nil {
		object, err := p.read(ctx, classKind, state.Class)
		if err != nil {
			return err
		}

		state.Class = object
	}

	if state.Allocation != nil {
		object, err := p.read(ctx, allocationKind, state.Allocation)
		if err != nil {
			return err
		}

		state.Allocation = object
	}

	deposed := state.Deposed
	state.Deposed = nil

	for _, old := range deposed {
		object, err := p.read(ctx, allocationKind, old)
		if err != nil {
			return err
		}

		if object != nil {
			state.Deposed = append(state.Deposed, object)
		}
	}

	if err := r.refreshOperations(ctx, p, &state); err != nil {
		return err
	}

	r.mu.Lock()
	defer r.mu.Unlock()

	r.working = state

	return nil
}

// action is what a plan does to an object.
type action int

const (
	nothing action = iota
	create
	update
	replace
	remove
)

// intent is a plan of all resources.
type intent struct {
	class, allocation action
	// operations are the plans of operations, by their labels.
	operations map[string]plannedOperation
	// removal is the planned delete of the class, and half what the create half of
	// a replacement planned, whose private state the delete half gets.
	removal planned
	half    planned
}

func (r *Run) plan(ctx context.Context, p *process) (intent, error) {
	var made intent

	class, err := r.planClass(ctx, p, &made)
	if err != nil {
		return made, err
	}

	allocation, err := r.planAllocation(ctx, p, class, &made)
	if err != nil {
		return made, err
	}

	return made, r.planOperations(ctx, p, allocation, &made)
}

// planClass returns the class as it is planned; null where there is none.
func (r *Run) planClass(ctx context.Context, p *process, made *intent) (tftypes.Value, error) {
	old := r.working.Class
	if r.configuration.Class == nil {
		var err error

		if old != nil {
			made.class = remove
			made.removal, err = p.plan(ctx, classKind, old, p.null(classKind))
		}

		return p.null(classKind), err
	}

	change, err := r.planWanted(ctx, p, classKind, old, r.configuration.Class)
	if err != nil {
		return change.value, err
	}

	made.class = actionOf(old, change)

	return change.value, nil
}

// planAllocation returns the allocation as it is planned; null where there is none.
func (r *Run) planAllocation(ctx context.Context, p *process, class tftypes.Value, made *intent) (tftypes.Value, error) {
	old := r.working.Allocation

	if r.configuration.Allocation == nil {
		var err error

		if old != nil {
			made.allocation = remove
			_, err = p.plan(ctx, allocationKind, old, p.null(allocationKind))
		}

		return p.null(allocationKind), err
	}

	prior := old
	if old != nil && old.tainted {
		prior = nil // Core plans a fresh create, and makes it a replacement afterwards.
	}

	change, err := r.planWanted(ctx, p, allocationKind, prior, r.wanted(class))
	if err != nil {
		return change.value, err
	}

	made.allocation = actionOf(prior, change)

	switch {
	case old != nil && old.tainted:
		made.allocation, made.half = replace, change
	case old != nil && (change.replaces || r.configuration.Replace):
		made.allocation = replace
		// The create half sees the old private state and what was just planned.
		made.half, err = r.planWanted(ctx, p, allocationKind, &Object{value: p.null(allocationKind), private: change.private}, r.wanted(class))
		change = made.half
	}

	return change.value, err
}

func actionOf(old *Object, change planned) action {
	switch {
	case old == nil:
		return create
	case change.value.Equal(old.value):
		return nothing
	default:
		return update
	}
}

// wanted are the allocation's arguments, with the class.
func (r *Run) wanted(class tftypes.Value) Arguments {
	arguments := Arguments{"class": class}
	maps.Copy(arguments, r.configuration.Allocation)

	return arguments
}

func (r *Run) planWanted(ctx context.Context, p *process, of kind, prior *Object, arguments Arguments) (planned, error) {
	config, err := build(p.valueType(of), arguments)
	if err != nil {
		return planned{}, err
	}

	return p.plan(ctx, of, prior, config)
}
