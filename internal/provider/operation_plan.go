package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

var _ resource.ResourceWithModifyPlan = (*operationResource)(nil)

// ModifyPlan implements resource.ResourceWithModifyPlan. It looks at what an operation
// needs that is about to be carried out, and at nothing for one that was.
func (r *operationResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		return
	}

	var plan operationModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)

	if resp.Diagnostics.HasError() {
		return
	}

	if req.State.Raw.IsNull() {
		r.checkPlan(ctx, plan, true, resp)

		return
	}

	var state operationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	moves := plan.ProviderID.IsUnknown() || !r.sameMachine(state, plan)
	r.checkPlan(ctx, plan, moves, resp)

	if resp.Diagnostics.HasError() {
		return
	}

	switch {
	case r.client != nil && !r.sameEffect(state, plan):
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("parameters"))

		return
	case state.Phase.ValueString() == string(v1alpha3.OperationPhaseFailed):
		// What has failed is carried out anew.
		plan.unknow()

		resp.RequiresReplace = append(resp.RequiresReplace, path.Root("phase"))
	case outstanding(record), moves:
		// Another machine is an update and no replacement: one that is not known yet may
		// turn out to be the same, as where its launch is gone on with, and a plan cannot
		// be turned into a replacement later. To plan one would carry the operation out
		// again.
		plan.unknow()
	default:
		plan.takeOver(state)
	}

	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// sameMachine reports whether both are about one machine, be it under another form of
// its ID.
func (r *operationResource) sameMachine(state, plan operationModel) bool {
	if r.client == nil {
		return state.ProviderID.Equal(plan.ProviderID)
	}

	before, errBefore := r.client.cloud.Observer().ParseProviderID(state.ProviderID.ValueString(), r.client.region)
	after, errAfter := r.client.cloud.Observer().ParseProviderID(plan.ProviderID.ValueString(), r.client.region)

	return state.ProviderID.Equal(plan.ProviderID) || (errBefore == nil && errAfter == nil && before == after)
}

// sameEffect reports whether what is done according to both is known, and the same.
func (r *operationResource) sameEffect(state, plan operationModel) bool {
	effect := r.client.cloud.EffectParameters()

	return plan.knowsEffect(effect) && state.sameEffect(plan, effect)
}

// outstanding reports whether the record holds an operation whose end nobody has
// seen.
func outstanding(record lifecycle.Record) bool {
	return record.Operation != nil && record.Operation.Stage != lifecycle.StageApplied && record.Operation.Stage != lifecycle.StageComplete
}

// checkPlan refuses what can be seen to be wrong, as far as it is known. An operation
// that is about to be carried out is examined, too.
func (r *operationResource) checkPlan(ctx context.Context, plan operationModel, begins bool, resp *resource.ModifyPlanResponse) {
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

	decided := !plan.Kind.IsUnknown() && !plan.KeepUserData.IsUnknown() && fullyKnown(plan.Parameters)

	if decided {
		if err := r.client.cloud.CheckOperation(plan.checked(machine)); err != nil {
			resp.Diagnostics.AddAttributeError(path.Root("parameters"), impossibleOperation, sentence(err)+" Correct the parameters; nothing was done to the machine.")

			return
		}
	}

	if begins && machine != "" {
		r.examine(ctx, plan, machine, decided, resp)
	}
}

const impossibleOperation = "The operation cannot be carried out as it is asked for"

// examinePatience bounds the looks of a plan at what an operation needs.
const examinePatience = 30 * time.Second

// examine refuses an operation on a machine that does not exist, or on one that it can
// never be carried out on. A look that fails refuses nothing: whoever carries the
// operation out looks again before the machine is touched. Nothing is looked at once
// this run has changed something, as which the plan is part of an apply.
func (r *operationResource) examine(ctx context.Context, plan operationModel, machine string, decided bool, resp *resource.ModifyPlanResponse) {
	if r.client.applied.Load() {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, examinePatience)
	defer cancel()

	observed, err := r.client.known(ctx, machine)

	if driver.CodeOf(err) == driver.CodeNotFound {
		resp.Diagnostics.AddAttributeError(path.Root("provider_id"), "No such machine",
			fmt.Sprintf("%s, which is the one that was searched.\n\n%s", strings.TrimSuffix(err.Error(), "."), operationRemedies()[v1alpha3.ReasonNotFound]))

		return
	}

	if err != nil || !decided {
		return
	}

	request := plan.checked(machine)
	request.Auth = r.client.auth

	var impossible *machineops.PermanentError
	if err := r.client.cloud.ExamineOperation(ctx, request, observed); errors.As(err, &impossible) && impossible.Reason == v1alpha3.ReasonInvalidConfiguration {
		resp.Diagnostics.AddAttributeError(path.Root("parameters"), impossibleOperation, sentence(impossible)+" Correct the parameters; nothing was done to the machine.")
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
