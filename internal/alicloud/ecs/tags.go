package ecs

import (
	"context"
	"maps"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// mostTagged is the most IDs that one call of the tag actions takes.
const mostTagged = 50

const tagResourceType = "instance"

// TagInstances sets the tags, at most 20, on each of the instances, 50 a call.
// Other tags stay. Writing a tag again that is already there changes nothing.
//
// Source: TagResources.
func (c *Client) TagInstances(ctx context.Context, region string, ids []string, tags map[string]string) error {
	const action = "TagResources"
	list := make([]ecssdk.TagResourcesTag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, ecssdk.TagResourcesTag{Key: key, Value: tags[key]})
	}
	return c.changeTags(ctx, action, region, ids, slices.Sorted(maps.Keys(tags)), func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateTagResourcesRequest()
		request.ResourceType = tagResourceType
		request.ResourceId = &batch
		batchTags := slices.Clone(list)
		request.Tag = &batchTags
		return request, ecssdk.CreateTagResourcesResponse()
	})
}

// UntagInstances takes the tags with these keys, at most 20, off each of the
// instances, 50 a call. Keys that are not there are no error.
//
// Source: UntagResources.
func (c *Client) UntagInstances(ctx context.Context, region string, ids, keys []string) error {
	return c.changeTags(ctx, "UntagResources", region, ids, keys, func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateUntagResourcesRequest()
		request.ResourceType = tagResourceType
		request.ResourceId = &batch
		batchKeys := slices.Clone(keys)
		request.TagKey = &batchKeys
		return request, ecssdk.CreateUntagResourcesResponse()
	})
}

func (c *Client) changeTags(
	ctx context.Context, action, region string, ids, keys []string, request func(batch []string) (requests.AcsRequest, responses.AcsResponse),
) error {
	region, err := c.regionOf(action, region)
	if err != nil {
		return err
	}
	ids, err = uniqueIDs(action, region, ids)
	switch {
	case err != nil:
		return err
	case len(keys) > mostTags:
		return invalidRequest(action, region, "%d tags given, more than %d", len(keys), mostTags)
	case slices.Contains(keys, ""):
		return invalidRequest(action, region, "a tag has no key")
	case len(keys) == 0:
		return nil
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	for batch := range slices.Chunk(ids, mostTagged) {
		_, err := c.do(ctx, call{
			action: action, product: productECS, region: region, mutates: true, repeats: writeRepeats,
			request: func() (requests.AcsRequest, responses.AcsResponse) { return request(slices.Clone(batch)) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}
