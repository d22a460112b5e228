package ecsemulator

import "slices"

const joinSecurityGroupParameters = `
string: InstanceId NetworkInterfaceId SecurityGroupId
`

const leaveSecurityGroupParameters = `
string: InstanceId NetworkInterfaceId SecurityGroupId
`

// member is what can be in security groups: an instance, by its primary network interface, or a secondary network interface.
type member struct {
	vpc      *VPC
	groups   *[]string
	instance *instance // nil for a secondary network interface
	card     *networkInterface
}

// joinSecurityGroup adds one group. Source of the codes: the JoinSecurityGroup page.
func joinSecurityGroup() *action {
	a := ecsAction("JoinSecurityGroup", joinSecurityGroupParameters, func(c *call) (any, *APIError) {
		m, owner, refusal := c.member()
		if refusal != nil {
			return nil, refusal
		}
		group := c.string("SecurityGroupId")
		switch {
		case owner != m.vpc:
			return nil, refuse(400, "InvalidInstanceId.Mismatch", "Specified instance and security group are not in the same VPC.")
		case slices.Contains(*m.groups, group) && m.instance == nil:
			return nil, refuse(400, "InvalidSecurityGroupAssociation.Duplicate", "The network interface is already in the specified security group.")
		case slices.Contains(*m.groups, group):
			return nil, refuse(403, "InvalidInstanceId.AlreadyExists", "The specified instance already exists in the specified security group.")
		case len(*m.groups) >= maxSecurityGroups:
			return nil, refuse(403, "InstanceSecurityGroupLimitExceeded", "The instance is in as many security groups as it can be.")
		}
		*m.groups = append(slices.Clone(*m.groups), group)
		c.noteMember(m)
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

// leaveSecurityGroup takes one group away, never the last. Source of the codes: the LeaveSecurityGroup page.
func leaveSecurityGroup() *action {
	a := ecsAction("LeaveSecurityGroup", leaveSecurityGroupParameters, func(c *call) (any, *APIError) {
		m, _, refusal := c.member()
		if refusal != nil {
			return nil, refusal
		}
		group := c.string("SecurityGroupId")
		switch {
		case !slices.Contains(*m.groups, group) && m.instance == nil:
			return nil, refuse(400, "InvalidSecurityGroupAssociation.NotFound", "The network interface is not in the specified security group.")
		case !slices.Contains(*m.groups, group):
			return nil, refuse(403, "InstanceNotInSecurityGroup", "The instance not in the group.")
		case len(*m.groups) == 1 && m.instance == nil:
			return nil, refuse(403, "InvalidOperation.AtLeastInOneGroup", "The network interface must be in at least one security group.")
		case len(*m.groups) == 1:
			return nil, refuse(403, "InstanceLastSecurityGroup", "The specified security group is the last security group for the instance.")
		}
		*m.groups = slices.DeleteFunc(slices.Clone(*m.groups), func(id string) bool { return id == group })
		c.noteMember(m)
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

// noteMember writes the change into the journal.
func (c *call) noteMember(m member) {
	if m.instance != nil {
		c.note(m.instance, "modified", "SecurityGroupIds")
		return
	}
	c.noteResource(m.card.id, m.card.regionID, "modified", "SecurityGroupIds")
}

// member finds whom a call speaks of, and the VPC of the group it names.
func (c *call) member() (member, *VPC, *APIError) {
	var m member
	var region string
	switch {
	case !c.has("SecurityGroupId"):
		return m, nil, missingParameter("SecurityGroupId")
	case c.has("InstanceId") && c.has("NetworkInterfaceId"):
		return m, nil, refuse(400, "InvalidParameter.Combination", "InstanceId and NetworkInterfaceId cannot be used together.")
	case c.has("NetworkInterfaceId"):
		n := c.account.interfaces[c.string("NetworkInterfaceId")]
		if n == nil || c.region != nil && n.regionID != c.region.ID {
			return m, nil, interfaceNotFound()
		}
		if !oneOf(c.account.interfaceStatus(n, c.now), interfaceAvailable, interfaceInUse) {
			return m, nil, invalidInterfaceState()
		}
		m, region = member{vpc: n.vpc, groups: &n.securityGroups, card: n}, n.regionID
	default:
		i, refusal := c.instance()
		if refusal != nil {
			return m, nil, refusal
		}
		if refusal := c.settled(i); refusal != nil {
			return m, nil, refusal
		}
		m, region = member{vpc: i.vpc, groups: &i.securityGroups, instance: i}, i.regionID
	}
	home, _ := c.server.options.Catalogue.region(region)
	owner, found := home.groupOwner(c.string("SecurityGroupId"))
	if !found {
		return m, nil, refuse(404, "InvalidSecurityGroupId.NotFound", "The specified SecurityGroupId does not exist.")
	}
	return m, owner, nil
}

// settled refuses an instance that is neither Running nor Stopped, or going away.
func (c *call) settled(i *instance) *APIError {
	if i.releasing || !oneOf(i.status(c.now), statusRunning, statusStopped) {
		return incorrectStatus()
	}
	return nil
}
