package ecsemulator

import (
	"math"
	"slices"
)

func (l *launch) checkCharge() *APIError {
	switch orDefault(l.string("InstanceChargeType"), "PostPaid") {
	case "PostPaid":
		l.mode = ChargePostPaid
		if !l.boolean("AutoPay", true) {
			return invalidParameter("AutoPay")
		}
		return nil
	case "PrePaid":
		l.mode = ChargePrePaid
		return l.checkPeriod()
	default:
		return refuse(404, "InvalidInstanceChargeType.NotFound", "The InstanceChargeType does not exist in our records.")
	}
}

func (c *call) checkPeriod() *APIError {
	period, renewal := c.integer("Period", 0), c.integer("AutoRenewPeriod", 1)
	switch orDefault(c.string("PeriodUnit"), "Month") {
	case "Week":
		if period < 1 || period > 4 {
			return refuse(400, "InvalidPeriod", "The specified Period is not valid.")
		}
		if c.boolean("AutoRenew", false) && (renewal < 1 || renewal > 3) {
			return refuse(400, "InvalidAutoRenewPeriod.ValueNotSupported", "The specified AutoRenewPeriod is not supported.")
		}
	case "Month":
		if !slices.Contains([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 36, 48, 60}, period) {
			return refuse(400, "InvalidPeriod", "The specified Period is not valid.")
		}
		if c.boolean("AutoRenew", false) && !slices.Contains([]int{1, 2, 3, 6, 12, 24, 36, 48, 60}, renewal) {
			return refuse(400, "InvalidAutoRenewPeriod.ValueNotSupported", "The specified AutoRenewPeriod is not supported.")
		}
	default:
		return refuse(400, "InvalidPeriodType.ValueNotSupported", "The specified PeriodUnit is not supported.")
	}
	return nil
}

func (c *call) months() int {
	if c.string("PeriodUnit") == "Week" {
		return 0
	}
	return c.integer("Period", 0)
}

func (c *call) weeks() int {
	if c.string("PeriodUnit") == "Week" {
		return c.integer("Period", 0)
	}
	return 0
}

func (l *launch) checkSpot() *APIError {
	l.spotStrategy = orDefault(l.string("SpotStrategy"), "NoSpot")
	if !oneOf(l.spotStrategy, "NoSpot", "SpotWithPriceLimit", "SpotAsPriceGo") {
		return refuse(400, "InvalidSpotStrategy", "The specified SpotStrategy is not valid.")
	}
	if l.spotStrategy == "NoSpot" {
		return nil
	}
	if l.mode == ChargePrePaid {
		return refuse(400, "InvalidSpotPrepaid", "Spot instances can only be pay-as-you-go.")
	}
	l.mode = ChargeSpot
	limit := l.number("SpotPriceLimit", 0)
	l.spotLimit = l.spotStrategy == "SpotWithPriceLimit" && l.has("SpotPriceLimit")
	thousandths := limit * 1000
	switch {
	case l.spotLimit && (limit <= 0 || math.Abs(thousandths-math.Round(thousandths)) > 1e-6):
		return refuse(400, "InvalidSpotPriceLimit", "The specified SpotPriceLimit is not valid.")
	case l.integer("SpotDuration", 1) < 0 || l.integer("SpotDuration", 1) > 1:
		return refuse(400, "InvalidSpotDuration", "The specified SpotDuration is not valid.")
	case !oneOf(l.string("SpotInterruptionBehavior"), "", "Terminate", "Stop"):
		return refuse(400, "InvalidSpotInterruptionBehavior", "The specified SpotInterruptionBehavior is not valid.")
	case l.string("SpotInterruptionBehavior") == "Stop" && l.instanceType.LocalDisks > 0:
		return refuse(403, "InvalidSpotInterruptionBehavior.LocalDiskNotSupport", "Instances with local disks cannot be stopped when they are reclaimed.")
	case l.spotLimit && limit < l.spotPrice(l.instanceType, l.vswitch.Zone, l.now):
		return refuse(400, "InvalidSpotPriceLimit.LowerThanPublicPrice", "The specified SpotPriceLimit is lower than the public price.")
	}
	return nil
}

// checkStock counts how many instances there can be: by stock, and by addresses.
func (l *launch) checkStock() *APIError {
	if !l.instanceType.soldIn(l.vswitch.Zone) {
		return refuse(403, "InvalidInstanceType.ZoneNotSupported", "The specified zone does not support this instance type.")
	}
	l.count = l.amount
	if l.pool == nil {
		l.count = l.server.available(l.vswitch.Zone, l.instanceType.ID, l.mode, l.amount)
	}
	if l.verdict.soldOut {
		l.count = 0
	}
	if l.count < l.minAmount {
		return refuse(403, "OperationDenied.NoStock", "The requested resource is sold out in the specified zone; try other types of resources or other regions and zones.")
	}
	for vswitch, each := range l.addressesByVSwitch() {
		l.count = min(l.count, l.account.freeAddresses(vswitch)/each)
	}
	if l.count < l.minAmount {
		return l.server.behavior.noAddress()
	}
	if refusal := l.checkPlacementRoom(); refusal != nil {
		return refusal
	}
	return l.checkAddresses()
}

func (l *launch) checkInternet() *APIError {
	if out := l.integer("InternetMaxBandwidthOut", 0); out < 0 || out > 100 {
		return refuse(400, "InvalidInternetMaxBandwidthOut.Malformed", "The specified InternetMaxBandwidthOut is not valid.")
	}
	if !oneOf(l.string("InternetChargeType"), "", "PayByTraffic", "PayByBandwidth") {
		return refuse(400, "InvalidInternetChargeType.ValueNotSupported", "The specified InternetChargeType is not supported.")
	}
	return nil
}
