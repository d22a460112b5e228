package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

var (
	_ list.ListResourceWithConfigure     = (*allocationList)(nil)
	_ provider.ProviderWithListResources = (*machineProvider)(nil)
)

// allocationList lists machines for `terraform query`, each as it would be imported.
type allocationList struct{ client *client }

func newAllocationList() list.ListResource { return &allocationList{} }

// ListResources implements provider.ProviderWithListResources.
func (p *machineProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{newAllocationList}
}

// Metadata implements list.ListResource.
func (l *allocationList) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_allocation"
}

// Configure implements list.ListResourceWithConfigure.
func (l *allocationList) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	l.client = configured(req.ProviderData, &resp.Diagnostics)
}

// ListResourceConfigSchema implements list.ListResource.
func (l *allocationList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	attributes := map[string]schema.Attribute{}

	for name, argument := range filterArguments() {
		switch kind := argument.kind.(type) {
		case types.ListType:
			attributes[name] = schema.ListAttribute{Optional: true, ElementType: kind.ElemType, MarkdownDescription: argument.description, Validators: argument.list}
		case types.MapType:
			attributes[name] = schema.MapAttribute{Optional: true, ElementType: kind.ElemType, MarkdownDescription: argument.description}
		default:
			if kind == types.BoolType {
				attributes[name] = schema.BoolAttribute{Optional: true, MarkdownDescription: argument.description}
			} else {
				attributes[name] = schema.StringAttribute{Optional: true, MarkdownDescription: argument.description, Validators: argument.text}
			}
		}
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Finds machines that `machine_allocation` can take over, for `terraform query`. Whether a state holds a machine already, its tags tell only in part: see `settled`.",
		Attributes:          attributes,
	}
}

// List implements list.ListResource.
func (l *allocationList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	var (
		filter      instancesFilter
		diagnostics diag.Diagnostics
	)

	diagnostics.Append(req.Config.Get(ctx, &filter)...)

	if l.client == nil {
		diagnostics.AddError(unconfigured())
	}

	if diagnostics.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diagnostics)

		return
	}

	bounded, cancel := context.WithTimeout(ctx, DefaultReadTimeout)
	defer cancel()

	machines, err := l.client.find(bounded, filter)
	if err != nil {
		diagnostics.AddError("Cannot list machines", withRemedy(err, advice{again: runAgain}))

		stream.Results = list.ListResultsStreamDiagnostics(diagnostics)

		return
	}

	if limit := req.Limit; limit > 0 && int64(len(machines)) > limit {
		machines = machines[:limit]
	}

	stream.Results = func(push func(list.ListResult) bool) {
		for _, machine := range machines {
			if err := ctx.Err(); err != nil {
				var interrupted diag.Diagnostics

				interrupted.AddError("The list was cut off", sentence(err)+" What was listed so far is right; ask again for the rest.")
				push(list.ListResult{Diagnostics: interrupted})

				return
			}

			if !push(l.result(ctx, req, machine)) {
				return
			}
		}
	}
}

// result is one machine, as importing it would show it.
func (l *allocationList) result(ctx context.Context, req list.ListRequest, machine *driver.ObservedMachine) list.ListResult {
	result := req.NewListResult(ctx)
	result.DisplayName = displayName(machine)

	identify(ctx, result.Identity, types.StringValue(machine.ProviderID), &result.Diagnostics)

	if !req.IncludeResource {
		return result
	}

	model := emptyAllocation(ctx, &result.Diagnostics)
	model.observed(machine)

	viewer := &allocationResource{client: l.client}
	viewer.takeOver(ctx, &model, &lifecycle.Record{}, &importRecord{}, machine)

	model.Leftovers = stringList(nil)
	result.Diagnostics.Append(result.Resource.Set(ctx, model)...)

	return result
}

// displayName names a machine to people.
func displayName(machine *driver.ObservedMachine) string {
	name := machine.Identity.Allocation
	if name == "" {
		name = machine.Name
	}

	if name == "" || name == machine.ResourceID {
		return machine.ProviderID
	}

	return fmt.Sprintf("%s (%s)", name, machine.ProviderID)
}
