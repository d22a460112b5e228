package ecs

import (
	"context"

	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// AllInstances returns every instance of the region, from all pages. An empty list is
// also what a caller without the permission gets: see ProveListPermission.
//
// Source: DescribeInstances.
func (c *Client) AllInstances(ctx context.Context, region string) ([]Instance, error) {
	region, err := c.regionOf("DescribeInstances", region)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var found []Instance
	seen := make(map[string]struct{})
	err = c.describeInstances(ctx, region, nil, func(*ecssdk.DescribeInstancesRequest) {}, func(page *ecssdk.DescribeInstancesResponse) error {
		for index := range page.Instances.Instance {
			instance := decodeInstance(region, &page.Instances.Instance[index])
			if _, repeated := seen[instance.ID]; repeated || instance.ID == "" {
				// Instances that come or go between two pages shift the others.
				continue
			}
			seen[instance.ID] = struct{}{}
			found = append(found, instance)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}
