package core

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// process is one configured provider.
type process struct {
	server  tfprotov6.ProviderServer
	end     func(context.Context)
	schemas map[string]*tfprotov6.Schema
	// said are the diagnostics it gave.
	said *strings.Builder
	// killed is closed when it is killed, so that nothing it says is heard.
	killed <-chan struct{}
}

// errKilled is what core sees of a provider that was killed.
var errKilled = errors.New("the provider did not respond")

// failure is an error that the provider reported as a diagnostic.
type failure struct{ summary, detail string }

// Error tells the diagnostic.
func (f *failure) Error() string { return f.summary + ": " + f.detail }

// start starts a provider and configures it.
func (r *Run) start(ctx context.Context) (*process, error) {
	server, end, err := r.factory()
	if err != nil {
		return nil, err
	}

	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}

	p := &process{server: server, end: end, schemas: schemas.ResourceSchemas, said: &r.said, killed: r.killed}

	r.mu.Lock()
	r.servers = append(r.servers, server)
	r.mu.Unlock()

	target := schemas.Provider.ValueType()

	value, err := build(target, r.configuration.Provider)
	if err != nil {
		return nil, err
	}

	config, err := tfprotov6.NewDynamicValue(target, value)
	if err != nil {
		return nil, err
	}

	response, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{Config: &config})
	if err != nil {
		return nil, err
	}

	return p, p.hear(response.Diagnostics)
}

// ask asks a provider that may be killed meanwhile. What it then still does ends with
// the cloud that it speaks to.
func ask[R any](p *process, rpc func() (R, error)) (R, error) {
	type answer struct {
		response R
		err      error
	}

	answered := make(chan answer, 1)

	go func() {
		response, err := rpc()
		answered <- answer{response, err}
	}()

	var none R

	select {
	case <-p.killed:
		return none, errKilled
	case got := <-answered:
		select {
		case <-p.killed:
			return none, errKilled
		default:
			return got.response, got.err
		}
	}
}

// hear keeps diagnostics, and returns the first error among them.
func (p *process) hear(diagnostics []*tfprotov6.Diagnostic) error {
	var first error

	for _, diagnostic := range diagnostics {
		fmt.Fprintf(p.said, "%s: %s\n%s\n", diagnostic.Severity, diagnostic.Summary, diagnostic.Detail)

		if diagnostic.Severity == tfprotov6.DiagnosticSeverityError && first == nil {
			first = &failure{diagnostic.Summary, diagnostic.Detail}
		}
	}

	return first
}

// kind is one resource type.
type kind string

// The resource types.
const (
	classKind      kind = "machine_class"
	allocationKind kind = "machine_allocation"
	operationKind  kind = "machine_operation"
)

func (p *process) valueType(of kind) tftypes.Type { return p.schemas[string(of)].ValueType() }

func (p *process) null(of kind) tftypes.Value { return tftypes.NewValue(p.valueType(of), nil) }

func (p *process) encode(of kind, value tftypes.Value) (*tfprotov6.DynamicValue, error) {
	encoded, err := tfprotov6.NewDynamicValue(p.valueType(of), value)

	return &encoded, err
}

// read refreshes an object. It returns nil where the object is gone.
func (p *process) read(ctx context.Context, of kind, object *Object) (*Object, error) {
	current, err := p.encode(of, object.value)
	if err != nil {
		return nil, err
	}

	response, err := ask(p, func() (*tfprotov6.ReadResourceResponse, error) {
		return p.server.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: string(of), CurrentState: current, Private: object.private})
	})
	if err != nil {
		return nil, err
	}

	if err := p.hear(response.Diagnostics); err != nil {
		return nil, err
	}

	value, err := response.NewState.Unmarshal(p.valueType(of))
	if err != nil || value.IsNull() {
		return nil, err
	}

	return &Object{value: value, private: response.Private, tainted: object.tainted}, nil
}

// planned is what the provider plans.
type planned struct {
	prior, value, config tftypes.Value
	private              []byte
	replaces             bool
}

// plan asks for a plan. A nil prior is none; a null config is a delete.
func (p *process) plan(ctx context.Context, of kind, prior *Object, config tftypes.Value) (planned, error) {
	made := planned{prior: p.null(of), config: config}

	var private []byte

	if prior != nil {
		made.prior, private = prior.value, prior.private
	}

	proposed := config

	if !config.IsNull() {
		var err error
		if proposed, err = propose(p.schemas[string(of)].Block.Attributes, p.valueType(of), made.prior, config); err != nil {
			return made, err
		}
	}

	var (
		request = &tfprotov6.PlanResourceChangeRequest{TypeName: string(of), PriorPrivate: private}
		errs    [3]error
	)

	request.PriorState, errs[0] = p.encode(of, made.prior)
	request.ProposedNewState, errs[1] = p.encode(of, proposed)
	request.Config, errs[2] = p.encode(of, config)

	if err := errors.Join(errs[:]...); err != nil {
		return made, err
	}

	response, err := ask(p, func() (*tfprotov6.PlanResourceChangeResponse, error) {
		return p.server.PlanResourceChange(ctx, request)
	})
	if err != nil {
		return made, err
	}

	if err := p.hear(response.Diagnostics); err != nil {
		return made, err
	}

	made.private, made.replaces = response.PlannedPrivate, len(response.RequiresReplace) > 0
	made.value, err = response.PlannedState.Unmarshal(p.valueType(of))

	return made, err
}

// apply carries a plan out. The object is what is to be saved, also with an error;
// nil is nothing. With errKilled nothing is known.
func (p *process) apply(ctx context.Context, of kind, change planned) (*Object, error) {
	var (
		request = &tfprotov6.ApplyResourceChangeRequest{TypeName: string(of), PlannedPrivate: change.private}
		errs    [3]error
	)

	request.PriorState, errs[0] = p.encode(of, change.prior)
	request.PlannedState, errs[1] = p.encode(of, change.value)
	request.Config, errs[2] = p.encode(of, change.config)

	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}

	response, err := ask(p, func() (*tfprotov6.ApplyResourceChangeResponse, error) {
		return p.server.ApplyResourceChange(ctx, request)
	})
	if err != nil {
		return nil, err
	}

	failed := p.hear(response.Diagnostics)

	value, err := response.NewState.Unmarshal(p.valueType(of))
	if err != nil {
		return nil, err
	}

	if value.IsNull() {
		return nil, failed
	}

	return &Object{value: value, private: response.Private}, failed
}
