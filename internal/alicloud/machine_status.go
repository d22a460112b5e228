package alicloud

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// GetMachineStatus finds the machine, by its provider ID or, where none is recorded,
// by its name among the machines that carry the cluster and role tags of its class.
// Codes: NotFound only where absence is proven; OutOfRange, with their IDs, where
// several machines have the name; PermissionDenied where ECS would show nothing
// because of that; Unavailable where a repeat may tell.
func (plugin *MachinePlugin) GetMachineStatus(ctx context.Context, req *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	_, id, instance, err := plugin.findMachine(ctx, machineRequest{machine: req.Machine, class: req.MachineClass, secret: req.Secret})
	if err != nil {
		return nil, err
	}

	return &driver.GetMachineStatusResponse{
		ProviderID: id.String(),
		NodeName:   nodeName(instance.HostName, id.ResourceID),
	}, nil
}

// ListMachines lists the machines that carry the cluster and role tags of the class,
// in any status, from all pages. An empty list is proven to be one: without the
// permission to list, the error is of code CodePermissionDenied.
func (plugin *MachinePlugin) ListMachines(ctx context.Context, req *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	if err := checkClass(req.MachineClass, req.Secret); err != nil {
		return nil, err
	}

	spec, err := specOf(req.MachineClass)
	if err != nil {
		return nil, err
	}

	client, err := plugin.NewECSClient(req.Secret, spec.Region)
	if err != nil {
		return nil, driverError(err)
	}

	instances, err := listOwned(ctx, client, spec)
	if err != nil {
		return nil, err
	}

	machines := make(map[string]string, len(instances))
	for _, instance := range instances {
		machines[providerID(spec.Region, instance.ID)] = machineName(instance)
	}

	return &driver.ListMachinesResponse{MachineList: machines}, nil
}
