package lifecycle_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// fleet is a cloud that allocates. By default each launch is accepted, and its
// machine, north.m-<n> for the nth launch, is running at the first look.
type fleet struct {
	*cloud

	clk       *steppingClock
	allocator *lifecycle.Allocator
	offerings []v1alpha3.MachineClassOffering

	// running is how long a process has run when it is made.
	running time.Duration

	onList        func(n int, notBefore time.Time) ([]lifecycle.Observation, error)
	onRelease     func(n int, request machineops.OperationRequest) (machineops.BeginResult, error)
	onPollRelease func(n int) (machineops.PollResult, error)
	onObserve     func(ctx context.Context, n int, machine string) (lifecycle.Observation, error)
	onClaim       func(ctx context.Context, n int, machine, claim string) error
}

func newFleet(t *testing.T, offerings ...v1alpha3.MachineClassOffering) *fleet {
	t.Helper()

	f := &fleet{cloud: newCloud(), clk: newClock(), offerings: offerings, running: time.Hour}
	f.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		return launched(n), nil
	}
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		return running(handle), nil
	}
	f.onResolve = func(context.Context, int) (machineops.ClassResolution, error) {
		return machineops.ClassResolution{Offerings: validFor(f.clk.Now(), f.offerings)}, nil
	}
	f.onRelease = func(int, machineops.OperationRequest) (machineops.BeginResult, error) { return begun(), nil }
	f.onPollRelease = func(int) (machineops.PollResult, error) {
		return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded}, nil
	}
	f.onObserve = func(_ context.Context, _ int, machine string) (lifecycle.Observation, error) {
		return lifecycle.Observation{ProviderID: machine, CreatedAt: f.clk.Now()}, nil
	}
	f.onClaim = func(context.Context, int, string, string) error { return nil }
	f.onList = func(int, time.Time) ([]lifecycle.Observation, error) { return nil, nil }

	f.restart(t)

	return f
}

// restart makes the fleet's next calls those of another process.
func (f *fleet) restart(t *testing.T) {
	t.Helper()

	registration, err := machineops.NewProvider(cloudName,
		machineops.WithCapacity(f.resolve, func(context.Context, machineops.AllocationPlanRequest) (machineops.AllocationPlan, error) {
			return machineops.AllocationPlan{}, nil
		}),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostAllocate, f.begin, f.poll),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostRelease, f.release, f.pollRelease),
	)
	if err != nil {
		t.Fatalf("NewProvider: %v", err)
	}

	ids := 0

	f.allocator = lifecycle.NewAllocator(
		&lifecycle.Runner{Registration: registration, Auth: credentials, Clock: f.clk},
		lifecycle.NewClasses(registration, credentials, f.clk, "site"), f,
		lifecycle.Options{
			NewID:   func() string { ids++; return fmt.Sprintf("random-%d", ids) },
			Started: f.clk.Now().Add(-f.running),
		})
}

func (f *fleet) release(_ context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	return f.onRelease(f.note("release", &request), request)
}

func (f *fleet) pollRelease(_ context.Context, request machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
	return f.onPollRelease(f.note("poll release", &request))
}

// Observe implements lifecycle.Machines.
func (f *fleet) Observe(ctx context.Context, machine string) (lifecycle.Observation, error) {
	n := f.note("observe", nil)
	if ctx.Err() != nil {
		panic("observed after the context had ended")
	}

	return f.onObserve(ctx, n, machine)
}

// Claim implements lifecycle.Machines.
func (f *fleet) Claim(ctx context.Context, machine, claim string) error {
	n := f.note("claim", nil)
	if ctx.Err() != nil {
		panic("claimed after the context had ended")
	}

	return f.onClaim(ctx, n, machine, claim)
}

// List implements lifecycle.Machines.
func (f *fleet) List(ctx context.Context, region string, notBefore time.Time) ([]lifecycle.Observation, error) {
	n := f.note("list", nil)

	if ctx.Err() != nil {
		panic("listed after the context had ended")
	}

	if region != "north" {
		panic("listed in " + region)
	}

	if f.clk.Now().Before(notBefore) {
		panic("listed a list of the future")
	}

	return f.onList(n, notBefore)
}

// Replacing implements lifecycle.Machines.
func (f *fleet) Replacing(ctx context.Context, machine string, on bool) {
	if ctx.Err() != nil {
		panic("marked after the context had ended")
	}

	f.note(fmt.Sprintf("replacing %s %t", machine, on), nil)
}

// Handle implements lifecycle.Machines.
func (f *fleet) Handle(machine lifecycle.Observation) (machineops.ProviderOperation, error) {
	return machineops.ProviderOperation{OperationID: "adopted", ResumeToken: strings.TrimPrefix(machine.ProviderID, "north.")}, nil
}

// asked returns what was asked for, launch by launch.
func (f *fleet) asked() []string {
	var asked []string

	for _, request := range f.requests("begin") {
		asked = append(asked, request.Allocation.Offering.ID)
	}

	return asked
}

func (f *fleet) wantAsked(t *testing.T, want ...string) {
	t.Helper()

	if got := f.asked(); !slices.Equal(got, want) {
		t.Errorf("asked for %v, want %v", got, want)
	}
}

func identity(name string) lifecycle.Identity {
	return lifecycle.Identity{Owner: "team", ClassUID: "class-uid", Name: name}
}

func allocation(name string) lifecycle.AllocateRequest {
	return lifecycle.AllocateRequest{
		Identity: identity(name),
		Region:   "north",
		Class: lifecycle.Class{
			Name: "worker", UID: "class-uid",
			ProviderConfig: machineops.ProviderConfig{Data: map[string]string{"class": "content"}},
		},
		HostName:   name,
		Parameters: map[string]string{v1alpha3.ParameterFingerprint: "f"},
		UserData:   secret,
	}
}

// offering is of its own instance type, so that one is refused without the others.
func offering(id string) v1alpha3.MachineClassOffering {
	return v1alpha3.MachineClassOffering{
		ID: id, InstanceType: "type-" + id, Zone: "a", Network: "net", CapacityType: v1alpha3.CapacityTypeOnDemand,
	}
}

// validFor gives ten minutes to the offerings that name no end.
func validFor(now time.Time, offerings []v1alpha3.MachineClassOffering) []v1alpha3.MachineClassOffering {
	valid := slices.Clone(offerings)
	for i := range valid {
		if valid[i].ValidUntil.IsZero() {
			valid[i].ValidUntil = metav1.NewTime(now.Add(10 * time.Minute))
		}
	}

	return valid
}

func launched(n int) machineops.BeginResult {
	return machineops.BeginResult{Operation: machineops.ProviderOperation{
		OperationID: fmt.Sprintf("launch-%d", n), ResumeToken: fmt.Sprintf("m-%d", n),
	}}
}

func host(handle machineops.ProviderOperation, more ...v1alpha3.ProviderOwnedResource) machineops.OperationResult {
	return machineops.OperationResult{
		ProviderID: "north." + handle.ResumeToken,
		Allocation: &machineops.AllocationResult{
			ProviderResourceID: handle.ResumeToken, InstanceType: "large", Zone: "a", Image: "image",
			OwnedResources: append([]v1alpha3.ProviderOwnedResource{
				{Kind: v1alpha3.OwnedResourceInstance, ID: handle.ResumeToken, Region: "north"},
			}, more...),
		},
	}
}

func running(handle machineops.ProviderOperation) machineops.PollResult {
	return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded, Result: host(handle)}
}

func booting(handle machineops.ProviderOperation, more ...v1alpha3.ProviderOwnedResource) machineops.PollResult {
	return machineops.PollResult{
		State: machineops.ProviderOperationStateInProgress, Reason: v1alpha3.ReasonBooting, Message: "booting", Result: host(handle, more...),
	}
}

func notListed(handle machineops.ProviderOperation) machineops.PollResult {
	return machineops.PollResult{
		State: machineops.ProviderOperationStateInProgress, Reason: v1alpha3.ReasonNotListed, Message: "not listed",
		Result: machineops.OperationResult{ProviderID: "north." + handle.ResumeToken},
	}
}

func broken(reason string, result machineops.OperationResult) machineops.PollResult {
	return machineops.PollResult{State: machineops.ProviderOperationStateFailed, Reason: reason, Message: "it is broken", Result: result}
}

func disk() v1alpha3.ProviderOwnedResource {
	return v1alpha3.ProviderOwnedResource{Kind: v1alpha3.OwnedResourceDisk, ID: "d-1", Region: "north", OutlivesHost: true}
}
