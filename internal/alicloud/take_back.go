package alicloud

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// takeBack ends a reinstallation that was cut off and that nobody wants any more. A
// machine that still has its disk keeps it, and runs again if it ran; one that has got
// another is reinstalled with what is wanted.
type takeBack struct{ replace }

// satisfied is what a machine is that carries no intent: nothing is left to be ended.
func (takeBack) satisfied(machineops.OperationRequest, ecs.Instance) bool { return true }

// happened reports whether the machine runs from the disk that it is to run from. It is
// not asked before the calls of what was cut off are over.
func (t takeBack) happened(ctx context.Context, o *operating, instance ecs.Instance, before string) (bool, error) {
	mark := decodeReplaceMark(before)

	if mark.begun() {
		return t.replace.happened(ctx, o, instance, before)
	}

	if current := o.tag.current; current == nil || o.r.clock.Since(current.since) < inFlight {
		return false, nil
	}

	lost, err := o.lost(ctx, mark)

	return err == nil && !lost && mark.runsAs(instance), err
}

// lost reports whether the machine's disk is not the one that it had before.
func (o *operating) lost(ctx context.Context, mark replaceMark) (bool, error) {
	disk, err := o.systemDisk(ctx)

	return err == nil && mark.losesOn(disk), err
}

// runsAs reports whether a machine that keeps its disk is, or is about to be, as it was.
func (m replaceMark) runsAs(instance ecs.Instance) bool {
	switch instance.Status {
	case ecs.InstanceStatusRunning, ecs.InstanceStatusStarting:
		return true
	case ecs.InstanceStatusStopped:
		return !m.ran
	default:
		return false
	}
}

func (t takeBack) perform(ctx context.Context, o *operating, instance ecs.Instance, held intent) error {
	mark := decodeReplaceMark(held.before)

	lost, err := o.lost(ctx, mark)
	if err != nil {
		return err
	}

	if lost || mark.begun() {
		return t.replace.perform(ctx, o, instance, held)
	}

	if err := o.stopAndWait(ctx, instance); err != nil {
		return err
	}

	// It may have been written before the disk was to be replaced.
	if o.request.ReplaceUserData != "" {
		if err := o.client.SetUserData(ctx, o.id.Region, o.id.ResourceID, o.request.ReplaceUserData); err != nil {
			return o.runAgain(ctx, ecs.InstanceStatusStopped, mark.ran, keepsItsDisk, err)
		}
	}

	if !mark.ran {
		return nil
	}

	if err := o.startStopped(ctx); err != nil {
		return o.notStarted(keepsItsDisk, err)
	}

	return nil
}

func (t takeBack) look(ctx context.Context, o *operating, instance ecs.Instance, token operationToken) (machineops.PollResult, error) {
	mark := decodeReplaceMark(token.Before)

	switch {
	case token.UID == "":
		return succeededWith("on %s nothing is left of a reinstallation; it is %s", o.id, instance.Status), nil
	case mark.begun():
		return t.replace.look(ctx, o, instance, token)
	case instance.Status == ecs.InstanceStatusRunning || (instance.Status == ecs.InstanceStatusStopped && !mark.ran):
		return succeededWith("%s %s, and is %s", o.id, keepsItsDisk, instance.Status), nil
	case instance.Status == ecs.InstanceStatusStopped && len(instance.LockReasons) == 0:
		return o.startChanged(ctx, keepsItsDisk)
	default:
		return inProgress(v1alpha3.ReasonReplacing, "%s %s, and is %s%s", o.id, keepsItsDisk, instance.Status, lockText(instance)), nil
	}
}
