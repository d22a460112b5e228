package alicloud

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// pollAllocate looks at the launched instance. Whatever a look fails of, the launch
// was accepted and goes on, so its errors are ordinary ones, or a
// *machineops.BlockedError; only a handle that is none of ours is permanent.
func (r *registration) pollAllocate(ctx context.Context, request machineops.OperationRequest, operation machineops.ProviderOperation) (machineops.PollResult, error) {
	token, err := decodeResumeToken(operation.ResumeToken)
	if err != nil {
		return machineops.PollResult{}, err
	}

	id, err := parseProviderID(providerID(token.Region, token.InstanceID), "")
	if err != nil {
		return machineops.PollResult{}, invalid(fmt.Errorf("reading the resume token: %w", err))
	}

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), id.Region)
	if err != nil {
		return machineops.PollResult{}, err
	}

	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
	if err != nil {
		return machineops.PollResult{}, unfollowed(id, err, fmt.Errorf("looking at %s: %w", id, err))
	}

	instance, listed := instances[id.ResourceID]
	if !listed {
		return machineops.PollResult{
			State:        machineops.ProviderOperationStateInProgress,
			Result:       machineops.OperationResult{ProviderID: id.String()},
			Reason:       v1alpha3.ReasonNotListed,
			Message:      fmt.Sprintf("%s was accepted and is not listed yet", id),
			RequeueAfter: r.boots.firstLook(r.clock),
		}, nil
	}

	failed, foreign, err := judgeForeign(request, id, instance)
	if err != nil || foreign {
		return failed, err
	}

	r.plugin.looks.put(id, instance)
	result := judgeLaunched(request, id, instance)

	switch result.State {
	case machineops.ProviderOperationStateInProgress:
		result.RequeueAfter = r.boots.nextLook(r.clock, id.String(), token.AnsweredAt)
	case machineops.ProviderOperationStateSucceeded:
		r.boots.note(r.clock, id.String(), token.AnsweredAt)
	default:
	}

	return result, nil
}

// judgeForeign says whether the instance is not the request's: another run has
// claimed it, or the launch was answered with what an earlier launch made, which
// belongs to somebody. A tag that is absent says neither.
func judgeForeign(request machineops.OperationRequest, id driver.ProviderID, instance ecs.Instance) (machineops.PollResult, bool, error) {
	wanted, found := requestIdentity(request), identityOf(instance.Tags)
	result := machineops.PollResult{State: machineops.ProviderOperationStateFailed}

	if text, fresh := request.Parameters[v1alpha3.ParameterNotBefore]; fresh {
		notBefore, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return result, false, invalid(fmt.Errorf("reading since when the machine has to have been created: %w", err))
		}

		// A machine that was given another name, owner or class since keeps the token of
		// its launch.
		renamed := another(found.Allocation, wanted.Allocation) || another(found.Owner, wanted.Owner) || another(found.ClassUID, wanted.ClassUID)
		older := !instance.CreatedAt.IsZero() && instance.CreatedAt.Before(notBefore)

		if marked(instance.Tags, tagSettled) || older || renamed {
			result.Reason = v1alpha3.ReasonReplayed
			result.Result.ProviderID = id.String()
			result.Message = fmt.Sprintf("the launch was answered with %s, a machine of an earlier launch that is in use (as %q)", id, found.Allocation)

			return result, true, nil
		}
	}

	if !another(found.Claim, wanted.Claim) {
		return machineops.PollResult{}, false, nil
	}

	result.Reason = v1alpha3.ReasonTaken
	result.Message = fmt.Sprintf("%s is held by another run, which took it over; nothing was changed", id)

	return result, true, nil
}

func another(found, wanted string) bool { return found != "" && wanted != "" && found != wanted }

// judgeLaunched says how far a listed instance has come. What the answer leaves out
// is taken from the offering that was launched.
func judgeLaunched(request machineops.OperationRequest, id driver.ProviderID, instance ecs.Instance) machineops.PollResult {
	offering := request.Allocation.Offering

	result := machineops.PollResult{
		State: machineops.ProviderOperationStateInProgress,
		Result: machineops.OperationResult{
			ProviderID: id.String(),
			Allocation: &machineops.AllocationResult{
				ProviderResourceID: id.ResourceID,
				InstanceType:       cmp.Or(instance.Type, offering.InstanceType),
				Zone:               cmp.Or(instance.Zone, offering.Zone),
				Image:              instance.ImageID,
				OwnedResources: []v1alpha3.ProviderOwnedResource{
					{Kind: v1alpha3.OwnedResourceInstance, ID: id.ResourceID, Region: id.Region},
				},
			},
		},
		Reason:  v1alpha3.ReasonBooting,
		Message: fmt.Sprintf("%s is %s", id, cmp.Or(string(instance.Status), "in a status that ECS does not tell")),
	}

	switch {
	case phaseOf(instance) == driver.MachinePhaseReclaiming:
		// It may still run, but will be gone in minutes: no success to report.
		result.Message = fmt.Sprintf("%s is being taken back by Alibaba Cloud, which needs the spot capacity", id)
	case instance.Status == ecs.InstanceStatusRunning:
		result.State = machineops.ProviderOperationStateSucceeded
		result.Reason = ""
	}

	return result
}
