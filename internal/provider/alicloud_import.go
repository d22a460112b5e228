package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// alicloudClassOf is the Alibaba Cloud part of a class of which the machine could be.
// What a list of machines does not tell is left out.
func alicloudClassOf(ctx context.Context, machine *driver.ObservedMachine) types.Object {
	object, ok := alicloudClassAttribute().GetType().(types.ObjectType)
	if !ok {
		return types.ObjectNull(nil)
	}

	known := map[string]attr.Value{
		"region":             stringOrNull(machine.Region),
		"image_id":           stringOrNull(machine.Image),
		"instance_types":     listOrNull(machine.InstanceType),
		"capacity_types":     listOrNull(machine.CapacityType),
		"vswitch_ids":        listOrNull(machine.SubnetID),
		"security_group_ids": listOrNull(machine.SecurityGroupIDs...),
		"key_pair_name":      stringOrNull(machine.KeyPairName),
	}

	values := make(map[string]attr.Value, len(object.AttrTypes))

	for name, kind := range object.AttrTypes {
		values[name] = nullOf(ctx, kind)
		if value, there := known[name]; there {
			values[name] = value
		}
	}

	return types.ObjectValueMust(object.AttrTypes, values)
}
