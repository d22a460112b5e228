package ecsemulator

import "time"

const modifyInstanceChargeTypeParameters = `
string 8192: InstanceIds
string: ClientToken InstanceChargeType PeriodUnit
integer: Period
boolean: AutoPay DryRun IncludeDataDisks IsDetailFee
`

type modifyChargeTypeAnswer struct {
	OrderID        string `json:"OrderId"`
	FeeOfInstances struct{ FeeOfInstance []instanceFee }
}

type instanceFee struct {
	InstanceID string `json:"InstanceId"`
	Currency   string
	Fee        string
}

// modifyInstanceChargeType turns instances from pay-as-you-go to subscription or back, all or none of them. Spot instances stay what
// they are.
func modifyInstanceChargeType() *action {
	return ecsAction("ModifyInstanceChargeType", modifyInstanceChargeTypeParameters, func(c *call) (any, *APIError) {
		ids, refusal := c.namedInstances(20)
		if refusal != nil {
			return nil, refusal
		}
		mode := ChargeMode(orDefault(c.string("InstanceChargeType"), string(ChargePrePaid)))
		if mode != ChargePrePaid && mode != ChargePostPaid {
			return nil, refuse(404, "InvalidInstanceChargeType.NotFound", "The InstanceChargeType does not exist in our records.")
		}
		if mode == ChargePrePaid {
			if refusal := c.checkPeriod(); refusal != nil {
				return nil, refusal
			}
		}
		instances := make([]*instance, 0, len(ids))
		for _, id := range ids {
			i, found := c.find(id)
			if !found {
				return nil, instanceNotFound()
			}
			if refusal := c.settled(i); refusal != nil {
				return nil, refusal
			}
			if i.chargeMode == mode || i.chargeMode == ChargeSpot {
				return nil, chargeTypeViolation()
			}
			instances = append(instances, i)
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		answer := modifyChargeTypeAnswer{OrderID: "2" + c.server.options.NewID()}
		answer.FeeOfInstances.FeeOfInstance = []instanceFee{}
		for _, i := range instances {
			c.changeChargeType(i, mode)
			answer.FeeOfInstances.FeeOfInstance = append(answer.FeeOfInstances.FeeOfInstance,
				instanceFee{i.id, c.server.options.Catalogue.Prices.currency(), "0"})
		}
		return answer, nil
	})
}

// changeChargeType changes an instance, its system disk with it, and its data disks unless the call says otherwise.
func (c *call) changeChargeType(i *instance, mode ChargeMode) {
	i.chargeMode, i.expires, i.autoRenew, i.periodUnit = mode, time.Time{}, false, ""
	if mode == ChargePrePaid {
		i.expires, i.periodUnit = c.now.AddDate(0, c.months(), c.weeks()*7), orDefault(c.string("PeriodUnit"), "Month")
		i.autoRelease = time.Time{} // only pay-as-you-go instances end by themselves
	}
	for _, d := range i.disks {
		if d.system || c.boolean("IncludeDataDisks", true) {
			d.prePaid = mode == ChargePrePaid
		}
	}
	c.note(i, "modified", "InstanceChargeType")
}
