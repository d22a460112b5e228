package ecsemulator

import "strings"

const modifyDiskAttributeParameters = `
string: Description DiskId DiskIds.N DiskName
boolean: BurstingEnabled DeleteAutoSnapshot DeleteWithInstance EnableAutoSnapshot
`

// modifyDiskAttribute changes one disk, or many alike. Source of the codes: the ModifyDiskAttribute page.
func modifyDiskAttribute() *action {
	a := ecsAction("ModifyDiskAttribute", modifyDiskAttributeParameters, func(c *call) (any, *APIError) {
		ids := c.list("DiskIds")
		if one := c.string("DiskId"); one != "" {
			if len(ids) > 0 {
				return nil, refuse(400, "InvalidParameter.Combination", "DiskId and DiskIds cannot be used together.")
			}
			ids = []string{one}
		}
		switch {
		case len(ids) == 0:
			return nil, missingParameter("DiskId")
		case len(ids) > 100:
			return nil, invalidParameter("DiskIds")
		case c.has("DiskName") && !validName(c.string("DiskName")):
			return nil, refuse(400, "InvalidDiskName.Malformed", "The specified DiskName is not valid.")
		case c.has("Description") && !validDescription(c.string("Description")):
			return nil, refuse(400, "InvalidDescription.Malformed", "The specified Description is not valid.")
		}
		disks := make([]*disk, 0, len(ids))
		for _, id := range ids {
			d := c.account.disks[id]
			if d == nil || c.region != nil && d.regionID != c.region.ID {
				return nil, refuse(404, "InvalidDiskId.NotFound", "The specified DiskId does not exist.")
			}
			if refusal := c.checkDiskAttributes(d); refusal != nil {
				return nil, refusal
			}
			disks = append(disks, d)
		}
		for _, d := range disks {
			d.name, d.description = orDefault(c.string("DiskName"), d.name), orDefault(c.string("Description"), d.description)
			d.deleteWithInstance = c.boolean("DeleteWithInstance", d.deleteWithInstance)
			d.deleteAutoSnapshot = c.boolean("DeleteAutoSnapshot", d.deleteAutoSnapshot)
			d.enableAutoSnapshot = c.boolean("EnableAutoSnapshot", d.enableAutoSnapshot)
			d.burstingEnabled = c.boolean("BurstingEnabled", d.burstingEnabled)
			c.noteResource(d.id, d.regionID, "modified", "")
		}
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

func (c *call) checkDiskAttributes(d *disk) *APIError {
	switch {
	case d.ephemeral() && c.has("DeleteWithInstance") && !c.boolean("DeleteWithInstance", true):
		return refuse(403, "DeleteWithInstance.Conflict", "The specified disk cannot outlive its instance.")
	case c.boolean("BurstingEnabled", false) && d.category != "cloud_auto":
		return refuse(403, "InvalidDiskCategory.NotSupported", "The specified disk category does not support bursting.")
	}
	return nil
}

func (d *disk) ephemeral() bool { return strings.HasPrefix(d.category, "elastic_ephemeral_disk") }
