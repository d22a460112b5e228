package ecs

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// InstancesByID returns those of the instances that the region lists, by ID. An
// ID that is missing is not proof of a release: see ProveListPermission and
// ProveReleased. Concurrent reads share calls, 100 IDs a call; the read is served
// only by calls that begin after it. No IDs cost no call.
//
// Source: DescribeInstances.
func (c *Client) InstancesByID(ctx context.Context, region string, ids []string) (map[string]Instance, error) {
	const action = "DescribeInstances"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	ids, err = uniqueIDs(action, region, ids)
	if err != nil || len(ids) == 0 {
		return map[string]Instance{}, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	return c.instances.read(ctx, region, ids)
}

// InstancesByTags returns the instances that carry all of the tags, from all
// pages. An empty value stands for any value: the wire has no other. More matches
// than a tag filter is correct for are ErrTooManyMatches, and so is a list of just
// as many that may have been cut. An empty list is also what a caller without the
// permission gets: see ProveListPermission. Equal listings that meet share one.
//
// Source: DescribeInstances.
func (c *Client) InstancesByTags(ctx context.Context, region string, tags map[string]string) ([]Instance, error) {
	const action = "DescribeInstances"
	region, err := c.regionOf(action, region)
	if err != nil {
		return nil, err
	}
	if len(tags) == 0 || len(tags) > mostTags {
		return nil, invalidRequest(action, region, "want 1 to %d tags to list by, not %d", mostTags, len(tags))
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	return c.listings.read(ctx, region, maps.Clone(tags))
}

// withPatience gives a context without deadline one.
func withPatience(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, bounded := ctx.Deadline(); bounded {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, patience)
}

// uniqueIDs refuses IDs that cannot be any and drops repeated ones.
func uniqueIDs(action, region string, ids []string) ([]string, error) {
	unique := make([]string, 0, len(ids))
	seen := make(map[string]struct{}, len(ids))
	for _, id := range ids {
		if !idPattern.MatchString(id) {
			return nil, invalidRequest(action, region, "%q is not an ID", id)
		}
		if _, repeated := seen[id]; !repeated {
			seen[id] = struct{}{}
			unique = append(unique, id)
		}
	}
	return unique, nil
}

func (c *Client) describeInstancesByID(ctx context.Context, region string, ids []string, failed func(*Error)) (map[string]Instance, error) {
	found := make(map[string]Instance, len(ids))
	err := c.describeInstances(ctx, region, failed, func(request *ecssdk.DescribeInstancesRequest) {
		request.InstanceIds = jsonList(ids)
	}, func(page *ecssdk.DescribeInstancesResponse) error {
		for index := range page.Instances.Instance {
			instance := decodeInstance(region, &page.Instances.Instance[index])
			found[instance.ID] = instance
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// describeInstances reads all pages. The page size is always asked for, as the
// API's own is 10.
func (c *Client) describeInstances(
	ctx context.Context, region string, failed func(*Error),
	filter func(*ecssdk.DescribeInstancesRequest), collect func(*ecssdk.DescribeInstancesResponse) error,
) error {
	return everyPage("DescribeInstances", region, func(token string) (string, error) {
		var page *ecssdk.DescribeInstancesResponse
		_, err := c.do(ctx, call{
			action: "DescribeInstances", product: productECS, region: region,
			repeats: readRepeats, failed: failed, unbounded: true,
			request: func() (requests.AcsRequest, responses.AcsResponse) {
				request := ecssdk.CreateDescribeInstancesRequest()
				request.MaxResults = requests.NewInteger(pageSize)
				request.NextToken = token
				filter(request)
				page = ecssdk.CreateDescribeInstancesResponse()
				return request, page
			},
		})
		if err != nil {
			return "", err
		}
		return page.NextToken, collect(page)
	})
}

// everyPage follows next tokens to the last page, which has none.
func everyPage(action, region string, page func(token string) (next string, err error)) error {
	seen := make(map[string]struct{})
	for token := ""; ; {
		next, err := page(token)
		if err != nil || next == "" {
			return err
		}
		if _, repeated := seen[next]; repeated {
			return &Error{Action: action, Region: region, Class: ClassUnknown, Message: "the pages of the answer do not end"}
		}
		seen[next] = struct{}{}
		token = next
	}
}

// decodeInstance reads an instance out of an answer. Any field may be missing.
func decodeInstance(region string, from *ecssdk.Instance) Instance {
	instance := Instance{
		ID:                 from.InstanceId,
		Name:               from.InstanceName,
		HostName:           from.HostName,
		Region:             from.RegionId,
		Zone:               from.ZoneId,
		Status:             InstanceStatus(from.Status),
		StoppedMode:        from.StoppedMode,
		Type:               from.InstanceType,
		ImageID:            from.ImageId,
		ChargeType:         from.InstanceChargeType,
		SpotStrategy:       from.SpotStrategy,
		VPCID:              from.VpcAttributes.VpcId,
		VSwitchID:          from.VpcAttributes.VSwitchId,
		SecurityGroupIDs:   from.SecurityGroupIds.SecurityGroupId,
		PrivateIPs:         from.VpcAttributes.PrivateIpAddress.IpAddress,
		PublicIPs:          from.PublicIpAddress.IpAddress,
		KeyPairName:        from.KeyPairName,
		DeletionProtection: from.DeletionProtection,
		Tags:               make(map[string]string, len(from.Tags.Tag)),
		CreatedAt:          parseTime(from.CreationTime),
		StartedAt:          parseTime(from.StartTime),
		ExpiresAt:          parseTime(from.ExpiredTime),
	}
	if instance.Region == "" {
		instance.Region = region
	}
	if from.EipAddress.IpAddress != "" {
		instance.PublicIPs = append(slices.Clone(instance.PublicIPs), from.EipAddress.IpAddress)
	}
	for _, lock := range from.OperationLocks.LockReason {
		instance.LockReasons = append(instance.LockReasons, lock.LockReason)
	}
	for _, tag := range from.Tags.Tag {
		// Answers name the fields TagKey and TagValue, some of them Key and Value.
		switch {
		case tag.TagKey != "":
			instance.Tags[tag.TagKey] = tag.TagValue
		case tag.Key != "":
			instance.Tags[tag.Key] = tag.Value
		}
	}
	if instance.ExpiresAt.Year() >= neverYear {
		instance.ExpiresAt = time.Time{}
	}
	return instance
}

// neverYear is the year in which the API lets instances expire that do not.
const neverYear = 2099

// parseTime reads a time of minute or of second precision; anything else is the
// zero time.
func parseTime(text string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04Z", "2006-01-02T15:04:05Z"} {
		if parsed, err := time.Parse(layout, text); err == nil {
			return parsed
		}
	}
	return time.Time{}
}
