package ecs

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// Console is what an instance's guest wrote to its console when it was last started,
// rebooted or stopped. Boot scripts may have printed secrets.
type Console struct {
	Text string
	// UpdatedAt has a precision of seconds; it is zero where the API does not tell.
	UpdatedAt time.Time
}

// ConsoleOutput returns the console of the instance. Windows instances have none,
// which is an error.
//
// Source: GetInstanceConsoleOutput.
func (c *Client) ConsoleOutput(ctx context.Context, region, id string) (Console, error) {
	const action = "GetInstanceConsoleOutput"
	region, err := c.regionOf(action, region)
	if err != nil {
		return Console{}, err
	}
	if _, err := uniqueIDs(action, region, []string{id}); err != nil {
		return Console{}, err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	var answer *ecssdk.GetInstanceConsoleOutputResponse
	err = c.look(ctx, productECS, action, region, func() (requests.AcsRequest, responses.AcsResponse) {
		request := ecssdk.CreateGetInstanceConsoleOutputRequest()
		request.InstanceId = id
		answer = ecssdk.CreateGetInstanceConsoleOutputResponse()
		return request, answer
	})
	if err != nil {
		return Console{}, err
	}
	text, err := base64.StdEncoding.DecodeString(answer.ConsoleOutput)
	if err != nil {
		return Console{}, &Error{Action: action, Region: region, RequestID: answer.RequestId, Class: ClassUnknown, Message: "the console output is not Base64"}
	}
	return Console{Text: string(text), UpdatedAt: parseTime(answer.LastUpdateTime)}, nil
}
