package ecsemulator

import "slices"

const describeDisksParameters = `
string: AdditionalAttributes.N AutoSnapshotPolicyId Category DiskChargeType DiskName DiskType
string: Filter.N.Key Filter.N.Value InstanceId KMSKeyId LockReason MultiAttach NextToken ResourceGroupId
string: SnapshotId Status Tag.N.Key Tag.N.Value ZoneId
integer: MaxResults PageNumber PageSize
boolean: DeleteAutoSnapshot DeleteWithInstance DryRun EnableAutoSnapshot EnableAutomatedSnapshotPolicy
boolean: EnableShared Encrypted Portable
string 8192: DiskIds
`

type describeDisksAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	NextToken  string
	Disks      struct{ Disk []diskAnswer }
}

type diskAnswer struct {
	DiskID             string `json:"DiskId"`
	DiskName           string
	Description        string
	RegionID           string `json:"RegionId"`
	ZoneID             string `json:"ZoneId"`
	InstanceID         string `json:"InstanceId"`
	ImageID            string `json:"ImageId"`
	Type               string
	Category           string
	PerformanceLevel   string
	Size               int
	Status             string
	Device             string
	DiskChargeType     string
	DeleteWithInstance bool
	DeleteAutoSnapshot bool
	Encrypted          bool
	Portable           bool
	CreationTime       string
	AttachedTime       string
	ExpiredTime        string
	Tags               tagList
	OperationLocks     struct{ OperationLock []struct{} }
}

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
		if !oneOf(c.string("DiskType"), "", "all", "system", "data") {
			return nil, invalidParameter("DiskType")
		}
		if c.boolean("DryRun", false) {
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
		page, refusal := c.pageEither(keys, 10, 500)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeDisksAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken}
		answer.Disks.Disk = []diskAnswer{}
		for _, d := range found[page.first:page.end] {
			answer.Disks.Disk = append(answer.Disks.Disk, d.answer())
		}
		return answer, nil
	})
}

func (d *disk) status() string {
	if d.instanceID == "" {
		return "Available"
	}
	return "In_use"
}

func (d *disk) kind() string {
	if d.system {
		return "system"
	}
	return "data"
}

func (c *call) fitDisk(d *disk) bool {
	return matches(c.string("InstanceId"), d.instanceID) && (oneOf(c.string("DiskType"), "", "all") || c.string("DiskType") == d.kind()) &&
		(oneOf(c.string("Status"), "", "All") || c.string("Status") == d.status()) && matches(c.string("ZoneId"), d.zoneID) &&
		(oneOf(c.string("Category"), "", "all") || c.string("Category") == d.category) && matches(c.string("DiskName"), d.name) &&
		(!c.has("DeleteWithInstance") || c.boolean("DeleteWithInstance", false) == d.deleteWithInstance) &&
		(!c.has("Encrypted") || c.boolean("Encrypted", false) == d.encrypted) && oneOf(c.string("DiskChargeType"), "", "PostPaid") &&
		!c.has("SnapshotId") && !c.has("AutoSnapshotPolicyId") && !c.has("LockReason") && !c.has("KMSKeyId")
}

func (d *disk) answer() diskAnswer {
	a := diskAnswer{
		DiskID: d.id, DiskName: d.name, Description: d.description, RegionID: d.regionID, ZoneID: d.zoneID, InstanceID: d.instanceID,
		ImageID: d.imageID, Type: d.kind(), Category: d.category, PerformanceLevel: d.performanceLevel, Size: d.sizeGiB, Status: d.status(),
		Device: d.device, DiskChargeType: "PostPaid", DeleteWithInstance: d.deleteWithInstance, Encrypted: d.encrypted, Portable: !d.system,
		CreationTime: d.createdAt.Format(secondLayout), AttachedTime: d.createdAt.Format(secondLayout), ExpiredTime: neverExpires,
		Tags: tagList{sortedTags(d.tags)},
	}
	a.OperationLocks.OperationLock = []struct{}{}
	return a
}
