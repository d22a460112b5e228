package alicloud

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ExamineOperation says why an operation on the machine can never be what it is asked
// for, as far as ECS tells while the machine is not touched: the image of a new system
// disk exists, is for the machine's processor and fits on the disk. That is a
// *machineops.PermanentError of ReasonInvalidConfiguration; any other error is a look
// that failed, and says nothing of the operation. The machine's own state is not
// judged, which may be another when it is the operation's turn; where the machine is not
// known but for its region, only the image is. What is the same for several machines is
// asked once.
func (c *Cloud) ExamineOperation(ctx context.Context, request machineops.OperationRequest, machine *driver.ObservedMachine) error {
	if request.Operation != v1alpha3.OperationHostReplace {
		return nil
	}

	client, err := c.plugin.NewECSClient(secretOf(request.Auth), machine.Region)
	if err != nil {
		return operationError(err)
	}

	named := replacementOf(request)
	if named.check(request) != nil {
		return nil //nolint:nilerr // CheckOperation tells of it.
	}

	image, err := c.replacements.get(ctx, machine.Region+"\x00"+named.String(), func(ctx context.Context) (ecs.Image, error) {
		return named.find(ctx, client, machine.Region)
	})
	if err != nil {
		return operationError(err)
	}

	if machine.InstanceType == "" {
		return checkImageFits(request, image, ecs.InstanceType{})
	}

	types, err := c.resolver.types.known(ctx, client, machine.Region, []string{machine.InstanceType})
	if err != nil {
		return operationError(err)
	}

	return checkImageFits(request, image, types[machine.InstanceType])
}
