package alicloud

import (
	"context"
	"errors"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// What becomes of a machine whose change was refused.
const (
	staysWhatItWas = "stays what it was"
	keepsItsDisk   = "keeps its disk"
)

// startChanged starts a machine that was stopped to be changed, and is what it was to
// become. One that is on its way already, as an earlier look may have brought about, is
// no failure; and a refusal does not undo what is done. One for want of capacity is asked
// again; one that stays until somebody acts ends the wait, and the operation keeps its
// intent on the machine.
func (o *operating) startChanged(ctx context.Context, became string) (machineops.PollResult, error) {
	if err := o.startStopped(ctx); err != nil {
		return machineops.PollResult{}, o.notStarted(became, err)
	}

	return inProgress(v1alpha3.ReasonReplacing, "%s %s, and is being started", o.id, became), nil
}

func (o *operating) startStopped(ctx context.Context) error {
	err := o.client.StartInstances(ctx, o.id.Region, []string{o.id.ResourceID})
	if ecs.ClassOf(err) == ecs.ClassConflict {
		return nil
	}

	return err
}

// notStarted is the error of a machine that an operation has stopped, and that could not
// be started again: a *machineops.BlockedError where asking again cannot help, and else
// an ordinary one, whatever it was that failed before.
func (o *operating) notStarted(became string, err error) error {
	if ended(err) {
		return err
	}

	permanent := startRefused(err)
	if permanent == nil {
		return &lookFailedError{err: fmt.Errorf("%s %s, and could not be started yet: %w", o.id, became, err)}
	}

	return &machineops.BlockedError{
		Reason: permanent.Reason, ProviderID: o.id.String(), AtOnce: true,
		Err: fmt.Errorf("%s %s, and is stopped: its start was refused (%w). The next apply starts it, and does nothing twice", o.id, became, permanent.Err),
	}
}

// startRefused is the refusal of a start that stays until somebody acts; nil for what may
// pass, as want of capacity does.
func startRefused(err error) *machineops.PermanentError {
	var permanent *machineops.PermanentError
	if ecs.ClassOf(err) == ecs.ClassCapacity || !errors.As(operationError(err), &permanent) {
		return nil
	}

	return permanent
}

// runAgain starts a machine that ran, and was stopped to become what it cannot become.
// It hands the error on. Where the start fails the intent has to stay on the machine, as
// nothing else tells that it ran.
func (o *operating) runAgain(ctx context.Context, status ecs.InstanceStatus, ran bool, becomes string, err error) error {
	var permanent *machineops.PermanentError
	if err == nil || ecs.Ambiguous(err) || !errors.As(operationError(err), &permanent) || ctx.Err() != nil {
		return err
	}

	if status != ecs.InstanceStatusStopped || !ran {
		return err
	}

	if failed := o.startStopped(ctx); failed != nil {
		return o.notStarted(fmt.Sprintf("%s (%s)", becomes, machineops.Cause(err)), failed)
	}

	return fmt.Errorf("%w (the machine was stopped for it, %s, and is being started again)", err, becomes)
}
