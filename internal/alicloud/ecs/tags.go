package ecs

import (
	"context"
	"encoding/json"
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
// Calls with equal tags that meet share one; an instance that is refused fails
// none of the others.
//
// Source: TagResources.
func (c *Client) TagInstances(ctx context.Context, region string, ids []string, tags map[string]string) error {
	list := make([]ecssdk.TagResourcesTag, 0, len(tags))
	for _, key := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, ecssdk.TagResourcesTag{Key: key, Value: tags[key]})
	}
	kind, err := json.Marshal(tags)
	if err != nil {
		return err
	}
	return c.changeTags(ctx, "TagResources", region, string(kind), ids, slices.Sorted(maps.Keys(tags)), func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateTagResourcesRequest()
		request.ResourceType = tagResourceType
		request.ResourceId = &batch
		batchTags := slices.Clone(list)
		request.Tag = &batchTags
		return request, ecssdk.CreateTagResourcesResponse()
	})
}

// UntagInstances takes the tags with these keys, at most 20, off each of the
// instances, 50 a call. Keys that are not there are no error. Calls with equal
// keys that meet share one.
//
// Source: UntagResources.
func (c *Client) UntagInstances(ctx context.Context, region string, ids, keys []string) error {
	keys = slices.Sorted(slices.Values(keys))
	kind, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return c.changeTags(ctx, "UntagResources", region, string(kind), ids, keys, func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateUntagResourcesRequest()
		request.ResourceType = tagResourceType
		request.ResourceId = &batch
		batchKeys := slices.Clone(keys)
		request.TagKey = &batchKeys
		return request, ecssdk.CreateUntagResourcesResponse()
	})
}

func (c *Client) changeTags(
	ctx context.Context, action, region, kind string, ids, keys []string, request func(batch []string) (requests.AcsRequest, responses.AcsResponse),
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
	return c.apply(ctx, change{action: action, region: region, kind: kind, most: mostTagged, request: request}, ids)
}
