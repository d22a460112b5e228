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

// satisfied: one that shuts down is not yet as somebody wants it who allows its power to
// be cut, since its shutdown may hang.
func (powerOff) satisfied(request machineops.OperationRequest, instance ecs.Instance) bool {
	return instance.Status == ecs.InstanceStatusStopped || (instance.Status == ecs.InstanceStatusStopping && !mayForce(request))
}

// shuttingDown is what an intent says of before of a machine that somebody else's stop was
// under way on.
const shuttingDown = "stopping"

func (powerOff) prepare(_ context.Context, o *operating, instance ecs.Instance) (string, error) {
	before := ""
	if instance.Status == ecs.InstanceStatusStopping {
		before = shuttingDown
	}

	return before, o.needs(instance, ecs.InstanceStatusRunning, ecs.InstanceStatusStopping)
}

func (powerOff) earliest(ecs.Instance) time.Time { return time.Time{} }

// happened: that a machine shuts down does not tell whether its power was cut, where it
// did that before.
func (powerOff) happened(_ context.Context, o *operating, instance ecs.Instance, before string) (bool, error) {
	_, before, _ = cutForced(before)

	return instance.Status == ecs.InstanceStatusStopped ||
		(instance.Status == ecs.InstanceStatusStopping && (before != shuttingDown || !isTrue(o.request, ParameterForce))), nil
}

func (powerOff) perform(ctx context.Context, o *operating, instance ecs.Instance, _ intent) error {
	force := isTrue(o.request, ParameterForce)

	switch {
	case instance.Status == ecs.InstanceStatusStopped, instance.Status == ecs.InstanceStatusStopping && !force:
		return nil
	case instance.Status == ecs.InstanceStatusStopping:
		// One that has stopped meanwhile, or is being stopped by force, needs nothing.
		if err := o.stop(ctx, true); err != nil && ecs.ClassOf(err) != ecs.ClassConflict {
			return err
		}

		return nil
	}

	if err := o.needs(instance, ecs.InstanceStatusRunning); err != nil {
		return err
	}

	return o.stop(ctx, force)
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

// mayForce reports whether the power of a machine may be cut for the request.
func mayForce(request machineops.OperationRequest) bool {
	return isTrue(request, ParameterForce) || isTrue(request, ParameterForceAfterTimeout)
}

// shutdownBound is how long a shutdown may last; 0 is without end. A stop by force is over
// at once, so that one which lasts is another's that was under way, and is given the time
// that it has in a release.
func shutdownBound(request machineops.OperationRequest) time.Duration {
	if isTrue(request, ParameterForce) {
		return shutdownPatience
	}

	return gracefulTimeout(request)
}

// shutdownLate deals with a machine that has had its time to shut down: it cuts the
// power where that is allowed, and else returns the failure. It returns nil where
// there is still time.
func (o *operating) shutdownLate(ctx context.Context, instance ecs.Instance, since time.Time) (*machineops.PollResult, error) {
	bound, now := shutdownBound(o.request), o.r.clock.Now()
	if bound == 0 || now.Before(since.Add(bound)) {
		return nil, nil //nolint:nilnil // There is no verdict yet.
	}

	if !mayForce(o.request) {
		after := ""
		if o.goesOnToStop(instance) {
			after = ". Its shutdown goes on, and nothing starts it again once it is Stopped, unless the operation is carried out after all"
		}

		failed := failedWith(v1alpha3.ReasonNotStopped, "%s was asked to shut down, and is %s after %s. Its power was not cut, since %s is not true%s",
			o.id, instance.Status, bound, ParameterForceAfterTimeout, after)

		return &failed, nil
	}

	becomes := "is to be cut"
	if o.held != nil && !forcedAt(o.held.before).IsZero() {
		becomes = "was cut"
	}

	progress := inProgress(v1alpha3.ReasonPowering, "%s did not shut down within %s, and its power %s; it is %s", o.id, bound, becomes, instance.Status)

	// A cut that was made is given as long as a shutdown, as it may take more than a moment;
	// one that a killed run only wrote down is made after that.
	if o.held == nil || now.Before(forcedAt(o.held.before).Add(shutdownPatience)) {
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

// goesOnToStop reports whether a machine that is to run after the operation would shut down
// for one that ends now.
func (o *operating) goesOnToStop(instance ecs.Instance) bool {
	return o.request.Operation == v1alpha3.OperationHostReplace && instance.Status == ecs.InstanceStatusStopping
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
	case ecs.InstanceStatusStopping:
		return fmt.Errorf("%s is %s, and has to be %s first for %s. If its shutdown does not end, a HostPowerOff with %s = \"true\" ends it (leave power_state out of its machine_allocation for that apply)",
			o.id, instance.Status, statuses[0], o.kind(), ParameterForce)
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
