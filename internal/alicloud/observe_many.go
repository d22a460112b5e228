package alicloud

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// ObserveMachines looks at several machines, 100 of them a call and region. Machines
// that ECS does not list are missing from the result, which proves nothing: see
// ObserveMachine. The codes of its errors are those of ObserveMachine.
func (plugin *MachinePlugin) ObserveMachines(ctx context.Context, req *driver.ObserveMachinesRequest) (map[string]*driver.ObservedMachine, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	byRegion := map[string][]string{}

	for _, text := range req.ProviderIDs {
		id, err := parseProviderID(text, "")
		if err != nil {
			return nil, err
		}

		byRegion[id.Region] = append(byRegion[id.Region], id.ResourceID)
	}

	machines := make(map[string]*driver.ObservedMachine, len(req.ProviderIDs))

	for _, region := range slices.Sorted(maps.Keys(byRegion)) {
		client, err := plugin.NewECSClient(req.Secret, region)
		if err != nil {
			return nil, driverError(err)
		}

		instances, err := client.InstancesByID(ctx, region, byRegion[region])
		if err != nil {
			return nil, lookError(fmt.Errorf("looking at %d machines in %s: %w", len(byRegion[region]), region, err))
		}

		for _, instance := range instances {
			machine := observed(region, instance)
			machines[machine.ProviderID] = machine
		}
	}

	return machines, nil
}

// ListAllMachines lists the machines of a region, from all pages. An empty list is
// returned where the caller may list, and is an error of code CodePermissionDenied
// otherwise.
func (plugin *MachinePlugin) ListAllMachines(ctx context.Context, req *driver.ListAllMachinesRequest) ([]*driver.ObservedMachine, error) {
	if req == nil || req.Region == "" {
		return nil, driver.NewError(driver.CodeInvalidArgument, "a list of machines needs a region")
	}

	client, err := plugin.NewECSClient(req.Secret, req.Region)
	if err != nil {
		return nil, driverError(err)
	}

	instances, err := client.AllInstances(ctx, req.Region)
	if err != nil {
		return nil, lookError(fmt.Errorf("listing the machines in %s: %w", req.Region, err))
	}

	if len(instances) == 0 {
		if err := provePermission(ctx, client, req.Region, "the account"); err != nil {
			return nil, lookError(err)
		}
	}

	machines := make([]*driver.ObservedMachine, 0, len(instances))
	for _, instance := range instances {
		machines = append(machines, observed(req.Region, instance))
	}

	return machines, nil
}

// DefaultNodeName is the host name that ECS gives an instance which was launched
// without one, in lower case, as Kubernetes registers it (ECS, "Instance metadata").
func (plugin *MachinePlugin) DefaultNodeName(id driver.ProviderID) string {
	return nodeName("", id.ResourceID)
}
