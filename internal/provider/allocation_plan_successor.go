package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// fate is what a plan makes of a machine.
type fate int

const (
	// fateKept is that of a machine which can be what is configured.
	fateKept fate = iota
	// fateReplaced is that of one which cannot.
	fateReplaced
	// fateHeld is that of one which cannot, and which could have no successor: it is
	// kept, and applying is an error.
	fateHeld
)

// planReplacement plans a replacement where the machine cannot become what is
// configured, and says why. Terraform destroys before it creates, and so does not
// find out in time that nothing can be created: a machine whose successor could not
// be launched is kept. That is no error of the plan, as a destroy makes such a plan
// first.
func (r *allocationResource) planReplacement(ctx context.Context, state, plan allocationModel, resuming bool, resp *resource.ModifyPlanResponse) fate {
	reasons, changed := r.replacementReasons(ctx, state, plan, resuming, &resp.Diagnostics)
	if len(reasons) == 0 {
		return fateKept
	}

	// Once this process has applied something, a replacement that was planned is no
	// longer asked about here: its machine is gone by then. So this is one that is held.
	if r.client != nil && r.client.applied.Load() {
		return fateHeld
	}

	if state.DeletionProtection.ValueBool() {
		resp.Diagnostics.Append(protectedDiagnostic(state, "replaced: "+strings.Join(reasons, "; ")))

		return fateReplaced
	}

	if retainsTooLate(state, plan) {
		resp.Diagnostics.Append(lateRetention(state.Name.ValueString(), state.ProviderID.ValueString(), strings.Join(reasons, "; ")))

		return fateReplaced
	}

	machine := fmt.Sprintf("The machine %s (%s)", state.Name.ValueString(), state.ProviderID.ValueString())

	if err := r.successorProblem(ctx, plan); err != nil {
		resp.Diagnostics.AddWarning("Machine cannot be replaced",
			fmt.Sprintf("%s would be replaced: %s. But no machine of its class can be launched: %s.\n\nIt stays as it is, and applying ends with this error. Correct the class, then plan again.",
				machine, strings.Join(reasons, "; "), strings.TrimSuffix(machineops.Cause(err), ".")))

		return fateHeld
	}

	resp.RequiresReplace = append(resp.RequiresReplace, changed...)
	resp.Diagnostics.AddWarning("Machine will be replaced", fmt.Sprintf("%s will be replaced: %s.", machine, strings.Join(reasons, "; ")))

	return fateReplaced
}

// replacementReasons tells why the machine cannot become what is configured, and
// which inputs say so; nothing where it can.
func (r *allocationResource) replacementReasons(ctx context.Context, state, plan allocationModel, resuming bool, diagnostics *diag.Diagnostics) ([]string, path.Paths) {
	var (
		reasons []string
		changed path.Paths
	)

	before, _ := state.classPart()

	after, known := plan.classPart()
	if !known {
		reasons = append(reasons, "class is not known before apply")
	} else {
		reasons = append(reasons, alicloudMismatch(before, after, state.judgedBy(plan), r.chosenDisks(ctx, state, before, after, diagnostics))...)
		reasons = append(reasons, r.unmetRequirements(ctx, state, plan, diagnostics)...)
	}

	if len(reasons) > 0 {
		changed = append(changed, path.Root("class"))
	}

	for _, input := range replacingInputs(state, plan, resuming) {
		reasons = append(reasons, input.reason)
		changed = append(changed, path.Root(input.name))
	}

	return reasons, changed
}

// successorProblem tells why no machine of the planned class can be launched. Nothing
// is said of a class that is not known yet, or that could not be looked up: that is
// no reason to keep a machine.
func (r *allocationResource) successorProblem(ctx context.Context, plan allocationModel) error {
	class, known := plan.classModel()
	if r.client == nil || !known {
		return nil
	}

	resolvable, err := class.class()
	if err == nil {
		err = alicloudPlace(&resolvable, plan.PrivateIP.ValueString())
	}

	if err != nil {
		return nil // Some part of the class is not known yet.
	}

	ctx, cancel := context.WithTimeout(ctx, resolution)
	defer cancel()

	if _, err = r.client.classes.Resolve(ctx, resolvable); err == nil || reasonOf(err) == "" {
		return nil
	}

	return err
}

// refuseReplacement is the error of an update that would have been a replacement, had
// its plan found that there can be a successor. It reports whether there is one.
func (r *allocationResource) refuseReplacement(ctx context.Context, state, plan allocationModel, resuming bool, diagnostics *diag.Diagnostics) bool {
	reasons, _ := r.replacementReasons(ctx, state, plan, resuming, diagnostics)
	if len(reasons) == 0 {
		return false
	}

	why := "When this was planned, no machine of its class could be launched; now one can.\n\nApply again to replace it."
	if err := r.successorProblem(ctx, plan); err != nil {
		why = "No machine of its class can be launched: " + withRemedy(err, advice{again: applyAgain})
	}

	diagnostics.AddError(fmt.Sprintf("Cannot replace %q", state.Name.ValueString()),
		fmt.Sprintf("The machine %s is kept as it is. It has to be replaced: %s. %s", state.ProviderID.ValueString(), strings.Join(reasons, "; "), why))

	return true
}

// chosenDisks are the machine's disks, where the class now says of them what it left to
// the cloud before. That the class names what the machine has anyway changes nothing. A
// look that fails never costs a machine.
func (r *allocationResource) chosenDisks(ctx context.Context, state allocationModel, before, after types.Object, diagnostics *diag.Diagnostics) []driver.MachineDisk {
	if r.client == nil || !alicloudWritesDisksDown(before, after) {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, resolution)
	defer cancel()

	class, _ := state.classModel()

	disks, err := r.client.disks(ctx, state.ID.ValueString(), class.UID.ValueString())
	if err == nil && len(disks) == 0 {
		err = errors.New("none are listed; the permission for it may be lacking")
	}

	if err != nil {
		diagnostics.AddWarning("Changed disks could not be compared with the machine",
			fmt.Sprintf("The class now says of its disks what was left to ECS when %s (%s) was launched, and what the machine has could not be looked up: %s. It is kept; the next plan looks again.",
				state.Name.ValueString(), state.ProviderID.ValueString(), strings.TrimSuffix(machineops.Cause(err), ".")))
	}

	return disks
}
