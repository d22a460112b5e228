package alicloud

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// startPrecision is that of an instance's start time (DescribeInstances).
	startPrecision = time.Minute
	// consoleLookAfter keeps looks at the console rare: most reboots show before.
	consoleLookAfter = 10 * time.Second
	// steadyFor is how long an instance has to run after an accepted reboot that neither
	// its start time nor its console can show.
	steadyFor = 2 * time.Minute
)

// reboot reboots a running machine. That it did is told by any of three: the machine
// is Starting, its start time is a later one, its console was written anew. That a
// reboot moves the start time is not documented, and not every machine has a console.
type reboot struct{}

// bootMark is when a machine last came up, as far as ECS tells.
type bootMark struct {
	// startedAt has the precision of minutes, consoleAt that of seconds.
	startedAt, consoleAt time.Time
}

func (m bootMark) encode() string {
	return encodeTime(m.startedAt) + "." + encodeTime(m.consoleAt)
}

func decodeBootMark(text string) bootMark {
	started, console, _ := strings.Cut(text, ".")

	return bootMark{startedAt: decodeTime(started), consoleAt: decodeTime(console)}
}

func encodeTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}

	return strconv.FormatInt(t.Unix(), 36)
}

// decodeTime reads what encodeTime wrote; anything else tells no time.
func decodeTime(text string) time.Time {
	seconds, err := strconv.ParseInt(text, 36, 64)
	if err != nil {
		return time.Time{}
	}

	return time.Unix(seconds, 0).UTC()
}

func (reboot) check(request machineops.OperationRequest) error { return checkOperationRequest(request) }

func (reboot) satisfied(machineops.OperationRequest, ecs.Instance) bool { return false }

func (reboot) prepare(ctx context.Context, o *operating, instance ecs.Instance) (string, error) {
	if err := o.needs(instance, ecs.InstanceStatusRunning); err != nil {
		return "", err
	}

	consoleAt, err := o.consoleAt(ctx)
	if err != nil {
		return "", err
	}

	return bootMark{startedAt: instance.StartedAt, consoleAt: consoleAt}.encode(), nil
}

// earliest lets the start time that the reboot gives differ from the last one.
func (reboot) earliest(instance ecs.Instance) time.Time {
	if instance.StartedAt.IsZero() {
		return time.Time{}
	}

	return instance.StartedAt.Truncate(startPrecision).Add(startPrecision)
}

func (reboot) happened(ctx context.Context, o *operating, instance ecs.Instance, before string) (bool, error) {
	mark := decodeBootMark(before)

	if instance.Status == ecs.InstanceStatusStarting || cameUp(mark.startedAt, instance.StartedAt) {
		return true, nil
	}

	consoleAt, err := o.consoleAt(ctx)

	switch {
	case err != nil:
		return false, err
	case cameUp(mark.consoleAt, consoleAt):
		return true, nil
	case consoleAt.IsZero() || mark.consoleAt.IsZero():
		return false, &machineops.PermanentError{
			Reason: v1alpha3.ReasonOutcomeUnknown,
			Err: fmt.Errorf("an earlier run was about to reboot %s and did not see the end; the machine's start time has not changed, and its console cannot be asked (GetInstanceConsoleOutput). "+
				"Whether it was rebooted is not known, and it is not rebooted again", o.id),
		}
	default:
		return false, nil
	}
}

// cameUp reports whether both times are known, and the second is later.
func cameUp(before, now time.Time) bool {
	return !before.IsZero() && now.After(before)
}

func (reboot) perform(ctx context.Context, o *operating, instance ecs.Instance, _ intent) error {
	if err := o.needs(instance, ecs.InstanceStatusRunning); err != nil {
		return err
	}

	return o.client.RebootInstances(ctx, o.id.Region, []string{o.id.ResourceID}, ecs.RebootOptions{Force: isTrue(o.request, ParameterForce)})
}

func (reboot) look(ctx context.Context, o *operating, instance ecs.Instance, token operationToken) (machineops.PollResult, error) {
	mark, waited := decodeBootMark(token.Before), o.r.clock.Since(token.AskedAt)

	switch {
	case instance.Status != ecs.InstanceStatusRunning:
		return inProgress(v1alpha3.ReasonRebooting, "%s is %s", o.id, instance.Status), nil
	case cameUp(mark.startedAt, instance.StartedAt):
		return succeededWith("%s is Running again%s", o.id, startedText(instance)), nil
	case waited < consoleLookAfter:
		return inProgress(v1alpha3.ReasonRebooting, "%s was asked to reboot, and is %s", o.id, instance.Status), nil
	}

	consoleAt, err := o.consoleAt(ctx)

	switch {
	case err != nil:
		return machineops.PollResult{}, err
	case cameUp(mark.consoleAt, consoleAt):
		return succeededWith("%s is Running again; its console was last written at %s, and its start time has not changed", o.id, consoleAt.Format(time.RFC3339)), nil
	case mark.consoleAt.IsZero() && waited >= steadyFor:
		return succeededWith("%s is Running; ECS accepted its reboot, and shows neither a new start time nor a console", o.id), nil
	default:
		return inProgress(v1alpha3.ReasonRebooting, "%s was asked to reboot, and nothing shows yet that it did", o.id), nil
	}
}

// consoleAt is when the console was last written; the zero time where the machine has
// none, or the caller may not see it.
func (o *operating) consoleAt(ctx context.Context) (time.Time, error) {
	console, err := o.client.ConsoleOutput(ctx, o.id.Region, o.id.ResourceID)

	switch class := ecs.ClassOf(err); {
	case err == nil:
		return console.UpdatedAt, nil
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return time.Time{}, err
	case class == ecs.ClassTransient, class == ecs.ClassThrottled, class == ecs.ClassCredentials:
		return time.Time{}, fmt.Errorf("asking when the console of %s was last written: %w", o.id, err)
	default:
		return time.Time{}, nil
	}
}
