package alicloud

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// beforeRelease makes sure that the instance may be released, has its data disks stay
// where that is asked for, marks it, so that a run that finds it after this one was
// killed goes on releasing it, and stops it where that is asked for. It returns what
// there is to tell of the disks. The disks come before the mark, so that whoever
// finishes a release that was cut off takes none of them.
func (r *registration) beforeRelease(ctx context.Context, client *ecs.Client, request machineops.OperationRequest, id driver.ProviderID, instance ecs.Instance) (string, error) {
	grace, err := gracefulRelease(request)
	if err != nil {
		return "", invalid(err)
	}

	switch err := fence(request, id, instance); {
	case err != nil:
		return "", err
	case instance.DeletionProtection:
		return "", protectedError(id, nil)
	case instance.ChargeType == prePaid:
		return "", subscriptionError(id, nil)
	}

	disks, err := settleDisks(ctx, client, request, id, instance)
	if err != nil {
		return "", err
	}

	if err := markReleasing(ctx, client, id, instance); err != nil {
		return "", err
	}

	return disks, r.stopGracefully(ctx, client, id, instance, grace)
}

// stopGracefully gives the instance time to shut down; none at all is none.
func (r *registration) stopGracefully(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance, grace time.Duration) error {
	if grace <= 0 {
		return nil
	}

	switch instance.Status {
	case ecs.InstanceStatusRunning:
		return r.stopFirst(ctx, client, id, grace)
	case ecs.InstanceStatusStopping:
		// A run that was interrupted, or an attempt that failed, has asked for it.
		return r.awaitStop(ctx, client, id, r.clock.Now().Add(grace))
	default:
		return nil
	}
}

func gracefulRelease(request machineops.OperationRequest) (time.Duration, error) {
	text := request.Parameters[v1alpha3.ParameterGracefulRelease]
	if text == "" {
		return 0, nil
	}

	grace, err := time.ParseDuration(text)
	if err != nil || grace < 0 {
		return 0, fmt.Errorf("%q is not how long a stop may take", text)
	}

	return grace, nil
}

// markReleasing writes the mark. Credentials that may delete and not tag can release
// all the same; the mark only serves the run after a kill.
func markReleasing(ctx context.Context, client *ecs.Client, id driver.ProviderID, instance ecs.Instance) error {
	if marked(instance.Tags, tagReleasing) || len(instance.Tags) >= mostTags {
		return nil
	}

	err := client.TagInstances(ctx, id.Region, []string{id.ResourceID}, map[string]string{tagReleasing: "true"})

	if class := ecs.ClassOf(err); class == ecs.ClassPermission || class == ecs.ClassGone {
		return nil
	}

	if err != nil {
		return fmt.Errorf("marking %s as being released: %w", id, err)
	}

	return nil
}

// stopFirst stops the instance as from within and returns when it is stopped, or
// the grace has passed. A stop that is refused is none.
func (r *registration) stopFirst(ctx context.Context, client *ecs.Client, id driver.ProviderID, grace time.Duration) error {
	until := r.clock.Now().Add(grace)

	err := client.StopInstances(ctx, id.Region, []string{id.ResourceID}, ecs.StopOptions{})

	switch {
	case err == nil, ecs.ClassOf(err) == ecs.ClassConflict, ecs.ClassOf(err) == ecs.ClassGone, ecs.ClassOf(err) == ecs.ClassPermission:
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return fmt.Errorf("stopping %s before its release: %w", id, err)
	}

	return r.awaitStop(ctx, client, id, until)
}

// awaitStop returns when the instance is stopped, or at the given time.
func (r *registration) awaitStop(ctx context.Context, client *ecs.Client, id driver.ProviderID, until time.Time) error {
	for r.clock.Now().Before(until) {
		instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
		if err != nil {
			return fmt.Errorf("looking at %s while it stops: %w", id, err)
		}

		if instance, listed := instances[id.ResourceID]; !listed || instance.Status == ecs.InstanceStatusStopped {
			return nil
		}

		timer := r.clock.NewTimer(min(pollInterval, until.Sub(r.clock.Now())))

		select {
		case <-ctx.Done():
			timer.Stop()

			return machineops.Ended(ctx)
		case <-timer.C():
		}
	}

	return nil
}
