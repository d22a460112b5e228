package alicloud

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
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

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), spec.Region)
	if err != nil {
		return machineops.BeginResult{}, operationError(err)
	}

	launch, err := runInstance(ctx, client, input)
	if launch.lostAnswers > 0 {
		machineops.ReportLostAnswer(ctx)
	}

	if err != nil {
		return machineops.BeginResult{}, operationError(err)
	}

	token, err := resumeToken{Region: spec.Region, InstanceID: launch.instanceID, AnsweredAt: r.clock.Now().UTC()}.encode()
	if err != nil {
		return machineops.BeginResult{}, err
	}

	return machineops.BeginResult{
		Operation:    machineops.ProviderOperation{OperationID: launch.requestID, ResumeToken: token},
		Message:      fmt.Sprintf("the launch of %s was accepted (request %s)", providerID(spec.Region, launch.instanceID), launch.requestID),
		RequeueAfter: nextLook(r.clock),
	}, nil
}

// launchInput returns the launch that the request asks for, or an error that says
// why it can never be one.
func launchInput(request machineops.OperationRequest, spec *ClassSpec) (ecs.RunInstancesInput, error) {
	allocation, offering := request.Allocation, request.Allocation.Offering

	switch {
	case offering.InstanceType == "" || offering.Network == "" || offering.Zone == "":
		return ecs.RunInstancesInput{}, fmt.Errorf("the offering %q lacks its instance type, zone or network", offering.ID)
	case offering.Region != "" && offering.Region != spec.Region:
		return ecs.RunInstancesInput{}, fmt.Errorf("the offering %q is in the region %s, and the class in %s", offering.ID, offering.Region, spec.Region)
	case allocation.UID == "" || request.OperationUID == "":
		return ecs.RunInstancesInput{}, errors.New("the request lacks the UIDs that make its repetition harmless")
	}

	users := usersTags(request, spec)

	input := ecs.RunInstancesInput{
		Region:           spec.Region,
		Zone:             offering.Zone,
		InstanceType:     offering.InstanceType,
		ImageID:          spec.ImageID,
		ImageFamily:      spec.ImageFamily,
		VSwitchID:        offering.Network,
		SecurityGroupIDs: spec.SecurityGroupIDs,
		InstanceName:     allocation.Name,
		HostName:         allocation.HostName,
		UserData:         allocation.UserData,
		KeyPairName:      spec.KeyPairName,
		RAMRoleName:      spec.RAMRoleName,
		Tags:             launchTags(users, requestIdentity(request)),
		ClientToken:      launchToken(string(allocation.UID), string(request.OperationUID)),
	}

	if spec.SystemDisk != nil {
		input.SystemDisk = ecs.Disk{
			Category:         spec.SystemDisk.Category,
			SizeGiB:          spec.SystemDisk.SizeGiB,
			PerformanceLevel: spec.SystemDisk.PerformanceLevel,
		}
	}

	switch offering.CapacityType {
	case v1alpha3.CapacityTypeOnDemand, "":
	case v1alpha3.CapacityTypeSpot:
		input.SpotStrategy = spotAtMarketPrice
	default:
		return ecs.RunInstancesInput{}, fmt.Errorf("the offering %q has the capacity type %q, which this version does not launch", offering.ID, offering.CapacityType)
	}

	return input, checkLaunch(input, users)
}

// usersTags are the class's tags and the allocation's over them.
func usersTags(request machineops.OperationRequest, spec *ClassSpec) map[string]string {
	tags := maps.Clone(spec.Tags)
	if tags == nil {
		tags = map[string]string{}
	}

	for parameter, value := range request.Parameters {
		if key, ok := strings.CutPrefix(parameter, v1alpha3.ParameterTagPrefix); ok {
			tags[key] = value
		}
	}

	return tags
}

// requestIdentity is whose machine the request asks for.
func requestIdentity(request machineops.OperationRequest) driver.MachineIdentity {
	return driver.MachineIdentity{
		Owner:       request.Parameters[v1alpha3.ParameterOwner],
		ClassUID:    string(request.Allocation.ClassUID),
		Allocation:  request.Allocation.Name,
		Fingerprint: request.Parameters[v1alpha3.ParameterFingerprint],
		Claim:       request.Parameters[v1alpha3.ParameterClaim],
	}
}
