package ecs

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

const (
	longestClientToken = 64
	largestUserData    = 32 << 10
	mostTags           = 20
)

// Format tells which launch it is, and not with what user data or password, whatever
// the verb.
func (input RunInstancesInput) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, fmt.Sprintf("launch of %s as %q in %s", input.InstanceType, input.InstanceName, input.Region))
}

// RunInstances launches one instance. As long as nothing is known of the outcome
// (no answer, an answer with a 5xx status, an earlier call with the token that
// still runs) or the call is throttled, the very same request is sent again until
// ctx ends; what ClientToken names is launched at most once. Every other refusal
// is returned at once, as an *Error.
//
// An accepted launch can still be withdrawn by ECS, and a new instance can stay
// unlisted for some seconds. A replayed token can name an instance that was
// released since.
//
// Source: RunInstances; "How to ensure idempotence".
func (c *Client) RunInstances(ctx context.Context, input RunInstancesInput) (RunInstancesOutput, error) {
	const action = "RunInstances"
	region, err := c.regionOf(action, input.Region)
	if err != nil {
		return RunInstancesOutput{}, err
	}
	input.Region = region
	if err := input.validate(action); err != nil {
		return RunInstancesOutput{}, err
	}
	var answer *ecssdk.RunInstancesResponse
	spent, err := c.do(ctx, call{
		action: action, product: productECS, region: region, mutates: true,
		secrets: []string{input.UserData, input.Password},
		repeats: writeRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			answer = ecssdk.CreateRunInstancesResponse()
			return input.request(), answer
		},
		check: func() string {
			if len(answer.InstanceIdSets.InstanceIdSet) == 0 {
				return "accepted, but the answer names no instance"
			}
			return ""
		},
	})
	output := RunInstancesOutput{Attempts: spent.made, LostAnswers: spent.lost}
	if err != nil {
		return output, err
	}
	output.InstanceIDs = slices.Clone(answer.InstanceIdSets.InstanceIdSet)
	output.RequestID = answer.RequestId
	return output, nil
}

func (input RunInstancesInput) validate(action string) error {
	invalid := func(format string, arguments ...any) error {
		return invalidRequest(action, input.Region, format, arguments...)
	}
	switch {
	case input.ClientToken == "":
		return invalid("no client token given: without it a repeated launch makes a second instance")
	case len(input.ClientToken) > longestClientToken || !isASCII(input.ClientToken):
		return invalid("the client token must be at most %d ASCII characters", longestClientToken)
	case input.InstanceType == "":
		return invalid("no instance type given")
	case (input.ImageID == "") == (input.ImageFamily == ""):
		return invalid("want either an image ID or an image family")
	case input.VSwitchID == "":
		return invalid("no vSwitch given")
	case len(input.SecurityGroupIDs) == 0:
		return invalid("no security group given")
	case len(input.UserData) > largestUserData:
		return invalid("the user data is %d bytes, more than %d", len(input.UserData), largestUserData)
	case len(input.Tags) > mostTags:
		return invalid("%d tags given, more than %d", len(input.Tags), mostTags)
	}
	return nil
}

func isASCII(text string) bool {
	for index := range len(text) {
		if text[index] > '~' || text[index] < ' ' {
			return false
		}
	}
	return true
}
