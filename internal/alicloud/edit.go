package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// EditMachine changes in place what an instance is; see driver.Editor. Instances that
// are neither running nor stopped are refused by ECS.
func (plugin *MachinePlugin) EditMachine(ctx context.Context, req *driver.EditMachineRequest) (*driver.ObservedMachine, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	id, err := parseProviderID(req.ProviderID, "")
	if err != nil {
		return nil, err
	}

	if req.Name != nil {
		if err := checkInstanceName(*req.Name); err != nil {
			return nil, &driver.Error{Code: driver.CodeInvalidArgument, Err: err}
		}
	}

	client, err := plugin.NewECSClient(req.Secret, id.Region)
	if err != nil {
		return nil, driverError(err)
	}

	instance, err := lookAt(ctx, client, id)
	if err != nil {
		return nil, err
	}

	e := &editing{client: client, id: id, request: req}

	for _, step := range []func(context.Context, ecs.Instance) error{e.attributes, e.keyPair, e.role} {
		if err := step(ctx, instance); err != nil {
			return nil, driverError(err)
		}
	}

	return e.readBack(ctx, instance)
}

// editing is one request at work on its instance.
type editing struct {
	client  *ecs.Client
	id      driver.ProviderID
	request *driver.EditMachineRequest
	// changed is set once ECS has accepted a change.
	changed bool
}

func (e *editing) attributes(ctx context.Context, instance ecs.Instance) error {
	attributes := ecs.InstanceAttributes{}

	if wanted := e.request.Name; wanted != nil && *wanted != instance.Name {
		attributes.Name = wanted
	}

	if wanted := e.request.SecurityGroupIDs; len(wanted) > 0 && !sameGroups(wanted, instance.SecurityGroupIDs) {
		attributes.SecurityGroupIDs = wanted
	}

	if wanted := e.request.DeletionProtection; wanted != nil && *wanted != instance.DeletionProtection {
		attributes.DeletionProtection = wanted
	}

	if attributes.Name == nil && attributes.SecurityGroupIDs == nil && attributes.DeletionProtection == nil {
		return nil
	}

	e.changed = true

	if err := e.client.ModifyInstance(ctx, e.id.Region, e.id.ResourceID, attributes); err != nil {
		return fmt.Errorf("changing attributes of %s: %w", e.id, err)
	}

	return nil
}

func sameGroups(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

func (e *editing) keyPair(ctx context.Context, instance ecs.Instance) error {
	wanted := e.request.KeyPairName
	if wanted == nil || *wanted == instance.KeyPairName {
		return nil
	}

	e.changed = true
	ids := []string{e.id.ResourceID}

	var err error
	if *wanted == "" {
		err = e.client.DetachKeyPair(ctx, e.id.Region, ids, instance.KeyPairName)
	} else {
		err = e.client.AttachKeyPair(ctx, e.id.Region, ids, *wanted)
	}

	if err != nil {
		return fmt.Errorf("changing the key pair of %s: %w", e.id, err)
	}

	return nil
}

// role changes the role. An instance takes another one only when it has none, so that
// one that is cut off between the two has none; asking again gives it the new one.
func (e *editing) role(ctx context.Context, _ ecs.Instance) error {
	wanted := e.request.RoleName
	if wanted == nil {
		return nil
	}

	current, err := e.client.RAMRole(ctx, e.id.Region, e.id.ResourceID)
	if err != nil {
		return fmt.Errorf("looking at the RAM role of %s: %w", e.id, err)
	}

	if current == *wanted {
		return nil
	}

	ids := []string{e.id.ResourceID}

	if current != "" {
		if err := e.client.DetachRAMRole(ctx, e.id.Region, ids, current); err != nil {
			return fmt.Errorf("taking the RAM role %s from %s: %w", current, e.id, err)
		}
	}

	if *wanted != "" {
		if err := e.client.AttachRAMRole(ctx, e.id.Region, ids, *wanted); err != nil {
			return fmt.Errorf("giving %s the RAM role %s: %w", e.id, *wanted, err)
		}
	}

	shown, err := e.client.RAMRole(ctx, e.id.Region, e.id.ResourceID)

	switch {
	case err != nil:
		return fmt.Errorf("looking at the RAM role of %s: %w", e.id, err)
	case shown != *wanted:
		return e.notShown(fmt.Sprintf("the RAM role %q", shown))
	default:
		return nil
	}
}

// readBack returns the instance as it is after the change.
func (e *editing) readBack(ctx context.Context, instance ecs.Instance) (*driver.ObservedMachine, error) {
	if e.changed {
		var err error
		if instance, err = lookAt(ctx, e.client, e.id); err != nil {
			return nil, err
		}
	}

	var problems []error

	if wanted := e.request.Name; wanted != nil && *wanted != instance.Name {
		problems = append(problems, e.notShown(fmt.Sprintf("the name %q", instance.Name)))
	}

	if wanted := e.request.SecurityGroupIDs; len(wanted) > 0 && !sameGroups(wanted, instance.SecurityGroupIDs) {
		problems = append(problems, e.notShown(fmt.Sprintf("the security groups %v", instance.SecurityGroupIDs)))
	}

	if wanted := e.request.KeyPairName; wanted != nil && *wanted != instance.KeyPairName {
		problems = append(problems, e.notShown(fmt.Sprintf("the key pair %q", instance.KeyPairName)))
	}

	if wanted := e.request.DeletionProtection; wanted != nil && *wanted != instance.DeletionProtection {
		problems = append(problems, e.notShown(fmt.Sprintf("the deletion protection %t", instance.DeletionProtection)))
	}

	return observed(e.id.Region, instance), errors.Join(problems...)
}

// notShown tells that ECS accepted a change and shows something else.
func (e *editing) notShown(shown string) error {
	return driver.NewError(driver.CodeAborted, "ECS accepted the change of %s, and shows %s", e.id, shown)
}
