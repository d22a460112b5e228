package alicloud

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// The parameters of HostPowerOff.
const (
	// ParameterForce set to "true" cuts the power, and data that is not yet written
	// may be lost. Otherwise the operating system is asked to shut down.
	ParameterForce = "force"
	// ParameterStoppedMode is KeepCharging or StopCharging (StopInstance,
	// "StoppedMode"); without it the account's setting decides.
	ParameterStoppedMode = "stopped_mode"
)

// powerToken is the handle of a power operation.
type powerToken struct {
	Version int `json:"v"`
	// Machine is the provider ID.
	Machine string `json:"machine"`
	// Power is the status that ends the operation.
	Power ecs.InstanceStatus `json:"power"`
}

// powerChange is one way to change a machine's power.
type powerChange struct {
	wanted ecs.InstanceStatus
	// from is the only status in which ECS takes the call.
	from ecs.InstanceStatus
	// coming is the status on the way.
	coming ecs.InstanceStatus
	call   func(ctx context.Context, client *ecs.Client, id driver.ProviderID) error
}

func (r *registration) beginPowerOn(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	if err := checkParameters(request); err != nil {
		return machineops.BeginResult{}, err
	}

	return r.beginPower(ctx, request, powerChange{
		wanted: ecs.InstanceStatusRunning, from: ecs.InstanceStatusStopped, coming: ecs.InstanceStatusStarting,
		call: func(ctx context.Context, client *ecs.Client, id driver.ProviderID) error {
			return client.StartInstances(ctx, id.Region, []string{id.ResourceID})
		},
	})
}

func (r *registration) beginPowerOff(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	if err := checkParameters(request, ParameterForce, ParameterStoppedMode); err != nil {
		return machineops.BeginResult{}, err
	}

	options := ecs.StopOptions{
		Force:       request.Parameters[ParameterForce] == "true",
		StoppedMode: request.Parameters[ParameterStoppedMode],
	}

	return r.beginPower(ctx, request, powerChange{
		wanted: ecs.InstanceStatusStopped, from: ecs.InstanceStatusRunning, coming: ecs.InstanceStatusStopping,
		call: func(ctx context.Context, client *ecs.Client, id driver.ProviderID) error {
			return client.StopInstances(ctx, id.Region, []string{id.ResourceID}, options)
		},
	})
}

// checkParameters refuses what the operation does not take, before any call.
func checkParameters(request machineops.OperationRequest, allowed ...string) error {
	values := map[string][]string{
		ParameterForce:       {"true", "false"},
		ParameterStoppedMode: {"KeepCharging", "StopCharging"},
	}

	for name, value := range request.Parameters {
		if !slices.Contains(allowed, name) {
			return invalid(fmt.Errorf("%s takes no parameter %q", request.Operation, name))
		}

		if !slices.Contains(values[name], value) {
			return invalid(fmt.Errorf("%s: the parameter %s is one of %s, and not %q", request.Operation, name, strings.Join(values[name], ", "), value))
		}
	}

	return nil
}

// beginPower asks for the change where the machine is not already there or on its
// way, so that a repeated Begin has no second effect.
func (r *registration) beginPower(ctx context.Context, request machineops.OperationRequest, change powerChange) (machineops.BeginResult, error) {
	id, err := parseProviderID(request.ProviderID, "")
	if err != nil {
		return machineops.BeginResult{}, invalid(err)
	}

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), id.Region)
	if err != nil {
		return machineops.BeginResult{}, operationError(err)
	}

	instance, err := listedInstance(ctx, client, id)
	if err != nil {
		return machineops.BeginResult{}, err
	}

	message := fmt.Sprintf("%s is %s already", id, instance.Status)

	switch instance.Status {
	case change.wanted, change.coming:
	case change.from:
		if err := change.call(ctx, client, id); err != nil {
			return machineops.BeginResult{}, operationError(fmt.Errorf("%s of %s: %w", request.Operation, id, err))
		}

		message = fmt.Sprintf("%s of %s was accepted", request.Operation, id)
	default:
		return machineops.BeginResult{}, fmt.Errorf("%s of %s: ECS takes it when the machine is %s, and it is %s", request.Operation, id, change.from, instance.Status)
	}

	token, err := encodeToken(powerToken{Version: resumeTokenVersion, Machine: id.String(), Power: change.wanted})
	if err != nil {
		return machineops.BeginResult{}, err
	}

	return machineops.BeginResult{
		Operation:    machineops.ProviderOperation{OperationID: string(request.OperationUID), ResumeToken: token},
		Message:      message,
		RequeueAfter: nextLook(r.clock),
	}, nil
}

// listedInstance returns the instance. Where its absence is proven, the error is
// permanent.
func listedInstance(ctx context.Context, client *ecs.Client, id driver.ProviderID) (ecs.Instance, error) {
	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
	if err != nil {
		return ecs.Instance{}, operationError(fmt.Errorf("looking at %s: %w", id, err))
	}

	if instance, listed := instances[id.ResourceID]; listed {
		return instance, nil
	}

	if err := proveReleased(ctx, client, id); err != nil {
		return ecs.Instance{}, operationError(err)
	}

	return ecs.Instance{}, &machineops.PermanentError{
		Reason: v1alpha3.ReasonNotFound,
		Err:    fmt.Errorf("%s does not exist in the region %s", id.ResourceID, id.Region),
	}
}

// pollPower looks whether the machine has got there.
func (r *registration) pollPower(ctx context.Context, request machineops.OperationRequest, operation machineops.ProviderOperation) (machineops.PollResult, error) {
	var token powerToken

	err := decodeToken(operation.ResumeToken, &token)
	if err == nil {
		err = checkTokenVersion(token.Version)
	}

	if err != nil {
		return machineops.PollResult{}, err
	}

	id, err := parseProviderID(token.Machine, "")
	if err != nil {
		return machineops.PollResult{}, tokenError(err)
	}

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), id.Region)
	if err != nil {
		return machineops.PollResult{}, operationError(err)
	}

	instance, err := listedInstance(ctx, client, id)
	if err != nil {
		return machineops.PollResult{}, err
	}

	result := machineops.PollResult{
		State:        machineops.ProviderOperationStateInProgress,
		Result:       machineops.OperationResult{ProviderID: id.String()},
		Reason:       v1alpha3.ReasonPowering,
		Message:      fmt.Sprintf("%s is %s", id, instance.Status),
		RequeueAfter: nextLook(r.clock),
	}

	if instance.Status == token.Power {
		result.State, result.Reason = machineops.ProviderOperationStateSucceeded, ""
	}

	return result, nil
}
