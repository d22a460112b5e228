package ecsemulator

import (
	"slices"
	"strings"
)

// tagFilterLimit is how many matches a tag filter handles rightly; beyond it the answer is incomplete.
const tagFilterLimit = 1000

const describeInstancesParameters = `
string: AdditionalAttributes.N EipAddresses Filter.N.Key Filter.N.Value HpcClusterId HttpEndpoint HttpTokens
string: ImageId InnerIpAddresses InstanceChargeType InstanceName InstanceNetworkType InstanceType
string: InstanceTypeFamily InternetChargeType Ipv6Address.N KeyPairName LockReason NextToken
string: PublicIpAddresses RdmaIpAddresses ResourceGroupId SecurityGroupId Status Tag.N.Key
string: Tag.N.Value VSwitchId VpcId ZoneId
integer: HttpPutResponseHopLimit MaxResults PageNumber PageSize
boolean: DeviceAvailable DryRun IoOptimized NeedSaleCycle
string 8192: InstanceIds PrivateIpAddresses
`

func describeInstances() *action {
	return ecsAction("DescribeInstances", describeInstancesParameters, func(c *call) (any, *APIError) {
		matching, refusal := c.matchingInstances()
		if refusal != nil {
			return nil, refusal
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		if c.verdict.denied {
			if c.server.behavior.DeniedDescribe == DenialForbidden {
				return nil, c.forbidden()
			}
			matching = nil
		}
		keys := make([]string, len(matching))
		for n, i := range matching {
			keys[n] = i.id
		}
		page, refusal := c.pageEither(keys, 10, 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeInstancesAnswer{
			TotalCount: len(matching), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken,
			Instances: instanceList{Instance: make([]instanceAnswer, 0, page.size)},
		}
		wanted := c.list("AdditionalAttributes")
		for _, i := range matching[page.first:page.end] {
			answer.Instances.Instance = append(answer.Instances.Instance, c.answerInstance(i, wanted))
		}
		return answer, nil
	})
}

// matchingInstances are those that all filters let through, newest first.
func (c *call) matchingInstances() ([]*instance, *APIError) {
	if refusal := c.checkInstanceFilters(); refusal != nil {
		return nil, refusal
	}
	ids, byID, refusal := c.jsonList("InstanceIds")
	if refusal != nil {
		return nil, refusal
	}
	addresses, byAddress, refusal := c.jsonList("PrivateIpAddresses")
	if refusal != nil {
		return nil, refusal
	}
	filters, refusal := c.tagFilters()
	if refusal != nil {
		return nil, refusal
	}
	times, refusal := c.timeFilters("CreationStartTime", "CreationEndTime", "ExpiredStartTime", "ExpiredEndTime")
	if refusal != nil {
		return nil, refusal
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	var found []*instance
	for _, i := range slices.Backward(c.account.order) {
		switch {
		case i.regionID != c.region.ID || !i.visible(c.now):
		case byID && !wanted[i.id]:
		case byAddress && !slices.Contains(addresses, i.address.String()):
		case !c.fitInstance(i) || !fitTags(filters, i.tags):
		case !times.fit("Creation", i.createdAt) || !times.fit("Expired", i.expires):
		default:
			found = append(found, i)
		}
	}
	if len(filters) > 0 && len(found) > tagFilterLimit {
		found = found[:tagFilterLimit]
	}
	return found, nil
}

func (c *call) checkInstanceFilters() *APIError {
	switch {
	case !oneOf(c.string("Status"), "", statusPending, statusRunning, statusStarting, statusStopping, statusStopped):
		return refuse(404, "InvalidStatus.NotFound", "The specified Status does not exist.")
	case !oneOf(c.string("InstanceChargeType"), "", "PostPaid", "PrePaid"):
		return refuse(404, "InvalidInstanceChargeType.NotFound", "The InstanceChargeType does not exist in our records.")
	case !oneOf(c.string("LockReason"), "", "financial", "security", "Recycling", "dedicatedhostfinancial", "refunded"):
		return refuse(404, "InvalidLockReason.NotFound", "The specified LockReason is not found.")
	case c.has("ZoneId") && !slices.Contains(c.region.Zones, c.string("ZoneId")):
		return refuse(404, "InvalidZoneId.NotFound", "The specified ZoneId does not exist.")
	}
	return nil
}

func (c *call) fitInstance(i *instance) bool {
	charge := "PostPaid"
	if i.chargeMode == ChargePrePaid {
		charge = "PrePaid"
	}
	for _, filter := range []struct{ name, value string }{
		{"VpcId", i.vpc.ID},
		{"VSwitchId", i.vswitch.ID},
		{"ZoneId", i.zoneID},
		{"ImageId", i.image.ID},
		{"InstanceType", i.instanceType.ID},
		{"InstanceTypeFamily", i.instanceType.Family},
		{"Status", i.shownStatus(c.now)},
		{"InstanceChargeType", charge},
		{"KeyPairName", i.keyPair},
		{"ResourceGroupId", i.resourceGroup},
		{"InstanceNetworkType", "vpc"},
		{"InternetChargeType", i.internetChargeType},
		{"HttpEndpoint", i.httpEndpoint},
		{"HttpTokens", i.httpTokens},
		{"HpcClusterId", ""},
	} {
		if c.has(filter.name) && c.string(filter.name) != filter.value {
			return false
		}
	}
	return matches(c.string("InstanceName"), i.name) && (!c.has("LockReason") || i.locked(c.string("LockReason"))) &&
		(!c.has("SecurityGroupId") || slices.Contains(i.securityGroups, c.string("SecurityGroupId"))) &&
		(!c.has("PublicIpAddresses") || i.publicAddress != "" && strings.Contains(c.string("PublicIpAddresses"), `"`+i.publicAddress+`"`)) &&
		!c.has("EipAddresses") && !c.has("InnerIpAddresses") && !c.has("RdmaIpAddresses") && c.parameters.count("Ipv6Address") == 0 &&
		(!c.has("IoOptimized") || c.boolean("IoOptimized", true)) && (!c.has("DeviceAvailable") || c.boolean("DeviceAvailable", true))
}
