package ecsemulator

import "slices"

const describePriceParameters = `
string: AssuranceTimes DataDisk.N.Category DataDisk.N.PerformanceLevel DedicatedHostType ImageId
string: InstanceNetworkType InstanceType InstanceTypeList.N InternetChargeType IoOptimized Isp OfferingType
string: Platform PriceUnit RecurrenceRules.N.RecurrenceType RecurrenceRules.N.RecurrenceValue ResourceType
string: SchedulerOptions.DedicatedHostId SchedulerOptions.DeploymentSetStrategy Scope SpotStrategy StartTime
string: SystemDisk.Category SystemDisk.PerformanceLevel ZoneId
integer: Amount Capacity DataDisk.N.ProvisionedIops DataDisk.N.Size InstanceAmount InstanceCpuCoreCount
integer: InternetMaxBandwidthOut Period RecurrenceRules.N.EndHour RecurrenceRules.N.StartHour SpotDuration
integer: SystemDisk.Size
`

type describePriceAnswer struct {
	PriceInfo struct {
		Price priceAnswer
		Rules struct{ Rule []struct{} }
	}
}

type priceAnswer struct {
	Currency      string
	OriginalPrice float64
	DiscountPrice float64
	TradePrice    float64
	DetailInfos   struct{ DetailInfo []priceDetail }
}

type priceDetail struct {
	Resource      string
	OriginalPrice float64
	DiscountPrice float64
	TradePrice    float64
	SubRules      struct{ Rule []struct{} }
}

// describePrice tells what an instance with its disks and bandwidth costs, or a disk alone.
func describePrice() *action {
	return ecsAction("DescribePrice", describePriceParameters, func(c *call) (any, *APIError) {
		unit, amount, period := orDefault(c.string("PriceUnit"), "Hour"), c.integer("Amount", 1), c.integer("Period", 1)
		prices := c.server.options.Catalogue.Prices
		switch {
		case !oneOf(unit, "Hour", "Day", "Week", "Month", "Year"):
			return nil, invalidParameter("PriceUnit")
		case amount < 1 || amount > 1000:
			return nil, invalidParameter("Amount")
		case period < 1:
			return nil, invalidParameter("Period")
		case c.has("ZoneId") && !slices.Contains(c.region.Zones, c.string("ZoneId")):
			return nil, refuse(404, "InvalidZoneId.NotFound", "The specified ZoneId does not exist.")
		}
		factor := prices.hours(unit) * float64(period) * float64(amount)
		if unit == "Day" {
			factor = 24 * float64(period) * float64(amount)
		}
		var details []priceDetail
		var refusal *APIError
		switch orDefault(c.string("ResourceType"), "instance") {
		case "instance":
			details, refusal = c.priceInstance(factor)
		case "disk":
			details, refusal = c.priceDisks(factor)
		default:
			return nil, invalidParameter("ResourceType")
		}
		if refusal != nil {
			return nil, refusal
		}
		answer := describePriceAnswer{}
		price := &answer.PriceInfo.Price
		price.Currency, price.DetailInfos.DetailInfo, answer.PriceInfo.Rules.Rule = prices.currency(), details, []struct{}{}
		for _, detail := range details {
			price.OriginalPrice = cents(price.OriginalPrice + detail.OriginalPrice)
			price.TradePrice = cents(price.TradePrice + detail.TradePrice)
		}
		price.DiscountPrice = cents(price.OriginalPrice - price.TradePrice)
		if price.OriginalPrice == 0 {
			return nil, refuse(400, "PriceNotFound", "The price of the specified resource is not found.")
		}
		return answer, nil
	})
}

func (c *call) priceInstance(factor float64) ([]priceDetail, *APIError) {
	t, known := c.server.options.Catalogue.instanceType(c.string("InstanceType"))
	switch {
	case !c.has("InstanceType"):
		return nil, missingParameter("InstanceType")
	case !known:
		return nil, refuse(400, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.")
	case !oneOf(c.string("SpotStrategy"), "", "NoSpot", "SpotWithPriceLimit", "SpotAsPriceGo"):
		return nil, refuse(400, "InvalidSpotStrategy", "The specified SpotStrategy is not valid.")
	case c.has("ImageId") && !slices.ContainsFunc(c.server.options.Catalogue.images(c.region.ID), func(i *Image) bool { return i.ID == c.string("ImageId") }):
		return nil, refuse(404, "InvalidImageId.NotFound", "The specified ImageId does not exist.")
	case t.HourlyPrice == 0:
		return nil, refuse(400, "PriceNotFound", "The price of the specified resource is not found.")
	}
	trade := t.HourlyPrice
	if !oneOf(c.string("SpotStrategy"), "", "NoSpot") {
		trade = c.spotPrice(t, orDefault(c.string("ZoneId"), c.region.Zones[0]), c.now)
	}
	category := orDefault(c.string("SystemDisk.Category"), t.DiskCategories[0])
	if !slices.Contains(t.DiskCategories, category) {
		return nil, refuse(403, "InvalidDiskCategory.NotSupported", "The specified disk category is not supported by the instance type.")
	}
	prices := c.server.options.Catalogue.Prices
	system := prices.disk(category, c.string("SystemDisk.PerformanceLevel"), c.integer("SystemDisk.Size", 40))
	bandwidth := 0.0
	if c.string("InternetChargeType") == "PayByBandwidth" {
		bandwidth = prices.MbpsHour * float64(c.integer("InternetMaxBandwidthOut", 0))
	}
	data, refusal := c.priceDisks(factor)
	if refusal != nil {
		return nil, refusal
	}
	return append([]priceDetail{
		newPriceDetail("instanceType", t.HourlyPrice*factor, trade*factor),
		newPriceDetail("image", 0, 0),
		newPriceDetail("bandwidth", bandwidth*factor, bandwidth*factor),
		newPriceDetail("systemDisk", system*factor, system*factor),
	}, data...), nil
}

func (c *call) priceDisks(factor float64) ([]priceDetail, *APIError) {
	var details []priceDetail
	for n := range c.parameters.count("DataDisk") {
		prefix := element("DataDisk", n+1) + "."
		category, size := orDefault(c.string(prefix+"Category"), "cloud_efficiency"), c.integer(prefix+"Size", 0)
		if !slices.Contains(dataCategories(), category) {
			return nil, refuse(403, "InvalidDiskCategory.NotSupported", "The specified disk category is not supported.")
		}
		price := c.server.options.Catalogue.Prices.disk(category, c.string(prefix+"PerformanceLevel"), size) * factor
		details = append(details, newPriceDetail("dataDisk", price, price))
	}
	return details, nil
}

func newPriceDetail(resource string, original, trade float64) priceDetail {
	detail := priceDetail{Resource: resource, OriginalPrice: cents(original), TradePrice: cents(trade), DiscountPrice: cents(original - trade)}
	detail.SubRules.Rule = []struct{}{}
	return detail
}
