package alicloud

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// findMachine returns the one machine of the request. It goes by the ID that the
// request knows, else by the machine's name among the machines of its cluster and
// role. Its error is of code CodeNotFound only where absence is proven, and of
// CodeOutOfRange, with their IDs, where several machines have the name.
func (plugin *MachinePlugin) findMachine(ctx context.Context, request machineRequest) (*ecs.Client, driver.ProviderID, ecs.Instance, error) {
	fail := func(err error) (*ecs.Client, driver.ProviderID, ecs.Instance, error) {
		return nil, driver.ProviderID{}, ecs.Instance{}, lookError(err)
	}

	if err := request.check(); err != nil {
		return fail(err)
	}

	state, err := decodeMachineState(request.machine)
	if err != nil {
		return fail(err)
	}

	id, known, err := request.knownMachine(state)
	if err != nil {
		return fail(err)
	}

	if known {
		client, err := plugin.NewECSClient(request.secret, id.Region)
		if err != nil {
			return fail(err)
		}

		instance, err := lookAt(ctx, client, id)

		return client, id, instance, err
	}

	spec, err := specOf(request.class)
	if err != nil {
		return fail(err)
	}

	client, err := plugin.NewECSClient(request.secret, spec.Region)
	if err != nil {
		return fail(err)
	}

	instance, err := findByName(ctx, client, spec, request.machine.Name)

	return client, driver.ProviderID{Region: spec.Region, ResourceID: instance.ID}, instance, err
}

func findByName(ctx context.Context, client *ecs.Client, spec *providerSpec, name string) (ecs.Instance, error) {
	owned, err := listOwned(ctx, client, spec)
	if err != nil {
		return ecs.Instance{}, err
	}

	found := slices.DeleteFunc(owned, func(instance ecs.Instance) bool { return !isMachine(instance, name) })

	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return ecs.Instance{}, driver.NewError(driver.CodeNotFound, "no machine named %s in the region %s has the tags %s",
			name, spec.Region, strings.Join(slices.Sorted(maps.Keys(spec.ownership())), ", "))
	}

	ids := make([]string, 0, len(found))
	for _, instance := range found {
		ids = append(ids, providerID(spec.Region, instance.ID))
	}

	slices.Sort(ids)

	return ecs.Instance{}, driver.NewError(driver.CodeOutOfRange, "%d machines are named %s: %s", len(ids), name, strings.Join(ids, ", "))
}

// listOwned returns all machines of the class's cluster and role, as a *driver.Error
// where that is not possible. An empty answer is proven to be one.
func listOwned(ctx context.Context, client *ecs.Client, spec *providerSpec) ([]ecs.Instance, error) {
	instances, err := listByTags(ctx, client, spec.Region, spec.ownership())
	if err != nil {
		return nil, lookError(fmt.Errorf("listing the machines in %s: %w", spec.Region, err))
	}

	if len(instances) == 0 {
		if err := provePermission(ctx, client, spec.Region, "the machine class"); err != nil {
			return nil, lookError(err)
		}
	}

	return instances, nil
}
