package core

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Foreign is an object in state of another provider, which the configuration moves to
// the allocation.
type Foreign struct {
	// Provider is the address of its provider, and Type that of the resource.
	Provider, Type string
	// JSON is what its state holds.
	JSON string
}

// takeOver makes the allocation in state out of what it is moved or imported from, where
// there is none. It is saved with the apply.
func (r *Run) takeOver(ctx context.Context, p *process, state *State) error {
	if state.Allocation != nil {
		return nil
	}

	var err error

	switch {
	case state.Foreign != nil:
		state.Allocation, err = p.move(ctx, allocationKind, *state.Foreign)
		state.Foreign = nil
	case r.configuration.Import != "" && r.configuration.Allocation != nil:
		state.Allocation, err = p.importByID(ctx, allocationKind, r.configuration.Import)
	}

	return err
}

func (p *process) move(ctx context.Context, to kind, from Foreign) (*Object, error) {
	response, err := ask(p, func() (*tfprotov6.MoveResourceStateResponse, error) {
		return p.server.MoveResourceState(ctx, &tfprotov6.MoveResourceStateRequest{
			SourceProviderAddress: from.Provider, SourceTypeName: from.Type, SourceState: &tfprotov6.RawState{JSON: []byte(from.JSON)}, TargetTypeName: string(to),
		})
	})
	if err != nil {
		return nil, err
	}

	if err := p.hear(response.Diagnostics); err != nil {
		return nil, err
	}

	return p.taken(to, response.TargetState, response.TargetPrivate)
}

func (p *process) importByID(ctx context.Context, to kind, id string) (*Object, error) {
	response, err := ask(p, func() (*tfprotov6.ImportResourceStateResponse, error) {
		return p.server.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: string(to), ID: id})
	})
	if err != nil {
		return nil, err
	}

	if err := p.hear(response.Diagnostics); err != nil {
		return nil, err
	}

	if len(response.ImportedResources) != 1 {
		return nil, errors.New("an import that is not of one object")
	}

	imported := response.ImportedResources[0]

	return p.taken(to, imported.State, imported.Private)
}

func (p *process) taken(to kind, state *tfprotov6.DynamicValue, private []byte) (*Object, error) {
	value, err := state.Unmarshal(p.valueType(to))

	return &Object{value: value, private: private}, err
}
