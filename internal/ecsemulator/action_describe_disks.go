package ecsemulator

import (
	"slices"
	"strconv"
	"time"
)

const describeDisksParameters = `
string: AdditionalAttributes.N AutoSnapshotPolicyId Category DiskChargeType DiskName DiskType
string: Filter.N.Key Filter.N.Value InstanceId KMSKeyId LockReason MultiAttach NextToken ResourceGroupId
string: SnapshotId Status Tag.N.Key Tag.N.Value ZoneId
integer: MaxResults PageNumber PageSize
boolean: DeleteAutoSnapshot DeleteWithInstance DryRun EnableAutoSnapshot EnableAutomatedSnapshotPolicy
boolean: EnableShared Encrypted Portable
string 8192: DiskIds
`

// The values of a disk's Status that there are here.
const (
	diskCreating  = "Creating"
	diskInUse     = "In_use"
	diskAvailable = "Available"
)

func describeDisks() *action {
	return ecsAction("DescribeDisks", describeDisksParameters, func(c *call) (any, *APIError) {
		ids, byID, refusal := c.jsonList("DiskIds")
		if refusal != nil {
			return nil, refusal
		}
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		times, refusal := c.timeFilters("CreationStartTime", "CreationEndTime")
		if refusal != nil {
			return nil, refusal
		}
		switch {
		case !oneOf(c.string("DiskType"), "", "all", "system", "data"):
			return nil, invalidParameter("DiskType")
		case !oneOf(c.string("Status"), "", "All", diskInUse, diskAvailable, "Attaching", "Detaching", diskCreating, "ReIniting"):
			return nil, invalidParameter("Status")
		case !oneOf(c.string("DiskChargeType"), "", "PostPaid", "PrePaid"):
			return nil, invalidParameter("DiskChargeType")
		case c.boolean("DryRun", false):
			return nil, dryRunPassed()
		}
		var found []*disk
		var keys []string
		for _, d := range slices.Backward(c.account.diskList) {
			if d.regionID == c.region.ID && (!byID || slices.Contains(ids, d.id)) && c.fitDisk(d) && fitTags(filters, d.tags) &&
				times.fit("Creation", d.createdAt) {
				found, keys = append(found, d), append(keys, d.id)
			}
		}
		page, refusal := c.pageEither(keys, 500)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeDisksAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken}
		answer.Disks.Disk = []diskAnswer{}
		for _, d := range found[page.first:page.end] {
			answer.Disks.Disk = append(answer.Disks.Disk, c.answerDisk(d))
		}
		return answer, nil
	})
}

// status follows from the instance: its disks are Creating while it is Pending, then In_use.
func (a *account) diskStatus(d *disk, now time.Time) string {
	i := a.instances[d.instanceID]
	switch {
	case d.instanceID == "":
		return diskAvailable
	case i != nil && i.status(now) == statusPending:
		return diskCreating
	default:
		return diskInUse
	}
}

func (d *disk) kind() string {
	if d.system {
		return "system"
	}
	return "data"
}

func (d *disk) chargeType() string {
	if d.prePaid {
		return "PrePaid"
	}
	return "PostPaid"
}

func (c *call) fitDisk(d *disk) bool {
	for _, filter := range []struct{ name, any, value string }{
		{"InstanceId", "", d.instanceID},
		{"DiskType", "all", d.kind()},
		{"Status", "All", c.account.diskStatus(d, c.now)},
		{"ZoneId", "", d.zoneID},
		{"Category", "all", d.category},
		{"DiskChargeType", "", d.chargeType()},
		{"ResourceGroupId", "", d.resourceGroup},
		{"AutoSnapshotPolicyId", "", d.snapshotPolicyID},
		{"KMSKeyId", "", d.kmsKeyID},
		{"MultiAttach", "", "Disabled"},
		{"SnapshotId", "", ""},
		{"LockReason", "", ""},
	} {
		if value := c.string(filter.name); value != "" && value != filter.any && value != filter.value {
			return false
		}
	}
	for name, value := range map[string]bool{
		"DeleteWithInstance": d.deleteWithInstance, "DeleteAutoSnapshot": d.deleteAutoSnapshot, "EnableAutoSnapshot": d.enableAutoSnapshot,
		"EnableAutomatedSnapshotPolicy": d.snapshotPolicyID != "", "EnableShared": false, "Encrypted": d.encrypted, "Portable": !d.system,
	} {
		if c.has(name) && c.boolean(name, false) != value {
			return false
		}
	}
	return matches(c.string("DiskName"), d.name)
}

func (c *call) answerDisk(d *disk) diskAnswer {
	a := diskAnswer{
		DiskID: d.id, DiskName: d.name, Description: d.description, RegionID: d.regionID, ZoneID: d.zoneID, InstanceID: d.instanceID,
		ImageID: d.imageID, SourceSnapshotID: d.snapshotID, Type: d.kind(), Category: d.category, PerformanceLevel: d.performanceLevel, Size: d.sizeGiB,
		Status: c.account.diskStatus(d, c.now), Device: d.device, DiskChargeType: d.chargeType(), DeleteWithInstance: d.deleteWithInstance,
		DeleteAutoSnapshot: d.deleteAutoSnapshot, EnableAutoSnapshot: d.enableAutoSnapshot, AutoSnapshotPolicyID: d.snapshotPolicyID,
		EnableAutomatedSnapshotPolicy: d.snapshotPolicyID != "", Encrypted: d.encrypted, KMSKeyID: d.kmsKeyID, Portable: !d.system,
		BurstingEnabled: d.burstingEnabled, ProvisionedIOPS: d.provisionedIOPS, MultiAttach: "Disabled", SerialNumber: d.serial,
		ResourceGroupID: d.resourceGroup, CreationTime: d.createdAt.Format(secondLayout), ExpiredTime: neverExpires,
		IOPS: d.iops(), IOPSRead: d.iops(), IOPSWrite: d.iops(), Tags: tagList{sortedTags(d.tags)},
	}
	a.OperationLocks.OperationLock = []struct{}{}
	a.Attachments.Attachment, a.MountInstances.MountInstance = []attachmentAnswer{}, []struct{}{}
	if !d.detachedAt.IsZero() {
		a.DetachedTime = d.detachedAt.Format(secondLayout)
	}
	if !d.attachedAt.IsZero() {
		a.AttachedTime = d.attachedAt.Format(secondLayout)
	}
	if i := c.account.instances[d.instanceID]; i != nil {
		a.Attachments.Attachment = append(a.Attachments.Attachment, attachmentAnswer{d.instanceID, d.device, a.AttachedTime})
		if d.prePaid {
			a.ExpiredTime = i.expires.Format(minuteLayout)
		}
	}
	return a
}

// iops follows the formulas of the page "Disk performance".
func (d *disk) iops() int {
	switch d.category {
	case "cloud_essd":
		most := map[string]int{"PL0": 10000, "PL1": 50000, "PL2": 100000, "PL3": 1000000}[d.performanceLevel]
		each := 50
		if d.performanceLevel == "PL0" {
			each = 12
		}
		return min(1800+each*d.sizeGiB, most)
	case "cloud_auto":
		return max(min(1800+50*d.sizeGiB, 50000), 3000) + d.provisionedIOPS
	case "cloud_ssd":
		return min(1800+30*d.sizeGiB, 25000)
	case "cloud_efficiency":
		return min(1800+8*d.sizeGiB, 5000)
	case "cloud_essd_entry":
		return min(1800+8*d.sizeGiB, 6000)
	default:
		return 300
	}
}

// newDisk reads what RunInstances says of a disk under a prefix such as "DataDisk.1.".
func (l *launch) newDisk(prefix string) disk {
	iops, _ := strconv.Atoi(l.string(prefix + "ProvisionedIops")) // decodeParameters has checked it
	return disk{
		device: l.string(prefix + "Device"), name: l.string(prefix + "DiskName"), description: l.string(prefix + "Description"), category: l.string(prefix + "Category"),
		performanceLevel: l.string(prefix + "PerformanceLevel"), encrypted: l.boolean(prefix+"Encrypted", false),
		kmsKeyID: l.string(prefix + "KMSKeyId"), snapshotPolicyID: l.string(prefix + "AutoSnapshotPolicyId"), provisionedIOPS: iops,
		burstingEnabled: l.boolean(prefix+"BurstingEnabled", false), enableAutoSnapshot: true,
	}
}
