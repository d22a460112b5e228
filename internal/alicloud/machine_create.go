package alicloud

import (
	"context"
	"errors"
	"strconv"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// SecretUserData is the key of the first-boot data in a machine's secret.
const SecretUserData = "userData"

// CreateMachine launches the machine, or returns the one that an earlier call with
// the same request launched: the ClientToken of the launch is made of the machine's
// name and UID. It returns when ECS has accepted the launch; the machine boots
// afterwards, and stays unlisted for some seconds.
//
// LastKnownState, handed back, makes repetition safe beyond the life of a token, and
// lets a launch be tried anew that ECS refused for lack of capacity; so it is
// returned with such an error too. Codes: InvalidArgument names every problem,
// before anything is called; ResourceExhausted, PermissionDenied, Unauthenticated,
// AlreadyExists (the machine was launched with other parameters), Unavailable.
func (plugin *MachinePlugin) CreateMachine(ctx context.Context, req *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	request := machineRequest{machine: req.Machine, class: req.MachineClass, secret: req.Secret}
	if err := request.check(); err != nil {
		return nil, err
	}

	state, err := decodeMachineState(req.Machine)
	if err != nil {
		return nil, err
	}

	spec, err := specOf(req.MachineClass)
	if err != nil {
		return nil, err
	}

	id, known, err := request.knownMachine(state)
	if err != nil {
		return nil, err
	}

	input, err := request.launchInput(spec)
	if err != nil {
		return nil, err
	}

	client, err := plugin.NewECSClient(req.Secret, spec.Region)
	if err != nil {
		return nil, driverError(err)
	}

	if known {
		instance, err := lookAt(ctx, client, id)
		if driver.CodeOf(err) != driver.CodeNotFound {
			return createdResponse(state, id, instance.HostName, err)
		}

		// What was launched is gone, so its token is spent.
		state.Attempt++
	}

	input.ClientToken = launchToken(req.Machine.Name, string(req.Machine.UID), strconv.Itoa(state.Attempt))

	launch, err := runInstance(ctx, client, input)
	if err != nil {
		return refusedResponse(state, err)
	}

	return createdResponse(state, driver.ProviderID{Region: spec.Region, ResourceID: launch.instanceID}, "", nil)
}

// launchInput returns the launch that the request asks for, without its token.
func (r machineRequest) launchInput(spec *providerSpec) (ecs.RunInstancesInput, error) {
	if r.machine.UID == "" {
		return ecs.RunInstancesInput{}, driver.NewError(driver.CodeInvalidArgument,
			"machine %s has no UID, which makes the repetition of its launch harmless", r.machine.Name)
	}

	input := ecs.RunInstancesInput{
		Region:           spec.Region,
		Zone:             spec.ZoneID,
		InstanceType:     spec.InstanceType,
		ImageID:          spec.ImageID,
		VSwitchID:        spec.VSwitchID,
		SecurityGroupIDs: []string{spec.SecurityGroupID},
		InstanceName:     r.machine.Name,
		UserData:         string(r.secret.Data[SecretUserData]),
		KeyPairName:      spec.KeyPairName,
		SpotStrategy:     spec.SpotStrategy,
		PrivateIPAddress: spec.PrivateIPAddress,
		DataDisks:        spec.launchDataDisks(),

		InternetChargeType:      spec.InternetChargeType,
		InternetMaxBandwidthIn:  spec.InternetMaxBandwidthIn,
		InternetMaxBandwidthOut: spec.InternetMaxBandwidthOut,
		// No owner: these are a Kubernetes cluster's machines, and no Terraform state's.
		Tags: launchTags(spec.Tags, driver.MachineIdentity{Allocation: r.machine.Name}),
	}

	if spec.SystemDisk != nil {
		input.SystemDisk = ecs.Disk{Category: spec.SystemDisk.Category, SizeGiB: spec.SystemDisk.Size}
	}

	if err := checkLaunch(input, spec.Tags); err != nil {
		return ecs.RunInstancesInput{}, driver.NewError(driver.CodeInvalidArgument, "machine %s: %w", r.machine.Name, err)
	}

	return input, nil
}

func createdResponse(state machineState, id driver.ProviderID, hostName string, err error) (*driver.CreateMachineResponse, error) {
	if err != nil {
		return nil, err
	}

	state.ProviderID = id.String()

	text, err := state.encode()
	if err != nil {
		return nil, err
	}

	return &driver.CreateMachineResponse{
		ProviderID:     state.ProviderID,
		NodeName:       nodeName(hostName, id.ResourceID),
		LastKnownState: text,
	}, nil
}

// refusedResponse returns the error of a failed launch. Where ECS surely launched
// nothing and will not do so under this token, the state says to take the next.
func refusedResponse(state machineState, err error) (*driver.CreateMachineResponse, error) {
	var failure *ecs.Error
	if ended(err) || !errors.As(err, &failure) || failure.Ambiguous {
		return nil, driverError(err)
	}

	if failure.Class != ecs.ClassCapacity && failure.Class != ecs.ClassTokenBurned {
		return nil, driverError(err)
	}

	text, encodeErr := machineState{Attempt: state.Attempt + 1}.encode()
	if encodeErr != nil {
		return nil, errors.Join(driverError(err), encodeErr)
	}

	return &driver.CreateMachineResponse{LastKnownState: text}, driverError(err)
}
