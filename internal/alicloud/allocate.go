package alicloud

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// pollInterval is the wait between looks at a machine that is on its way. ECS
// advises one to two seconds at the least.
const pollInterval = 2 * time.Second

// beginAllocate launches one instance from the offering. The parameters are a pure
// function of the request and the token of its UIDs, so that a repeated Begin is
// the same call, which ECS answers with the same instance.
func (r *registration) beginAllocate(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	allocation := request.Allocation
	if allocation == nil {
		return machineops.BeginResult{}, invalid(errors.New("the request has no allocation"))
	}

	spec, err := decodeClass(allocation.ProviderConfig)
	if err != nil {
		return machineops.BeginResult{}, err
	}

	input, err := launchInput(request, spec)
	if err != nil {
		return machineops.BeginResult{}, invalid(err)
	}

	input.Password = machineops.PasswordFrom(ctx)

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), spec.Region)
	if err != nil {
		return machineops.BeginResult{}, operationError(err)
	}

	launch, err := runInstance(ctx, client, input)
	if launch.lostAnswers > 0 {
		machineops.ReportLostAnswer(ctx)
	}

	if err != nil {
		return machineops.BeginResult{}, operationError(withAdvice(err))
	}

	token, err := resumeToken{Region: spec.Region, InstanceID: launch.instanceID, AnsweredAt: r.clock.Now().UTC()}.encode()
	if err != nil {
		return machineops.BeginResult{}, err
	}

	return machineops.BeginResult{
		Operation:    machineops.ProviderOperation{OperationID: launch.requestID, ResumeToken: token},
		Message:      fmt.Sprintf("the launch of %s was accepted (request %s)", providerID(spec.Region, launch.instanceID), launch.requestID),
		RequeueAfter: r.boots.firstLook(r.clock),
	}, nil
}
