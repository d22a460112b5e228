package ecsemulator

import (
	"slices"
	"strings"
)

const describeInstanceAutoRenewAttributeParameters = `
string 8192: InstanceId
string: RenewalStatus
integer: PageNumber PageSize
`

type describeAutoRenewAnswer struct {
	TotalCount              int
	PageNumber              int
	PageSize                int
	InstanceRenewAttributes struct{ InstanceRenewAttribute []renewAttribute }
}

type renewAttribute struct {
	InstanceID       string `json:"InstanceId"`
	AutoRenewEnabled bool
	Duration         int
	PeriodUnit       string
	RenewalStatus    string
}

// describeInstanceAutoRenewAttribute tells of subscription instances whether they renew themselves.
func describeInstanceAutoRenewAttribute() *action {
	return ecsAction("DescribeInstanceAutoRenewAttribute", describeInstanceAutoRenewAttributeParameters, func(c *call) (any, *APIError) {
		if !oneOf(c.string("RenewalStatus"), "", "AutoRenewal", "Normal", "NotRenewal") {
			return nil, invalidParameter("RenewalStatus")
		}
		var ids []string
		if c.has("InstanceId") {
			ids = strings.Split(c.string("InstanceId"), ",")
		}
		found, refusal := c.listed(ids)
		if refusal != nil {
			return nil, refusal
		}
		found = slices.DeleteFunc(found, func(i *instance) bool {
			return i.chargeMode != ChargePrePaid || c.has("RenewalStatus") && c.string("RenewalStatus") != i.renewalStatus()
		})
		page, refusal := c.pageByNumber(len(found), 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeAutoRenewAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size}
		answer.InstanceRenewAttributes.InstanceRenewAttribute = []renewAttribute{}
		for _, i := range found[page.first:page.end] {
			one := renewAttribute{InstanceID: i.id, AutoRenewEnabled: i.autoRenew, PeriodUnit: i.periodUnit, RenewalStatus: i.renewalStatus()}
			if i.autoRenew {
				one.Duration = i.autoRenewPeriod
			}
			answer.InstanceRenewAttributes.InstanceRenewAttribute = append(answer.InstanceRenewAttributes.InstanceRenewAttribute, one)
		}
		return answer, nil
	})
}

func (i *instance) renewalStatus() string {
	if i.autoRenew {
		return "AutoRenewal"
	}
	return "Normal"
}
