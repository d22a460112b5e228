package ecsemulator

import (
	"math"
	"net/netip"
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

func (l *launch) checkPeriod() *APIError {
	period, renewal := l.integer("Period", 0), l.integer("AutoRenewPeriod", 1)
	switch orDefault(l.string("PeriodUnit"), "Month") {
	case "Week":
		if period < 1 || period > 4 {
			return refuse(400, "InvalidPeriod", "The specified Period is not valid.")
		}
		if l.boolean("AutoRenew", false) && (renewal < 1 || renewal > 3) {
			return refuse(400, "InvalidAutoRenewPeriod.ValueNotSupported", "The specified AutoRenewPeriod is not supported.")
		}
	case "Month":
		if !slices.Contains([]int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 36, 48, 60}, period) {
			return refuse(400, "InvalidPeriod", "The specified Period is not valid.")
		}
		if l.boolean("AutoRenew", false) && !slices.Contains([]int{1, 2, 3, 6, 12, 24, 36, 48, 60}, renewal) {
			return refuse(400, "InvalidAutoRenewPeriod.ValueNotSupported", "The specified AutoRenewPeriod is not supported.")
		}
	default:
		return refuse(400, "InvalidPeriodType.ValueNotSupported", "The specified PeriodUnit is not supported.")
	}
	return nil
}

func (l *launch) months() int {
	if l.string("PeriodUnit") == "Week" {
		return 0
	}
	return l.integer("Period", 0)
}

func (l *launch) weeks() int {
	if l.string("PeriodUnit") == "Week" {
		return l.integer("Period", 0)
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
	thousandths := limit * 1000
	switch {
	case l.spotStrategy == "SpotWithPriceLimit" && l.has("SpotPriceLimit") && (limit <= 0 || math.Abs(thousandths-math.Round(thousandths)) > 1e-6):
		return refuse(400, "InvalidSpotPriceLimit", "The specified SpotPriceLimit is not valid.")
	case l.integer("SpotDuration", 1) < 0 || l.integer("SpotDuration", 1) > 1:
		return refuse(400, "InvalidSpotDuration", "The specified SpotDuration is not valid.")
	case !oneOf(l.string("SpotInterruptionBehavior"), "", "Terminate", "Stop"):
		return refuse(400, "InvalidSpotInterruptionBehavior", "The specified SpotInterruptionBehavior is not valid.")
	}
	return nil
}

// checkStock counts how many instances there can be: by stock, and by addresses.
func (l *launch) checkStock() *APIError {
	if !l.instanceType.soldIn(l.vswitch.Zone) {
		return refuse(403, "InvalidInstanceType.ZoneNotSupported", "The specified zone does not support this instance type.")
	}
	l.count = l.server.available(l.vswitch.Zone, l.instanceType.ID, l.mode, l.amount)
	if l.verdict.soldOut {
		l.count = 0
	}
	if l.count < l.minAmount {
		return refuse(403, "OperationDenied.NoStock", "The requested resource is sold out in the specified zone; try other types of resources or other regions and zones.")
	}
	if free := l.account.freeAddresses(l.vswitch); free < l.count {
		l.count = free
		if free < l.minAmount {
			return refuse(400, "QuotaExceeded.PrivateIpAddress", "The number of available private IP addresses of the vSwitch is insufficient.")
		}
	}
	return l.checkAddresses()
}

func (l *launch) checkAddresses() *APIError {
	if !l.has("PrivateIpAddress") {
		return nil
	}
	address, err := netip.ParseAddr(l.string("PrivateIpAddress"))
	if err != nil || !address.Is4() {
		return refuse(400, "InvalidPrivateIpAddress.Malformed", "The specified PrivateIpAddress is not valid.")
	}
	for range l.count {
		if !usable(l.vswitch, address) {
			return refuse(400, "InvalidPrivateIpAddress", "The specified PrivateIpAddress is not in the CIDR block of the vSwitch.")
		}
		if _, used := l.account.taken[l.vswitch.ID][address]; used {
			return refuse(400, "InvalidPrivateIpAddress.Duplicated", "The specified PrivateIpAddress is already in use.")
		}
		address = address.Next()
	}
	return nil
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

func (l *launch) checkPlacement() *APIError {
	criteria := l.string("PrivatePoolOptions.MatchCriteria")
	group := l.integer("DeploymentSetGroupNo", 1)
	switch {
	case !oneOf(criteria, "", "Open", "Target", "None"):
		return invalidParameter("PrivatePoolOptions.MatchCriteria")
	case criteria == "Target" && !l.has("PrivatePoolOptions.Id"):
		return refuse(400, "MissingParameter.PrivatePoolOptionsId", "The parameter PrivatePoolOptions.Id is mandatory when MatchCriteria is Target.")
	case group < 1 || group > 7:
		return invalidParameter("DeploymentSetGroupNo")
	case l.has("LaunchTemplateId") || l.has("LaunchTemplateName"):
		return refuse(404, "InvalidLaunchTemplate.NotFound", "The specified launch template does not exist.")
	case l.has("HpcClusterId"):
		return refuse(400, "InvalidHpcClusterId.NotFound", "The specified HpcClusterId does not exist.")
	case l.has("DedicatedHostId"):
		return refuse(400, "InvalidDedicatedHostId.NotFound", "The specified DedicatedHostId does not exist.")
	}
	return nil
}
