package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Operation is one operation on the allocation's machine, which the user wants.
type Operation struct {
	// Label is the name of its block.
	Label string
	// Arguments are its arguments, without provider_id.
	Arguments Arguments
}

// plannedOperation is a plan of one operation.
type plannedOperation struct {
	action action
	// half is what the create half of a replacement planned.
	half planned
}

// refreshOperations reads the operations in state.
func (r *Run) refreshOperations(ctx context.Context, p *process, state *State) error {
	for _, label := range slices.Sorted(maps.Keys(state.Operations)) {
		object, err := p.read(ctx, operationKind, state.Operations[label])
		if err != nil {
			return err
		}

		state.keepOperation(label, object)
	}

	return nil
}

// planOperations plans the wanted operations on the allocation as it is planned.
func (r *Run) planOperations(ctx context.Context, p *process, allocation tftypes.Value, made *intent) error {
	made.operations = map[string]plannedOperation{}

	for label := range r.working.Operations {
		made.operations[label] = plannedOperation{action: remove}
	}

	for _, wanted := range r.configuration.Operations {
		old := r.working.Operations[wanted.Label]

		change, err := r.planOperation(ctx, p, old, wanted, allocation)
		if err != nil {
			return err
		}

		one := plannedOperation{action: actionOf(old, change)}

		if old != nil && change.replaces {
			one.action = replace

			if one.half, err = r.planOperation(ctx, p, &Object{value: p.null(operationKind), private: change.private}, wanted, allocation); err != nil {
				return err
			}
		}

		made.operations[wanted.Label] = one
	}

	return nil
}

func (r *Run) planOperation(ctx context.Context, p *process, prior *Object, wanted Operation, allocation tftypes.Value) (planned, error) {
	given, err := fields(allocation)
	if err != nil {
		return planned{}, err
	}

	arguments := Arguments{"provider_id": given["provider_id"]}
	for name, value := range wanted.Arguments {
		arguments[name] = value
	}

	return r.planWanted(ctx, p, operationKind, prior, arguments)
}

// endOperations removes the operations that are not wanted any more, and those that are
// carried out again. An operation goes before the machine that it is about.
func (r *Run) endOperations(ctx context.Context, p *process, intent intent) error {
	for _, label := range slices.Sorted(maps.Keys(intent.operations)) {
		of, old := intent.operations[label], r.working.Operations[label]
		if old == nil || of.action != remove && of.action != replace {
			continue
		}

		if err := r.goesOn(); err != nil {
			return err
		}

		change := planned{prior: old.value, value: p.null(operationKind), config: p.null(operationKind), private: old.private}
		if of.action == replace {
			change.private = of.half.private
		}

		left, err := p.apply(ctx, operationKind, change)
		if errors.Is(err, errKilled) {
			return err
		}

		r.update(func(s *State) { s.keepOperation(label, left) })

		if err != nil {
			return err
		}
	}

	return nil
}

// carryOutOperations carries out the wanted operations, one after the other.
func (r *Run) carryOutOperations(ctx context.Context, p *process, intent intent) error {
	for _, wanted := range r.configuration.Operations {
		if intent.operations[wanted.Label].action == nothing {
			continue
		}

		if err := r.carryOutOperation(ctx, p, wanted); err != nil {
			return fmt.Errorf("the operation %s: %w", wanted.Label, err)
		}
	}

	return nil
}

func (r *Run) carryOutOperation(ctx context.Context, p *process, wanted Operation) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	old := r.working.Operations[wanted.Label]

	change, err := r.planOperation(ctx, p, old, wanted, r.working.Allocation.value)
	if err != nil {
		return err
	}

	if old != nil && change.value.Equal(old.value) {
		return nil
	}

	made, err := p.apply(ctx, operationKind, change)
	if made == nil && err != nil {
		return err // What fails without a word leaves what there was.
	}

	r.update(func(s *State) { s.keepOperation(wanted.Label, made) })

	return err
}
