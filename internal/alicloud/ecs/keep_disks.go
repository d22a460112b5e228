package ecs

import (
	"context"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// mostKeptDisks is the most IDs that one ModifyDiskAttribute call takes.
const mostKeptDisks = 100

// KeepDisks has the disks outlive the instances that have them, 100 a call. To ask for
// what is so already changes nothing. Calls that meet share one; a disk that is refused
// fails none of the others, and is an error. An instance that is locked for security
// reasons takes its disks with it all the same.
//
// Source: ModifyDiskAttribute, DeleteWithInstance.
func (c *Client) KeepDisks(ctx context.Context, region string, ids []string) error {
	return c.apply(ctx, change{
		action: "ModifyDiskAttribute", region: region, kind: "DeleteWithInstance=false", most: mostKeptDisks,
		request: func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateModifyDiskAttributeRequest()
			disks := slices.Clone(batch)
			request.DiskIds, request.DeleteWithInstance = &disks, requests.NewBoolean(false)
			return request, ecssdk.CreateModifyDiskAttributeResponse()
		},
	}, ids)
}
