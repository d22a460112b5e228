package lifecycle_test

import (
	"errors"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// A class that was made in this run may have been made before, by a first apply that
// was cut off: then its machine is one under another uid that was listed too late.
func TestAMachineOfALostClassIsNamedBeforeOneIsKeptBesideIt(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		newClass bool
		other    lifecycle.Observation
		conflict bool
	}{
		"one that may have been this configuration's":        {newClass: true, other: left("o", otherClass), conflict: true},
		"one that is too young for it":                       {newClass: true, other: left("o", otherClass, now)},
		"one beside a class that was saved before":           {other: left("o", otherClass)},
		"one that a state holds":                             {newClass: true, other: left("o", otherClass, settled)},
		"one of another name, which is another allocation's": {newClass: true, other: left("o", otherClass, ofX)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			f.young(t)
			f.appears(test.other)

			request := allocation("w")
			request.NewClass = test.newClass

			allocated, err := f.allocator.Allocate(t.Context(), request)

			if !test.conflict {
				if err != nil || allocated.ProviderID != "north.m-1" {
					t.Errorf("Allocate() = %+v, %v", allocated, err)
				}

				wantCounts(t, f.cloud, map[string]int{"release": 0})

				return
			}

			var conflict *lifecycle.ConflictError
			if !errors.As(err, &conflict) || conflict.Machine.ProviderID != "north.o" || conflict.Relation != lifecycle.RelationOtherClass ||
				conflict.Beside != "north.m-1" || conflict.BesideError != nil || allocated.ProviderID != "" {
				t.Fatalf("Allocate() = %+v, %v", allocated, err)
			}

			// What was launched in vain is released, and the other machine never.
			if requests := f.requests("release"); len(requests) != 1 || requests[0].ProviderID != "north.m-1" {
				t.Errorf("released %+v", requests)
			}
		})
	}
}

func TestWhatWasLaunchedInVainAndStaysIsKept(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.young(t)
	f.appears(left("o", otherClass))
	f.onRelease = func(int, machineops.OperationRequest) (machineops.BeginResult, error) {
		return machineops.BeginResult{}, &machineops.PermanentError{Reason: v1alpha3.ReasonPermissionDenied, Err: errors.New("denied")}
	}

	request := allocation("w")
	request.NewClass = true

	allocated, err := f.allocator.Allocate(t.Context(), request)

	var conflict *lifecycle.ConflictError
	if !errors.As(err, &conflict) || conflict.BesideError == nil || allocated.ProviderID != "north.m-1" || allocated.Claim == "" {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}
}
