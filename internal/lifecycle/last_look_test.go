package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// young makes the fleet's process one that was just configured.
func (f *fleet) young(t *testing.T) {
	t.Helper()

	f.running = 0
	f.restart(t)
}

// appears makes the machines listed from the end of the window on, and nothing
// before.
func (f *fleet) appears(machines ...lifecycle.Observation) {
	f.contains(machines...)

	listed := f.onList
	f.onList = func(n int, notBefore time.Time) ([]lifecycle.Observation, error) {
		if f.clk.Now().Before(start().Add(35 * time.Second)) {
			return nil, nil
		}

		return listed(n, notBefore)
	}
}

// now makes a machine one that was created just after the test began.
func now(m *lifecycle.Observation) { m.CreatedAt = start().Add(time.Minute) }

func TestCreateInsideTheWindowLooksOnceMore(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		appears  []lifecycle.Observation
		holds    string
		conflict bool
		relation lifecycle.Relation
		released string
	}{
		"and finds nothing":                     {holds: "north.m-1"},
		"and releases a newer twin":             {appears: []lifecycle.Observation{left("z", now)}, holds: "north.m-1", relation: lifecycle.RelationTwin, released: "north.z"},
		"and holds an older twin":               {appears: []lifecycle.Observation{left("o")}, holds: "north.o", relation: lifecycle.RelationTwin, released: "north.m-1"},
		"and releases one that was being so":    {appears: []lifecycle.Observation{left("o", releasing)}, holds: "north.m-1", relation: lifecycle.RelationTwin, released: "north.o"},
		"and leaves a settled one":              {appears: []lifecycle.Observation{left("o", settled)}, holds: "north.m-1", relation: lifecycle.RelationSettled},
		"and names one of another class":        {appears: []lifecycle.Observation{left("o", otherClass)}, holds: "north.m-1", relation: lifecycle.RelationOtherClass},
		"and stops at one from other inputs":    {appears: []lifecycle.Observation{left("o", otherInput)}, conflict: true},
		"and leaves other allocations' machine": {appears: []lifecycle.Observation{left("o", ofX)}, holds: "north.m-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			f.young(t)
			f.appears(test.appears...)

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))

			var conflict *lifecycle.ConflictError
			if test.conflict {
				if !errors.As(err, &conflict) || allocated.ProviderID != "" {
					t.Errorf("Allocate() = %+v, %v", allocated, err)
				}

				wantCounts(t, f.cloud, map[string]int{"release": 0})

				return
			}

			if err != nil || allocated.ProviderID != test.holds || allocated.Pending != nil {
				t.Fatalf("Allocate() = %+v, %v", allocated, err)
			}

			if f.clk.Since(start()) < 35*time.Second {
				t.Errorf("it was over after %s, within the window", f.clk.Since(start()))
			}

			var released string
			if requests := f.requests("release"); len(requests) > 0 {
				released = requests[0].ProviderID
			}

			if released != test.released || len(f.requests("release")) > 1 {
				t.Errorf("released %q, want %q", released, test.released)
			}

			if test.relation != "" && (len(allocated.Neighbors) != 1 || allocated.Neighbors[0].Relation != test.relation) {
				t.Errorf("met %+v, want one that is %s", allocated.Neighbors, test.relation)
			}
		})
	}
}

func TestCreateAfterTheWindowLooksOnce(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	wantCounts(t, f.cloud, map[string]int{"list": 1})
}

func TestWindowCountsAnewFromALostAnswer(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.appears(left("o"))
	f.onBegin = func(ctx context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		f.clk.Step(10 * time.Second)
		machineops.ReportLostAnswer(ctx)

		return launched(n), nil
	}

	var asked time.Time

	listed := f.onList
	f.onList = func(n int, notBefore time.Time) ([]lifecycle.Observation, error) {
		if n == 1 {
			return nil, nil
		}

		asked = notBefore

		return listed(n, notBefore)
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.o" {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	if want := start().Add(45 * time.Second); !asked.Equal(want) {
		t.Errorf("looked once more at %s, want 35 s after the answer was lost, %s", asked, want)
	}

	wantCounts(t, f.cloud, map[string]int{"release": 1, "claim": 1})
}

func TestInterruptInTheWindowKeepsTheMachineAndTheNextRunLooks(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.young(t)
	f.appears(left("o"))
	f.clk.hold = func(_ int, d time.Duration) bool {
		if d > 30*time.Second {
			cancel()
		}

		return d > 30*time.Second
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if allocated.ProviderID != "north.m-1" || allocated.Pending == nil {
		t.Fatalf("allocated %+v, want the machine and what to go on with", allocated)
	}

	wantCounts(t, f.cloud, map[string]int{"release": 0, "claim": 0})

	// What a record names is held, whatever its age.
	f.clk.hold = nil
	f.restart(t)

	request := allocation("w")
	request.Pending, request.PendingOffering = allocated.Pending, allocated.Offering

	resumed, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || resumed.ProviderID != "north.m-1" {
		t.Fatalf("Allocate() = %+v, %v", resumed, err)
	}

	if requests := f.requests("release"); len(requests) != 1 || requests[0].ProviderID != "north.o" {
		t.Errorf("released %+v, want the twin", requests)
	}
}

func TestLastLookThatMayNotListCostsNoMachine(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.young(t)
	f.onList = func(n int, _ time.Time) ([]lifecycle.Observation, error) {
		if n == 1 {
			return nil, nil
		}

		if n == 4 {
			cancel()
		}

		return nil, permanent(v1alpha3.ReasonPermissionDenied, "may not list any more")
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if allocated.ProviderID != "north.m-1" || allocated.Pending == nil {
		t.Errorf("allocated %+v, want the machine", allocated)
	}
}

func TestSpentTokenInsideTheWindowWaitsAndLooksAgain(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.young(t)
	f.appears(left("o"))
	f.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
		return machineops.BeginResult{}, permanent(v1alpha3.ReasonTokenSpent, "the token is spent")
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.o" || !allocated.Adopted {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 1, "release": 0})
}

func TestMachineGivenUpThatAppearsAfterAllIsTheOlderTwin(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.firstUnlisted(0, true)

	unlisted := f.onPoll
	f.contains(left("m-1", func(m *lifecycle.Observation) { m.CreatedAt = start() }))
	seen := f.onObserve
	f.onObserve = func(ctx context.Context, n int, id string) (lifecycle.Observation, error) {
		if id == "north.m-1" && f.clk.Since(start()) < time.Minute {
			return lifecycle.Observation{}, lifecycle.ErrAbsent
		}

		return seen(ctx, n, id)
	}

	listed := f.onList
	f.onList = func(n int, notBefore time.Time) ([]lifecycle.Observation, error) {
		if f.clk.Since(start()) < time.Minute {
			return nil, nil
		}

		return listed(n, notBefore)
	}
	f.onPoll = func(ctx context.Context, n int, request machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if f.clk.Since(start()) >= time.Minute {
			return running(handle), nil
		}

		return unlisted(ctx, n, request, handle)
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-1" {
		t.Fatalf("Allocate() = %+v, %v", allocated, err)
	}

	if requests := f.requests("release"); len(requests) != 1 || requests[0].ProviderID != "north.m-2" {
		t.Errorf("released %+v, want the second launch's machine", requests)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 2})
}

func TestUntilSeenReturnsOnceTheMachineIsListed(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if n < 3 {
			return notListed(handle), nil
		}

		return booting(handle), nil
	}

	request := allocation("w")
	request.UntilSeen = true

	allocated, err := f.allocator.Allocate(t.Context(), request)
	if err != nil || allocated.ProviderID != "north.m-1" || allocated.Pending != nil {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"poll": 3, "observe": 1})
}

func TestErrorAtTheDeadlineNamesEveryAnsweredMachine(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		return notListed(handle), nil
	}
	f.onObserve = func(context.Context, int, string) (lifecycle.Observation, error) {
		return lifecycle.Observation{}, lifecycle.ErrAbsent
	}
	f.clk.hold = func(wait int, _ time.Duration) bool {
		if wait == 30 {
			cancel()
		}

		return wait == 30
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)

	if want := f.count("begin"); want < 2 || len(allocated.Answered) != want || allocated.Answered[0] != "north.m-1" || allocated.Answered[1] != "north.m-2" {
		t.Errorf("answered were %v", allocated.Answered)
	}
}
