package ecsemulator

import (
	"slices"
	"strconv"
)

const describeSnapshotsParameters = `
string: Category DiskId Filter.N.Key Filter.N.Value InstanceId KMSKeyId NextToken ResourceGroupId SnapshotLinkId SnapshotName SnapshotType
string: SourceDiskType Status Tag.N.Key Tag.N.Value Usage
integer: MaxResults PageNumber PageSize
boolean: DryRun Encrypted
string 8192: SnapshotIds
`

type describeSnapshotsAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	NextToken  string
	Snapshots  struct{ Snapshot []snapshotAnswer }
}

type snapshotAnswer struct {
	SnapshotID     string `json:"SnapshotId"`
	SnapshotName   string
	SnapshotType   string
	SourceDiskID   string `json:"SourceDiskId"`
	SourceDiskSize string
	SourceDiskType string
	Status         string
	Progress       string
	Usage          string
	Available      bool
	Encrypted      bool
	CreationTime   string
	Tags           tagList
}

// describeSnapshots answers the snapshots of the catalogue, all of them finished ones of data disks.
func describeSnapshots() *action {
	return ecsAction("DescribeSnapshots", describeSnapshotsParameters, func(c *call) (any, *APIError) {
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		ids, byID, refusal := c.jsonList("SnapshotIds")
		if refusal != nil {
			return nil, refusal
		}
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		found, keys := []snapshotAnswer{}, []string{}
		for _, snapshot := range c.region.Snapshots {
			if byID && !slices.Contains(ids, snapshot.ID) || len(filters) > 0 || !c.fitSnapshot(snapshot) {
				continue
			}
			found = append(found, snapshotAnswer{
				SnapshotID: snapshot.ID, SnapshotName: snapshot.ID, SnapshotType: "user", SourceDiskSize: strconv.Itoa(snapshot.SizeGiB), SourceDiskType: "data",
				Status: "accomplished", Progress: "100%", Usage: "none", Available: true, CreationTime: catalogueCreated, Tags: tagList{[]tagAnswer{}},
			})
			keys = append(keys, snapshot.ID)
		}
		page, refusal := c.pageEither(keys, 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeSnapshotsAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken}
		answer.Snapshots.Snapshot = found[page.first:page.end]
		return answer, nil
	})
}

func (c *call) fitSnapshot(snapshot Snapshot) bool {
	return oneOf(c.string("Status"), "", "all", "accomplished") && oneOf(c.string("SourceDiskType"), "", "data") && oneOf(c.string("SnapshotType"), "", "all", "user") &&
		matches(c.string("SnapshotName"), snapshot.ID) && !c.has("DiskId") && !c.has("InstanceId") && !c.boolean("Encrypted", false)
}

func (r *Region) snapshot(id string) (Snapshot, bool) {
	i := slices.IndexFunc(r.Snapshots, func(s Snapshot) bool { return s.ID == id })
	if i < 0 {
		return Snapshot{}, false
	}
	return r.Snapshots[i], true
}
