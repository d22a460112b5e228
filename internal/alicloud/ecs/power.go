package ecs

import (
	"context"
	"slices"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/responses"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// mostPowerChanges is the most IDs that one StartInstances or StopInstances call
// takes.
const mostPowerChanges = 100

// StopOptions says how instances are stopped.
type StopOptions struct {
	// Force cuts the power; unwritten data may be lost.
	Force bool
	// StoppedMode is KeepCharging or StopCharging; empty leaves it to the account's
	// setting. Instances that cannot stop charging are stopped all the same.
	StoppedMode string
}

// StartInstances starts stopped instances. It returns when the API has accepted;
// the instances run some time later. An instance that is not stopped is an error
// of ClassConflict, and the whole call of up to 100 is refused with it.
//
// Source: StartInstance, StartInstances.
func (c *Client) StartInstances(ctx context.Context, region string, ids []string) error {
	return c.changePower(ctx, "StartInstance", region, ids, func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
		if len(batch) == 1 {
			request := ecssdk.CreateStartInstanceRequest()
			request.InstanceId = batch[0]
			return request, ecssdk.CreateStartInstanceResponse()
		}
		request := ecssdk.CreateStartInstancesRequest()
		request.InstanceId = &batch
		return request, ecssdk.CreateStartInstancesResponse()
	})
}

// StopInstances stops running instances. It returns when the API has accepted;
// the instances are stopped some time later. An instance that does not run is an
// error of ClassConflict, and the whole call of up to 100 is refused with it.
//
// Source: StopInstance, StopInstances.
func (c *Client) StopInstances(ctx context.Context, region string, ids []string, options StopOptions) error {
	return c.changePower(ctx, "StopInstance", region, ids, func(batch []string) (requests.AcsRequest, responses.AcsResponse) {
		if len(batch) == 1 {
			request := ecssdk.CreateStopInstanceRequest()
			request.InstanceId = batch[0]
			request.ForceStop = forceStop(options)
			request.StoppedMode = options.StoppedMode
			return request, ecssdk.CreateStopInstanceResponse()
		}
		request := ecssdk.CreateStopInstancesRequest()
		request.InstanceId = &batch
		request.ForceStop = forceStop(options)
		request.StoppedMode = options.StoppedMode
		return request, ecssdk.CreateStopInstancesResponse()
	})
}

// RebootInstance reboots a running instance: as from within, or, forced, by a reset
// of its power. It returns when the API has accepted. A request that may have taken
// effect without an answer that says so is not sent again: the error's Ambiguous
// tells, and the caller looks what became of the instance. An instance that does not
// run is an error of ClassConflict.
//
// Source: RebootInstance.
func (c *Client) RebootInstance(ctx context.Context, region, id string, force bool) error {
	const action = "RebootInstance"
	region, err := c.regionOf(action, region)
	if err != nil {
		return err
	}
	if _, err := uniqueIDs(action, region, []string{id}); err != nil {
		return err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	_, err = c.do(ctx, call{
		action: action, product: productECS, region: region, mutates: true, once: true, repeats: readRepeats,
		request: func() (requests.AcsRequest, responses.AcsResponse) {
			request := ecssdk.CreateRebootInstanceRequest()
			request.InstanceId = id
			if force {
				request.ForceStop = requests.NewBoolean(true)
			}
			return request, ecssdk.CreateRebootInstanceResponse()
		},
	})
	return err
}

func forceStop(options StopOptions) requests.Boolean {
	if options.Force {
		return requests.NewBoolean(true)
	}
	return ""
}

// changePower makes the calls. One instance travels in the action for one, whose
// name the batch action's is with an s.
func (c *Client) changePower(
	ctx context.Context, action, region string, ids []string, request func(batch []string) (requests.AcsRequest, responses.AcsResponse),
) error {
	region, err := c.regionOf(action, region)
	if err != nil {
		return err
	}
	ids, err = uniqueIDs(action, region, ids)
	if err != nil {
		return err
	}
	ctx, cancel := withPatience(ctx)
	defer cancel()
	for batch := range slices.Chunk(ids, mostPowerChanges) {
		name := action
		if len(batch) > 1 {
			name += "s"
		}
		_, err := c.do(ctx, call{
			action: name, product: productECS, region: region, mutates: true, repeats: writeRepeats,
			request: func() (requests.AcsRequest, responses.AcsResponse) { return request(slices.Clone(batch)) },
		})
		if err != nil {
			return err
		}
	}
	return nil
}
