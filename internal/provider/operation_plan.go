package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
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
		r.planBegun(ctx, req, plan, resp)

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

	resp.Diagnostics.Append(r.reserve(plan, plannedStage{begins: again || moves})...)

	held, told := r.planHeld(ctx, state, plan, again, moves)
	resp.Diagnostics.Append(held...)

	if len(held) > 0 {
		// Its replacement would take the record of what was carried out away, and then fail.
		plan.unknow()
		resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)

		return
	}

	r.warn(told, resp)

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

// planBegun plans an operation that is in no state. That is the second half of a
// replacement, too, which is told nothing that the first was told.
func (r *operationResource) planBegun(ctx context.Context, req resource.ModifyPlanRequest, plan operationModel, resp *resource.ModifyPlanResponse) {
	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	if !replaces(ctx, req.Private) {
		resp.Diagnostics.Append(r.reserve(plan, plannedStage{created: true, begins: true})...)
	}

	var former types.UID
	if record.Operation != nil {
		former = record.Operation.OperationUID
	}

	found := r.planFindings(ctx, plan, former, true)
	resp.Diagnostics.Append(found.wrong...)

	// The credentials are those of all operations: one error tells of them.
	if len(found.refused) > 0 && r.client.warned.once("refused") {
		resp.Diagnostics.Append(found.refused...)
	}

	r.warn(append(found.unseen, found.told...), resp)
}

// warn tells what was not told before.
func (r *operationResource) warn(told diag.Diagnostics, resp *resource.ModifyPlanResponse) {
	for _, one := range told {
		if r.client.warned.once(one.Summary() + "\x00" + one.Detail()) {
			resp.Diagnostics.Append(one)
		}
	}
}

// sameMachine reports whether both are about one machine, be it under another form of
// its ID.
func (r *operationResource) sameMachine(state, plan operationModel) bool {
	if r.client == nil {
		return state.ProviderID.Equal(plan.ProviderID)
	}

	before, errBefore := r.machineOf(state)
	after, errAfter := r.machineOf(plan)

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

	if !withoutNulls(state.Triggers).Equal(withoutNulls(plan.Triggers)) {
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
// operation stays what it was, and applying is the error. Beside it is what there is to
// tell of one that can be carried out.
func (r *operationResource) planHeld(ctx context.Context, state, plan operationModel, again, moves bool) (held, told diag.Diagnostics) {
	if r.client == nil || (!again && !moves && state.Parameters.Equal(plan.Parameters) && state.KeepUserData.Equal(plan.KeepUserData)) {
		return nil, nil
	}

	// Once this process has applied something, a replacement that was planned is no longer
	// asked about here: its record is gone by then. So this is one that is held.
	if again && r.client.applied.Load() && plan.decided() && !plan.ProviderID.IsUnknown() {
		return heldDiagnostics(state, diag.Diagnostics{diag.NewAttributeErrorDiagnostic(path.Root("parameters"), impossibleOperation, "See the plan.")}), nil
	}

	found := r.planFindings(ctx, plan, r.formerUID(state), again || moves)

	return heldDiagnostics(state, append(found.wrong, found.refused...)), append(found.unseen, found.told...)
}

// formerUID is the UID of an operation in state; empty where its machine is none.
func (r *operationResource) formerUID(state operationModel) types.UID {
	machine, err := r.machineOf(state)
	if err != nil {
		return ""
	}

	return r.uid(state, machine)
}

func heldDiagnostics(state operationModel, wrong diag.Diagnostics) diag.Diagnostics {
	var held diag.Diagnostics

	for _, problem := range wrong {
		text := fmt.Sprintf("%s\n\nThe operation %s on %s stays in state as it was carried out, and applying ends with this error.",
			problem.Detail(), state.Name.ValueString(), state.ProviderID.ValueString())

		if placed, ok := problem.(diag.DiagnosticWithPath); ok {
			held.AddAttributeWarning(placed.Path(), problem.Summary(), text)
		} else {
			held.AddWarning(problem.Summary(), text)
		}
	}

	return held
}

// refuseHeld is the error of an update that would have been a replacement, had its plan
// found that the operation can be carried out, and of one whose parameters are wrong. It
// reports whether there is one.
func (r *operationResource) refuseHeld(ctx context.Context, state, plan operationModel, diagnostics *diag.Diagnostics) bool {
	again := !r.sameOperation(state, plan)

	found := r.find(ctx, search{
		plan: plan, former: r.formerUID(state), begins: again, looks: &planLooks{},
		unseen: advice{became: "Nothing was done to the machine.", again: applyAgain},
	})
	diagnostics.Append(found.wrong...)
	diagnostics.Append(found.refused...)

	switch {
	case diagnostics.HasError() || !again:
	case len(found.unseen) > 0:
		for _, one := range found.unseen {
			diagnostics.AddAttributeError(path.Root("provider_id"), one.Summary(), one.Detail())
		}
	default:
		diagnostics.AddAttributeError(path.Root("parameters"), impossibleOperation,
			fmt.Sprintf("When the operation %s on %s was planned, it could not be carried out as it is asked for; now it can. Nothing was done to the machine. Apply again to carry it out.",
				plan.Name.ValueString(), plan.ProviderID.ValueString()))
	}

	return diagnostics.HasError()
}
