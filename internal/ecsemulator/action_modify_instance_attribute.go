package ecsemulator

import (
	"slices"
	"strings"
)

const modifyInstanceAttributeParameters = `
string: AdditionalInfo.EnableHighDensityMode AdditionalInfo.PvdConfig CpuOptions.TopologyType
string: CreditSpecification Description HostName ImageOptions.CurrentOSNVMeSupported InstanceId InstanceName
string: OSNameEn Password PrivateDnsNameOptions.HostnameType RemoteConnectionOptions.Password
string: RemoteConnectionOptions.Type SecurityGroupIds.N
integer: CpuOptions.Core CpuOptions.ThreadsPerCore NetworkInterfaceQueueNumber
boolean: DeletionProtection EnableJumboFrame EnableNetworkEncryption
boolean: PrivateDnsNameOptions.EnableInstanceIdDnsAAAARecord PrivateDnsNameOptions.EnableInstanceIdDnsARecord
boolean: PrivateDnsNameOptions.EnableIpDnsARecord PrivateDnsNameOptions.EnableIpDnsPtrRecord Recyclable
string 70000: UserData
`

func modifyInstanceAttribute() *action {
	a := ecsAction("ModifyInstanceAttribute", modifyInstanceAttributeParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		if i.releasing {
			return nil, incorrectStatus()
		}
		if refusal := c.checkAttributes(i); refusal != nil {
			return nil, refusal
		}
		if changed := c.setAttributes(i); len(changed) > 0 {
			c.note(i, "modified", strings.Join(changed, ","))
		}
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

// checkAttributes checks all that a call wants to change, so that it changes all or nothing.
func (c *call) checkAttributes(i *instance) *APIError {
	status := i.status(c.now)
	switch {
	case c.has("InstanceName") && !validName(c.string("InstanceName")):
		return refuse(400, "InvalidInstanceName.Malformed", "The specified InstanceName is not valid.")
	case c.has("Description") && !validDescription(c.string("Description")):
		return refuse(400, "InvalidDescription.Malformed", "The specified Description is not valid.")
	case c.has("HostName") && !validHostName(c.string("HostName"), i.image.OSType):
		return refuse(400, "InvalidHostName.Malformed", "The specified HostName is not valid.")
	case c.has("Password") && !validPassword(c.string("Password"), i.image.OSType):
		return refuse(400, "InvalidPassword.Malformed", "The specified Password is not valid.")
	case (c.has("HostName") || c.has("Password")) && status == statusStarting:
		return incorrectStatus()
	case c.boolean("DeletionProtection", false) && i.chargeMode != ChargePostPaid:
		return refuse(403, "InvalidChargeType.ValueNotSupported", "Deletion protection is only supported for pay-as-you-go instances.")
	}
	if credit := c.string("CreditSpecification"); credit != "" {
		switch {
		case !oneOf(credit, "Standard", "Unlimited"), i.instanceType.BaselineCredit == 0:
			return refuse(400, "InvalidParameter.CreditSpecification", "The specified CreditSpecification is not supported.")
		case !oneOf(status, statusRunning, statusStopped):
			return refuse(400, "InvalidInstanceStatus.CreditSpecRestricted", "The current status does not support changing the credit specification.")
		}
	}
	if c.has("UserData") {
		if !i.image.CloudInit {
			return refuse(400, "InvalidUserData.NotSupported", "The specified instance does not support user data.")
		}
		if refusal := checkUserData(c.string("UserData")); refusal != nil {
			return refusal
		}
	}
	region, _ := c.server.options.Catalogue.region(i.regionID)
	for _, id := range c.list("SecurityGroupIds") {
		vpc, found := region.groupOwner(id)
		if !found {
			return refuse(404, "InvalidSecurityGroupId.NotFound", "The specified SecurityGroupId does not exist.")
		}
		if vpc != i.vpc {
			return refuse(403, "OperationDenied.InconsistentNetwork", "The specified security group is not in the VPC of the instance.")
		}
	}
	return nil
}

// setAttributes makes the changes and names those that changed something.
func (c *call) setAttributes(i *instance) []string {
	var changed []string
	set := func(name string, target *string) {
		if c.has(name) && *target != c.string(name) {
			*target = c.string(name)
			changed = append(changed, name)
		}
	}
	set("InstanceName", &i.name)
	set("Description", &i.description)
	set("HostName", &i.hostName)
	set("CreditSpecification", &i.creditSpecification)
	set("UserData", &i.userData)
	if c.has("Password") {
		changed = append(changed, "Password")
	}
	if groups := c.list("SecurityGroupIds"); len(groups) > 0 && !slices.Equal(groups, i.securityGroups) {
		i.securityGroups = groups
		changed = append(changed, "SecurityGroupIds")
	}
	for name, target := range map[string]*bool{"DeletionProtection": &i.deletionProtection, "Recyclable": &i.recyclable} {
		if c.has(name) && *target != c.boolean(name, false) {
			*target = c.boolean(name, false)
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}
