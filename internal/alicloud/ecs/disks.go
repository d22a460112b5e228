package ecs

import (
	"context"
	"maps"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// diskPageSize is the most that one DescribeDisks call returns.
const diskPageSize = 500

// InstanceDisk is what DescribeDisks tells of a disk that an instance has.
type InstanceDisk struct {
	ID         string
	InstanceID string
	// Device is where the instance has it, such as /dev/xvdb.
	Device           string
	System           bool
	Category         string
	PerformanceLevel string
	SizeGiB          int64
	// DeletedWithInstance is whether the disk goes when its instance is released.
	DeletedWithInstance bool
}

// DisksOf returns the disks of an instance. None is also what a caller without the
// permission gets.
//
// Source: DescribeDisks.
func (c *Client) DisksOf(ctx context.Context, region, instanceID string) ([]InstanceDisk, error) {
	if _, err := uniqueIDs("DescribeDisks", region, []string{instanceID}); err != nil {
		return nil, err
	}
	return c.describeDisks(ctx, region, func(request *ecssdk.DescribeDisksRequest) { request.InstanceId = instanceID })
}

// DisksByTags returns the disks that instances have and that carry all of the tags,
// from all pages, 500 a call.
//
// Source: DescribeDisks.
func (c *Client) DisksByTags(ctx context.Context, region string, tags map[string]string) ([]InstanceDisk, error) {
	wanted := make([]ecssdk.DescribeDisksTag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		wanted = append(wanted, ecssdk.DescribeDisksTag{Key: key, Value: tags[key]})
	}
	return c.describeDisks(ctx, region, func(request *ecssdk.DescribeDisksRequest) { request.Tag = &wanted })
}

func (c *Client) describeDisks(ctx context.Context, region string, filter func(*ecssdk.DescribeDisksRequest)) ([]InstanceDisk, error) {
	const action = "DescribeDisks"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var disks []InstanceDisk
	err = everyPage(action, region, func(token string) (string, error) {
		var page *ecssdk.DescribeDisksResponse
		err := c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateDescribeDisksRequest()
			request.MaxResults = requests.NewInteger(diskPageSize)
			request.NextToken = token
			filter(request)
			page = ecssdk.CreateDescribeDisksResponse()
			return request, page
		})
		if err != nil {
			return "", err
		}
		for index := range page.Disks.Disk {
			from := &page.Disks.Disk[index]
			if from.InstanceId == "" {
				continue
			}
			disks = append(disks, InstanceDisk{
				ID: from.DiskId, InstanceID: from.InstanceId, Device: from.Device, System: from.Type == "system",
				Category: from.Category, PerformanceLevel: from.PerformanceLevel, SizeGiB: int64(from.Size),
				DeletedWithInstance: from.DeleteWithInstance,
			})
		}
		return page.NextToken, nil
	})
	if err != nil {
		return nil, err
	}
	return disks, nil
}
