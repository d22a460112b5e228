package ecs

import (
	"context"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// numberedPageSize is the most that a call takes which pages by number.
const numberedPageSize = 50

// HasKeyPair reports whether the region has a key pair of that name.
//
// Source: DescribeKeyPairs.
func (c *Client) HasKeyPair(ctx context.Context, region, name string) (bool, error) {
	const action = "DescribeKeyPairs"
	region, err := c.regionOf(action, region)
	if err != nil {
		return false, err
	}
	if name == "" {
		return false, invalidRequest(action, region, "no key pair given")
	}
	var answer *ecssdk.DescribeKeyPairsResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeKeyPairsRequest()
		request.KeyPairName = name
		request.PageSize = requests.NewInteger(numberedPageSize)
		answer = ecssdk.CreateDescribeKeyPairsResponse()
		return request, answer
	})
	if err != nil {
		return false, err
	}
	// The name is a pattern to the API, so that others may be in the answer.
	return slices.ContainsFunc(answer.KeyPairs.KeyPair, func(pair ecssdk.KeyPair) bool { return pair.KeyPairName == name }), nil
}

// HasDeploymentSet reports whether the region has the deployment set.
//
// Source: DescribeDeploymentSets.
func (c *Client) HasDeploymentSet(ctx context.Context, region, id string) (bool, error) {
	const action = "DescribeDeploymentSets"
	region, err := c.regionOf(action, region)
	if err != nil {
		return false, err
	}
	ids, err := uniqueIDs(action, region, []string{id})
	if err != nil {
		return false, err
	}

	var answer *ecssdk.DescribeDeploymentSetsResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateDescribeDeploymentSetsRequest()
		request.DeploymentSetIds = jsonList(ids)
		request.PageSize = requests.NewInteger(numberedPageSize)
		answer = ecssdk.CreateDescribeDeploymentSetsResponse()
		return request, answer
	})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(answer.DeploymentSets.DeploymentSet, func(set ecssdk.DeploymentSet) bool { return set.DeploymentSetId == id }), nil
}

// Snapshot is what DescribeSnapshots tells of a snapshot.
type Snapshot struct {
	ID string
	// Status is progressing, accomplished or failed.
	Status string
}

// Snapshots returns those of the snapshots that exist in the region, 100 a call. No
// IDs cost no call.
//
// Source: DescribeSnapshots.
func (c *Client) Snapshots(ctx context.Context, region string, ids []string) ([]Snapshot, error) {
	var snapshots []Snapshot

	err := listByIDs(ctx, c, "DescribeSnapshots", region, ids, func(filter, token string) (requests.AcsRequest, *ecssdk.DescribeSnapshotsResponse) {
		request := ecssdk.CreateDescribeSnapshotsRequest()
		request.SnapshotIds = filter
		request.MaxResults = requests.NewInteger(pageSize)
		request.NextToken = token

		return request, ecssdk.CreateDescribeSnapshotsResponse()
	}, func(page *ecssdk.DescribeSnapshotsResponse) string {
		for index := range page.Snapshots.Snapshot {
			from := &page.Snapshots.Snapshot[index]
			snapshots = append(snapshots, Snapshot{ID: from.SnapshotId, Status: from.Status})
		}

		return page.NextToken
	})
	if err != nil {
		return nil, err
	}

	return snapshots, nil
}
