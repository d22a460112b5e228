package ecs

import (
	"context"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// SecurityGroups returns those of the security groups that exist in the region,
// 100 a call.
//
// Source: DescribeSecurityGroups.
func (c *Client) SecurityGroups(ctx context.Context, region string, ids []string) ([]SecurityGroup, error) {
	var groups []SecurityGroup

	err := listByIDs(ctx, c, "DescribeSecurityGroups", region, ids, func(filter, token string) (requests.AcsRequest, *ecssdk.DescribeSecurityGroupsResponse) {
		request := ecssdk.CreateDescribeSecurityGroupsRequest()
		request.SecurityGroupIds = filter
		request.MaxResults = requests.NewInteger(pageSize)
		request.NextToken = token

		return request, ecssdk.CreateDescribeSecurityGroupsResponse()
	}, func(page *ecssdk.DescribeSecurityGroupsResponse) string {
		for _, from := range page.SecurityGroups.SecurityGroup {
			groups = append(groups, SecurityGroup{ID: from.SecurityGroupId, VPCID: from.VpcId})
		}

		return page.NextToken
	})
	if err != nil {
		return nil, err
	}

	return groups, nil
}
