package ecsemulator

import "slices"

const deleteDiskParameters = `
string: DiskId
`

// deleteDisk deletes a disk that belongs to no instance. One that does not exist is accepted without a word, as the page says.
func deleteDisk() *action {
	a := ecsAction("DeleteDisk", deleteDiskParameters, func(c *call) (any, *APIError) {
		id := c.string("DiskId")
		if id == "" {
			return nil, missingParameter("DiskId")
		}
		d := c.account.disks[id]
		if d == nil || c.region != nil && d.regionID != c.region.ID {
			return emptyAnswer{}, nil
		}
		switch status := c.account.diskStatus(d, c.now); {
		case status == diskCreating:
			return nil, refuse(403, "IncorrectDiskStatus.Initializing", "The current disk status does not support this operation: it is initializing.")
		case status != diskAvailable && d.system:
			return nil, refuse(403, "DiskTypeViolation", "The specified disk is a system disk and does not support the operation.")
		case status != diskAvailable:
			return nil, refuse(403, "IncorrectDiskStatus", "The current disk status does not support this operation.")
		}
		delete(c.account.disks, id)
		c.account.diskList = slices.DeleteFunc(c.account.diskList, func(other *disk) bool { return other == d })
		c.noteResource(d.id, d.regionID, "deleted", "")
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}
