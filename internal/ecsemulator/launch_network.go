package ecsemulator

import "slices"

// checkNetwork finds vSwitch and security groups, given at the top level or for the primary network interface, and what they must
// have in common.
func (l *launch) checkNetwork() *APIError {
	vswitchID, groups, refusal := l.networkParameters()
	if refusal != nil {
		return refusal
	}
	if vswitchID == "" {
		return missingParameter("VSwitchId")
	}
	vpc, vswitch, found := l.region.vswitch(vswitchID)
	if !found {
		return refuse(404, "InvalidVSwitchId.NotFound", "The specified VSwitchId does not exist.")
	}
	l.vpc, l.vswitch = vpc, vswitch
	if orDefault(vswitch.Status, "Available") != "Available" {
		return refuse(400, "IncorrectVSwitchStatus", "The current status of the vSwitch does not support this operation.")
	}
	if zone := l.string("ZoneId"); zone != "" {
		if !slices.Contains(l.region.Zones, zone) {
			return refuse(404, "InvalidZoneId.NotFound", "The specified ZoneId does not exist.")
		}
		if zone != vswitch.Zone {
			return refuse(400, "InvalidParameter.Mismatch", "The specified ZoneId and VSwitchId are not in the same zone.")
		}
	}
	if len(groups) == 0 {
		return missingParameter("SecurityGroupId")
	}
	l.groups = groups
	return l.checkGroupIDs(groups)
}

// maxSecurityGroups is how many security groups a network interface can be in.
const maxSecurityGroups = 16

func (l *launch) checkGroupIDs(groups []string) *APIError {
	if len(groups) > maxSecurityGroups {
		return invalidParameter("SecurityGroupIds")
	}
	for _, id := range groups {
		vpc, found := l.region.groupOwner(id)
		if !found {
			return refuse(404, "InvalidSecurityGroupId.NotFound", "The specified SecurityGroupId does not exist.")
		}
		if vpc != l.vpc {
			return refuse(403, "OperationDenied.InconsistentNetwork", "The specified security group and vSwitch are not in the same VPC.")
		}
	}
	return nil
}

func (l *launch) networkParameters() (vswitchID string, groups []string, refusal *APIError) {
	vswitchID = l.string("VSwitchId")
	groups = l.list("SecurityGroupIds")
	if one := l.string("SecurityGroupId"); one != "" {
		if len(groups) > 0 {
			return "", nil, refuse(400, "InvalidParameter.Combination", "SecurityGroupId and SecurityGroupIds cannot be used together.")
		}
		groups = []string{one}
	}
	for n := range l.parameters.count("NetworkInterface") {
		prefix := element("NetworkInterface", n+1) + "."
		if l.string(prefix+"InstanceType") != "Primary" {
			continue
		}
		if vswitchID != "" || len(groups) > 0 {
			return "", nil, refuse(400, "InvalidParameter.Combination", "VSwitchId and SecurityGroupId cannot be used together with a primary NetworkInterface.")
		}
		vswitchID = l.string(prefix + "VSwitchId")
		groups = l.list(prefix + "SecurityGroupIds")
		if one := l.string(prefix + "SecurityGroupId"); one != "" {
			groups = append(groups, one)
		}
		break // checkInterfaces refuses a second one
	}
	return vswitchID, groups, nil
}
