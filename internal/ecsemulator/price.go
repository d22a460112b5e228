package ecsemulator

import (
	"math"
	"slices"
	"time"
)

// Prices is what things other than instance types cost.
type Prices struct {
	// Currency is CNY when empty.
	Currency string `json:"currency,omitempty"`
	// DiskGiBHour is what a GiB of disk costs an hour, by category; for cloud_essd by category and level: "cloud_essd PL1".
	DiskGiBHour map[string]float64 `json:"disk_gib_hour,omitempty"`
	// MbpsHour is what a Mbit/s of bandwidth costs an hour, paid by bandwidth.
	MbpsHour float64 `json:"mbps_hour,omitempty"`
	// SubscriptionHours is as how many hours on demand a Week, Month or Year of subscription is charged.
	SubscriptionHours map[string]float64 `json:"subscription_hours,omitempty"`
}

func (p Prices) currency() string { return orDefault(p.Currency, "CNY") }

// hours is as how many hours on demand one PriceUnit is charged.
func (p Prices) hours(unit string) float64 {
	if unit == "Hour" {
		return 1
	}
	return p.SubscriptionHours[unit]
}

func (p Prices) disk(category, level string, sizeGiB int) float64 {
	if category == "cloud_essd" {
		category += " " + orDefault(level, "PL1")
	}
	return p.DiskGiBHour[category] * float64(sizeGiB)
}

// spotPrice is what a spot instance costs an hour at a moment. It differs from zone to zone and moves from hour to hour, by up to a
// tenth: always in the same way, so that a test can rely on it. Zero means that there is no price.
func (c *call) spotPrice(t *InstanceType, zone string, at time.Time) float64 {
	position := 0
	for _, region := range c.server.options.Catalogue.Regions {
		if n := slices.Index(region.Zones, zone); n >= 0 {
			position = n
		}
	}
	sway := float64(at.Unix()/3600%5) * 0.01
	price := t.SpotHourlyPrice * (1 + 0.02*float64(position%4) + sway)
	return math.Round(math.Min(price, max(t.HourlyPrice, t.SpotHourlyPrice))*1000) / 1000
}

// cents rounds to what prices are told in.
func cents(price float64) float64 { return math.Round(price*10000) / 10000 }

// tradePrice is what the instances of a launch cost: an hour, or the period of a subscription.
func (l *launch) tradePrice() float64 {
	hourly := l.instanceType.HourlyPrice
	prices := l.server.options.Catalogue.Prices
	switch l.mode {
	case ChargeSpot:
		hourly = l.spotPrice(l.instanceType, l.vswitch.Zone, l.now)
	case ChargePrePaid:
		hourly *= prices.hours(orDefault(l.string("PeriodUnit"), "Month")) * float64(l.integer("Period", 0))
	case ChargePostPaid:
	}
	return cents(hourly * float64(l.count))
}
