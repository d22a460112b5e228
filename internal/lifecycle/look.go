package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// Relation is what a machine met under an allocation's name is to the allocation.
type Relation string

// The relations.
const (
	// RelationSettled means that a state holds the machine, or that it is too old to
	// be what an interrupted run left. It was left alone.
	RelationSettled Relation = "Settled"
	// RelationOtherClass means that it was launched, not long ago, for a class with
	// another UID.
	RelationOtherClass Relation = "OtherClass"
	// RelationOtherInputs means that it was launched for this allocation, from other
	// inputs.
	RelationOtherInputs Relation = "OtherInputs"
	// RelationTwin means that it was launched for this allocation, beside the machine
	// that is held. It was released.
	RelationTwin Relation = "Twin"
	// RelationReleasing means that an earlier run was about to release it. It was
	// released.
	RelationReleasing Relation = "Releasing"
)

// Neighbor is another machine under an allocation's name.
type Neighbor struct {
	Machine  Observation
	Relation Relation
}

// ConflictError reports that a machine under the allocation's name keeps it from
// being launched: one of another class's UID, or one from other inputs. Nothing was
// launched; or what was is released again, or found again by the next run. The machine
// itself is as it was.
type ConflictError struct {
	Name     string
	Relation Relation
	Machine  Observation
	// Beside is the machine that was launched before the other one was listed; empty
	// where none was. It was released again, unless BesideError says why not.
	Beside      string
	BesideError error
}

// Error names the machine and what it differs in.
func (e *ConflictError) Error() string {
	if e.Relation == RelationOtherClass {
		return fmt.Sprintf("%s was launched for an allocation %q of a class with another uid, %q, and no state is known to hold it",
			e.Machine.ProviderID, e.Name, e.Machine.ClassUID)
	}

	return fmt.Sprintf("%s was launched for the allocation %q from other inputs, and no state is known to hold it", e.Machine.ProviderID, e.Name)
}

// surroundings is what a launch has to find out about other machines of its name.
type surroundings struct {
	// windowFrom is since when the window counts.
	windowFrom time.Time
	// lookDue asks for a look before the next launch, at a list that was begun at
	// lookFrom or later.
	lookDue  bool
	lookFrom time.Time
	// lastLookDue asks for one more look before the machine is handed over.
	lastLookDue bool
	// older is the twin to be held in place of this one.
	older Observation
	// replaced are the machines that carry the mark of this launch.
	replaced []string
}

func (s *surroundings) windowEnd() time.Time { return s.windowFrom.Add(window()) }

func (s *surroundings) lookAgain(now time.Time) {
	s.lookDue = true
	s.lookFrom = now
}

// lost returns what is to be called when the answer to a launch was lost: the window
// counts anew.
func (s *surroundings) lost(c clock.PassiveClock) func() {
	return func() {
		s.windowFrom = c.Now()
		s.lastLookDue = true
	}
}

// lookAfterSpent decides how to look after a launch that made nothing. A token that
// is spent although no process of today spent it may be an older process's, whose
// machine can appear until the window ends.
func (l *launch) lookAfterSpent(ctx context.Context, reason, machine string) error {
	now := l.clock().Now()

	switch {
	case machine != "" && l.allocator.sawReleased(machine):
		// This process knows why.
	case reason == v1alpha3.ReasonReplayed:
		l.around.lookAgain(now)
	case now.Before(l.around.windowEnd()):
		if cause := wait(ctx, l.clock(), l.around.windowEnd().Sub(now)); cause != nil {
			return &UnfinishedError{Cause: cause, LastState: l.allocated.Attempts[len(l.allocated.Attempts)-1].Message}
		}

		l.around.lookAgain(l.around.windowEnd())
	}

	return nil
}

// look finds out, where that is due, what is there under the allocation's name. It
// reports true where a machine was adopted and is held.
func (l *launch) look(ctx context.Context) (bool, error) {
	for looks := 0; l.around.lookDue; looks++ {
		// What a list and a look at the machine disagree on takes a while to settle.
		if looks > 0 {
			if cause := wait(ctx, l.clock(), retryDelay(looks-1)); cause != nil {
				return false, &UnfinishedError{Cause: cause, LastState: "looking for what an earlier run left"}
			}

			l.around.lookFrom = l.clock().Now()
		}

		machines, err := l.list(ctx, l.around.lookFrom)
		if err != nil {
			return false, err
		}

		found, err := l.weigh(machines, "")
		if err != nil {
			return false, err
		}

		switch {
		case len(found.releasing) > 0:
			if err := l.releaseNeighbor(ctx, found.releasing[0], RelationReleasing); err != nil {
				return false, err
			}

			l.around.lookAgain(l.clock().Now())
		case len(found.ours) > 0:
			l.around.lookDue = false

			held, err := l.adopt(ctx, found.ours[0])
			if held || err != nil {
				return held, err
			}
		default:
			l.around.lookDue = false
		}
	}

	return false, nil
}

// list returns the machines of the region.
func (l *launch) list(ctx context.Context, notBefore time.Time) ([]Observation, error) {
	var machines []Observation

	err := l.persist(ctx, "looking for what an earlier run left", func() (err error) {
		machines, err = l.allocator.machines.List(ctx, l.request.Region, notBefore)

		return err
	})

	return machines, err
}

// observe looks at one machine; false where its absence is proven.
func (l *launch) observe(ctx context.Context, providerID string) (Observation, bool, error) {
	var (
		machine Observation
		there   bool
	)

	err := l.persist(ctx, "looking at "+providerID, func() (err error) {
		machine, err = l.allocator.machines.Observe(ctx, providerID)
		there = err == nil

		if errors.Is(err, ErrAbsent) {
			return nil
		}

		return err
	})

	return machine, there, err
}

// persist repeats attempt after ordinary errors until the context ends, or the caller
// is refused it again and again, which both are an *UnfinishedError; a permanent one is a
// *FailedError.
func (l *launch) persist(ctx context.Context, doing string, attempt func() error) error {
	var patience Patience

	for {
		if cause := ended(ctx); cause != nil {
			return &UnfinishedError{Cause: cause, LastState: doing}
		}

		err := attempt()
		if err == nil {
			return nil
		}

		if permanent := permanentError(err); permanent != nil {
			return failedBy(permanent)
		}

		delay, refusal := patience.Failed(err)
		if refusal != nil && ctx.Err() == nil {
			return &UnfinishedError{Cause: refusal, LastState: doing}
		}

		if cause := wait(ctx, l.clock(), delay); cause != nil {
			return unfinished(ctx, cause, err, doing)
		}
	}
}

// weighed are the unsettled machines of the identity, oldest first.
type weighed struct {
	ours      []Observation
	releasing []Observation
	settled   []Observation
	// otherClass and otherInputs are conflicts.
	otherClass  []Observation
	otherInputs []Observation
}

// weigh says what the machines under the allocation's name are to it, but for the
// one that is held. It returns a *ConflictError where one of them forbids a launch
// beside it, and nothing is held.
func (l *launch) weigh(machines []Observation, held string) (weighed, error) {
	var found weighed

	for _, machine := range machines {
		if machine.Name != l.request.Identity.Name || machine.ProviderID == held || l.allocator.sawReleased(machine.ProviderID) {
			continue
		}

		switch {
		case !l.allocator.Unsettled(machine):
			found.settled = append(found.settled, machine)
		case machine.ClassUID != "" && machine.ClassUID != string(l.request.Identity.ClassUID) && !safeguard.Missing(safeguard.ClassUID):
			found.otherClass = append(found.otherClass, machine)
		case machine.Releasing:
			found.releasing = append(found.releasing, machine)
		case machine.Fingerprint != "" && machine.Fingerprint != l.request.Parameters[v1alpha3.ParameterFingerprint]:
			found.otherInputs = append(found.otherInputs, machine)
		default:
			found.ours = append(found.ours, machine)
		}
	}

	for _, kind := range [][]Observation{found.ours, found.releasing, found.settled, found.otherClass, found.otherInputs} {
		slices.SortFunc(kind, func(a, b Observation) int {
			if a.Older(b) {
				return -1
			}

			return 1
		})
	}

	for _, machine := range found.settled {
		l.allocator.noteSpent(l.request.Identity, machine.Claim)
		l.meet(machine, RelationSettled)
	}

	switch {
	case held != "":
		return found, nil
	case len(found.otherClass) > 0:
		return found, &ConflictError{Name: l.request.Identity.Name, Relation: RelationOtherClass, Machine: found.otherClass[0]}
	case len(found.otherInputs) > 0 && len(found.releasing) == 0:
		return found, &ConflictError{Name: l.request.Identity.Name, Relation: RelationOtherInputs, Machine: found.otherInputs[0]}
	default:
		return found, nil
	}
}

// meet notes a neighbor, once.
func (l *launch) meet(machine Observation, relation Relation) {
	if !slices.ContainsFunc(l.allocated.Neighbors, func(known Neighbor) bool { return known.Machine.ProviderID == machine.ProviderID }) {
		l.allocated.Neighbors = append(l.allocated.Neighbors, Neighbor{Machine: machine, Relation: relation})
	}
}

func (l *launch) answered(providerID string) {
	if providerID != "" && !slices.Contains(l.allocated.Answered, providerID) {
		l.allocated.Answered = append(l.allocated.Answered, providerID)
	}
}

// releaseNeighbor releases a machine of the identity, unless a state has come to
// hold it since the list was made.
func (l *launch) releaseNeighbor(ctx context.Context, machine Observation, relation Relation) error {
	now, there, err := l.observe(ctx, machine.ProviderID)

	switch {
	case err != nil:
		return err
	case !there:
		l.allocator.noteReleased(l.request.Identity, machine.ProviderID, machine.Claim)

		return nil
	case now.Settled:
		l.meet(now, RelationSettled)

		return nil
	}

	_, err = l.allocator.Release(ctx, ReleaseRequest{
		Identity:       l.request.Identity,
		ProviderID:     machine.ProviderID,
		OwnedResources: machine.OwnedResources,
		Claim:          machine.Claim,
	})
	if err != nil {
		return fmt.Errorf("releasing %s, which is one too many of the allocation %q: %w", machine.ProviderID, l.request.Identity.Name, err)
	}

	l.meet(machine, relation)

	return nil
}
