package alicloud

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// vswitchAvailable is the status of a vSwitch that takes machines.
const vswitchAvailable = "Available"

func (c *classResolution) loadVSwitches(ctx context.Context) error {
	found, err := c.client.VSwitches(ctx, c.spec.Region, c.spec.VSwitchIDs)
	if err != nil {
		return c.callError("looking up the vSwitches", err)
	}

	var wrong mistakes

	for _, id := range c.spec.VSwitchIDs {
		i := slices.IndexFunc(found, func(v ecs.VSwitch) bool { return v.ID == id })
		if i < 0 {
			wrong.add(c.missing("vswitch_ids", "vSwitch", id))

			continue
		}

		c.vswitches = append(c.vswitches, found[i])
	}

	if err := wrong.err(); err != nil {
		return err
	}

	return c.checkVSwitches()
}

// checkVSwitches refuses vSwitches that cannot serve one class. What the answer
// leaves out is not held against them; the launch will tell.
func (c *classResolution) checkVSwitches() error {
	first := c.vswitches[0]
	usable := make([]ecs.VSwitch, 0, len(c.vswitches))

	for _, vswitch := range c.vswitches {
		switch {
		case another(vswitch.VPCID, first.VPCID):
			return invalid(fmt.Errorf("vswitch_ids: %s is in the VPC %s and %s in %s; all have to be in one VPC",
				first.ID, first.VPCID, vswitch.ID, vswitch.VPCID))
		case vswitch.Zone == "":
			return fmt.Errorf("vswitch_ids: ECS does not tell the zone of %s; try again later", vswitch.ID)
		case another(vswitch.Status, vswitchAvailable):
			// It is being made: the next look may find it ready.
			return fmt.Errorf("vswitch_ids: %s is %s, and takes no machines before it is %s; try again later", vswitch.ID, vswitch.Status, vswitchAvailable)
		case c.spec.IPv6 != nil && vswitch.IPv6CIDRBlock == "":
			c.exclusions.add(vswitch.ID, "IPv6 is not turned on in the vSwitch, and the class has ipv6")
		case !inRange(c.spec.PrivateIP, vswitch.CIDRBlock):
			c.exclusions.add(vswitch.ID, fmt.Sprintf("private_ip is %s, and the vSwitch has the range %s", c.spec.PrivateIP, vswitch.CIDRBlock))
		default:
			usable = append(usable, vswitch)
		}
	}

	if len(usable) == 0 {
		return invalid(fmt.Errorf("vswitch_ids: none of them can be used:%s", c.exclusions.text()))
	}

	c.vswitches = usable

	return nil
}

func (c *classResolution) loadSecurityGroups(ctx context.Context) error {
	found, err := c.client.SecurityGroups(ctx, c.spec.Region, c.spec.SecurityGroupIDs)
	if err != nil {
		return c.callError("looking up the security groups", err)
	}

	// Where no vSwitch was found, nothing is held against a group's VPC.
	vpc := ""
	if len(c.vswitches) > 0 {
		vpc = c.vswitches[0].VPCID
	}

	var wrong mistakes

	for _, id := range c.spec.SecurityGroupIDs {
		i := slices.IndexFunc(found, func(g ecs.SecurityGroup) bool { return g.ID == id })

		switch {
		case i < 0:
			wrong.add(c.missing("security_group_ids", "security group", id))
		case found[i].VPCID == "":
			// DescribeSecurityGroups, "VpcId": empty for a group of the classic network.
			wrong.add(fmt.Errorf("security_group_ids: %s is in no VPC (a group of the classic network), and machines in vSwitches need one of their VPC, %s", id, cmp.Or(vpc, "that of vswitch_ids")))
		case another(found[i].VPCID, vpc):
			wrong.add(fmt.Errorf("security_group_ids: %s is in the VPC %s, and the vSwitches are in %s", id, found[i].VPCID, vpc))
		}
	}

	return wrong.err()
}

// inRange reports whether the address, if there is one, is in the range. A range that
// is not told is not held against it; the launch will tell.
func inRange(address, block string) bool {
	if address == "" || block == "" {
		return true
	}

	wanted, errAddress := netip.ParseAddr(address)
	prefix, errBlock := netip.ParsePrefix(block)

	return errAddress != nil || errBlock != nil || prefix.Contains(wanted)
}
