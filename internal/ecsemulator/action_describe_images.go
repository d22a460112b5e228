package ecsemulator

import (
	"slices"
	"strings"
	"time"
)

const describeImagesParameters = `
string: ActionType Architecture Filter.N.Key Filter.N.Value ImageFamily ImageName ImageOwnerAlias
string: InstanceType OSType ResourceGroupId SnapshotId Status Tag.N.Key Tag.N.Value Usage
integer: ImageOwnerId PageNumber PageSize
boolean: DryRun IsPublic IsSupportCloudinit IsSupportIoOptimized ShowExpired
string 8192: ImageId
`

const describeImageFromFamilyParameters = `
string: ImageFamily
`

type describeImagesAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	RegionID   string `json:"RegionId"`
	Images     struct{ Image []imageAnswer }
}

type imageAnswer struct {
	ImageID              string `json:"ImageId"`
	ImageName            string
	ImageFamily          string
	ImageVersion         string
	ImageOwnerAlias      string
	OSName               string
	OSNameEn             string `json:",omitempty"`
	OSType               string
	Platform             string
	Architecture         string
	Size                 int
	Status               string
	Progress             string
	CreationTime         string
	IsSupportCloudinit   bool
	IsSupportIoOptimized bool
	IsSelfShared         string
	IsSubscribed         bool
	IsCopied             bool
	IsPublic             *bool `json:",omitempty"`
	Tags                 tagList
	DiskDeviceMappings   struct{ DiskDeviceMapping []struct{} }
}

func describeImages() *action {
	return ecsAction("DescribeImages", describeImagesParameters, func(c *call) (any, *APIError) {
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		times, refusal := c.timeFilters("CreationStartTime", "CreationEndTime")
		if refusal != nil {
			return nil, refusal
		}
		var found []*Image
		for _, image := range c.server.options.Catalogue.images(c.region.ID) {
			created, _ := time.Parse(secondLayout, image.Created)                         // the zero time fits no filter by time
			if c.fitImage(image) && len(filters) == 0 && times.fit("Creation", created) { // no image of the catalogue has tags
				found = append(found, image)
			}
		}
		page, refusal := c.pageByNumber(len(found), 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeImagesAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, RegionID: c.region.ID}
		answer.Images.Image = []imageAnswer{}
		for _, image := range found[page.first:page.end] {
			answer.Images.Image = append(answer.Images.Image, image.answer())
		}
		return answer, nil
	})
}

func (c *call) fitImage(image *Image) bool {
	if c.has("ImageId") && !slices.Contains(strings.Split(c.string("ImageId"), ","), image.ID) {
		return false
	}
	statuses := strings.Split(orDefault(c.string("Status"), "Available"), ",")
	if c.has("InstanceType") {
		t, known := c.server.options.Catalogue.instanceType(c.string("InstanceType"))
		if !known || (t.Architecture == "ARM") != (image.Architecture == "arm64") {
			return false
		}
	}
	return slices.Contains(statuses, image.Status) && matches(c.string("ImageName"), image.Name) &&
		matches(c.string("ImageFamily"), image.Family) && matches(c.string("ImageOwnerAlias"), image.OwnerAlias) &&
		matches(c.string("OSType"), image.OSType) && matches(c.string("Architecture"), image.Architecture) &&
		(!c.has("IsSupportCloudinit") || c.boolean("IsSupportCloudinit", true) == image.CloudInit) &&
		(!c.has("IsPublic") || c.boolean("IsPublic", true) == (image.OwnerAlias == "system")) && !c.has("SnapshotId")
}

func (i *Image) answer() imageAnswer {
	public := i.OwnerAlias == "system"
	answer := imageAnswer{
		ImageID: i.ID, ImageName: i.Name, ImageFamily: i.Family, ImageOwnerAlias: i.OwnerAlias, OSName: i.OSName, OSNameEn: i.OSNameEn,
		OSType: i.OSType, Platform: i.Platform, Architecture: i.Architecture, Size: i.SizeGiB, Status: i.Status, Progress: "100%",
		CreationTime: i.Created, IsSupportCloudinit: i.CloudInit, IsSupportIoOptimized: true, IsPublic: &public,
		Tags: tagList{[]tagAnswer{}},
	}
	answer.DiskDeviceMappings.DiskDeviceMapping = []struct{}{}
	return answer
}

// describeImageFromFamily answers the newest available image of a family, or an object without content.
func describeImageFromFamily() *action {
	return ecsAction("DescribeImageFromFamily", describeImageFromFamilyParameters, func(c *call) (any, *APIError) {
		if !c.has("ImageFamily") {
			return nil, missingParameter("ImageFamily")
		}
		for _, image := range c.server.options.Catalogue.images(c.region.ID) {
			if image.Family == c.string("ImageFamily") && image.Status == "Available" {
				answer := image.answer()
				answer.OSNameEn, answer.IsPublic = "", nil // this action does not tell them
				return struct{ Image imageAnswer }{answer}, nil
			}
		}
		return struct{ Image struct{} }{}, nil
	})
}
