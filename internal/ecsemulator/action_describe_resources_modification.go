package ecsemulator

const describeResourcesModificationParameters = `
string: Conditions.N DestinationResource InstanceType OperationType ResourceId ZoneId
integer: Cores
boolean: MigrateAcrossZone
number: Memory
`

// describeResourcesModification tells to which types an instance can be changed, or which system disks go with such a type.
func describeResourcesModification() *action {
	return ecsAction("DescribeResourcesModification", describeResourcesModificationParameters, func(c *call) (any, *APIError) {
		destination := c.string("DestinationResource")
		switch {
		case !c.has("ResourceId"):
			return nil, missingParameter("ResourceId")
		case destination == "":
			return nil, missingParameter("DestinationResource")
		case !oneOf(destination, "InstanceType", "SystemDisk"):
			return nil, refuse(404, "Invalid.DestinationResource", "The specified DestinationResource is not valid.")
		case destination == "SystemDisk" && !c.has("InstanceType"):
			return nil, missingParameter("InstanceType")
		case !oneOf(c.string("OperationType"), "", "Upgrade", "Downgrade", "RenewDowngrade", "RenewModify"):
			return nil, refuse(404, "Invalid.OperationType", "The specified OperationType is not valid.")
		}
		i, found := c.find(c.string("ResourceId"))
		if !found {
			return nil, refuse(404, "Invalid.ResourceId.NotFound", "The specified ResourceId does not exist.")
		}
		answer := describeAvailableResourceAnswer{}
		answer.AvailableZones.AvailableZone = []availableZone{}
		if resources := c.modifications(i); len(resources) > 0 {
			answer.AvailableZones.AvailableZone = append(answer.AvailableZones.AvailableZone, c.answerZone(i.zoneID, resources))
		}
		return answer, nil
	})
}

func (c *call) modifications(i *instance) []supportedResource {
	var found []supportedResource
	types := c.server.options.Catalogue.InstanceTypes
	for n := range types {
		t := &types[n]
		if !t.soldIn(i.zoneID) || !i.canBecome(t) || c.has("Cores") && c.integer("Cores", 0) != t.VCPUs ||
			c.has("Memory") && c.number("Memory", 0) != t.MemoryGiB || c.has("InstanceType") && c.string("InstanceType") != t.ID {
			continue
		}
		if c.string("DestinationResource") == "InstanceType" {
			if t.ID != i.instanceType.ID {
				category := c.server.shownStock(i.zoneID, t.ID, i.chargeMode)
				found = append(found, supportedResource{Value: t.ID, Status: stockStatus(category), StatusCategory: category})
			}
			continue
		}
		for _, category := range t.DiskCategories {
			resource := supportedResource{Value: category, Status: "Available", StatusCategory: "WithStock", Unit: "GiB"}
			resource.Min, resource.Max = sizeRange(category, "", true)
			found = append(found, resource)
		}
	}
	return found
}
