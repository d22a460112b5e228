package alicloud

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// reshaping is HostReplace: of the machine's system disk, or of its instance type, where
// the caller names types.
func reshaping(request machineops.OperationRequest) act {
	switch {
	case resizes(request):
		return resize{}
	case isTrue(request, v1alpha3.ParameterTakeBack):
		return takeBack{}
	default:
		return replace{}
	}
}

func resizes(request machineops.OperationRequest) bool {
	return request.Parameters[v1alpha3.ParameterInstanceTypes] != ""
}

// resize makes a machine one of another instance type: stop, ModifyInstanceSpec, start.
// It keeps its ID, its disks and its addresses. The types are tried in their order;
// where ECS refuses all, the machine runs again as what it was.
type resize struct{}

func (resize) check(request machineops.OperationRequest) error {
	if len(wantedTypes(request)) == 0 {
		return errors.New("no instance type is named")
	}

	return nil
}

func wantedTypes(request machineops.OperationRequest) []string {
	return strings.FieldsFunc(request.Parameters[v1alpha3.ParameterInstanceTypes], func(r rune) bool { return r == ',' })
}

func (resize) satisfied(request machineops.OperationRequest, instance ecs.Instance) bool {
	return slices.Contains(wantedTypes(request), instance.Type)
}

func (resize) earliest(ecs.Instance) time.Time { return time.Time{} }

// resizeMark is what an intent says of a machine before its type is changed: which type
// it was, in few characters, and whether it ran.
type resizeMark struct {
	instanceType string
	ran          bool
}

func (m resizeMark) encode() string {
	if m.ran {
		return m.instanceType + ".ran"
	}

	return m.instanceType + ".stopped"
}

func decodeResizeMark(before string) resizeMark {
	_, rest, _ := cutForced(before)
	instanceType, ran, _ := strings.Cut(rest, ".")

	return resizeMark{instanceType: instanceType, ran: ran == "ran"}
}

func typeMark(id string) string { return markOf("type", id) }

// prepare looks at everything that ECS would refuse once the machine is stopped.
func (resize) prepare(ctx context.Context, o *operating, instance ecs.Instance) (string, error) {
	if err := o.needs(instance, ecs.InstanceStatusRunning, ecs.InstanceStatusStopped); err != nil {
		return "", err
	}

	if instance.ChargeType == prePaid {
		return "", &machineops.PermanentError{
			Reason: v1alpha3.ReasonRefused,
			Err:    fmt.Errorf("%s is a subscription, whose type is changed by an order that has to be paid: change it in the ECS console", o.id),
		}
	}

	if _, err := o.candidates(ctx, instance); err != nil {
		return "", err
	}

	return resizeMark{instanceType: typeMark(instance.Type), ran: instance.Status == ecs.InstanceStatusRunning}.encode(), nil
}

// candidates are those of the types that the machine can become, as far as ECS tells.
func (o *operating) candidates(ctx context.Context, instance ecs.Instance) ([]string, error) {
	wanted := wantedTypes(o.request)

	known, err := o.r.resolver.types.known(ctx, o.client, o.id.Region, append([]string{instance.Type}, wanted...))
	if err != nil {
		return nil, fmt.Errorf("looking at the instance types: %w", err)
	}

	stock, err := o.client.AvailableTypes(ctx, ecs.StockQuery{Region: o.id.Region, Zone: instance.Zone, ChargeType: postPaid, SpotStrategy: spotStrategyOf(instance)})
	if err != nil {
		return nil, fmt.Errorf("looking at the stock in %s: %w", instance.Zone, err)
	}

	runs := architecture(known[instance.Type].CPUArchitecture)

	var (
		candidates []string
		problems   []error
		reason     = v1alpha3.ReasonInvalidConfiguration
	)

	for _, id := range wanted {
		of, exists := known[id]
		sold := slices.IndexFunc(stock, func(s ecs.ZoneStock) bool { return s.InstanceType == id && s.Zone == instance.Zone })

		switch {
		case !exists:
			problems = append(problems, fmt.Errorf("%s does not exist in the region %s", id, o.id.Region))
		case another(architecture(of.CPUArchitecture), runs):
			problems = append(problems, fmt.Errorf("%s is for %s, and the machine is for %s", id, architecture(of.CPUArchitecture), runs))
		case sold < 0:
			problems = append(problems, fmt.Errorf("%s is not sold in %s", id, instance.Zone))
		case gone(availability(stock[sold])):
			reason = v1alpha3.ReasonInsufficientCapacity
			problems = append(problems, fmt.Errorf("%s is sold out in %s", id, instance.Zone))
		default:
			candidates = append(candidates, id)
		}
	}

	if len(candidates) == 0 {
		return nil, &machineops.PermanentError{
			Reason: reason, Err: fmt.Errorf("%s is of the type %s, and can become none of those wanted: %w", o.id, instance.Type, errors.Join(problems...)),
		}
	}

	return candidates, nil
}

func gone(stock v1alpha3.Availability) bool {
	return stock == v1alpha3.AvailabilitySoldOut || stock == v1alpha3.AvailabilityDiscontinued
}

func spotStrategyOf(instance ecs.Instance) string {
	if instance.SpotStrategy == "" {
		return noSpot
	}

	return instance.SpotStrategy
}

// happened goes by what is wanted now, and not by what was when a run was cut off: one
// that has become a type which nobody wants any more changes again, and one that was
// only stopped, and is what is wanted, only has to run again.
func (r resize) happened(_ context.Context, o *operating, instance ecs.Instance, _ string) (bool, error) {
	return r.satisfied(o.request, instance), nil
}

func (resize) perform(ctx context.Context, o *operating, instance ecs.Instance, held intent) error {
	candidates, err := o.candidates(ctx, instance)
	if err != nil {
		return o.runAgain(ctx, instance.Status, decodeResizeMark(held.before).ran, staysWhatItWas, err)
	}

	if err := o.stopAndWait(ctx, instance); err != nil {
		return err
	}

	var refused []error

	for _, candidate := range candidates {
		err := o.client.ModifyInstanceType(ctx, o.id.Region, o.id.ResourceID, candidate, launchToken(o.key, held.uid, candidate))
		if err == nil {
			return nil
		}

		refused = append(refused, fmt.Errorf("making it %s: %w", candidate, err))

		// Another type may be had where this one cannot; a call whose effect is not known
		// leaves nothing to try.
		if class := ecs.ClassOf(err); ecs.Ambiguous(err) || (class != ecs.ClassCapacity && class != ecs.ClassConfiguration) {
			break
		}
	}

	return o.runAgain(ctx, ecs.InstanceStatusStopped, decodeResizeMark(held.before).ran, staysWhatItWas, errors.Join(refused...))
}

func (r resize) look(ctx context.Context, o *operating, instance ecs.Instance, token operationToken) (machineops.PollResult, error) {
	mark := decodeResizeMark(token.Before)
	resized, _ := r.happened(ctx, o, instance, token.Before)

	switch {
	case token.UID == "" || (resized && (instance.Status == ecs.InstanceStatusRunning || !mark.ran || o.handsOver(instance))):
		return succeededWith("%s is of the type %s, and %s", o.id, instance.Type, instance.Status), nil
	case !resized:
		return inProgress(v1alpha3.ReasonReplacing, "%s is %s, and still of the type %s%s", o.id, instance.Status, instance.Type, lockText(instance)), nil
	case instance.Status == ecs.InstanceStatusStopped && len(instance.LockReasons) == 0:
		return o.startChanged(ctx, "is of the type "+instance.Type)
	default:
		return inProgress(v1alpha3.ReasonReplacing, "%s is of the type %s, and %s%s", o.id, instance.Type, instance.Status, lockText(instance)), nil
	}
}

func (resize) inherit(found intent, instance ecs.Instance) string {
	return resizeMark{instanceType: typeMark(instance.Type), ran: ranBefore(found, instance)}.encode()
}
