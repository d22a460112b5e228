package alicloud

import (
	"context"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// OperationDone tells, in sentences, what of an operation that has not ended was done to
// its machine, by what the machine's intent says of before. It is empty where the machine
// carries no intent of the operation, or, of a change that its allocation causes, none of
// its allocation's. An error is a look that failed.
func (c *Cloud) OperationDone(ctx context.Context, request machineops.OperationRequest) (string, error) {
	o, err := c.operations.operating(request, request.ProviderID)
	if err != nil {
		return "", err
	}

	instance, err := o.observe(ctx)
	if err != nil {
		return "", err
	}

	found := o.tag.current
	if found == nil || (!o.isUnderWay() && !o.ofOneAllocation(*found)) {
		return "", nil
	}

	switch found.kind {
	case intentWord(v1alpha3.OperationHostReplace), reinstallWord:
		return o.diskDone(ctx, instance, decodeReplaceMark(found.before))
	case resizeWord:
		return typeDone(instance, decodeResizeMark(found.before)), nil
	case intentWord(v1alpha3.OperationHostReboot):
		return o.rebootDone(ctx, instance, found.before)
	default:
		return "", nil
	}
}

// diskDone tells whether the machine has another disk than before.
func (o *operating) diskDone(ctx context.Context, instance ecs.Instance, mark replaceMark) (string, error) {
	disk, err := o.systemDisk(ctx)
	if err != nil {
		return "", err
	}

	if mark.losesOn(disk) {
		return fmt.Sprintf("Its system disk is a new one%s, and what was on the former one is gone; it boots from the new one for the first time, with the first-boot data %s.",
			imageText(instance), o.dataOf()), nil
	}

	text := "Its system disk is still the one that it had"
	if o.givesData() && instance.Status != ecs.InstanceStatusRunning {
		return text + "; its first-boot data may be the operation's already, which counts when it next boots for the first time.", nil
	}

	return text + ".", nil
}

func imageText(instance ecs.Instance) string {
	if instance.ImageID == "" {
		return ""
	}

	return ", made from " + instance.ImageID
}

// givesData reports whether the operation has first-boot data of its own.
func (o *operating) givesData() bool { return !isTrue(o.request, ParameterKeepUserData) }

func (o *operating) dataOf() string {
	if o.givesData() {
		return "that the operation brought"
	}

	return "that it had"
}

// typeDone tells whether the machine is of another type than before.
func typeDone(instance ecs.Instance, mark resizeMark) string {
	if typeMark(instance.Type) == mark.instanceType {
		return fmt.Sprintf("It is still of the type %s.", instance.Type)
	}

	return fmt.Sprintf("It is of the type %s already.", instance.Type)
}

// rebootDone tells whether the machine was rebooted, as far as ECS does.
func (o *operating) rebootDone(ctx context.Context, instance ecs.Instance, before string) (string, error) {
	happened, err := reboot{}.happened(ctx, o, instance, before)

	switch {
	case outcomeUnknown(err):
		return "Whether it was rebooted cannot be told.", nil
	case err != nil:
		return "", err
	case happened:
		return "It was rebooted.", nil
	default:
		return "It was not rebooted.", nil
	}
}
