package provider_test

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// arguments are those of a resource, as JSON knows them. What is not given is null.
type arguments map[string]any

// with is the arguments with others over them.
func (a arguments) with(other arguments) arguments {
	merged := maps.Clone(a)
	maps.Copy(merged, other)

	return merged
}

// kept is a resource as a state keeps it.
type kept struct {
	value   *tfprotov6.DynamicValue
	private []byte
}

// create does what an apply does with a new resource: validate, plan, apply. It
// returns what was said, and the resource where one is kept. Where the planning fails
// or wantApply is false, nothing is applied.
func (p *protocol) create(ctx context.Context, name string, wanted arguments, wantApply bool) (*kept, []*tfprotov6.Diagnostic) {
	p.Helper()

	kind := p.objectType(p.schemas.ResourceSchemas[name])
	config := p.encode(kind, p.decode(kind, wanted))

	validated, err := p.server.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: name, Config: config, ClientCapabilities: &tfprotov6.ValidateResourceConfigClientCapabilities{WriteOnlyAttributesAllowed: true},
	})
	if err != nil {
		p.Fatal(err)
	}

	said := validated.Diagnostics
	if failed(said) {
		return nil, said
	}

	none := p.encode(kind, tftypes.NewValue(kind, nil))

	planned, err := p.server.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: none, ProposedNewState: config, Config: config,
	})
	if err != nil {
		p.Fatal(err)
	}

	said = append(said, planned.Diagnostics...)
	if failed(said) || !wantApply {
		return nil, said
	}

	applied, err := p.server.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: none, PlannedState: planned.PlannedState, Config: config, PlannedPrivate: planned.PlannedPrivate,
	})
	if err != nil {
		p.Fatal(err)
	}

	return p.keep(kind, applied.NewState, applied.Private), append(said, applied.Diagnostics...)
}

// keep is nil where there is no resource.
func (p *protocol) keep(kind tftypes.Object, value *tfprotov6.DynamicValue, private []byte) *kept {
	p.Helper()

	decoded, err := value.Unmarshal(kind)
	if err != nil {
		p.Fatal(err)
	}

	if decoded.IsNull() {
		return nil
	}

	return &kept{value: value, private: private}
}

// mustCreate creates a resource that has to come to be without a word.
func (p *protocol) mustCreate(name string, wanted arguments) *kept {
	p.Helper()

	made, said := p.create(p.Context(), name, wanted, true)
	p.expectNone(said)

	return made
}

// read refreshes a resource.
func (p *protocol) read(name string, object *kept) (*kept, []*tfprotov6.Diagnostic) {
	p.Helper()

	read, err := p.server.ReadResource(p.Context(), &tfprotov6.ReadResourceRequest{TypeName: name, CurrentState: object.value, Private: object.private})
	if err != nil {
		p.Fatal(err)
	}

	return p.keep(p.objectType(p.schemas.ResourceSchemas[name]), read.NewState, read.Private), read.Diagnostics
}

// destroy does what a destroy does with a resource, and returns what was said.
func (p *protocol) destroy(name string, object *kept) []*tfprotov6.Diagnostic {
	p.Helper()

	_, said := p.tryDestroy(name, object)

	return said
}

// tryDestroy also returns what is in state after it, which is nil where it is gone.
func (p *protocol) tryDestroy(name string, object *kept) (*kept, []*tfprotov6.Diagnostic) {
	p.Helper()

	kind := p.objectType(p.schemas.ResourceSchemas[name])
	none := p.encode(kind, tftypes.NewValue(kind, nil))

	planned, err := p.server.PlanResourceChange(p.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: object.value, ProposedNewState: none, Config: none, PriorPrivate: object.private,
	})
	if err != nil {
		p.Fatal(err)
	}

	if failed(planned.Diagnostics) {
		return object, planned.Diagnostics
	}

	applied, err := p.server.ApplyResourceChange(p.Context(), &tfprotov6.ApplyResourceChangeRequest{
		TypeName: name, PriorState: object.value, PlannedState: planned.PlannedState, Config: none, PlannedPrivate: planned.PlannedPrivate,
	})
	if err != nil {
		p.Fatal(err)
	}

	return p.keep(kind, applied.NewState, applied.Private), append(planned.Diagnostics, applied.Diagnostics...)
}

// planAgain plans a resource in state whose configuration is what it was.
func (p *protocol) planAgain(name string, object *kept, wanted arguments) []*tfprotov6.Diagnostic {
	p.Helper()

	kind := p.objectType(p.schemas.ResourceSchemas[name])

	planned, err := p.server.PlanResourceChange(p.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: name, PriorState: object.value, ProposedNewState: object.value, Config: p.encode(kind, p.decode(kind, wanted)), PriorPrivate: object.private,
	})
	if err != nil {
		p.Fatal(err)
	}

	return planned.Diagnostics
}

// decode is the value of arguments.
func (p *protocol) decode(kind tftypes.Object, wanted arguments) tftypes.Value {
	p.Helper()

	encoded, err := json.Marshal(wanted)
	if err != nil {
		p.Fatal(err)
	}

	value, err := tfprotov6.DynamicValue{JSON: encoded}.Unmarshal(kind)
	if err != nil {
		p.Fatal(err)
	}

	return value
}

func failed(said []*tfprotov6.Diagnostic) bool {
	for _, diagnostic := range said {
		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError {
			return true
		}
	}

	return false
}
