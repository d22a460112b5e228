package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
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
		if problem := r.planProblem(ctx, plan, true); problem != nil {
			resp.Diagnostics.Append(problem)
		}

		return
	}

	var state operationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	moves := plan.ProviderID.IsUnknown() || !r.sameMachine(state, plan)
	again := r.client != nil && !r.sameOperation(state, plan)

	if held := r.planHeld(ctx, state, plan, again, moves); held != nil {
		// Its replacement would take the record of what was carried out away, and then fail.
		resp.Diagnostics.Append(held)
		plan.unknow()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)

		return
	}

	switch {
	case len(changedNames(state, plan)) > 0:
		resp.RequiresReplace = append(resp.RequiresReplace, changedNames(state, plan)...)

		return
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

// changedNames are the arguments of which another value is another operation. The schema
// does not say so, as there it would have an operation replaced that is held.
func changedNames(state, plan operationModel) path.Paths {
	var changed path.Paths

	if !state.Name.Equal(plan.Name) {
		changed = append(changed, path.Root("name"))
	}

	if !state.Kind.Equal(plan.Kind) {
		changed = append(changed, path.Root("kind"))
	}

	if !state.Triggers.Equal(plan.Triggers) {
		changed = append(changed, path.Root("triggers"))
	}

	return changed
}

// sameOperation reports whether the plan's operation is the one in state, on whichever
// machine, and is not to be carried out anew.
func (r *operationResource) sameOperation(state, plan operationModel) bool {
	return len(changedNames(state, plan)) == 0 && r.sameEffect(state, plan) &&
		state.Phase.ValueString() != string(v1alpha3.OperationPhaseFailed)
}

// planHeld warns of an operation in state whose configuration asks for what cannot be
// carried out. That is no error of the plan, as a destroy makes such a plan first: the
// operation stays what it was, and applying is the error.
func (r *operationResource) planHeld(ctx context.Context, state, plan operationModel, again, moves bool) diag.Diagnostic {
	if r.client == nil || (!again && !moves && state.Parameters.Equal(plan.Parameters) && state.KeepUserData.Equal(plan.KeepUserData)) {
		return nil
	}

	// Once this process has applied something, a replacement that was planned is no longer
	// asked about here: its record is gone by then. So this is one that is held.
	if again && r.client.applied.Load() && plan.decided() && !plan.ProviderID.IsUnknown() {
		return heldDiagnostic(state, diag.NewAttributeErrorDiagnostic(path.Root("parameters"), impossibleOperation, "See the plan."))
	}

	problem := r.planProblem(ctx, plan, again || moves)
	if problem == nil {
		return nil
	}

	return heldDiagnostic(state, problem)
}

func heldDiagnostic(state operationModel, problem diag.DiagnosticWithPath) diag.Diagnostic {
	return diag.NewAttributeWarningDiagnostic(problem.Path(), problem.Summary(), fmt.Sprintf("%s\n\nThe operation %s on %s stays in state as it was carried out, and applying ends with this error.",
		problem.Detail(), state.Name.ValueString(), state.ProviderID.ValueString()))
}

// refuseHeld is the error of an update that would have been a replacement, had its plan
// found that the operation can be carried out, and of one whose parameters are wrong. It
// reports whether there is one.
func (r *operationResource) refuseHeld(ctx context.Context, state, plan operationModel, diagnostics *diag.Diagnostics) bool {
	again := !r.sameOperation(state, plan)

	problem := r.problem(ctx, plan, again)

	switch {
	case problem != nil:
		diagnostics.Append(problem)
	case again:
		diagnostics.AddAttributeError(path.Root("parameters"), impossibleOperation,
			fmt.Sprintf("When the operation %s on %s was planned, it could not be carried out as it is asked for; now it can. Nothing was done to the machine. Apply again to carry it out.",
				plan.Name.ValueString(), plan.ProviderID.ValueString()))
	}

	return diagnostics.HasError()
}

// planProblem tells what of a plan can be seen to be wrong. Nothing is looked at once
// this run has changed something, as which the plan is part of an apply.
func (r *operationResource) planProblem(ctx context.Context, plan operationModel, begins bool) diag.DiagnosticWithPath {
	return r.problem(ctx, plan, begins && r.client != nil && !r.client.applied.Load())
}

// decided reports whether all is known that says how the operation is carried out.
func (m operationModel) decided() bool {
	return !m.Kind.IsUnknown() && !m.KeepUserData.IsUnknown() && fullyKnown(m.Parameters)
}

// problem tells what can be seen to be wrong, as far as it is known; nil for nothing. An
// operation that is about to be carried out is examined, too.
func (r *operationResource) problem(ctx context.Context, plan operationModel, begins bool) diag.DiagnosticWithPath {
	if r.client == nil {
		return nil
	}

	machine := ""

	if !plan.ProviderID.IsUnknown() {
		id, err := r.client.cloud.Observer().ParseProviderID(plan.ProviderID.ValueString(), r.client.region)
		if err != nil {
			return diag.NewAttributeErrorDiagnostic(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))
		}

		machine = id.String()
	}

	if plan.decided() {
		if err := r.client.cloud.CheckOperation(plan.checked(machine)); err != nil {
			return impossible(err)
		}
	}

	if begins && machine != "" {
		return r.examine(ctx, plan, machine)
	}

	return nil
}

const impossibleOperation = "The operation cannot be carried out as it is asked for"

func impossible(err error) diag.DiagnosticWithPath {
	return diag.NewAttributeErrorDiagnostic(path.Root("parameters"), impossibleOperation, sentence(err)+" Correct the parameters; nothing was done to the machine.")
}

// examinePatience bounds the looks of a plan at what an operation needs.
const examinePatience = 30 * time.Second

// examine refuses an operation on a machine that does not exist, or on one that it can
// never be carried out on. A look that fails refuses nothing: whoever carries the
// operation out looks again before the machine is touched.
func (r *operationResource) examine(ctx context.Context, plan operationModel, machine string) diag.DiagnosticWithPath {
	ctx, cancel := context.WithTimeout(ctx, examinePatience)
	defer cancel()

	observed, err := r.client.known(ctx, machine)

	if driver.CodeOf(err) == driver.CodeNotFound {
		return diag.NewAttributeErrorDiagnostic(path.Root("provider_id"), "No such machine",
			fmt.Sprintf("%s, which is the one that was searched.\n\n%s", strings.TrimSuffix(err.Error(), "."), operationRemedies()[v1alpha3.ReasonNotFound]))
	}

	if err != nil || !plan.decided() {
		return nil
	}

	request := plan.checked(machine)
	request.Auth = r.client.auth

	var wrong *machineops.PermanentError
	if err := r.client.cloud.ExamineOperation(ctx, request, observed); errors.As(err, &wrong) && wrong.Reason == v1alpha3.ReasonInvalidConfiguration {
		return impossible(wrong)
	}

	return nil
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
