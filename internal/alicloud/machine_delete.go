package alicloud

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// DeleteMachine has the machine deleted, found as GetMachineStatus finds it, and
// returns when ECS has accepted that. A machine whose absence is proven is a deleted
// machine. Codes: Unavailable while the machine is Pending or Starting, since ECS
// deletes it only later, and where a repeat may help; FailedPrecondition where it is
// protected, a subscription, or not the machine of that name; OutOfRange where
// several machines have the name, of which none is deleted.
func (plugin *MachinePlugin) DeleteMachine(ctx context.Context, req *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	request := machineRequest{machine: req.Machine, class: req.MachineClass, secret: req.Secret}

	client, id, instance, err := plugin.findMachine(ctx, request)

	switch {
	case driver.CodeOf(err) == driver.CodeNotFound:
		return &driver.DeleteMachineResponse{}, nil
	case err != nil:
		return nil, err
	}

	if err := deleteListed(ctx, client, id, instance, request.admitDeletion(id)); err != nil {
		return nil, driverError(err)
	}

	state, err := decodeMachineState(req.Machine)
	if err != nil {
		return nil, err
	}

	state.ProviderID = id.String()

	text, err := state.encode()
	if err != nil {
		return nil, err
	}

	return &driver.DeleteMachineResponse{LastKnownState: text}, nil
}

// admitDeletion returns what has to hold of an instance before it is deleted.
func (r machineRequest) admitDeletion(id driver.ProviderID) func(ecs.Instance) error {
	return func(instance ecs.Instance) error {
		if name := instance.Tags[tagName]; another(name, r.machine.Name) {
			return driver.NewError(driver.CodeFailedPrecondition, "%s is tagged as the machine %s, and not %s; it was left alone", id, name, r.machine.Name)
		}

		switch instance.Status {
		case ecs.InstanceStatusPending, ecs.InstanceStatusStarting:
			return driver.NewError(driver.CodeUnavailable, "%s is %s, and ECS deletes it only once it is Running or Stopped; try again later", id, instance.Status)
		default:
			return nil
		}
	}
}
