package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type readinessModel struct {
	ID          types.String   `tfsdk:"id"`
	ProviderIDs types.List     `tfsdk:"provider_ids"`
	PrivateIPs  types.Map      `tfsdk:"private_ips"`
	Timeouts    timeouts.Value `tfsdk:"timeouts"`
}

// privateIPsType is the type of one machine's addresses.
func privateIPsType() types.ListType { return types.ListType{ElemType: types.StringType} }

func readinessSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Waits until all of several machines run, and is created when they do: what depends on it starts then. " +
			"Together with `wait_until = \"accepted\"` of `machine_allocation` a fleet is launched at the speed of the API and waited for with one look at 100 machines. " +
			"When they do not run in time, that is an error; nothing is kept in state and nothing is tainted, so the next apply goes on waiting. " +
			"It is about the moment in which it is created or changed: a machine that stops later is not its matter.",
		Attributes: map[string]schema.Attribute{
			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "A random identifier, without a meaning.",
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
			"provider_ids": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Provider IDs of the machines, in any form that an import takes. Where machines are added, or replaced, all are waited for again, in place.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1),
					noNullElements(),
					uniqueElements(),
					listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1)),
				},
			},
			"private_ips": schema.MapAttribute{
				Computed: true, ElementType: privateIPsType(),
				MarkdownDescription: "Private IPv4 addresses of each machine, by its provider ID as it stands in `provider_ids`.",
			},
			"timeouts": timeoutsAttribute(ctx, timeouts.Opts{
				Create: true, CreateDescription: "How long to wait for all of the machines. Default `10m`.",
				Read: true, ReadDescription: "How long to try to read their addresses. Default `5m`.",
				Update: true, UpdateDescription: "How long to wait for all of the machines where the list was changed. Default `10m`.",
			}),
		},
	}
}
