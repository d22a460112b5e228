package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// inPlace says what an update in place is for, beside changed inputs.
type inPlace struct {
	resuming, imported bool
	// repairing means that marks, tags or the claim have to be put right.
	repairing bool
	// drifted means that somebody has changed by hand what the class says of the machine.
	drifted bool
	// unfinished is what a run was cut off at.
	unfinished driver.Unfinished
	// leftovers means that there is something to release.
	leftovers bool
	// held means that the update is an error: the machine has to be replaced and cannot.
	held bool
	// tagging means that the machine is to have other tags than it was given.
	tagging bool
}

// taken reports whether the machine is another state's by now: it carries a claim that
// is neither ours nor that of an interrupted run of ours.
func (r *allocationResource) taken(state allocationModel, record lifecycle.Record, imported *importRecord) bool {
	return record.Foreign != nil && (imported != nil || !r.reclaimable(state, *record.Foreign))
}

// planTaken plans, for a machine that is another state's, an update that tells so and
// does nothing.
func (r *allocationResource) planTaken(ctx context.Context, state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	if !r.toldOf(state) {
		resp.Diagnostics.Append(takenWarning(state))
	}

	r.planInPlace(ctx, state, plan, inPlace{repairing: true}, resp)
}

// toldOf reports whether the look before this plan has said that another run's claim is
// on the machine.
func (r *allocationResource) toldOf(state allocationModel) bool {
	return r.client != nil && r.client.told.has(state.ID.ValueString())
}

// planSafety makes sure that the machine will not be taken for a leftover meanwhile. It reports whether planning may go on.
func (r *allocationResource) planSafety(ctx context.Context, state, plan allocationModel, record lifecycle.Record, resp *resource.ModifyPlanResponse) bool {
	if r.client == nil {
		return true
	}

	// Without a refresh nobody has looked at the machine yet.
	if record.Process != r.client.process && !record.Settled && record.Foreign == nil && !r.client.touched.has(state.ID.ValueString()) {
		//nolint:contextcheck // Marking outlives the RPC; see settling.write.
		r.client.settling.add(settlement{providerID: state.ID.ValueString(), claim: state.Claim.ValueString()})
	}

	before, _ := state.classModel()
	after, known := plan.classModel()

	if known && before.UID.Equal(after.UID) {
		return true
	}

	// The class that is left may be destroyed before this machine is given the new UID.
	if err := r.settleNow(ctx, state); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("class"), "The machine cannot change its class now",
			fmt.Sprintf("The machine %s (%s) is to belong to a class with another uid. When the old class is destroyed, what is not marked as held by a state counts as left over, so the machine has to be marked first, "+
				"and it could not be: %s.\n\nGrant ecs:TagResources to these credentials and leave mark_settled on, then plan again; or give the new class the uid of the old one, %q.",
				state.Name.ValueString(), state.ID.ValueString(), err, before.UID.ValueString()))

		return false
	}

	return true
}

// settleNow returns when the machine is marked as held by a state.
func (r *allocationResource) settleNow(ctx context.Context, state allocationModel) error {
	id := state.ID.ValueString()

	machine, err := r.client.observe(ctx, id)

	switch {
	case err != nil:
		return err
	case machine.Settled:
		return nil
	case !r.client.settling.enabled:
		return errors.New("mark_settled is false")
	case machine.Identity.Claim != "" && machine.Identity.Claim != state.Claim.ValueString():
		return errors.New("it carries the claim of another run")
	}

	return r.client.mark(ctx, driver.MarkSettled, false, id)
}

// planRepair reports whether the machine's marks, tags or claim have to be put
// right, and warns of it.
func (r *allocationResource) planRepair(state allocationModel, record lifecycle.Record, resp *resource.ModifyPlanResponse) bool {
	machine := fmt.Sprintf("The machine %s (%s)", state.Name.ValueString(), state.ID.ValueString())
	releasing := state.Phase.ValueString() == string(driver.MachinePhaseReleasing)

	if record.Foreign != nil && !r.toldOf(state) {
		resp.Diagnostics.Append(foreignDiagnostic(state, true))
	}

	if releasing {
		resp.Diagnostics.AddWarning("An interrupted run was about to release the machine",
			machine+" is marked as being released, and is still there. Applying takes the mark off and keeps the machine; destroy it to release it.")
	}

	if record.Incomplete {
		resp.Diagnostics.AddWarning("Tags of the machine are missing",
			machine+" lacks tags by which it is found again, or carries those of another owner. Applying writes them again.")
	}

	return record.Foreign != nil || releasing || record.Incomplete
}
