package ecs

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// SecurityGroups returns those of the security groups that exist in the region,
// 100 a call.
//
// Source: DescribeSecurityGroups.
func (c *Client) SecurityGroups(ctx context.Context, region string, ids []string) ([]SecurityGroup, error) {
	const action = "DescribeSecurityGroups"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	ids, err = uniqueIDs(action, region, ids)
	if err != nil {
		return nil, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var groups []SecurityGroup
	for batch := range slices.Chunk(ids, pageSize) {
		filter, err := json.Marshal(batch)
		if err != nil {
			return nil, err
		}
		err = everyPage(action, region, func(token string) (string, error) {
			var page *ecssdk.DescribeSecurityGroupsResponse
			err := c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
				request := ecssdk.CreateDescribeSecurityGroupsRequest()
				request.SecurityGroupIds = string(filter)
				request.MaxResults = requests.NewInteger(pageSize)
				request.NextToken = token
				page = ecssdk.CreateDescribeSecurityGroupsResponse()
				return request, page
			})
			if err != nil {
				return "", err
			}
			for _, from := range page.SecurityGroups.SecurityGroup {
				groups = append(groups, SecurityGroup{ID: from.SecurityGroupId, VPCID: from.VpcId})
			}
			return page.NextToken, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return groups, nil
}
