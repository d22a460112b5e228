package ecs

import (
	"context"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
	stssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/sts"
)

// answerLanguage is asked for where the API would answer in Chinese.
const answerLanguage = "en-US"

// Zones returns the IDs of the region's zones.
//
// Source: DescribeZones.
func (c *Client) Zones(ctx context.Context, region string) ([]string, error) {
	const action = "DescribeZones"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	var answer *ecssdk.DescribeZonesResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeZonesRequest()
		request.AcceptLanguage = answerLanguage
		request.Verbose = requests.NewBoolean(false)
		answer = ecssdk.CreateDescribeZonesResponse()
		return request, answer
	})
	if err != nil {
		return nil, err
	}
	zones := make([]string, 0, len(answer.Zones.Zone))
	for index := range answer.Zones.Zone {
		zones = append(zones, answer.Zones.Zone[index].ZoneId)
	}
	return zones, nil
}

// Regions returns the IDs of the regions that the account can use. It asks the
// client's region.
//
// Source: DescribeRegions.
func (c *Client) Regions(ctx context.Context) ([]string, error) {
	const action = "DescribeRegions"
	region, err := c.regionOf(action, "")
	if err != nil {
		return nil, err
	}
	var answer *ecssdk.DescribeRegionsResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeRegionsRequest()
		request.AcceptLanguage = answerLanguage
		answer = ecssdk.CreateDescribeRegionsResponse()
		return request, answer
	})
	if err != nil {
		return nil, err
	}
	regions := make([]string, 0, len(answer.Regions.Region))
	for _, from := range answer.Regions.Region {
		regions = append(regions, from.RegionId)
	}
	return regions, nil
}

// CallerIdentity returns who the credentials belong to. It needs no permission.
// It asks the client's region.
//
// Source: STS, GetCallerIdentity.
func (c *Client) CallerIdentity(ctx context.Context) (Identity, error) {
	const action = "GetCallerIdentity"
	region, err := c.regionOf(action, "")
	if err != nil {
		return Identity{}, err
	}
	var answer *stssdk.GetCallerIdentityResponse
	err = c.look(ctx, productSTS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		answer = stssdk.CreateGetCallerIdentityResponse()
		return stssdk.CreateGetCallerIdentityRequest(), answer
	})
	if err != nil {
		return Identity{}, err
	}
	return Identity{AccountID: answer.AccountId, ARN: answer.Arn}, nil
}
