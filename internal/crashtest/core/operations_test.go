package core

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

const secret = "marker-of-a-secret"

// operating is wanted with two operations.
func operating() Configuration {
	configuration := wanted
	configuration.Operations = []Operation{
		{Label: "first", Arguments: Arguments{"kind": "HostPowerOff", "secret": secret}}, {Label: "second", Arguments: Arguments{"kind": "HostPowerOn"}},
	}

	return configuration
}

func TestOperationsComeAfterTheirMachineAndGoBeforeIt(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	if err := w.apply(operating()); err != nil {
		t.Fatal(err)
	}

	applied := []string{
		`apply machine_allocation new=true delete=false private=""`,
		`plan machine_operation new=true private=""`, `apply machine_operation new=true delete=false private=""`,
		`plan machine_operation new=true private=""`, `apply machine_operation new=true delete=false private=""`,
	}
	if got := w.asked[len(w.asked)-len(applied):]; !slices.Equal(got, applied) {
		t.Errorf("in the end was asked\n%s", strings.Join(got, "\n"))
	}

	if strings.Contains(w.state.Text(), secret) {
		t.Errorf("the plan holds what is write-only: %s", w.state.Text())
	}

	if kinds, err := w.state.OperationStrings("kind"); err != nil || len(kinds) != 2 {
		t.Errorf("the operations in state are %v (%v)", kinds, err)
	}

	// What was carried out is read, and no more.
	if err := w.apply(operating()); err != nil || slices.ContainsFunc(w.asked, func(asked string) bool { return strings.HasPrefix(asked, "apply") }) {
		t.Errorf("applied again: %v\n%s", err, strings.Join(w.asked, "\n"))
	}

	if err := w.apply(Configuration{}); err != nil || len(w.state.Operations) != 0 {
		t.Errorf("a destroy leaves %+v (%v)", w.state, err)
	}

	gone := `apply machine_operation new=false delete=true private="kept"`
	if operation, allocation := slices.Index(w.asked, gone), slices.Index(w.asked, `apply machine_allocation new=false delete=true private="kept"`); operation < 0 || allocation < operation {
		t.Errorf("the machine went first:\n%s", strings.Join(w.asked, "\n"))
	}
}

func TestAnOperationThatIsReplacedIsRemovedAndCarriedOutAnew(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	if err := w.apply(operating()); err != nil {
		t.Fatal(err)
	}

	w.recorder.operates = true

	if err := w.apply(operating()); err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{
		`apply machine_operation new=false delete=true private="kept"`, `apply machine_operation new=true delete=false private=""`,
	} {
		if !slices.Contains(w.asked, want) {
			t.Errorf("%s was not asked:\n%s", want, strings.Join(w.asked, "\n"))
		}
	}
}

// ImportResourceState and MoveResourceState make an allocation named by what they are given.
func (r *recorder) ImportResourceState(_ context.Context, request *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	r.note("import %s %s", request.TypeName, request.ID)

	state, err := r.allocation(request.ID)

	return &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{{TypeName: request.TypeName, State: state, Private: []byte("imported")}}}, err
}

func (r *recorder) MoveResourceState(_ context.Context, request *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	r.note("move %s to %s", request.SourceTypeName, request.TargetTypeName)

	state, err := r.allocation(string(request.SourceState.JSON))

	return &tfprotov6.MoveResourceStateResponse{TargetState: state, TargetPrivate: []byte("moved")}, err
}

func (r *recorder) allocation(id string) (*tfprotov6.DynamicValue, error) {
	schemas, err := r.GetProviderSchema(context.Background(), nil)
	if err != nil {
		return nil, err
	}

	target := schemas.ResourceSchemas[string(allocationKind)].ValueType()

	value, err := build(target, Arguments{"name": "a", "provider_resource_id": id})
	if err != nil {
		return nil, err
	}

	state, err := tfprotov6.NewDynamicValue(target, value)

	return &state, err
}

func TestAMachineIsTakenOver(t *testing.T) {
	t.Parallel()

	importing := wanted
	importing.Import = "i-1"

	for name, test := range map[string]struct {
		state         State
		configuration Configuration
		want, private string
	}{
		"imported": {configuration: importing, want: "import machine_allocation i-1", private: "imported"},
		"moved":    {state: State{Foreign: &Foreign{Type: "vendor_machine", JSON: "i-1"}}, configuration: wanted, want: "move vendor_machine to machine_allocation", private: "moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			w := newWorld(t)
			w.state = test.state

			if err := w.apply(test.configuration); err != nil {
				t.Fatal(err)
			}

			// It is updated in place, with the private state that it came with.
			for _, want := range []string{test.want, "read machine_allocation", `apply machine_allocation new=false delete=false private="` + test.private + `"`} {
				if !slices.Contains(w.asked, want) {
					t.Errorf("%s was not asked:\n%s", want, strings.Join(w.asked, "\n"))
				}
			}

			ids, err := w.state.Strings("provider_resource_id")
			if err != nil || !slices.Equal(ids, []string{"i-1"}) || w.state.Foreign != nil {
				t.Errorf("in state is %v, %+v (%v)", ids, w.state, err)
			}

			if err := w.apply(test.configuration); err != nil || slices.Contains(w.asked, test.want) {
				t.Errorf("taken over again: %v\n%s", err, strings.Join(w.asked, "\n"))
			}
		})
	}
}

func TestAForgottenMachineIsOutOfState(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	if err := w.apply(Configuration{Forget: true}); err != nil || len(w.asked) != 0 || w.state.Allocation != nil || w.state.Class == nil {
		t.Errorf("asked %v, in state %+v (%v)", w.asked, w.state, err)
	}
}

func TestWhatIsWriteOnlyIsNotProposed(t *testing.T) {
	t.Parallel()

	attributes := []*tfprotov6.SchemaAttribute{{Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true}}
	target := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"secret": tftypes.String}}
	config := tftypes.NewValue(target, map[string]tftypes.Value{"secret": tftypes.NewValue(tftypes.String, secret)})

	proposed, err := propose(attributes, target, tftypes.NewValue(target, nil), config)
	if err != nil || strings.Contains(proposed.String(), secret) {
		t.Errorf("proposed is %s (%v)", proposed, err)
	}
}
