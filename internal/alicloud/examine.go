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
// judged, which may be another when it is the operation's turn. What is the same for
// several machines is asked once.
func (c *Cloud) ExamineOperation(ctx context.Context, request machineops.OperationRequest, machine *driver.ObservedMachine) error {
	if request.Operation != v1alpha3.OperationHostReplace {
		return nil
	}

	client, err := c.plugin.NewECSClient(secretOf(request.Auth), machine.Region)
	if err != nil {
		return operationError(err)
	}

	image, err := c.replacements.find(ctx, client, machine.Region, replacementOf(request))
	if err != nil {
		return operationError(err)
	}

	types, err := c.resolver.types.known(ctx, client, machine.Region, []string{machine.InstanceType})
	if err != nil {
		return operationError(err)
	}

	return checkImageFits(request, image, types[machine.InstanceType])
}

// replacements keeps the images that were found for new system disks, for all
// operations that one plan examines. It is safe for concurrent use.
type replacements struct {
	// turn is held by who asks, so that what several want is asked once. Who holds it
	// may use the rest.
	turn  chan struct{}
	found map[regionalImage]ecs.Image
}

type regionalImage struct {
	region string
	image  replacementImage
}

func newReplacements() *replacements {
	return &replacements{turn: make(chan struct{}, 1), found: map[regionalImage]ecs.Image{}}
}

func (r *replacements) find(ctx context.Context, client *ecs.Client, region string, named replacementImage) (ecs.Image, error) {
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return ecs.Image{}, ctx.Err()
	}

	defer func() { <-r.turn }()

	key := regionalImage{region: region, image: named}

	if image, known := r.found[key]; known {
		return image, nil
	}

	image, err := named.find(ctx, client, region)
	if err != nil {
		return ecs.Image{}, err
	}

	r.found[key] = image

	return image, nil
}
