package lifecycle

import (
	"context"
	"errors"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// adopt takes over a machine that an interrupted run left: it writes a claim of this
// run, reads it back, and goes on to watch the machine. It reports false, without an
// error, where the machine is no longer there to be adopted.
func (l *launch) adopt(ctx context.Context, machine Observation) (bool, error) {
	handle, err := l.allocator.machines.Handle(machine)
	if err != nil {
		return false, fmt.Errorf("adopting %s: %w", machine.ProviderID, err)
	}

	claim := l.allocator.options.NewID()

	adopted, err := l.takeOver(ctx, machine, claim)
	if !adopted {
		return false, err
	}

	l.around.lastLookDue = true
	l.answered(machine.ProviderID)

	again, err := l.attempt(ctx, v1alpha3.MachineClassOffering{}, &PendingOperation{
		Provider:     l.allocator.runner.Registration.Name(),
		Kind:         v1alpha3.OperationHostAllocate,
		OperationUID: l.request.Identity.OperationUID(l.index),
		OperationID:  handle.OperationID,
		ResumeToken:  handle.ResumeToken,
		BeganAt:      machine.CreatedAt,
		Stage:        StageBegun,
		Attempts:     l.index + 1,
		Claim:        claim,
	})
	if again {
		return false, err
	}

	l.allocated.Adopted = l.allocated.ProviderID != ""

	return err == nil, err
}

// takeOver writes the claim and returns when it was read back. It is repeated after
// ordinary errors, under one claim. False is that the list is no longer true.
func (l *launch) takeOver(ctx context.Context, machine Observation, claim string) (bool, error) {
	written, adopted := false, false

	err := l.persist(ctx, "taking over "+machine.ProviderID, func() error {
		observed, err := l.allocator.machines.Observe(ctx, machine.ProviderID)

		switch {
		case errors.Is(err, ErrAbsent), err == nil && (!l.allocator.Unsettled(observed) || observed.Releasing):
			l.around.lookAgain(l.clock().Now())

			return nil
		case err != nil:
			return err
		case written && observed.Claim == claim:
			adopted = true

			return nil
		case ctx.Err() != nil:
			return machineops.Ended(ctx)
		}

		written = true
		err = l.allocator.machines.Claim(ctx, machine.ProviderID, claim)
		adopted = err == nil

		return err
	})

	return adopted && err == nil, err
}
