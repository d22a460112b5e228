package alicloud

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// powerOn starts a stopped machine.
type powerOn struct{}

func (powerOn) check(request machineops.OperationRequest) error {
	return checkOperationRequest(request)
}

func (powerOn) satisfied(_ machineops.OperationRequest, instance ecs.Instance) bool {
	return instance.Status == ecs.InstanceStatusRunning || instance.Status == ecs.InstanceStatusStarting
}

func (powerOn) prepare(_ context.Context, o *operating, instance ecs.Instance) (string, error) {
	return "", o.needs(instance, ecs.InstanceStatusStopped)
}

func (powerOn) earliest(ecs.Instance) time.Time { return time.Time{} }

func (a powerOn) happened(_ context.Context, o *operating, instance ecs.Instance, _ string) (bool, error) {
	return a.satisfied(o.request, instance), nil
}

func (powerOn) perform(ctx context.Context, o *operating, instance ecs.Instance, _ intent) error {
	if err := o.needs(instance, ecs.InstanceStatusStopped); err != nil {
		return err
	}

	return o.client.StartInstances(ctx, o.id.Region, []string{o.id.ResourceID})
}

func (powerOn) look(_ context.Context, o *operating, instance ecs.Instance, _ operationToken) (machineops.PollResult, error) {
	if instance.Status == ecs.InstanceStatusRunning {
		return succeededWith("%s is Running%s", o.id, startedText(instance)), nil
	}

	return inProgress(v1alpha3.ReasonPowering, "%s is %s", o.id, instance.Status), nil
}

// startedText tells since when, where ECS does.
func startedText(instance ecs.Instance) string {
	if instance.StartedAt.IsZero() {
		return ""
	}

	return fmt.Sprintf(", by ECS started at %s", instance.StartedAt.UTC().Format(time.RFC3339))
}

// powerOff stops a running machine.
type powerOff struct{}

func (powerOff) check(request machineops.OperationRequest) error {
	return checkOperationRequest(request)
}

func (powerOff) satisfied(_ machineops.OperationRequest, instance ecs.Instance) bool {
	return instance.Status == ecs.InstanceStatusStopped || instance.Status == ecs.InstanceStatusStopping
}

func (powerOff) prepare(_ context.Context, o *operating, instance ecs.Instance) (string, error) {
	return "", o.needs(instance, ecs.InstanceStatusRunning)
}

func (powerOff) earliest(ecs.Instance) time.Time { return time.Time{} }

func (a powerOff) happened(_ context.Context, o *operating, instance ecs.Instance, _ string) (bool, error) {
	return a.satisfied(o.request, instance), nil
}

func (powerOff) perform(ctx context.Context, o *operating, instance ecs.Instance, _ intent) error {
	if err := o.needs(instance, ecs.InstanceStatusRunning); err != nil {
		return err
	}

	return o.stop(ctx, isTrue(o.request, ParameterForce))
}

func (powerOff) look(ctx context.Context, o *operating, instance ecs.Instance, token operationToken) (machineops.PollResult, error) {
	if instance.Status == ecs.InstanceStatusStopped {
		return succeededWith("%s is Stopped%s", o.id, stoppedText(instance)), nil
	}

	late, err := o.shutdownLate(ctx, instance, token.AskedAt)

	switch {
	case err != nil:
		return machineops.PollResult{}, err
	case late != nil:
		return *late, nil
	}

	return inProgress(v1alpha3.ReasonPowering, "%s is %s", o.id, instance.Status), nil
}

// stoppedText tells whether a stopped machine is paid for.
func stoppedText(instance ecs.Instance) string {
	if instance.StoppedMode == "" {
		return ""
	}

	return fmt.Sprintf(" (%s)", instance.StoppedMode)
}

// stop asks for the stop. A machine that is to run again keeps its capacity.
func (o *operating) stop(ctx context.Context, force bool) error {
	mode := o.request.Parameters[ParameterStoppedMode]
	if o.request.Operation == v1alpha3.OperationHostReplace {
		mode = keepCharging
	}

	return o.client.StopInstances(ctx, o.id.Region, []string{o.id.ResourceID}, ecs.StopOptions{Force: force, StoppedMode: mode})
}

// forcedPrefix begins what an intent says once the power was about to be cut.
const forcedPrefix = "forced"

// shutdownLate deals with a machine that has had its time to shut down: it cuts the
// power where that is allowed, and else returns the failure. It returns nil where
// there is still time.
func (o *operating) shutdownLate(ctx context.Context, instance ecs.Instance, since time.Time) (*machineops.PollResult, error) {
	bound, now := gracefulTimeout(o.request), o.r.clock.Now()
	if bound == 0 || now.Before(since.Add(bound)) {
		return nil, nil //nolint:nilnil // There is no verdict yet.
	}

	if !isTrue(o.request, ParameterForceAfterTimeout) {
		failed := failedWith(v1alpha3.ReasonNotStopped, "%s was asked to shut down, and is %s after %s. Its power was not cut, since %s is not true",
			o.id, instance.Status, bound, ParameterForceAfterTimeout)

		return &failed, nil
	}

	progress := inProgress(v1alpha3.ReasonPowering, "%s did not shut down within %s, and its power is cut; it is %s", o.id, bound, instance.Status)

	if o.held == nil || now.Before(forcedAt(o.held.before).Add(inFlight)) {
		return &progress, nil
	}

	// What was before goes on to stand there, after the word and its time.
	_, before, _ := cutForced(o.held.before)
	o.held.before = forcedPrefix + strconv.FormatInt(now.Unix(), 36) + "." + before
	o.tag.current = o.held

	if err := o.write(ctx, o.tag); err != nil {
		return nil, fmt.Errorf("writing on %s that its power is about to be cut: %w", o.id, err)
	}

	// One that has stopped meanwhile, or is being stopped by force, needs nothing.
	if err := o.stop(ctx, true); err != nil && ecs.ClassOf(err) != ecs.ClassConflict {
		return nil, fmt.Errorf("cutting the power of %s: %w", o.id, err)
	}

	return &progress, nil
}

// cutForced takes apart what an intent says of before once the power was about to be
// cut.
func cutForced(before string) (at, rest string, forced bool) {
	text, forced := strings.CutPrefix(before, forcedPrefix)
	if !forced {
		return "", before, false
	}

	at, rest, _ = strings.Cut(text, ".")

	return at, rest, true
}

// forcedAt is when the power was about to be cut; the zero time where it never was.
func forcedAt(before string) time.Time {
	at, _, forced := cutForced(before)
	if !forced {
		return time.Time{}
	}

	seconds, err := strconv.ParseInt(at, 36, 64)
	if err != nil {
		return time.Time{}
	}

	return time.Unix(seconds, 0)
}

// needs refuses a machine that ECS would not do this to. A machine on its way between
// two statuses is waited for, which the ordinary error brings about; anything else is
// for a person.
func (o *operating) needs(instance ecs.Instance, statuses ...ecs.InstanceStatus) error {
	if phaseOf(instance) == driver.MachinePhaseReclaiming {
		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonRefused,
			Err:    fmt.Errorf("%s is being taken back by Alibaba Cloud, which needs the spot capacity", o.id),
		}
	}

	if len(instance.LockReasons) > 0 {
		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonRefused,
			Err:    fmt.Errorf("%s is locked (%s)", o.id, strings.Join(instance.LockReasons, ", ")),
		}
	}

	for _, status := range statuses {
		if instance.Status == status {
			return nil
		}
	}

	switch instance.Status {
	case ecs.InstanceStatusStopped:
		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonNotRunning,
			Err:    fmt.Errorf("%s is for a machine that runs, and %s is %s", o.kind(), o.id, instance.Status),
		}
	case ecs.InstanceStatusRunning:
		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonRefused,
			Err:    fmt.Errorf("%s has to be %s for %s, and it is %s", o.id, statuses[0], o.kind(), instance.Status),
		}
	default:
		return fmt.Errorf("%s is %s, and has to be %s first for %s", o.id, instance.Status, statuses[0], o.kind())
	}
}

// listedInstance returns the instance. Where its absence is proven, the error is
// permanent.
func listedInstance(ctx context.Context, client *ecs.Client, id driver.ProviderID) (ecs.Instance, error) {
	instances, err := client.InstancesByID(ctx, id.Region, []string{id.ResourceID})
	if err != nil {
		return ecs.Instance{}, operationError(fmt.Errorf("looking at %s: %w", id, err))
	}

	if instance, listed := instances[id.ResourceID]; listed {
		return instance, nil
	}

	if err := proveReleased(ctx, client, id); err != nil {
		return ecs.Instance{}, operationError(err)
	}

	return ecs.Instance{}, &machineops.PermanentError{
		Reason: v1alpha3.ReasonNotFound,
		Err:    fmt.Errorf("%s does not exist in the region %s, which is the one that was searched", id.ResourceID, id.Region),
	}
}
