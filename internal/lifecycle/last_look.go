package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// reasonSuperseded is given to a launch whose older twin is held in its place.
const reasonSuperseded = "Superseded"

// lookOnceMore finds, after the window, what an earlier process or a lost answer has
// launched beside the machine that is held. Its error is permanent where that
// machine is not to be held.
func (l *launch) lookOnceMore(ctx context.Context, held string) error {
	if !l.around.lastLookDue || safeguard.Missing(safeguard.LastLook) {
		return nil
	}

	if cause := wait(ctx, l.clock(), l.around.windowEnd().Sub(l.clock().Now())); cause != nil {
		return cause
	}

	machines, err := l.allocator.machines.List(ctx, l.request.Region, l.around.windowEnd())
	if err != nil {
		return stepFailed(held, fmt.Sprintf("looking for a second machine of the allocation %q", l.request.Identity.Name), err)
	}

	found, err := l.weigh(machines, held)
	if err != nil {
		return err
	}

	for _, machine := range found.otherClass {
		if l.mayBeEarlier(machine) {
			return &machineops.PermanentError{
				Reason: string(RelationOtherClass),
				Err:    &ConflictError{Name: l.request.Identity.Name, Relation: RelationOtherClass, Machine: machine, Beside: held},
			}
		}

		l.meet(machine, RelationOtherClass)
	}

	if len(found.otherInputs) > 0 {
		return &machineops.PermanentError{
			Reason: string(RelationOtherInputs),
			Err:    &ConflictError{Name: l.request.Identity.Name, Relation: RelationOtherInputs, Machine: found.otherInputs[0]},
		}
	}

	for _, twin := range slices.Concat(found.releasing, found.ours) {
		if err := l.resolveTwin(ctx, machines, held, twin); err != nil {
			return err
		}
	}

	l.around.lastLookDue = false

	return nil
}

// mayBeEarlier reports whether an interrupted first apply of this configuration may
// have launched a machine of another class UID: one that a class of today would have
// kept from being launched beside, had it been listed by then. Whose it is only the
// user can tell, so it is never touched.
func (l *launch) mayBeEarlier(machine Observation) bool {
	return l.request.NewClass && !l.recorded && !machine.CreatedAt.After(l.allocator.options.Started.Add(launchTimeout))
}

// resolveTwin releases the twin, unless it is the older one. What a record names is
// held whatever its age.
func (l *launch) resolveTwin(ctx context.Context, machines []Observation, held string, twin Observation) error {
	if !l.recorded && !twin.Releasing {
		own, err := l.own(ctx, machines, held)
		if err != nil {
			return err
		}

		if twin.Older(own) {
			l.around.older = twin

			return &machineops.PermanentError{
				Reason: reasonSuperseded,
				Err:    fmt.Errorf("%s is the older machine of the allocation %q", twin.ProviderID, l.request.Identity.Name),
			}
		}
	}

	if err := l.releaseNeighbor(ctx, twin, RelationTwin); err != nil {
		if cause := ended(ctx); cause != nil {
			return cause
		}

		return stepFailed(held, "a second machine stays", err)
	}

	return nil
}

// own is the machine that is held, as the list shows it or as it is.
func (l *launch) own(ctx context.Context, machines []Observation, held string) (Observation, error) {
	for _, machine := range machines {
		if machine.ProviderID == held {
			return machine, nil
		}
	}

	machine, err := l.allocator.machines.Observe(ctx, held)
	if err != nil {
		return Observation{}, stepFailed(held, "comparing "+held+" with a second machine", err)
	}

	return machine, nil
}

// supersede adopts the older twin, then releases the machine that was held so far.
// It reports true where the twin is no longer there, and another look is to follow.
func (l *launch) supersede(
	ctx context.Context, offering v1alpha3.MachineClassOffering, outcome Outcome, claim string, failed *FailedError,
) (bool, error) {
	held, err := l.adopt(ctx, l.around.older)
	if err != nil {
		return false, err
	}

	if !held {
		l.note(offering, failed)
		l.around.lookAgain(l.clock().Now())

		return true, nil
	}

	return false, l.releaseYounger(ctx, outcome, claim)
}

// yield gives up a launch because of a machine that keeps it from being made, and
// returns why. Only where that machine is of another class is what was launched
// released: else the next run finds both.
func (l *launch) yield(ctx context.Context, offering v1alpha3.MachineClassOffering, outcome Outcome, claim string, conflict *ConflictError) error {
	if conflict.Beside != "" {
		conflict.BesideError = l.releaseLeftBehind(ctx, offering, outcome, claim, &FailedError{
			Reason: string(conflict.Relation), Message: conflict.Beside + " was launched in vain",
		})
	}

	return conflict
}

// releaseYounger releases the machine that was given up for its older twin, and
// leaves what is known of the twin.
func (l *launch) releaseYounger(ctx context.Context, outcome Outcome, claim string) error {
	allocation := outcome.Result.Allocation
	if allocation == nil {
		return nil
	}

	return l.releaseNeighbor(ctx, Observation{
		ProviderID: outcome.Result.ProviderID, Claim: claim, OwnedResources: allocation.OwnedResources, Name: l.request.Identity.Name,
	}, RelationTwin)
}
