package ecs

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

const (
	// tagFilterLimit is the number of matches up to which the API promises a tag
	// filter to be correct.
	tagFilterLimit = 1000
	// smallestPage is the least that the API answers at once.
	smallestPage = 10
	// minuteLayout is the layout of times in filters.
	minuteLayout = "2006-01-02T15:04Z"
)

func (c *Client) describeInstancesByTags(ctx context.Context, region string, tags map[string]string, failed func(*Error)) ([]Instance, error) {
	filter := tagFilter(tags)
	var found []Instance
	seen := make(map[string]struct{})
	err := c.describeInstances(ctx, region, failed, func(request *ecssdk.DescribeInstancesRequest) {
		request.Tag = &filter
	}, func(page *ecssdk.DescribeInstancesResponse) error {
		if page.TotalCount > tagFilterLimit {
			return &Error{
				Action: "DescribeInstances", Region: region, RequestID: page.RequestId, Class: ClassUnknown,
				Message: fmt.Sprintf("%d instances match", page.TotalCount), Err: ErrTooManyMatches,
			}
		}
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
	if len(found) == tagFilterLimit {
		return found, c.confirmWhole(ctx, region, tags, found, failed)
	}
	return found, nil
}

// confirmWhole returns nil if a list of as many instances as a tag filter is
// correct for is all there is. A list that was cut lacks the oldest, so that the
// API knows more of the oldest listed ones' age than the list holds.
func (c *Client) confirmWhole(ctx context.Context, region string, tags map[string]string, found []Instance, failed func(*Error)) error {
	oldest := slices.MinFunc(found, func(a, b Instance) int { return a.CreatedAt.Compare(b.CreatedAt) }).CreatedAt.Truncate(time.Minute)
	listed := 0
	for index := range found {
		if !found[index].CreatedAt.Truncate(time.Minute).After(oldest) {
			listed++
		}
	}
	tooMany := &Error{
		Action: sharedAction, Region: region, Class: ClassUnknown,
		Message: fmt.Sprintf("%d instances match, and there may be more", len(found)), Err: ErrTooManyMatches,
	}
	if oldest.IsZero() || listed == tagFilterLimit {
		return tooMany
	}
	var page *ecssdk.DescribeInstancesResponse
	_, err := c.do(ctx, call{
		action: sharedAction, product: productECS, region: region,
		repeats: readRepeats, failed: failed, unbounded: true,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateDescribeInstancesRequest()
			request.MaxResults = requests.NewInteger(smallestPage)
			request.Filter1Key, request.Filter1Value = "CreationEndTime", oldest.UTC().Format(minuteLayout)
			filter := tagFilter(tags)
			request.Tag = &filter
			page = ecssdk.CreateDescribeInstancesResponse()
			return request, page
		},
	})
	if err != nil {
		return err
	}
	if page.TotalCount != listed {
		return tooMany
	}
	return nil
}

func tagFilter(tags map[string]string) []ecssdk.DescribeInstancesTag {
	filter := make([]ecssdk.DescribeInstancesTag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		filter = append(filter, ecssdk.DescribeInstancesTag{Key: key, Value: tags[key]})
	}
	return filter
}
