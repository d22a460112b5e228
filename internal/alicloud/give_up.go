package alicloud

import (
	"context"
	"errors"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// cleanUpAct takes the trace of the operation off the machine. A machine that is gone
// has none. One that runs no more because of an operation that is given up is started
// first: whoever is cut off between the two finds the trace still there.
func (r *registration) cleanUpAct(ctx context.Context, request machineops.OperationRequest, _ machineops.OperationResult) error {
	o, err := r.operating(request, request.ProviderID)
	if err != nil {
		return err
	}

	instance, err := o.observe(ctx)
	if err != nil {
		var permanent *machineops.PermanentError
		if errors.As(err, &permanent) && permanent.Reason == v1alpha3.ReasonNotFound {
			return nil
		}

		return err
	}

	var notStarted error
	if o.isUnderWay() && isTrue(request, v1alpha3.ParameterGivenUp) {
		if notStarted, err = o.leaveRunning(ctx, instance); err != nil {
			return err
		}
	}

	if notStarted != nil && !isTrue(request, v1alpha3.ParameterLeaveStopped) {
		return notStarted
	}

	tag := o.tag.withoutDone(o.key)
	if resizes(request) {
		tag = tag.withoutMarks(resizedTo)
	}

	if o.isUnderWay() {
		tag.current = nil
	}

	if notStarted != nil {
		tag = tag.withMark(leftStoppedMark(instance.StartedAt))
	}

	if tag.encode() == o.tag.encode() {
		return notStarted
	}

	if err := o.write(ctx, tag); err != nil {
		return operationError(errors.Join(fmt.Errorf("taking the trace of the operation off %s: %w", o.id, err), notStarted))
	}

	return notStarted
}

// isUnderWay reports whether the machine carries the intent of the carrying out that the
// request is about.
func (o *operating) isUnderWay() bool {
	current, carriedOut := o.tag.current, o.request.Parameters[v1alpha3.ParameterOperationID]

	return current != nil && current.key == o.key && (carriedOut == "" || carriedOut == current.uid || o.tag.hasDone(o.key))
}

// leaveRunning starts the machine where it ran before the operation under way, and was
// stopped for it. The first result is a refusal that only somebody's act, or stock, puts
// right; the second a failure that passes by itself.
func (o *operating) leaveRunning(ctx context.Context, instance ecs.Instance) (notStarted, failed error) {
	if found := o.tag.current; found.kind != intentWord(v1alpha3.OperationHostReplace) || !ranBefore(*found, instance) {
		return nil, nil
	}

	if instance, failed = o.awaitStop(ctx, instance); failed != nil {
		return nil, failed
	}

	if instance.Status != ecs.InstanceStatusStopped {
		return nil, nil
	}

	// A conflict, as while its disk is being replaced, is a failure that passes.
	err := o.client.StartInstances(ctx, o.id.Region, []string{o.id.ResourceID})

	if err == nil {
		return nil, nil
	}

	if refused := startRefused(err); refused != nil {
		return &machineops.PermanentError{Reason: v1alpha3.ReasonNotStarted, Err: refused.Err}, nil
	}

	if ecs.ClassOf(err) == ecs.ClassCapacity {
		return &machineops.PermanentError{Reason: v1alpha3.ReasonNotStarted, Err: err}, nil
	}

	return nil, &lookFailedError{err: fmt.Errorf("starting %s again: %w", o.id, err)}
}

// awaitStop waits for the end of a shutdown, since a stop that was accepted is not to be
// taken back. One that does not end is ended by a cut of the power where the operation
// was allowed that: after the time that it had for it, counted anew.
func (o *operating) awaitStop(ctx context.Context, instance ecs.Instance) (ecs.Instance, error) {
	since := o.r.clock.Now()

	for instance.Status == ecs.InstanceStatusStopping {
		var err error
		if instance, err = o.lookLater(ctx); err != nil {
			return instance, err
		}

		if instance.Status != ecs.InstanceStatusStopping || !mayForce(o.request) {
			continue
		}

		if _, err := o.shutdownLate(ctx, instance, since); err != nil {
			return instance, err
		}
	}

	return instance, nil
}
