package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	spotAtMarketPrice  = "SpotAsPriceGo"
	spotWithPriceLimit = "SpotWithPriceLimit"
	noSpot             = "NoSpot"
	prePaid            = "PrePaid"
)

// ObserveMachine looks at one machine, or takes over what a poll of its launch has
// seen a moment ago. It returns an error of code CodeNotFound only
// where the machine's absence is proven: the caller may list, the list does not hold
// the machine, and ECS says that it does not exist. Credentials that may only look
// cannot ask the last, and are content with the first two.
func (plugin *MachinePlugin) ObserveMachine(ctx context.Context, req *driver.ObserveMachineRequest) (*driver.ObservedMachine, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	id, err := parseProviderID(req.ProviderID, "")
	if err != nil {
		return nil, err
	}

	client, err := plugin.NewECSClient(req.Secret, id.Region)
	if err != nil {
		return nil, driverError(err)
	}

	if instance, there := plugin.looks.take(id); there {
		return observed(id.Region, instance), nil
	}

	instance, err := lookAt(ctx, client, id)
	if err != nil {
		return nil, err
	}

	return observed(id.Region, instance), nil
}

// lookAt returns the instance, or a *driver.Error as ObserveMachine does.
func lookAt(ctx context.Context, client *ecs.Client, id driver.ProviderID) (ecs.Instance, error) {
	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
	if err != nil {
		return ecs.Instance{}, lookError(fmt.Errorf("looking at %s: %w", id, err))
	}

	if instance, ok := instances[id.ResourceID]; ok {
		return instance, nil
	}

	err = proveReleased(ctx, client, id)

	var unconfirmed *unconfirmedError
	if err != nil && (!errors.As(err, &unconfirmed) || ecs.ClassOf(err) != ecs.ClassPermission) {
		return ecs.Instance{}, lookError(err)
	}

	return ecs.Instance{}, driver.NewError(driver.CodeNotFound, "%s does not exist in the region %s", id.ResourceID, id.Region)
}

func observed(region string, instance ecs.Instance) *driver.ObservedMachine {
	machine := &driver.ObservedMachine{
		ProviderID:   providerID(region, instance.ID),
		Region:       region,
		ResourceID:   instance.ID,
		Name:         instance.Name,
		NodeName:     nodeName(instance.HostName, instance.ID),
		Identity:     identityOf(instance.Tags),
		Phase:        phaseOf(instance),
		LockReasons:  slices.Clone(instance.LockReasons),
		InstanceType: instance.Type,
		Zone:         instance.Zone,
		Image:        instance.ImageID,
		CapacityType: string(capacityTypeOf(instance)),
		OfferingID:   offeringOf(instance),
		PrivateIPs:   slices.Clone(instance.PrivateIPs),
		CreatedAt:    instance.CreatedAt,
		Tags:         userTags(instance.Tags),
		TagCount:     len(instance.Tags),
		Settled:      marked(instance.Tags, tagSettled),
		Releasing:    marked(instance.Tags, tagReleasing),
		Replacing:    marked(instance.Tags, tagReplacing),

		SubnetID:         instance.VSwitchID,
		SecurityGroupIDs: slices.Clone(instance.SecurityGroupIDs),
		KeyPairName:      instance.KeyPairName,

		DeletionProtection: instance.DeletionProtection,
	}

	explainOperation(machine, instance)
	explainPhase(machine, instance)

	if len(instance.PublicIPs) > 0 {
		machine.PublicIP = instance.PublicIPs[0]
	}

	return machine
}

func phaseOf(instance ecs.Instance) driver.MachinePhase {
	for _, reason := range instance.LockReasons {
		// ECS spells this reason both ways.
		if strings.EqualFold(reason, "Recycling") {
			return driver.MachinePhaseReclaiming
		}
	}

	if len(instance.LockReasons) > 0 {
		return driver.MachinePhaseLocked
	}

	switch instance.Status {
	case ecs.InstanceStatusPending:
		return driver.MachinePhaseAllocating
	case ecs.InstanceStatusStarting:
		// A first start and a reboot look the same but for the start time.
		if instance.StartedAt.IsZero() {
			return driver.MachinePhaseAllocating
		}

		return driver.MachinePhaseRunning
	case ecs.InstanceStatusRunning:
		return driver.MachinePhaseRunning
	case ecs.InstanceStatusStopping, ecs.InstanceStatusStopped:
		return driver.MachinePhaseStopped
	default:
		return driver.MachinePhaseUnknown
	}
}

// capacityTypeOf tells how an instance is paid for. A spot instance is reported as
// PostPaid and told apart by its strategy alone.
func capacityTypeOf(instance ecs.Instance) v1alpha3.CapacityType {
	switch {
	case instance.ChargeType == prePaid:
		return v1alpha3.CapacityTypeSubscription
	case instance.SpotStrategy != "" && instance.SpotStrategy != noSpot:
		return v1alpha3.CapacityTypeSpot
	default:
		return v1alpha3.CapacityTypeOnDemand
	}
}
