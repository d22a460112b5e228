package ecsemulator

import (
	"slices"
	"strings"
)

const describeAvailableResourceParameters = `
string: DataDiskCategory DedicatedHostId DestinationResource InstanceChargeType InstanceType IoOptimized
string: NetworkCategory ResourceType Scope SpotStrategy SystemDiskCategory ZoneId
integer: Cores SpotDuration
number: Memory
`

type describeAvailableResourceAnswer struct {
	AvailableZones struct{ AvailableZone []availableZone }
}

type availableZone struct {
	RegionID           string `json:"RegionId"`
	ZoneID             string `json:"ZoneId"`
	Status             string
	StatusCategory     string
	AvailableResources struct{ AvailableResource []availableResource }
}

type availableResource struct {
	Type               string
	SupportedResources struct{ SupportedResource []supportedResource }
}

type supportedResource struct {
	Value          string
	Status         string
	StatusCategory string
	Min            int    `json:",omitempty"`
	Max            int    `json:",omitempty"`
	Unit           string `json:",omitempty"`
}

func describeAvailableResource() *action {
	return ecsAction("DescribeAvailableResource", describeAvailableResourceParameters, func(c *call) (any, *APIError) {
		mode, refusal := c.checkAvailability()
		if refusal != nil {
			return nil, refusal
		}
		answer := describeAvailableResourceAnswer{}
		answer.AvailableZones.AvailableZone = []availableZone{}
		for _, zone := range c.region.Zones {
			if c.has("ZoneId") && c.string("ZoneId") != zone {
				continue
			}
			if found := c.supported(zone, mode); len(found) > 0 {
				answer.AvailableZones.AvailableZone = append(answer.AvailableZones.AvailableZone, c.answerZone(zone, found))
			}
		}
		return answer, nil
	})
}

func (c *call) checkAvailability() (ChargeMode, *APIError) {
	destination := c.string("DestinationResource")
	switch {
	case destination == "":
		return "", missingParameter("DestinationResource")
	case !oneOf(destination, "Zone", "IoOptimized", "InstanceType", "Network", "SystemDisk", "DataDisk"):
		return "", refuse(404, "Invalid.DestinationResource", "The specified DestinationResource is not valid.")
	case destination == "SystemDisk" && !c.has("InstanceType"):
		return "", missingParameter("InstanceType")
	case c.has("ZoneId") && !slices.Contains(c.region.Zones, c.string("ZoneId")):
		return "", refuse(404, "Invalid.ZoneId", "The specified ZoneId is not valid.")
	case !oneOf(c.string("IoOptimized"), "", "optimized", "none"):
		return "", refuse(404, "Invalid.IoOptimized", "The specified IoOptimized is not valid.")
	case !oneOf(c.string("ResourceType"), "", "instance", "disk", "reservedinstance", "ddh"):
		return "", refuse(404, "Invalid.ResourceType", "The specified ResourceType is not valid.")
	case !oneOf(c.string("NetworkCategory"), "", "vpc", "classic"):
		return "", refuse(404, "Invalid.NetworkCategory", "The specified NetworkCategory is not valid.")
	case !oneOf(c.string("SpotStrategy"), "", "NoSpot", "SpotWithPriceLimit", "SpotAsPriceGo"):
		return "", refuse(404, "Invalid.SpotStrategy", "The specified SpotStrategy is not valid.")
	}
	switch c.string("InstanceChargeType") {
	case "", "PostPaid":
		if !oneOf(c.string("SpotStrategy"), "", "NoSpot") {
			return ChargeSpot, nil
		}
		return ChargePostPaid, nil
	case "PrePaid":
		return ChargePrePaid, nil
	default:
		return "", refuse(404, "Invalid.InstanceChargeType", "The specified InstanceChargeType is not valid.")
	}
}

// supported lists what a zone has of the destination resource.
func (c *call) supported(zone string, mode ChargeMode) []supportedResource {
	var found []supportedResource
	var categories []string
	for n := range c.server.options.Catalogue.InstanceTypes {
		t := &c.server.options.Catalogue.InstanceTypes[n]
		if !t.soldIn(zone) || !c.fitAvailability(t) {
			continue
		}
		if c.string("DestinationResource") == "InstanceType" {
			category := c.server.shownStock(zone, t.ID, mode)
			found = append(found, supportedResource{Value: t.ID, Status: stockStatus(category), StatusCategory: category})
		}
		for _, category := range t.DiskCategories {
			if !slices.Contains(categories, category) {
				categories = append(categories, category)
			}
		}
	}
	plenty := func(value string) supportedResource {
		return supportedResource{Value: value, Status: "Available", StatusCategory: "WithStock"}
	}
	switch c.string("DestinationResource") {
	case "SystemDisk", "DataDisk":
		for _, category := range categories {
			disk := plenty(category)
			disk.Min, disk.Max = sizeRange(category, "", c.string("DestinationResource") == "SystemDisk")
			disk.Unit = "GiB"
			found = append(found, disk)
		}
	case "Zone":
		found = append(found, plenty(zone))
	case "IoOptimized":
		found = append(found, plenty("optimized"))
	case "Network":
		found = append(found, plenty("vpc"))
	}
	return found
}

func (c *call) fitAvailability(t *InstanceType) bool {
	return (!c.has("InstanceType") || c.string("InstanceType") == t.ID) &&
		(!c.has("Cores") || c.integer("Cores", 0) == t.VCPUs) &&
		(!c.has("Memory") || c.number("Memory", 0) == t.MemoryGiB) &&
		(!c.has("SystemDiskCategory") || slices.Contains(t.DiskCategories, c.string("SystemDiskCategory"))) &&
		(!c.has("DataDiskCategory") || slices.Contains(t.DiskCategories, c.string("DataDiskCategory")))
}

func stockStatus(category string) string {
	if strings.HasSuffix(category, "WithoutStock") {
		return "SoldOut"
	}
	return "Available"
}

func (c *call) answerZone(zone string, found []supportedResource) availableZone {
	answer := availableZone{RegionID: c.region.ID, ZoneID: zone, Status: "SoldOut", StatusCategory: "WithoutStock"}
	for _, resource := range found {
		if resource.Status == "Available" {
			answer.Status = "Available"
			answer.StatusCategory = "WithStock"
		}
	}
	resource := availableResource{Type: c.string("DestinationResource")}
	resource.SupportedResources.SupportedResource = found
	answer.AvailableResources.AvailableResource = []availableResource{resource}
	return answer
}
