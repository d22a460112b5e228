package alicloud

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// ListOwnedMachines lists the machines that carry the owner's tag: one call for 100
// of them, and shard by shard where they are more than a tag filter is correct for.
// An empty list is returned where the caller may list, and is an error of code
// CodePermissionDenied otherwise.
func (plugin *MachinePlugin) ListOwnedMachines(ctx context.Context, req *driver.ListOwnedMachinesRequest) ([]*driver.ObservedMachine, error) {
	if req == nil || req.Region == "" || req.Owner == "" {
		return nil, driver.NewError(driver.CodeInvalidArgument, "a list of machines needs a region and an owner")
	}

	client, err := plugin.NewECSClient(req.Secret, req.Region)
	if err != nil {
		return nil, driverError(err)
	}

	instances, err := listByTags(ctx, client, req.Region, map[string]string{tagOwner: req.Owner})
	if err != nil {
		return nil, lookError(fmt.Errorf("listing the machines of the owner %q in %s: %w", req.Owner, req.Region, err))
	}

	if len(instances) == 0 {
		if err := provePermission(ctx, client, req.Region, fmt.Sprintf("the owner %q", req.Owner)); err != nil {
			return nil, lookError(err)
		}
	}

	machines := make([]*driver.ObservedMachine, 0, len(instances))
	for _, instance := range instances {
		machines = append(machines, observed(req.Region, instance))
	}

	return machines, nil
}

// listByTags returns all instances with the tags.
func listByTags(ctx context.Context, client *ecs.Client, region string, tags map[string]string) ([]ecs.Instance, error) {
	instances, err := client.InstancesByTags(ctx, region, tags)
	if errors.Is(err, ecs.ErrTooManyMatches) {
		return listShards(ctx, client, region, tags)
	}

	return instances, err
}

// listShards lists part by part; see tagShard. Machines that this driver did not
// launch carry no shard and are not listed.
func listShards(ctx context.Context, client *ecs.Client, region string, tags map[string]string) ([]ecs.Instance, error) {
	var all []ecs.Instance

	for shard := range uint32(shards) {
		tags := maps.Clone(tags)
		tags[tagShard] = shardName(shard)

		instances, err := client.InstancesByTags(ctx, region, tags)
		if err != nil {
			return nil, fmt.Errorf("the shard %s: %w", tags[tagShard], err)
		}

		all = append(all, instances...)
	}

	return all, nil
}

// MarkMachines writes one mark on the machines, or takes it off, 50 of them a call.
func (plugin *MachinePlugin) MarkMachines(ctx context.Context, req *driver.MarkMachinesRequest) error {
	if req == nil {
		return driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	if !slices.Contains([]driver.Mark{driver.MarkSettled, driver.MarkReleasing, driver.MarkReplacing}, req.Mark) {
		return driver.NewError(driver.CodeInvalidArgument, "%q is no mark", req.Mark)
	}

	byRegion := map[string][]string{}

	for _, text := range req.ProviderIDs {
		id, err := parseProviderID(text, "")
		if err != nil {
			return err
		}

		byRegion[id.Region] = append(byRegion[id.Region], id.ResourceID)
	}

	key := driver.ReservedTagPrefix + string(req.Mark)

	for _, region := range slices.Sorted(maps.Keys(byRegion)) {
		client, err := plugin.NewECSClient(req.Secret, region)
		if err != nil {
			return driverError(err)
		}

		if req.Remove {
			err = client.UntagInstances(ctx, region, byRegion[region], []string{key})
		} else {
			err = client.TagInstances(ctx, region, byRegion[region], map[string]string{key: "true"})
		}

		if err != nil {
			return driverError(fmt.Errorf("changing the mark %q on machines of %s: %w", req.Mark, region, err))
		}
	}

	return nil
}
