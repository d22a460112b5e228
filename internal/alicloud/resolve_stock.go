package alicloud

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// loadStock asks what is sold and in stock: one call for each capacity type, and one
// more for each further category of data disks.
func (c *classResolution) loadStock(ctx context.Context) error {
	c.stock = map[v1alpha3.CapacityType]map[place]ecs.ZoneStock{}

	for _, name := range c.spec.CapacityTypes {
		capacityType := v1alpha3.CapacityType(name)

		for i, query := range c.stockQueries(capacityType) {
			sold, err := c.client.AvailableTypes(ctx, query)
			if err != nil {
				return c.callError("looking up the stock", err)
			}

			byPlace := make(map[place]ecs.ZoneStock, len(sold))
			for _, entry := range sold {
				byPlace[place{entry.Zone, entry.InstanceType}] = entry
			}

			if i == 0 {
				c.stock[capacityType] = byPlace

				continue
			}

			// What is sold with one category and not with another is not sold.
			for at := range c.stock[capacityType] {
				if _, ok := byPlace[at]; !ok {
					delete(c.stock[capacityType], at)
				}
			}
		}
	}

	return nil
}

func (c *classResolution) stockQueries(capacityType v1alpha3.CapacityType) []ecs.StockQuery {
	query := ecs.StockQuery{Region: c.spec.Region, ChargeType: postPaid, SpotStrategy: noSpot}

	switch capacityType {
	case v1alpha3.CapacityTypeOnDemand:
	case v1alpha3.CapacityTypeSpot:
		query.SpotStrategy = spotAtMarketPrice
	case v1alpha3.CapacityTypeSubscription:
		query.ChargeType = prePaid
	}

	if len(c.candidates) == 1 {
		query.InstanceType = c.candidates[0]
	}

	if zones := c.zones(); len(zones) == 1 {
		query.Zone = zones[0]
	}

	if c.spec.SystemDisk != nil {
		query.SystemDiskCategory = c.spec.SystemDisk.Category
	}

	var queries []ecs.StockQuery

	for _, category := range c.dataDiskCategories() {
		query.DataDiskCategory = category
		queries = append(queries, query)
	}

	if len(queries) == 0 {
		return []ecs.StockQuery{query}
	}

	return queries
}

// dataDiskCategories are those of the class that are sold apart from the type.
func (c *classResolution) dataDiskCategories() []string {
	var categories []string

	for i := range c.spec.DataDisks {
		category := c.spec.dataDisk(i).Category
		if category != "" && !strings.HasPrefix(category, ephemeralCategory) && !slices.Contains(categories, category) {
			categories = append(categories, category)
		}
	}

	return categories
}

// notSold says why an offering is not one.
func (c *classResolution) notSold(zone, capacityType string) string {
	disks := ""
	if c.spec.SystemDisk != nil && c.spec.SystemDisk.Category != "" {
		disks = fmt.Sprintf(" with a system disk of the category %s", c.spec.SystemDisk.Category)
	}

	if categories := c.dataDiskCategories(); len(categories) > 0 {
		disks += fmt.Sprintf(" with data disks of the category %s", strings.Join(categories, " and "))
	}

	return fmt.Sprintf("not sold in %s as %s%s", zone, capacityType, disks)
}

func availability(stock ecs.ZoneStock) v1alpha3.Availability {
	switch stock.StatusCategory {
	case "WithStock":
		return v1alpha3.AvailabilityAvailable
	case "ClosedWithStock":
		return v1alpha3.AvailabilityLow
	case "WithoutStock":
		return v1alpha3.AvailabilitySoldOut
	case "ClosedWithoutStock":
		return v1alpha3.AvailabilityDiscontinued
	}

	// The category is left out where there is nothing to add to the status.
	switch stock.Status {
	case "Available":
		return v1alpha3.AvailabilityAvailable
	case "SoldOut":
		return v1alpha3.AvailabilitySoldOut
	default:
		return v1alpha3.AvailabilityUnknown
	}
}
