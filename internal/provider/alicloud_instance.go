package provider

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// instanceAttribute is one thing that is told of a machine.
type instanceAttribute struct {
	kind        attr.Type
	description string
}

// instanceAttributes are what the data sources tell of a machine, by name.
func instanceAttributes() map[string]instanceAttribute {
	list := types.ListType{ElemType: types.StringType}

	return map[string]instanceAttribute{
		"provider_id":   {types.StringType, "Provider ID, `<region>.<instance-id>`."},
		"region":        {types.StringType, "Region ID."},
		"instance_id":   {types.StringType, "ECS instance ID."},
		"instance_name": {types.StringType, "Name of the instance in ECS."},
		"node_name":     {types.StringType, "Name under which the machine registers with Kubernetes."},
		"owner":         {types.StringType, "Owner in the machine's tags. Null: it has none, and no `machine_allocation` launched it."},
		"class_uid":     {types.StringType, "`uid` of its `machine_class`, as its tags have it."},
		"name":          {types.StringType, "Name of its `machine_allocation`, as its tags have it."},
		"phase": {types.StringType, "What the machine is doing: `Allocating`, `Running`, `Stopped`, `Reclaiming` (a spot machine that ECS takes back), `Locked`, `Releasing` " +
			"(marked so by a run that was about to release it) or `Unknown`."},
		"phase_reason": {types.StringType, "Why it is in this phase, where there is more to say: `PoweredOff` (stopped by somebody, or shut down from within), `SpotReclaim`, " +
			"`Financial` (a lock for arrears), `Security` (a lock for security), `Refunded`, `Expired` (the end of a subscription, whatever its phase) or `Other`."},
		"lock_reasons": {list, "Why ECS has locked it, in the words of ECS."},
		"stopped_mode": {types.StringType, "How it is paid for while it is stopped: `KeepCharging`, `StopCharging` or `Not-applicable`."},
		"reclaimed_by": {types.StringType, "By when a spot machine in the phase `Reclaiming` is gone at the latest, RFC 3339: ECS tells the exact time to the machine alone, at most five minutes ahead."},
		"expires_at":   {types.StringType, "End of the subscription, RFC 3339."},
		"settled": {types.BoolType, "Whether it is marked as held by a stored state. A machine with an owner that is not settled was launched not long ago, or was left by an apply that was cut off; " +
			"see the guide on interrupted applies."},
		"leftover": {types.BoolType, "Whether the provider takes it for what an interrupted apply left: it has this provider's owner, is not settled, and is younger than `adopt_within`. " +
			"While an apply runs, its machines look the same."},
		"import_command":     {types.StringType, "Command that takes the machine into a state; `ADDRESS` stands for a `machine_allocation`."},
		"instance_type":      {types.StringType, "Instance type."},
		"zone":               {types.StringType, "Zone that it is in."},
		"image":              {types.StringType, "Image that its system disk was made from."},
		"charge":             {types.StringType, "How it is paid for: `on_demand`, `spot` or `subscription`."},
		"vswitch_id":         {types.StringType, "vSwitch that it is attached to."},
		"security_group_ids": {list, "Its security groups."},
		"key_pair_name":      {types.StringType, "Its SSH key pair."},
		"private_ips":        {list, "Private IPv4 addresses."},
		"public_ip":          {types.StringType, "Public IPv4 address."},
		"created_at":         {types.StringType, "When it was created, RFC 3339, to the minute."},
		"tags":               {types.MapType{ElemType: types.StringType}, "Tags, without those of the provider itself."},
	}
}

// instanceTypes are the types of what is told of a machine.
func instanceTypes() map[string]attr.Type {
	kinds := map[string]attr.Type{}
	for name, attribute := range instanceAttributes() {
		kinds[name] = attribute.kind
	}

	return kinds
}

// computedInstance is what is told of a machine as attributes of a schema.
func computedInstance() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}

	for name, attribute := range instanceAttributes() {
		switch kind := attribute.kind.(type) {
		case types.ListType:
			attributes[name] = schema.ListAttribute{Computed: true, ElementType: kind.ElemType, MarkdownDescription: attribute.description}
		case types.MapType:
			attributes[name] = schema.MapAttribute{Computed: true, ElementType: kind.ElemType, MarkdownDescription: attribute.description}
		default:
			if kind == types.BoolType {
				attributes[name] = schema.BoolAttribute{Computed: true, MarkdownDescription: attribute.description}
			} else {
				attributes[name] = schema.StringAttribute{Computed: true, MarkdownDescription: attribute.description}
			}
		}
	}

	return attributes
}

// importCommand takes a machine into a state.
func importCommand(providerID string) string {
	return fmt.Sprintf("terraform import ADDRESS %s", providerID)
}

// instanceValues are what is told of a machine, seen at the time.
func (c *client) instanceValues(machine *driver.ObservedMachine, at time.Time) map[string]attr.Value {
	return map[string]attr.Value{
		"provider_id":        types.StringValue(machine.ProviderID),
		"region":             types.StringValue(machine.Region),
		"instance_id":        types.StringValue(machine.ResourceID),
		"instance_name":      stringOrNull(machine.Name),
		"node_name":          stringOrNull(machine.NodeName),
		"owner":              stringOrNull(machine.Identity.Owner),
		"class_uid":          stringOrNull(machine.Identity.ClassUID),
		"name":               stringOrNull(machine.Identity.Allocation),
		"phase":              types.StringValue(string(shownPhase(machine))),
		"phase_reason":       stringOrNull(string(phaseReason(machine, at))),
		"lock_reasons":       stringList(machine.LockReasons),
		"stopped_mode":       stringOrNull(machine.StoppedMode),
		"reclaimed_by":       timeOrNull(reclaimedBy(machine, at)),
		"expires_at":         timeOrNull(machine.ExpiresAt),
		"settled":            types.BoolValue(machine.Settled),
		"leftover":           types.BoolValue(c.mayBeLeftover(machine)),
		"import_command":     types.StringValue(importCommand(machine.ProviderID)),
		"instance_type":      stringOrNull(machine.InstanceType),
		"zone":               stringOrNull(machine.Zone),
		"image":              stringOrNull(machine.Image),
		"charge":             stringOrNull(machine.CapacityType),
		"vswitch_id":         stringOrNull(machine.SubnetID),
		"security_group_ids": stringList(machine.SecurityGroupIDs),
		"key_pair_name":      stringOrNull(machine.KeyPairName),
		"private_ips":        stringList(machine.PrivateIPs),
		"public_ip":          stringOrNull(machine.PublicIP),
		"created_at":         timeOrNull(machine.CreatedAt),
		"tags":               stringMapValue(machine.Tags),
	}
}
