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
		page, refusal := c.pageEither(keys, 100)
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
	asked := c.instanceFilters()
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
		case !fitAll(asked, i) || !fitTags(filters, i.tags):
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
	for _, list := range []string{"PublicIpAddresses", "EipAddresses", "InnerIpAddresses", "RdmaIpAddresses"} {
		if _, _, refusal := c.jsonList(list); refusal != nil {
			return refusal
		}
	}
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

// instanceFilter is one filter that a call asks for.
type instanceFilter func(i *instance) bool

// instanceFilters are the filters that the call asks for, each found out once and not for every instance.
func (c *call) instanceFilters() []instanceFilter {
	var filters []instanceFilter
	for name, value := range map[string]func(*instance) string{
		"VpcId":               func(i *instance) string { return i.vpc.ID },
		"VSwitchId":           func(i *instance) string { return i.vswitch.ID },
		"ZoneId":              func(i *instance) string { return i.zoneID },
		"ImageId":             func(i *instance) string { return i.image.ID },
		"InstanceType":        func(i *instance) string { return i.instanceType.ID },
		"InstanceTypeFamily":  func(i *instance) string { return i.instanceType.Family },
		"Status":              func(i *instance) string { return i.shownStatus(c.now) },
		"InstanceChargeType":  shownChargeType,
		"KeyPairName":         func(i *instance) string { return i.keyPair },
		"ResourceGroupId":     func(i *instance) string { return i.resourceGroup },
		"InstanceNetworkType": func(*instance) string { return "vpc" },
		"InternetChargeType":  func(i *instance) string { return i.internetChargeType },
		"HttpEndpoint":        func(i *instance) string { return i.httpEndpoint },
		"HttpTokens":          func(i *instance) string { return i.httpTokens },
		"HpcClusterId":        func(*instance) string { return "" },
	} {
		if wanted := c.string(name); wanted != "" {
			filters = append(filters, func(i *instance) bool { return value(i) == wanted })
		}
	}
	for name, fit := range map[string]instanceFilter{
		"InstanceName":      func(i *instance) bool { return matches(c.string("InstanceName"), i.name) },
		"LockReason":        func(i *instance) bool { return i.locked(c.string("LockReason")) },
		"SecurityGroupId":   func(i *instance) bool { return slices.Contains(i.securityGroups, c.string("SecurityGroupId")) },
		"PublicIpAddresses": c.fitPublicAddress,
		"EipAddresses":      fitNone,
		"InnerIpAddresses":  fitNone,
		"RdmaIpAddresses":   fitNone,
		"IoOptimized":       func(*instance) bool { return c.boolean("IoOptimized", true) },
		"DeviceAvailable":   func(*instance) bool { return c.boolean("DeviceAvailable", true) },
	} {
		if c.has(name) {
			filters = append(filters, fit)
		}
	}
	if addresses := c.list("Ipv6Address"); len(addresses) > 0 {
		filters = append(filters, func(i *instance) bool { return holdsAll(addresses, i.allIPv6()) })
	}
	return filters
}

func fitNone(*instance) bool { return false }

func (c *call) fitPublicAddress(i *instance) bool {
	return i.publicAddress != "" && strings.Contains(c.string("PublicIpAddresses"), `"`+i.publicAddress+`"`)
}

// shownChargeType is how reads show the way of paying: a spot instance pays as it goes.
func shownChargeType(i *instance) string {
	if i.chargeMode == ChargePrePaid {
		return "PrePaid"
	}
	return "PostPaid"
}

func fitAll(filters []instanceFilter, i *instance) bool {
	for _, fit := range filters {
		if !fit(i) {
			return false
		}
	}
	return true
}
