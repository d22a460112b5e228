package ecsemulator

import (
	"slices"
	"strings"
)

// sizeRange gives the bounds in GiB of a disk by category and performance level. Source: the tables of SystemDisk.Size and
// DataDisk.N.Size of the RunInstances page.
func sizeRange(category, level string, system bool) (least, most int) {
	most = 65536
	if system {
		most = 2048
	}
	switch category {
	case "cloud_essd":
		switch level {
		case "PL0":
			return 1, most
		case "PL2":
			return 461, most
		case "PL3":
			return 1261, most
		default:
			return 20, most
		}
	case "cloud_auto", "cloud_regional_disk_auto":
		return 1, most
	case "cloud":
		if system {
			return 20, 500
		}
		return 5, 2000
	case "cloud_essd_entry":
		return 10, min(most, 32768)
	case "elastic_ephemeral_disk_standard":
		return 64, 8192
	case "elastic_ephemeral_disk_premium":
		return 64, 8192
	default:
		return 20, min(most, 32768)
	}
}

func systemCategories() []string {
	return []string{"cloud_efficiency", "cloud_ssd", "cloud_essd", "cloud", "cloud_auto", "cloud_essd_entry"}
}

func dataCategories() []string {
	return append(systemCategories(), "cloud_regional_disk_auto", "elastic_ephemeral_disk_standard", "elastic_ephemeral_disk_premium")
}

func (l *launch) checkDisks() *APIError {
	if refusal := l.checkSystemDisk(); refusal != nil {
		return refusal
	}
	count := l.parameters.count("DataDisk")
	if count > 16 || count+1 > l.instanceType.Disks {
		return refuse(400, "InstanceDiskNumber.LimitExceed", "The total number of specified disk in an instance exceeds.")
	}
	for n := range count {
		if refusal := l.checkDataDisk(element("DataDisk", n+1) + "."); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (l *launch) checkSystemDisk() *APIError {
	p := "SystemDisk."
	d := l.newDisk(p)
	d.system, d.deleteWithInstance, d.imageID = true, true, l.image.ID
	if d.category == "" {
		d.category = "cloud_efficiency"
		if !slices.Contains(l.instanceType.DiskCategories, d.category) {
			// Types that take only ESSDs: cloud_essd at PL0 since 2026-01-30.
			d.category = l.instanceType.DiskCategories[0]
			if d.category == "cloud_essd" {
				d.performanceLevel = orDefault(d.performanceLevel, "PL0")
			}
		}
	}
	if !slices.Contains(systemCategories(), d.category) {
		return refuse(400, "InvalidSystemDiskCategory.ValueNotSupported", "The specified SystemDisk.Category is not supported.")
	}
	if refusal := l.checkCategory(&d, p); refusal != nil {
		return refusal
	}
	least, most := sizeRange(d.category, d.performanceLevel, true)
	d.sizeGiB = max(40, l.image.SizeGiB)
	if text := l.string(p + "Size"); text != "" {
		size, ok := wholeNumber(text)
		switch {
		case !ok:
			return refuse(404, "InvalidSystemDiskSize", "The specified SystemDisk.Size is not valid.")
		case size < l.image.SizeGiB:
			return refuse(404, "InvalidSystemDiskSize.LessThanImageSize", "The specified SystemDisk.Size is smaller than the image size.")
		case size < least:
			return refuse(404, "InvalidSystemDiskSize.LessThanMinSize", "The specified SystemDisk.Size is smaller than the minimum size.")
		case size > most:
			return refuse(404, "InvalidSystemDiskSize.MoreThanMaxSize", "The specified SystemDisk.Size is larger than the maximum size.")
		}
		d.sizeGiB = size
	}
	if d.sizeGiB < least {
		return refuse(404, "InvalidSystemDiskSize.LessThanMinSize", "The specified SystemDisk.Size is smaller than the minimum size.")
	}
	l.disks = append(l.disks, d)
	return nil
}

func (l *launch) checkDataDisk(p string) *APIError {
	d := l.newDisk(p)
	d.category, d.deleteWithInstance = orDefault(d.category, l.disks[0].category), l.boolean(p+"DeleteWithInstance", true)
	snapshot, known := l.region.snapshot(l.string(p + "SnapshotId"))
	switch {
	case !slices.Contains(dataCategories(), d.category):
		return refuse(400, "InvalidDataDiskCategory.ValueNotSupported", "The specified DataDisk.Category is not supported.")
	case d.ephemeral() && l.has(p+"DeleteWithInstance") && !d.deleteWithInstance:
		return refuse(403, "DeleteWithInstance.Conflict", "The specified disk cannot outlive its instance.")
	case l.has(p+"SnapshotId") && !known:
		return refuse(400, "InvalidSnapshotId.NotFound", "The specified SnapshotId does not exist.")
	case d.device != "" && !validDevice(d.device):
		return refuse(400, "InvalidDataDevice.Malformed", "The specified DataDisk.Device is not valid.")
	case d.device != "" && slices.ContainsFunc(l.disks, func(other disk) bool { return other.device == d.device }):
		return refuse(403, "InvalidDevice.InUse", "The specified DataDisk.Device is used by another disk.")
	}
	if !d.ephemeral() {
		if refusal := l.checkCategory(&d, p); refusal != nil {
			return refusal
		}
	}
	least, most := sizeRange(d.category, d.performanceLevel, false)
	d.sizeGiB = l.integer(p+"Size", 0)
	if known {
		d.sizeGiB, d.snapshotID = snapshot.SizeGiB, snapshot.ID
	}
	if d.sizeGiB < least || d.sizeGiB > most {
		return refuse(400, "InvalidDataDiskSize.ValueNotSupported", "The specified DataDisk.Size must be between %d and %d.", least, most)
	}
	l.disks = append(l.disks, d)
	return nil
}

// checkCategory checks that the type takes the category, and the level that goes with it.
func (l *launch) checkCategory(d *disk, prefix string) *APIError {
	if d.encrypted && d.kmsKeyID != "" && !slices.Contains(l.region.KMSKeys, d.kmsKeyID) {
		return refuse(404, "InvalidParameter.KMSKeyId.NotFound", "The specified KMSKeyId does not exist.")
	}
	if !slices.Contains(l.instanceType.DiskCategories, d.category) {
		return refuse(403, "InvalidDiskCategory.NotSupported", "The specified disk category is not supported by the instance type.")
	}
	if d.category == "cloud_essd" {
		d.performanceLevel = orDefault(d.performanceLevel, "PL1")
		if !oneOf(d.performanceLevel, "PL0", "PL1", "PL2", "PL3") {
			return refuse(400, "InvalidPerformanceLevel.ValueNotSupported", "The specified PerformanceLevel is not supported.")
		}
	} else if d.performanceLevel != "" {
		return refuse(403, "OperationDenied.PerformanceLevelNotMatch", "The specified PerformanceLevel does not match the disk category.")
	}
	if d.category != "cloud_auto" && (l.has(prefix+"ProvisionedIops") || l.boolean(prefix+"BurstingEnabled", false)) {
		return invalidParameter(prefix + "ProvisionedIops")
	}
	return nil
}

func validDevice(device string) bool {
	letter, found := strings.CutPrefix(device, "/dev/xvd")
	return found && len(letter) == 1 && letter[0] >= 'b' && letter[0] <= 'z'
}

// wholeNumber reads what SystemDisk.Size, a string in the API, must hold.
func wholeNumber(text string) (int, bool) {
	p := parameters{values: map[string]string{"n": text}}
	n := p.integer("n", -1)
	return n, n >= 0
}
