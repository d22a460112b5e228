package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// left is a machine that an interrupted run launched for the allocation "w", a minute
// ago, changed as given.
func left(id string, changes ...func(*lifecycle.Observation)) lifecycle.Observation {
	machine := lifecycle.Observation{
		ProviderID: "north." + id, Name: "w", ClassUID: "class-uid", Fingerprint: "f", Claim: "claim of " + id,
		CreatedAt:      start().Add(-time.Minute),
		OwnedResources: []v1alpha3.ProviderOwnedResource{{Kind: v1alpha3.OwnedResourceInstance, ID: id, Region: "north"}},
	}

	for _, change := range changes {
		change(&machine)
	}

	return machine
}

func settled(m *lifecycle.Observation)    { m.Settled = true }
func releasing(m *lifecycle.Observation)  { m.Releasing = true }
func otherClass(m *lifecycle.Observation) { m.ClassUID = "another" }
func otherInput(m *lifecycle.Observation) { m.Fingerprint = "g" }
func stripped(m *lifecycle.Observation)   { m.ClassUID, m.Fingerprint, m.Claim = "", "", "" }
func ofX(m *lifecycle.Observation)        { m.Name = "x" }

func aged(age time.Duration) func(*lifecycle.Observation) {
	return func(m *lifecycle.Observation) { m.CreatedAt = start().Add(-age) }
}

// contains makes the fleet hold the machines: they are listed, looked at, claimed and
// released as machines are.
func (f *fleet) contains(machines ...lifecycle.Observation) {
	f.onList = func(int, time.Time) ([]lifecycle.Observation, error) { return slices.Clone(machines), nil }
	find := func(id string) int {
		return slices.IndexFunc(machines, func(m lifecycle.Observation) bool { return m.ProviderID == id })
	}
	f.onObserve = func(_ context.Context, _ int, id string) (lifecycle.Observation, error) {
		if i := find(id); i >= 0 {
			return machines[i], nil
		}

		return lifecycle.Observation{ProviderID: id, Name: "w", ClassUID: "class-uid", Fingerprint: "f", CreatedAt: f.clk.Now()}, nil
	}
	f.onClaim = func(_ context.Context, _ int, id, claim string) error {
		machines[find(id)].Claim = claim

		return nil
	}
	f.onRelease = func(_ int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		if i := find(request.ProviderID); i >= 0 {
			machines = slices.Delete(machines, i, i+1)
		}

		return begun(), nil
	}
}

func TestLookSaysWhatIsThereUnderTheName(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		there []lifecycle.Observation
		// holds is the machine at the end; adopted says that it was there before.
		holds     string
		adopted   bool
		conflict  lifecycle.Relation
		relations []lifecycle.Relation
		released  int
	}{
		"nothing":                           {holds: "north.m-1"},
		"another allocation's":              {there: []lifecycle.Observation{left("o", ofX)}, holds: "north.m-1"},
		"a settled one is somebody's":       {there: []lifecycle.Observation{left("o", settled)}, holds: "north.m-1", relations: []lifecycle.Relation{lifecycle.RelationSettled}},
		"an old one is somebody's":          {there: []lifecycle.Observation{left("o", aged(73*time.Hour))}, holds: "north.m-1", relations: []lifecycle.Relation{lifecycle.RelationSettled}},
		"a settled one of another class":    {there: []lifecycle.Observation{left("o", settled, otherClass)}, holds: "north.m-1", relations: []lifecycle.Relation{lifecycle.RelationSettled}},
		"of another class":                  {there: []lifecycle.Observation{left("o", otherClass)}, conflict: lifecycle.RelationOtherClass},
		"of another class and releasing":    {there: []lifecycle.Observation{left("o", otherClass, releasing)}, conflict: lifecycle.RelationOtherClass},
		"about to be released":              {there: []lifecycle.Observation{left("o", releasing)}, holds: "north.m-1", relations: []lifecycle.Relation{lifecycle.RelationReleasing}, released: 1},
		"about to be released, other input": {there: []lifecycle.Observation{left("o", releasing, otherInput)}, holds: "north.m-1", relations: []lifecycle.Relation{lifecycle.RelationReleasing}, released: 1},
		"of other inputs":                   {there: []lifecycle.Observation{left("o", otherInput)}, conflict: lifecycle.RelationOtherInputs},
		"the same":                          {there: []lifecycle.Observation{left("o")}, holds: "north.o", adopted: true},
		"the same, 71 hours old":            {there: []lifecycle.Observation{left("o", aged(71*time.Hour))}, holds: "north.o", adopted: true},
		"with stripped tags":                {there: []lifecycle.Observation{left("o", stripped)}, holds: "north.o", adopted: true},
		"two of the same": {
			there: []lifecycle.Observation{left("p"), left("o", aged(2*time.Minute))}, holds: "north.o", adopted: true,
			relations: []lifecycle.Relation{lifecycle.RelationTwin}, released: 1,
		},
		"two of the same time": {
			there: []lifecycle.Observation{left("p"), left("o")}, holds: "north.o", adopted: true,
			relations: []lifecycle.Relation{lifecycle.RelationTwin}, released: 1,
		},
		"one to be released and one to adopt": {
			there: []lifecycle.Observation{left("p", releasing), left("o")}, holds: "north.o", adopted: true,
			relations: []lifecycle.Relation{lifecycle.RelationReleasing}, released: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			f.contains(test.there...)

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))

			var conflict *lifecycle.ConflictError
			if errors.As(err, &conflict); test.conflict != "" {
				if conflict == nil || conflict.Relation != test.conflict || conflict.Machine.ProviderID != "north.o" || allocated.ProviderID != "" || allocated.Pending != nil {
					t.Errorf("Allocate() = %+v, %v", allocated, err)
				}

				wantCounts(t, f.cloud, map[string]int{"begin": 0, "claim": 0, "release": 0})

				return
			}

			if err != nil || allocated.ProviderID != test.holds || allocated.Adopted != test.adopted {
				t.Fatalf("Allocate() = %+v, %v", allocated, err)
			}

			begun, claims := 1, 0
			if test.adopted {
				begun, claims = 0, 1
			}

			wantCounts(t, f.cloud, map[string]int{"begin": begun, "claim": claims, "release": test.released})

			var relations []lifecycle.Relation
			for _, neighbor := range allocated.Neighbors {
				relations = append(relations, neighbor.Relation)
			}

			if !slices.Equal(relations, test.relations) {
				t.Errorf("met %v, want %v", relations, test.relations)
			}
		})
	}
}

func TestAdoptionWritesAClaimOfItsOwnAndKeepsTheRecord(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.contains(left("o"))
	f.onPoll = func(_ context.Context, _ int, request machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if request.Parameters[v1alpha3.ParameterClaim] != "random-1" || request.Parameters[v1alpha3.ParameterNotBefore] != "" {
			t.Errorf("looked for %v", request.Parameters)
		}

		cancel()

		return booting(handle), nil
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if allocated.ProviderID != "north.o" || allocated.Claim != "random-1" || allocated.Pending == nil || allocated.Pending.Claim != "random-1" {
		t.Errorf("allocated %+v", allocated)
	}
}

func TestAdoptionCutBeforeItIsReadBackLeavesNoState(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.contains(left("o"))
	f.onClaim = func(context.Context, int, string, string) error {
		cancel()

		return errTransient
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if allocated.ProviderID != "" || allocated.Pending != nil {
		t.Errorf("allocated %+v, want nothing to keep", allocated)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 0, "poll": 0})
}

func TestMachineThatAStateHasComeToHoldIsNotAdopted(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.contains(left("o"))

	found := f.onObserve
	f.onObserve = func(ctx context.Context, n int, id string) (lifecycle.Observation, error) {
		machine, err := found(ctx, n, id)
		if id == "north.o" {
			machine.Settled = true
		}

		return machine, err
	}

	lists := 0
	listed := f.onList
	f.onList = func(n int, notBefore time.Time) ([]lifecycle.Observation, error) {
		if lists++; lists > 1 {
			return []lifecycle.Observation{left("o", settled)}, nil
		}

		return listed(n, notBefore)
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-1" {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"claim": 0, "begin": 1, "list": 2})
}

func TestNothingIsLaunchedWhereNobodyMayList(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onList = func(int, time.Time) ([]lifecycle.Observation, error) {
		return nil, permanent(v1alpha3.ReasonPermissionDenied, "may not list")
	}

	_, err := f.allocator.Allocate(t.Context(), allocation("w"))
	wantFailed(t, err, v1alpha3.ReasonPermissionDenied)
	wantCounts(t, f.cloud, map[string]int{"begin": 0, "list": 1})
}

func TestLookThatFailsIsRepeated(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onList = func(n int, _ time.Time) ([]lifecycle.Observation, error) {
		if n < 4 {
			return nil, errTransient
		}

		return nil, nil
	}

	if allocated, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil || allocated.ProviderID != "north.m-1" {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"list": 4})
}
