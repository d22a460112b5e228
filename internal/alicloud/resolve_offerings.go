package alicloud

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// makeOfferings is the product of the class's lists, type by type, then capacity type
// by capacity type, less what is not sold.
func (c *classResolution) makeOfferings() {
	c.orderByPrice()

	for _, typeID := range c.candidates {
		instanceType := c.types[typeID]
		offers, processor := resources(instanceType), architecture(instanceType.CPUArchitecture)

		for _, name := range c.spec.CapacityTypes {
			capacityType := v1alpha3.CapacityType(name)

			if reason := c.neverSold(instanceType, capacityType); reason != "" {
				c.exclusions.add(typeID, reason)

				continue
			}

			for i := range c.vswitches {
				vswitch := &c.vswitches[i]

				stock, sold := c.stock[capacityType][place{vswitch.Zone, typeID}]
				if !sold {
					c.exclusions.add(typeID, c.notSold(vswitch.Zone, name))

					continue
				}

				c.offerings = append(c.offerings, c.withPrice(v1alpha3.MachineClassOffering{
					ID:           typeID + "/" + vswitch.ID + "/" + name,
					InstanceType: typeID,
					Region:       c.spec.Region,
					Zone:         vswitch.Zone,
					Network:      vswitch.ID,
					CapacityType: capacityType,
					Availability: availabilityIn(stock, vswitch),
					Resources:    offers,
					Architecture: processor,
					ValidUntil:   c.validUntil,
				}))
			}
		}
	}
}

// neverSold tells why ECS never sells a type in one way; empty where it may.
func (c *classResolution) neverSold(instanceType ecs.InstanceType, capacityType v1alpha3.CapacityType) string {
	stops := c.spec.Spot != nil && c.spec.Spot.Interruption == "stop"

	// RunInstances: InvalidSpotInterruptionBehavior.LocalDiskNotSupport.
	if capacityType == v1alpha3.CapacityTypeSpot && stops && instanceType.LocalDisks > 0 {
		return "it has local disks, and spot.interruption is stop (spot)"
	}

	return ""
}

// availabilityIn takes a vSwitch without free addresses for a place where the type is
// sold out: addresses come back as stock does.
func availabilityIn(stock ecs.ZoneStock, vswitch *ecs.VSwitch) v1alpha3.Availability {
	told := availability(stock)
	if free := vswitch.AvailableIPCount; free != nil && *free < 1 && told != v1alpha3.AvailabilityDiscontinued {
		return v1alpha3.AvailabilitySoldOut
	}

	return told
}

func (c *classResolution) loadPrices(ctx context.Context) error {
	c.priced = true

	keys := make([]priceKey, 0, len(c.candidates)*len(c.spec.CapacityTypes))

	for _, typeID := range c.candidates {
		for _, name := range c.spec.CapacityTypes {
			if c.soldAnywhere(typeID, v1alpha3.CapacityType(name)) {
				keys = append(keys, c.priceKey(typeID, v1alpha3.CapacityType(name)))
			}
		}
	}

	return c.prices.look(ctx, c.client, keys)
}

func (c *classResolution) soldAnywhere(typeID string, capacityType v1alpha3.CapacityType) bool {
	return slices.ContainsFunc(c.vswitches, func(vswitch ecs.VSwitch) bool {
		_, sold := c.stock[capacityType][place{vswitch.Zone, typeID}]

		return sold
	})
}

func (c *classResolution) priceKey(typeID string, capacityType v1alpha3.CapacityType) priceKey {
	key := priceKey{region: c.spec.Region, instanceType: typeID, capacityType: capacityType, unit: "Hour", period: 1}

	if capacityType == v1alpha3.CapacityTypeSubscription && c.spec.Subscription != nil {
		key.period, key.unit, _ = c.spec.Subscription.asSold()

		// DescribePrice sells by the year what RunInstances does by twelve months.
		if key.unit == "Month" && key.period%monthsOfYear == 0 {
			key.period, key.unit = key.period/monthsOfYear, "Year"
		}
	}

	return key
}

// withPrice fills an offering's price in, where one was asked for and can be had.
func (c *classResolution) withPrice(offering v1alpha3.MachineClassOffering) v1alpha3.MachineClassOffering {
	price, ok := c.hourly(&offering)
	if !ok {
		return offering
	}

	if quantity, err := resource.ParseQuantity(decimal(price.Amount)); err == nil {
		offering.Price = &v1alpha3.Price{PerHour: quantity, Currency: price.Currency}
	}

	return offering
}

// decimal writes an amount with at most six decimals, which is finer than any price.
func decimal(amount float64) string {
	text := strconv.FormatFloat(amount, 'f', 6, 64)

	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// orderByPrice puts the cheapest type first where the class wants that. What a type
// costs is its lowest price in the first way to pay that has one; types without a
// price come last, in their own order.
func (c *classResolution) orderByPrice() {
	if c.spec.TypeOrder != typeOrderCheapest {
		return
	}

	lowest := map[string]float64{}
	for _, typeID := range c.candidates {
		lowest[typeID] = c.lowestPrice(typeID)
	}

	slices.SortStableFunc(c.candidates, func(a, b string) int { return cmp.Compare(lowest[a], lowest[b]) })
}

func (c *classResolution) lowestPrice(typeID string) float64 {
	for _, name := range c.spec.CapacityTypes {
		lowest := math.Inf(1)

		for _, zone := range c.zones() {
			capacityType := v1alpha3.CapacityType(name)

			if _, sold := c.stock[capacityType][place{zone, typeID}]; !sold {
				continue
			}

			if price, ok := c.prices.hourly(c.priceKey(typeID, capacityType), zone); ok {
				lowest = min(lowest, price.Amount)
			}
		}

		if !math.IsInf(lowest, 1) {
			return lowest
		}
	}

	return math.Inf(1)
}

func resources(instanceType ecs.InstanceType) map[string]resource.Quantity {
	quantities := map[string]resource.Quantity{
		"cpu":    *resource.NewQuantity(instanceType.VCPUs, resource.DecimalSI),
		"memory": *resource.NewQuantity(int64(instanceType.MemoryGiB*(1<<30)), resource.BinarySI),
	}

	if instanceType.GPUs > 0 {
		quantities["gpu"] = *resource.NewQuantity(instanceType.GPUs, resource.DecimalSI)
	}

	return quantities
}

// hourly returns the price of an offering; false where it is not known.
func (c *classResolution) hourly(offering *v1alpha3.MachineClassOffering) (ecs.Price, bool) {
	if !c.priced {
		return ecs.Price{}, false
	}

	return c.prices.hourly(c.priceKey(offering.InstanceType, offering.CapacityType), offering.Zone)
}
