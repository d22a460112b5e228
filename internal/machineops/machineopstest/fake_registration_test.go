package machineopstest_test

import (
	"context"
	"errors"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/machineopstest"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	userDataSecret = "MARKER-user-data-51c7"
	keySecret      = "MARKER-access-key-90ab"
)

// callbacks is a registration before it is built, so that a test can put a wrong
// callback in the place of a right one.
type callbacks struct {
	name          string
	resolve       machineops.ResolveClassFunc
	plan          machineops.PlanAllocationFunc
	beginAllocate machineops.BeginFunc
	pollAllocate  machineops.PollFunc
	cleanAllocate machineops.CleanupFunc
	beginRelease  machineops.BeginFunc
	pollRelease   machineops.PollFunc
	beginReboot   machineops.BeginFunc
	pollReboot    machineops.PollFunc
	powerOff      machineops.ExecuteFunc
}

// right returns the callbacks of a registration that keeps to every rule.
func right(c *cloud) *callbacks {
	return &callbacks{
		name:          "Fake",
		resolve:       c.resolveClass,
		plan:          planAllocation,
		beginAllocate: c.beginAllocate,
		pollAllocate:  c.pollAllocate,
		cleanAllocate: cleanNothing,
		beginRelease:  c.beginRelease,
		pollRelease:   c.pollRelease,
		beginReboot:   c.beginReboot,
		pollReboot:    pollReboot,
		powerOff:      c.powerOff,
	}
}

func (r *callbacks) build() (*machineops.Provider, error) {
	return machineops.NewProvider(
		r.name,
		machineops.WithCapacity(r.resolve, r.plan),
		machineops.WithLongRunningOperation(
			unboundedv1alpha3.OperationHostAllocate, r.beginAllocate, r.pollAllocate,
			machineops.WithCleanup(r.cleanAllocate),
		),
		machineops.WithLongRunningOperation(unboundedv1alpha3.OperationHostRelease, r.beginRelease, r.pollRelease),
		machineops.WithLongRunningOperation(unboundedv1alpha3.OperationHostReboot, r.beginReboot, r.pollReboot),
		machineops.WithImmediateOperation(
			unboundedv1alpha3.OperationHostPowerOff, r.powerOff, machineops.ReplaySafe(),
		),
	)
}

// suiteFor runs registrations that wrong, where it is not nil, has spoiled.
func suiteFor(c *cloud, wrong func(*cloud, *callbacks)) machineopstest.Suite {
	return machineopstest.Suite{
		New: func(context.Context) (*machineops.Provider, error) {
			made := right(c)
			if wrong != nil {
				wrong(c, made)
			}

			return made.build()
		},
		Class:         machineops.ClassRequest{ClassName: "worker", ProviderConfig: config("good"), Auth: auth()},
		InvalidConfig: config("bad"),
		Allocation:    allocation,
		Secrets:       []string{userDataSecret, keySecret},
		Output:        c.printed,
		Effects:       c.journal,
		Calls:         c.callCount,
		Wait:          c.pass,
		Now:           c.time,
		Polls:         20,
	}
}

func auth() *machineops.OperationAuth {
	return &machineops.OperationAuth{Mode: "keys", SecretData: map[string]string{"key": keySecret}}
}

func config(class string) machineops.ProviderConfig {
	return machineops.ProviderConfig{Data: map[string]string{"class": class}}
}

func allocation(name string) machineops.OperationRequest {
	return machineops.OperationRequest{
		MachineName:   name,
		OperationName: name,
		OperationUID:  types.UID("operation-" + name),
		Operation:     unboundedv1alpha3.OperationHostAllocate,
		Auth:          auth(),
		Allocation: &machineops.AllocationRequest{
			Name:           name,
			UID:            types.UID("allocation-" + name),
			ClassName:      "worker",
			HostName:       name,
			ProviderConfig: config("good"),
			UserData:       "#!/bin/sh\n# " + userDataSecret + "\n",
		},
	}
}

func checkConfig(config machineops.ProviderConfig) error {
	if config.Data["class"] != "good" {
		return &machineops.PermanentError{
			Reason: unboundedv1alpha3.ReasonInvalidConfiguration, Err: errors.New("the class is not good"),
		}
	}

	return nil
}

func (c *cloud) resolveClass(
	ctx context.Context, request machineops.ClassRequest,
) (machineops.ClassResolution, error) {
	if err := errors.Join(ctx.Err(), checkConfig(request.ProviderConfig)); err != nil {
		return machineops.ClassResolution{}, err
	}

	defer c.called()()

	offering := unboundedv1alpha3.MachineClassOffering{
		ID:           "large-a",
		InstanceType: "large",
		Region:       region,
		Zone:         "a",
		Availability: unboundedv1alpha3.AvailabilityAvailable,
		Resources:    map[string]resource.Quantity{"cpu": resource.MustParse("4")},
		Price:        &unboundedv1alpha3.Price{PerHour: resource.MustParse("1.5"), Currency: "CNY"},
		ValidUntil:   metav1.NewTime(c.now.Add(time.Minute)),
	}
	soldOut := *offering.DeepCopy()
	soldOut.ID, soldOut.Zone = "large-b", "b"
	soldOut.Availability = unboundedv1alpha3.AvailabilitySoldOut

	return machineops.ClassResolution{Offerings: []unboundedv1alpha3.MachineClassOffering{soldOut, offering}}, nil
}

func planAllocation(
	_ context.Context, request machineops.AllocationPlanRequest,
) (machineops.AllocationPlan, error) {
	if err := checkConfig(request.ProviderConfig); err != nil {
		return machineops.AllocationPlan{}, err
	}

	return machineops.AllocationPlan{
		ProviderID: region + ".planned-" + string(request.AllocationUID), HostImage: "image",
	}, nil
}

func launchToken(request machineops.OperationRequest) string {
	return string(request.Allocation.UID) + "/" + string(request.OperationUID)
}

func begun(token string) machineops.BeginResult {
	return machineops.BeginResult{
		Operation: machineops.ProviderOperation{OperationID: "fake", ResumeToken: token},
		Message:   "accepted", RequeueAfter: time.Second,
	}
}

func (c *cloud) beginAllocate(
	ctx context.Context, request machineops.OperationRequest,
) (machineops.BeginResult, error) {
	if err := errors.Join(ctx.Err(), checkConfig(request.Allocation.ProviderConfig)); err != nil {
		return machineops.BeginResult{}, err
	}

	c.launch(launchToken(request), request.Allocation.Offering)
	c.print("launched for " + request.Allocation.Name)

	return begun(launchToken(request)), nil
}

func (c *cloud) pollAllocate(
	ctx context.Context, _ machineops.OperationRequest, handle machineops.ProviderOperation,
) (machineops.PollResult, error) {
	if err := ctx.Err(); err != nil {
		return machineops.PollResult{}, err
	}

	found, ok := c.launched(handle.ResumeToken)

	switch {
	case !ok:
		return machineops.PollResult{}, &machineops.PermanentError{Err: errors.New("the handle is unknown")}
	case found.gone:
		return machineops.PollResult{
			State: machineops.ProviderOperationStateFailed, Reason: unboundedv1alpha3.ReasonWithdrawn,
		}, nil
	case found.readyAt.After(c.time()):
		return machineops.PollResult{
			State:  machineops.ProviderOperationStateInProgress,
			Reason: unboundedv1alpha3.ReasonBooting, RequeueAfter: time.Second,
		}, nil
	}

	return machineops.PollResult{
		State: machineops.ProviderOperationStateSucceeded, Result: resultOf(found),
	}, nil
}

func resultOf(found host) machineops.OperationResult {
	return machineops.OperationResult{
		ProviderID: region + "." + found.id,
		Allocation: &machineops.AllocationResult{
			ProviderResourceID: found.id,
			InstanceType:       found.instanceType,
			Zone:               found.zone,
			Image:              found.image,
			OwnedResources: []unboundedv1alpha3.ProviderOwnedResource{
				{Kind: unboundedv1alpha3.OwnedResourceInstance, ID: found.id, Region: region},
				{Kind: unboundedv1alpha3.OwnedResourceDisk, ID: found.disk, Region: region, OutlivesHost: true},
			},
		},
	}
}

func cleanNothing(context.Context, machineops.OperationRequest, machineops.OperationResult) error {
	return nil
}

func (c *cloud) beginRelease(
	ctx context.Context, request machineops.OperationRequest,
) (machineops.BeginResult, error) {
	if err := ctx.Err(); err != nil {
		return machineops.BeginResult{}, err
	}

	for _, owned := range request.Allocation.OwnedResources {
		c.remove(owned)
	}

	return begun(string(request.Allocation.UID)), nil
}

func (c *cloud) pollRelease(
	ctx context.Context, request machineops.OperationRequest, _ machineops.ProviderOperation,
) (machineops.PollResult, error) {
	if err := ctx.Err(); err != nil {
		return machineops.PollResult{}, err
	}

	for _, owned := range request.Allocation.OwnedResources {
		if !c.removed(owned) {
			return machineops.PollResult{State: machineops.ProviderOperationStateInProgress}, nil
		}
	}

	return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded}, nil
}

func hostID(request machineops.OperationRequest) string {
	return strings.TrimPrefix(request.ProviderID, region+".")
}

func (c *cloud) beginReboot(
	ctx context.Context, request machineops.OperationRequest,
) (machineops.BeginResult, error) {
	if err := ctx.Err(); err != nil {
		return machineops.BeginResult{}, err
	}

	c.once(string(request.OperationUID), "reboot", hostID(request))

	return begun(string(request.OperationUID)), nil
}

func pollReboot(
	ctx context.Context, request machineops.OperationRequest, _ machineops.ProviderOperation,
) (machineops.PollResult, error) {
	return machineops.PollResult{
		State:  machineops.ProviderOperationStateSucceeded,
		Result: machineops.OperationResult{ProviderID: request.ProviderID},
	}, ctx.Err()
}

func (c *cloud) powerOff(
	ctx context.Context, request machineops.OperationRequest,
) (machineops.OperationResult, error) {
	if err := ctx.Err(); err != nil {
		return machineops.OperationResult{}, err
	}

	c.stop(hostID(request))

	return machineops.OperationResult{ProviderID: request.ProviderID}, nil
}
