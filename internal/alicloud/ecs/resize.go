package ecs

import (
	"context"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// ModifyInstanceType makes a stopped pay-as-you-go instance one of another type. It
// returns when the API has accepted; the instance stays stopped. An instance that is
// not stopped is an error of ClassConflict; a second change within five minutes is
// throttled. The token, at most 64 ASCII characters, makes the request idempotent.
//
// Source: ModifyInstanceSpec.
func (c *Client) ModifyInstanceType(ctx context.Context, region, id, instanceType, token string) error {
	return c.changeInstance(ctx, region, id, call{
		action: "ModifyInstanceSpec", repeats: writeRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateModifyInstanceSpecRequest()
			request.InstanceId = id
			request.InstanceType = instanceType
			request.ClientToken = token

			return request, ecssdk.CreateModifyInstanceSpecResponse()
		},
	})
}
