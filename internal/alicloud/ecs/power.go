package ecs

import (
	"context"
	"fmt"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

const (
	// mostPowerChanges is the most IDs that one call of the batch actions takes.
	mostPowerChanges = 100
	// successFirst lets a batch action do what it can, and tell of each instance what
	// became of it. Otherwise one refuses the whole call.
	successFirst = "SuccessFirst"
	// responseOK is the code of an instance that was not refused.
	responseOK = "200"
)

// StopOptions says how instances are stopped.
type StopOptions struct {
	// Force cuts the power; unwritten data may be lost.
	Force bool
	// StoppedMode is KeepCharging or StopCharging; empty leaves it to the account's
	// setting. Instances that cannot stop charging are stopped all the same.
	StoppedMode string
}

// RebootOptions says how instances are rebooted.
type RebootOptions struct {
	// Force cuts the power; unwritten data may be lost.
	Force bool
}

// StartInstances starts stopped instances. It returns when the API has accepted;
// the instances run some time later. An instance that is not stopped is an error
// of ClassConflict, which the others do not suffer from. Calls that meet share
// the batch action.
//
// Source: StartInstance, StartInstances.
func (c *Client) StartInstances(ctx context.Context, region string, ids []string) error {
	return c.apply(ctx, change{
		action: "StartInstances", single: "StartInstance", region: region, most: mostPowerChanges,
		request: func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
			if len(batch) == 1 {
				request := ecssdk.CreateStartInstanceRequest()
				request.InstanceId = batch[0]
				return request, ecssdk.CreateStartInstanceResponse()
			}
			request := ecssdk.CreateStartInstancesRequest()
			request.InstanceId = &batch
			request.BatchOptimization = successFirst
			return request, ecssdk.CreateStartInstancesResponse()
		},
		results: powerResults,
	}, ids)
}

// StopInstances stops running instances. It returns when the API has accepted;
// the instances are stopped some time later. An instance that does not run is an
// error of ClassConflict, which the others do not suffer from. Calls that meet
// and have equal options share the batch action.
//
// Source: StopInstance, StopInstances.
func (c *Client) StopInstances(ctx context.Context, region string, ids []string, options StopOptions) error {
	return c.apply(ctx, change{
		action: "StopInstances", single: "StopInstance", region: region, most: mostPowerChanges,
		kind: fmt.Sprintf("%t %s", options.Force, options.StoppedMode),
		request: func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
			if len(batch) == 1 {
				request := ecssdk.CreateStopInstanceRequest()
				request.InstanceId = batch[0]
				request.ForceStop = force(options.Force)
				request.StoppedMode = options.StoppedMode
				return request, ecssdk.CreateStopInstanceResponse()
			}
			request := ecssdk.CreateStopInstancesRequest()
			request.InstanceId = &batch
			request.ForceStop = force(options.Force)
			request.StoppedMode = options.StoppedMode
			request.BatchOptimization = successFirst
			return request, ecssdk.CreateStopInstancesResponse()
		},
		results: powerResults,
	}, ids)
}

// RebootInstances reboots running instances. It returns when the API has
// accepted; an instance is Starting for a while, and then Running. An instance
// that does not run is an error of ClassConflict, which the others do not suffer
// from. Calls that meet and have equal options share the batch action. As a
// second call would reboot again, nothing is sent again that may have taken
// effect: such an error is Ambiguous.
//
// Source: RebootInstance, RebootInstances.
func (c *Client) RebootInstances(ctx context.Context, region string, ids []string, options RebootOptions) error {
	return c.apply(ctx, change{
		action: "RebootInstances", single: "RebootInstance", region: region, most: mostPowerChanges, once: true,
		kind: fmt.Sprintf("%t", options.Force),
		request: func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
			if len(batch) == 1 {
				request := ecssdk.CreateRebootInstanceRequest()
				request.InstanceId = batch[0]
				request.ForceStop = force(options.Force)
				return request, ecssdk.CreateRebootInstanceResponse()
			}
			request := ecssdk.CreateRebootInstancesRequest()
			request.InstanceId = &batch
			request.ForceReboot = force(options.Force)
			request.BatchOptimization = successFirst
			return request, ecssdk.CreateRebootInstancesResponse()
		},
		results: powerResults,
	}, ids)
}

func force(on bool) requests.Boolean {
	if on {
		return requests.NewBoolean(true)
	}
	return ""
}

// powerResults reads which instances a batch action refused.
func powerResults(answer responses.AcsResponse) map[string]refusal {
	var told []ecssdk.InstanceResponse
	switch answer := answer.(type) {
	case *ecssdk.StartInstancesResponse:
		told = answer.InstanceResponses.InstanceResponse
	case *ecssdk.StopInstancesResponse:
		told = answer.InstanceResponses.InstanceResponse
	case *ecssdk.RebootInstancesResponse:
		told = answer.InstanceResponses.InstanceResponse
	}
	refused := map[string]refusal{}
	for _, of := range told {
		if of.Code != "" && of.Code != responseOK {
			refused[of.InstanceId] = refusal{code: of.Code, message: of.Message}
		}
	}
	return refused
}
