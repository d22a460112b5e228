package alicloud

import (
	"context"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

const (
	// shutdownPatience is how long a machine that is to be released, and is shutting down,
	// may take for that. A grace that it was given before counts.
	shutdownPatience = 2 * time.Minute
	// powerCutPatience is how long a machine may take to stop whose power was cut.
	powerCutPatience = time.Minute
)

// endShutdown ends a shutdown that keeps a machine from being released: ECS deletes none
// that is Stopping, and one whose guest does not shut down may stay so for ever. It is
// given its time, and then its power is cut, as the deletion of a running machine does.
// The refusal is returned, as the deletion has to be asked for again.
func (r *registration) endShutdown(ctx context.Context, client *ecs.Client, request machineops.OperationRequest, id driver.ProviderID, refusal error) error {
	if ecs.ClassOf(refusal) != ecs.ClassConflict {
		return refusal
	}

	stopping, err := isStopping(ctx, client, id)
	if err != nil || !stopping {
		return refusal
	}

	// It was checked.
	grace, _ := gracefulRelease(request)

	if err := r.awaitStop(ctx, client, id, r.clock.Now().Add(shutdownPatience-grace)); err != nil {
		return err
	}

	if stopping, err = isStopping(ctx, client, id); err != nil || !stopping {
		return refusal
	}

	err = client.StopInstances(ctx, id.Region, []string{id.ResourceID}, ecs.StopOptions{Force: true})

	switch class := ecs.ClassOf(err); {
	case class == ecs.ClassConflict, class == ecs.ClassGone, class == ecs.ClassPermission:
		// It has stopped meanwhile, or is left to itself.
		return refusal
	case err != nil:
		return fmt.Errorf("cutting the power of %s, which does not shut down and is to be released: %w", id, err)
	}

	if err := r.awaitStop(ctx, client, id, r.clock.Now().Add(powerCutPatience)); err != nil {
		return err
	}

	return refusal
}

func isStopping(ctx context.Context, client *ecs.Client, id driver.ProviderID) (bool, error) {
	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})

	return instances[id.ResourceID].Status == ecs.InstanceStatusStopping, err
}
