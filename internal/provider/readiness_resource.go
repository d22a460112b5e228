package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// DefaultReadinessTimeout is how long a fleet is waited for.
const DefaultReadinessTimeout = 10 * time.Minute

var (
	_ resource.ResourceWithConfigure      = (*readinessResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*readinessResource)(nil)
	_ resource.ResourceWithValidateConfig = (*readinessResource)(nil)
)

type readinessResource struct{ client *client }

func newReadinessResource() resource.Resource { return &readinessResource{} }

// Metadata implements resource.Resource.
func (r *readinessResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_readiness"
}

// Schema implements resource.Resource.
func (r *readinessResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = readinessSchema(ctx)
}

// Configure implements resource.ResourceWithConfigure.
func (r *readinessResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *readinessResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	checkTimeouts(ctx, req.Config, &resp.Diagnostics)
}

// ModifyPlan implements resource.ResourceWithModifyPlan: what is no provider ID is
// found before anything is launched, and addresses stay known while nothing is waited
// for.
func (r *readinessResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() || r.client == nil {
		return
	}

	var plan readinessModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)

	if resp.Diagnostics.HasError() {
		return
	}

	r.machines(plan, &resp.Diagnostics)

	if resp.Diagnostics.HasError() || req.State.Raw.IsNull() {
		return
	}

	var state readinessModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	if state.ProviderIDs.Equal(plan.ProviderIDs) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("private_ips"), state.PrivateIPs)...)
	}
}

// machines returns the canonical provider IDs by what the configuration says, as far
// as that is known.
func (r *readinessResource) machines(model readinessModel, diagnostics *diag.Diagnostics) map[string]string {
	machines, written := map[string]string{}, map[string]string{}

	for i, element := range model.ProviderIDs.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() || text.IsNull() {
			continue
		}

		at := path.Root("provider_ids").AtListIndex(i)

		id, err := r.client.cloud.Observer().ParseProviderID(text.ValueString(), r.client.region)
		if err != nil {
			diagnostics.AddAttributeError(at, "Malformed provider ID", malformedProviderID(err))

			continue
		}

		if other, twice := written[id.String()]; twice {
			diagnostics.AddAttributeError(at, "One machine, two provider IDs",
				fmt.Sprintf("%q and %q are the same machine, %s. Remove one of them.", other, text.ValueString(), id))
		}

		machines[text.ValueString()], written[id.String()] = id.String(), text.ValueString()
	}

	return machines
}

// Create implements resource.Resource. An error leaves no state: nothing is tainted,
// and the next apply waits again.
func (r *readinessResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model readinessModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)

	timeout, diags := model.Timeouts.Create(ctx, DefaultReadinessTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() || !r.await(ctx, timeout, &model, &resp.Diagnostics) {
		return
	}

	model.ID = types.StringValue(newID())
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// Update implements resource.Resource. An error leaves the state as it was.
func (r *readinessResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model readinessModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)

	timeout, diags := model.Timeouts.Update(ctx, DefaultReadinessTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() {
		return
	}

	// Addresses that are known are those of a list that did not change.
	if model.PrivateIPs.IsUnknown() && !r.await(ctx, timeout, &model, &resp.Diagnostics) {
		return
	}

	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// await waits for the machines and fills in their addresses. It reports whether all
// of them run.
func (r *readinessResource) await(ctx context.Context, timeout time.Duration, model *readinessModel, diagnostics *diag.Diagnostics) bool {
	if r.client == nil {
		diagnostics.AddError(unconfigured())

		return false
	}

	ids := r.machines(*model, diagnostics)
	if diagnostics.HasError() {
		return false
	}

	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	wanted := slices.Sorted(maps.Values(ids))

	running, err := r.client.awaitRunning(waiting, wanted)
	if err != nil {
		diagnostics.Append(readinessDiagnostic(len(wanted), timeout, err))

		return false
	}

	model.PrivateIPs = privateIPsOf(ids, running, nil)

	return true
}

// Read implements resource.Resource. It follows the addresses of the machines, from
// the list that their own resources are read from. A machine that is not there any
// more keeps what was known: its own resource says what became of it.
func (r *readinessResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model readinessModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)

	timeout, diags := model.Timeouts.Read(ctx, DefaultReadTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() {
		return
	}

	if r.client == nil {
		resp.Diagnostics.AddError(unconfigured())

		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	ids := r.machines(model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	seen, err := r.client.readMany(ctx, slices.Sorted(maps.Values(ids)))
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the addresses of the machines", withRemedy(err, readAdvice()))

		return
	}

	model.PrivateIPs = privateIPsOf(ids, seen, model.PrivateIPs.Elements())
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// privateIPsOf are the addresses of the machines, by what the configuration calls
// them. Of a machine that was not seen they are the known ones.
func privateIPsOf(ids map[string]string, machines map[string]*driver.ObservedMachine, known map[string]attr.Value) types.Map {
	addresses := make(map[string]attr.Value, len(ids))

	for written, id := range ids {
		if machine, seen := machines[id]; seen {
			addresses[written] = stringList(machine.PrivateIPs)
		} else if value, there := known[written]; there {
			addresses[written] = value
		}
	}

	return types.MapValueMust(privateIPsType(), addresses)
}

// Delete implements resource.Resource. There is nothing to undo.
func (r *readinessResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}
