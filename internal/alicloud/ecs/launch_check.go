package ecs

import (
	"context"
	"fmt"
	"strings"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// CheckLaunch asks whether the launch would be accepted, and launches nothing. The
// refusal is an *Error, as that of the launch would be. It needs the permission to
// launch, takes no client token, and says nothing of what becomes of a launch later.
//
// Source: RunInstances, "DryRun".
func (c *Client) CheckLaunch(ctx context.Context, input RunInstancesInput) error {
	const action = "RunInstances"
	region, err := c.regionOf(action, input.Region)
	if err != nil {
		return err
	}
	// A token would be spent by the first of two checks that differ.
	input.Region, input.ClientToken = region, checkedToken
	if err := input.validate(action); err != nil {
		return err
	}
	var answer *ecssdk.RunInstancesResponse
	_, err = c.do(ctx, call{
		action: action, product: productECS, region: region,
		secrets: []string{input.UserData}, repeats: readRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := input.request()
			request.ClientToken, request.DryRun = "", requests.NewBoolean(true)
			answer = ecssdk.CreateRunInstancesResponse()
			return request, answer
		},
	})
	switch {
	case err == nil && answer != nil && len(answer.InstanceIdSets.InstanceIdSet) > 0:
		return fmt.Errorf("%w; it launched %s, which no state holds: release it", notADryRun(action, region), strings.Join(answer.InstanceIdSets.InstanceIdSet, ", "))
	case err == nil:
		return notADryRun(action, region)
	case ClassOf(err) == ClassDryRunOK:
		return nil
	default:
		return err
	}
}

// checkedToken stands for the token of a launch that is only checked; it is not sent.
const checkedToken = "not sent"
