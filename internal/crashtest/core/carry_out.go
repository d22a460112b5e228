package core

import (
	"context"
	"errors"
	"slices"
)

// carryOut applies a plan: what is destroyed first, then the class, then what is
// created or updated, then the operations, then what is destroyed last.
func (r *Run) carryOut(ctx context.Context, p *process, intent intent) error {
	deposed := r.working.Deposed
	first := intent.allocation == remove || intent.allocation == replace && !r.configuration.CreateBeforeDestroy

	if err := r.endOperations(ctx, p, intent); err != nil {
		return err
	}

	if first && r.working.Allocation != nil {
		if err := r.deleteAllocation(ctx, p, intent); err != nil {
			return err
		}
	}

	if intent.class == create || intent.class == update {
		if err := r.applyClass(ctx, p); err != nil {
			return err
		}
	}

	switch intent.allocation {
	case create, update:
		if err := r.applyAllocation(ctx, p); err != nil {
			return err
		}
	case replace:
		if err := r.replaceAllocation(ctx, p); err != nil {
			return err
		}
	case nothing, remove:
	}

	if err := r.carryOutOperations(ctx, p, intent); err != nil {
		return err
	}

	for _, old := range deposed {
		if err := r.deleteDeposed(ctx, p, old); err != nil {
			return err
		}
	}

	if intent.class == remove {
		return r.deleteClass(ctx, p, intent.removal)
	}

	return nil
}

// deleteAllocation destroys the current allocation. In a replacement its private
// state is what the create half planned, which a tainted object loses by that.
func (r *Run) deleteAllocation(ctx context.Context, p *process, intent intent) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	old := r.working.Allocation
	change := planned{prior: old.value, value: p.null(allocationKind), config: p.null(allocationKind), private: old.private}

	if intent.allocation == replace {
		change.private = intent.half.private
	}

	left, err := p.apply(ctx, allocationKind, change)
	if errors.Is(err, errKilled) {
		return err
	}

	if left != nil {
		left.tainted = old.tainted
	}

	r.update(func(s *State) { s.Allocation = left })

	return err
}

func (r *Run) applyClass(ctx context.Context, p *process) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	old := r.working.Class

	change, err := r.planWanted(ctx, p, classKind, old, r.configuration.Class)
	if err != nil {
		return err
	}

	made, err := p.apply(ctx, classKind, change)
	if made == nil && err != nil {
		return err
	}

	r.update(func(s *State) { s.Class = made })

	return err
}

// applyAllocation creates the allocation, or updates what there is.
func (r *Run) applyAllocation(ctx context.Context, p *process) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	old := r.working.Allocation

	change, err := r.planWanted(ctx, p, allocationKind, old, r.wanted(r.working.Class.value))
	if err != nil {
		return err
	}

	if old != nil && change.value.Equal(old.value) {
		return nil
	}

	made, err := p.apply(ctx, allocationKind, change)

	switch {
	case made == nil && err != nil:
		return err // What fails without a word leaves what there was.
	case made != nil && old == nil:
		made.tainted = err != nil
	}

	r.update(func(s *State) { s.Allocation = made })

	return err
}

// replaceAllocation creates the successor. The old object, where it is still there,
// is deposed meanwhile, comes back where the create leaves nothing, and else goes.
func (r *Run) replaceAllocation(ctx context.Context, p *process) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	old := r.working.Allocation

	if old != nil {
		r.update(func(s *State) {
			s.Allocation = nil
			s.Deposed = append(slices.Clone(s.Deposed), old)
		})
	}

	err := r.applyAllocation(ctx, p)
	if old == nil {
		return err
	}

	if err != nil {
		if r.working.Allocation == nil {
			r.update(func(s *State) {
				s.Allocation = old
				s.Deposed = without(s.Deposed, old)
			})
		}

		return err
	}

	return r.deleteDeposed(ctx, p, old)
}

func (r *Run) deleteDeposed(ctx context.Context, p *process, old *Object) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	change, err := p.plan(ctx, allocationKind, old, p.null(allocationKind))
	if err != nil {
		return err
	}

	left, err := p.apply(ctx, allocationKind, change)
	if errors.Is(err, errKilled) {
		return err
	}

	r.update(func(s *State) {
		s.Deposed = without(s.Deposed, old)
		if left != nil {
			s.Deposed = append(s.Deposed, left)
		}
	})

	return err
}

func (r *Run) deleteClass(ctx context.Context, p *process, change planned) error {
	if err := r.goesOn(); err != nil {
		return err
	}

	left, err := p.apply(ctx, classKind, change)
	if errors.Is(err, errKilled) {
		return err
	}

	r.update(func(s *State) { s.Class = left })

	return err
}

func without(objects []*Object, gone *Object) []*Object {
	return slices.DeleteFunc(slices.Clone(objects), func(object *Object) bool { return object == gone })
}
