package ecsemulator

import "slices"

// Quotas are limits of each account in each region. Zero is none.
type Quotas struct {
	// PostPaidInstances is how many instances there may be that are not subscriptions: QuotaExceed.AfterpayInstance.
	PostPaidInstances int `json:"postpaid_instances,omitempty"`
	// SecurityGroupInstances is how many instances may be in one security group: SecurityGroupInstanceLimitExceed.
	SecurityGroupInstances int `json:"security_group_instances,omitempty"`
	// FamilyVCPUs is how many vCPUs of one instance family there may be in one zone: QuotaExceed.ElasticQuota.
	FamilyVCPUs int `json:"family_vcpus,omitempty"`
}

// checkQuotas checks what the account may have. Source: the error codes of the RunInstances page.
func (l *launch) checkQuotas() *APIError {
	quotas := l.server.options.Catalogue.Quotas
	if quotas == (Quotas{}) {
		return nil
	}
	postPaid, vcpus, inGroup := 0, 0, map[string]int{}
	for _, i := range l.account.order {
		if !i.exists(l.now) || i.regionID != l.region.ID {
			continue
		}
		if i.chargeMode != ChargePrePaid {
			postPaid++
		}
		if i.zoneID == l.vswitch.Zone && i.instanceType.Family == l.instanceType.Family {
			vcpus += i.instanceType.VCPUs
		}
		for _, group := range i.securityGroups {
			inGroup[group]++
		}
	}
	full := func(group string) bool { return inGroup[group]+l.minAmount > quotas.SecurityGroupInstances }
	switch {
	case quotas.PostPaidInstances > 0 && l.mode != ChargePrePaid && postPaid+l.minAmount > quotas.PostPaidInstances:
		return refuse(400, "QuotaExceed.AfterpayInstance", "The maximum number of Pay-As-You-Go instances is exceeded.")
	case quotas.SecurityGroupInstances > 0 && slices.ContainsFunc(l.groups, full):
		return refuse(403, "SecurityGroupInstanceLimitExceed", "The maximum number of instances in a security group is exceeded.")
	case quotas.FamilyVCPUs > 0 && vcpus+l.minAmount*l.instanceType.VCPUs > quotas.FamilyVCPUs:
		return refuse(403, "QuotaExceed.ElasticQuota", "The number of vCPUs of the instance type family in the zone exceeds the quota.")
	}
	return nil
}
