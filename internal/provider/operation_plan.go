package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

var _ resource.ResourceWithModifyPlan = (*operationResource)(nil)

// ModifyPlan implements resource.ResourceWithModifyPlan. It makes no call.
func (r *operationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}

	var plan operationModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)

	if resp.Diagnostics.HasError() {
		return
	}

	r.checkPlan(plan, resp)

	if req.State.Raw.IsNull() || resp.Diagnostics.HasError() {
		return
	}

	var state operationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	switch {
	case r.client != nil && !plan.Parameters.IsUnknown() && !state.sameEffect(plan, r.client.cloud.EffectParameters()):
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("parameters"))

		return
	case state.Phase.ValueString() == string(v1alpha3.OperationPhaseFailed):
		// What has failed is carried out anew.
		plan.unknow()

		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("phase"))
	case outstanding(record):
		plan.unknow()
	default:
		plan.takeOver(state)
	}

	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// outstanding reports whether the record holds an operation whose end nobody has
// seen.
func outstanding(record lifecycle.Record) bool {
	return record.Operation != nil && record.Operation.Stage != lifecycle.StageApplied && record.Operation.Stage != lifecycle.StageComplete
}

// checkPlan refuses what can be seen to be wrong, as far as it is known.
func (r *operationResource) checkPlan(plan operationModel, resp *resource.ModifyPlanResponse) {
	if r.client == nil {
		return
	}

	machine := ""

	if !plan.ProviderID.IsUnknown() {
		id, err := r.client.cloud.Observer().ParseProviderID(plan.ProviderID.ValueString(), r.client.region)
		if err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))

			return
		}

		machine = id.String()
	}

	if plan.Kind.IsUnknown() || plan.KeepUserData.IsUnknown() || !fullyKnown(plan.Parameters) {
		return
	}

	if err := r.client.cloud.CheckOperation(plan.checked(machine)); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("parameters"), "The operation cannot be carried out as it is asked for", sentence(err)+" Correct the parameters; nothing was done to the machine.")
	}
}

// fullyKnown reports whether the map and all that it holds are known.
func fullyKnown(m types.Map) bool {
	if m.IsUnknown() {
		return false
	}

	for _, element := range m.Elements() {
		if element.IsUnknown() {
			return false
		}
	}

	return true
}
