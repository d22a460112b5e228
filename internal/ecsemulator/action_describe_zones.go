package ecsemulator

import "slices"

const describeZonesParameters = `
string: AcceptLanguage InstanceChargeType SpotStrategy
boolean: Verbose
`

const describeRegionsParameters = `
string: AcceptLanguage InstanceChargeType ResourceType
`

type describeZonesAnswer struct {
	Zones struct{ Zone []zoneAnswer }
}

type zoneAnswer struct {
	ZoneID                    string `json:"ZoneId"`
	LocalName                 string
	ZoneType                  string
	AvailableResourceCreation struct{ ResourceTypes []string }
	AvailableInstanceTypes    struct{ InstanceTypes []string }
	AvailableDiskCategories   struct{ DiskCategories []string }
}

func describeZones() *action {
	return ecsAction("DescribeZones", describeZonesParameters, func(c *call) (any, *APIError) {
		answer := describeZonesAnswer{}
		answer.Zones.Zone = []zoneAnswer{}
		for _, id := range c.region.Zones {
			zone := zoneAnswer{ZoneID: id, LocalName: c.localName(*c.region) + " " + id[len(id)-1:], ZoneType: "AvailabilityZone"}
			zone.AvailableResourceCreation.ResourceTypes = []string{"IoOptimized", "Instance", "VSwitch", "Disk"}
			zone.AvailableInstanceTypes.InstanceTypes, zone.AvailableDiskCategories.DiskCategories = []string{}, []string{}
			if c.boolean("Verbose", true) {
				c.describeZone(&zone)
			}
			answer.Zones.Zone = append(answer.Zones.Zone, zone)
		}
		return answer, nil
	})
}

func (c *call) describeZone(zone *zoneAnswer) {
	types := c.server.options.Catalogue.InstanceTypes
	for n := range types {
		if !types[n].soldIn(zone.ZoneID) {
			continue
		}
		zone.AvailableInstanceTypes.InstanceTypes = append(zone.AvailableInstanceTypes.InstanceTypes, types[n].ID)
		for _, category := range types[n].DiskCategories {
			if !slices.Contains(zone.AvailableDiskCategories.DiskCategories, category) {
				zone.AvailableDiskCategories.DiskCategories = append(zone.AvailableDiskCategories.DiskCategories, category)
			}
		}
	}
}

// localName is in Chinese unless another language is asked for.
func (c *call) localName(region Region) string {
	if oneOf(c.string("AcceptLanguage"), "", "zh-CN") {
		return region.NameZh
	}
	return region.Name
}

type describeRegionsAnswer struct {
	Regions struct{ Region []regionAnswer }
}

type regionAnswer struct {
	RegionID       string `json:"RegionId"`
	LocalName      string
	RegionEndpoint string
	Status         string
}

func describeRegions() *action {
	a := ecsAction("DescribeRegions", describeRegionsParameters, func(c *call) (any, *APIError) {
		answer := describeRegionsAnswer{}
		for _, region := range c.server.options.Catalogue.Regions {
			answer.Regions.Region = append(answer.Regions.Region, regionAnswer{
				RegionID: region.ID, LocalName: c.localName(region), RegionEndpoint: "ecs." + region.ID + ".aliyuncs.com", Status: "available",
			})
		}
		return answer, nil
	})
	a.anyRegion = true
	return a
}
