package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// recorder is a provider that notes what core asks of it, and fails where it is told.
type recorder struct {
	tfprotov6.ProviderServer // What core does not ask for.

	asked *[]string
	// fails are the creates that fail, by whether they leave a state.
	fails func() (failing, withState bool)
	// replaces makes every plan of an update of the allocation a replacement, and operates
	// one of an operation.
	replaces, operates bool
}

func (r *recorder) note(format string, arguments ...any) {
	*r.asked = append(*r.asked, fmt.Sprintf(format, arguments...))
}

func (r *recorder) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	text := func(name string, computed bool) *tfprotov6.SchemaAttribute {
		return &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Optional: !computed, Computed: computed}
	}
	object := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}}

	return &tfprotov6.GetProviderSchemaResponse{
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}},
		ResourceSchemas: map[string]*tfprotov6.Schema{
			string(classKind): {Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{text("name", false), text("note", false)}}},
			string(allocationKind): {Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
				text("name", false), text("provider_resource_id", true), text("provider_id", true), {Name: "class", Type: object, Optional: true},
			}}},
			string(operationKind): {Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
				text("kind", false), text("provider_id", false), {Name: "secret", Type: tftypes.String, Optional: true, WriteOnly: true},
			}}},
		},
	}, nil
}

func (r *recorder) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	r.note("configure")

	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (r *recorder) ReadResource(_ context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	r.note("read %s", request.TypeName)

	return &tfprotov6.ReadResourceResponse{NewState: request.CurrentState, Private: request.Private}, nil
}

func (r *recorder) PlanResourceChange(_ context.Context, request *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	prior, err := request.PriorState.IsNull()
	if err != nil {
		return nil, err
	}

	r.note("plan %s new=%t private=%q", request.TypeName, prior, request.PriorPrivate)

	response := &tfprotov6.PlanResourceChangeResponse{PlannedState: request.ProposedNewState, PlannedPrivate: request.PriorPrivate}
	if !prior && (r.replaces && request.TypeName == string(allocationKind) || r.operates && request.TypeName == string(operationKind)) {
		response.RequiresReplace = []*tftypes.AttributePath{tftypes.NewAttributePath().WithAttributeName("name")}
	}

	return response, nil
}

func (r *recorder) ApplyResourceChange(_ context.Context, request *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	isNew, err := request.PriorState.IsNull()
	if err != nil {
		return nil, err
	}

	isDelete, err := request.PlannedState.IsNull()
	if err != nil {
		return nil, err
	}

	r.note("apply %s new=%t delete=%t private=%q", request.TypeName, isNew, isDelete, request.PlannedPrivate)

	response := &tfprotov6.ApplyResourceChangeResponse{NewState: request.PlannedState, Private: []byte("kept")}

	if failing, withState := r.fails(); failing && isNew && request.TypeName == string(allocationKind) {
		response.Diagnostics = []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: "no machine"}}
		if !withState {
			response.NewState = request.PriorState
		}
	}

	return response, nil
}

// world is a state, and a provider that is asked for changes of it.
type world struct {
	*testing.T

	recorder recorder
	asked    []string
	state    State
}

func newWorld(t *testing.T) *world {
	t.Helper()

	w := &world{T: t}
	w.recorder = recorder{asked: &w.asked, fails: func() (bool, bool) { return false, false }}

	return w
}

var wanted = Configuration{Class: Arguments{"name": "c"}, Allocation: Arguments{"name": "a"}}

func (w *world) run(configuration Configuration, remote bool) *Run {
	return NewRun(func() (tfprotov6.ProviderServer, func(context.Context), error) {
		return &w.recorder, func(context.Context) {}, nil
	}, configuration, w.state, remote)
}

func (w *world) apply(configuration Configuration) error {
	w.Helper()

	w.asked = nil
	run := w.run(configuration, false)
	err := run.Apply(w.Context())
	w.state = run.Saved()

	return err
}

func (w *world) expectAsked(want ...string) {
	w.Helper()

	if !slices.Equal(w.asked, want) {
		w.Errorf("asked was\n%s\nwant\n%s", strings.Join(w.asked, "\n"), strings.Join(want, "\n"))
	}
}

func TestACreateIsPlannedTwice(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	w.expectAsked(
		"configure",
		`plan machine_class new=true private=""`,
		`plan machine_allocation new=true private=""`,
		"configure",
		`plan machine_class new=true private=""`,
		`apply machine_class new=true delete=false private=""`,
		`plan machine_allocation new=true private=""`,
		`apply machine_allocation new=true delete=false private=""`,
	)

	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	w.expectAsked(
		"configure", "read machine_class", "read machine_allocation",
		`plan machine_class new=false private="kept"`, `plan machine_allocation new=false private="kept"`,
		"configure",
	)

	if err := w.apply(Configuration{}); err != nil || w.state.Class != nil || w.state.Allocation != nil {
		t.Errorf("a destroy leaves %+v (%v)", w.state, err)
	}
}

func TestATaintedObjectLosesItsPrivateState(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	w.state.Taint()

	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	if want := `apply machine_allocation new=false delete=true private=""`; !slices.Contains(w.asked, want) {
		t.Errorf("%s was not asked:\n%s", want, strings.Join(w.asked, "\n"))
	}

	if w.state.Allocation == nil || w.state.Allocation.tainted || len(w.state.Deposed) != 0 {
		t.Errorf("in state is %+v", w.state)
	}
}

func TestAFailedCreateIsTaintedOrNothing(t *testing.T) {
	t.Parallel()

	for _, withState := range []bool{false, true} {
		w := newWorld(t)
		w.recorder.fails = func() (bool, bool) { return true, withState }

		if err := w.apply(wanted); err == nil {
			t.Error("the error is lost")
		}

		if got := w.state.Allocation != nil && w.state.Allocation.tainted; got != withState || w.state.Class == nil {
			t.Errorf("with a state %t: tainted %t", withState, got)
		}
	}
}

func TestAReplacementCreatedFirst(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	w.recorder.replaces = true

	replacing := wanted
	replacing.CreateBeforeDestroy = true

	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	old := w.state.Allocation
	w.recorder.fails = func() (bool, bool) { return true, false }

	if err := w.apply(replacing); err == nil || w.state.Allocation == nil || len(w.state.Deposed) != 0 {
		t.Errorf("a create that leaves nothing does not bring the old object back: %+v (%v)", w.state, err)
	}

	w.recorder.fails = func() (bool, bool) { return true, true }

	if err := w.apply(replacing); err == nil || len(w.state.Deposed) != 1 || !w.state.Allocation.tainted {
		t.Errorf("a create that leaves a state does not depose the old object: %+v (%v)", w.state, err)
	}

	w.recorder.fails = func() (bool, bool) { return false, false }

	if err := w.apply(replacing); err != nil || len(w.state.Deposed) != 0 || w.state.Allocation == nil || w.state.Allocation == old {
		t.Errorf("the next apply does not end it: %+v (%v)", w.state, err)
	}
}

func TestARemoteStateIsSavedLate(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	run := w.run(wanted, true)
	w.recorder.fails = func() (bool, bool) {
		if saved := run.Saved(); saved.Class != nil {
			t.Error("the state was saved before the end")
		}

		return false, false
	}

	if err := run.Apply(t.Context()); err != nil || run.Saved().Allocation == nil {
		t.Errorf("%+v (%v)", run.Saved(), err)
	}
}

func TestADeadCommandSavesNothingMore(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	run := w.run(wanted, false)
	asked := 0
	w.recorder.fails = func() (bool, bool) {
		if asked++; asked == 2 {
			run.KillCommand()
		}

		return false, false
	}

	if err := run.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}

	if saved := run.Saved(); saved.Class == nil || saved.Allocation != nil {
		t.Errorf("saved is %+v, want the class alone", saved)
	}
}

func TestADeadProviderLeavesWhatThereWas(t *testing.T) {
	t.Parallel()

	w := newWorld(t)
	if err := w.apply(wanted); err != nil {
		t.Fatal(err)
	}

	run := w.run(Configuration{Class: wanted.Class}, false)
	w.recorder.fails = func() (bool, bool) {
		run.KillProvider()

		return false, false
	}

	if err := run.Apply(t.Context()); !errors.Is(err, errKilled) || run.Saved().Allocation == nil {
		t.Errorf("the delete of a dead provider counts: %+v (%v)", run.Saved(), err)
	}
}
