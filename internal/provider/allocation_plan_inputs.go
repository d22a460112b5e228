package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// replacingInput is an input of the allocation that its machine cannot follow.
type replacingInput struct{ name, reason string }

// replacingInputs are the inputs, other than the class, for which the machine has to be
// replaced. What is not known and could replace it is planned to. A machine whose launch
// is gone on with cannot be reinstalled meanwhile.
func replacingInputs(state, plan allocationModel, resuming bool) []replacingInput {
	var inputs []replacingInput

	if !state.UserDataWOVersion.Equal(plan.UserDataWOVersion) && (plan.replacesOnUserData() || (resuming && reinstalls(state, plan))) {
		inputs = append(inputs, replacingInput{"user_data_wo_version", "user_data_wo_version changes, and first-boot data is read at first boot only"})
	}

	switch address := plan.PrivateIP; {
	case address.IsUnknown():
		inputs = append(inputs, replacingInput{"private_ip", "private_ip is not known before apply"})
	case !address.IsNull() && !slices.Contains(stringsOf(state.PrivateIPs), address.ValueString()):
		inputs = append(inputs, replacingInput{"private_ip", fmt.Sprintf("private_ip is %s, which the machine does not have", address.ValueString())})
	}

	switch name := plan.HostName; {
	case name.IsUnknown():
		inputs = append(inputs, replacingInput{"host_name", "host_name is not known before apply"})
	case !name.IsNull() && !strings.EqualFold(name.ValueString(), state.NodeName.ValueString()):
		inputs = append(inputs, replacingInput{"host_name", fmt.Sprintf("host_name is %s, and the machine's is %s", name.ValueString(), state.NodeName.ValueString())})
	}

	return inputs
}

// replacesOnUserData reports whether new first-boot data replaces the machine.
func (m allocationModel) replacesOnUserData() bool {
	return m.UserDataOnChange.ValueString() != onUserDataIgnore && m.UserDataOnChange.ValueString() != onUserDataReinstall
}

// reinstalls reports whether the machine gets a new system disk for its new first-boot
// data.
func reinstalls(state, plan allocationModel) bool {
	return plan.UserDataOnChange.ValueString() == onUserDataReinstall && !state.UserDataWOVersion.Equal(plan.UserDataWOVersion)
}

// warnReinstall says in the plan what becomes of the disk.
func (r *allocationResource) warnReinstall(state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	if !reinstalls(state, plan) || r.unresolved(plan) {
		return
	}

	resp.Diagnostics.AddWarning("Machine will be reinstalled",
		fmt.Sprintf("The machine %s (%s) will be stopped, its system disk destroyed with all that is on it, and a new one made from the class's image, from which it boots with the new first-boot data. "+
			"Its ID, its addresses and its data disks stay.", state.Name.ValueString(), state.ProviderID.ValueString()))
}

// warnResize says in the plan that the machine does not run for a while. Nothing is done
// for a class that cannot be resolved, which its own plan says.
func (r *allocationResource) warnResize(state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	types := resizedTo(state, plan)
	if len(types) == 0 || r.unresolved(plan) {
		return
	}

	how := "It will be stopped, made the first of these types that is to be had, and started"
	if state.Phase.ValueString() == string(driver.MachinePhaseStopped) {
		how = "It is stopped, and will be made the first of these types that is to be had, and not be started for it"
	}

	resp.Diagnostics.AddWarning("Machine will be resized",
		fmt.Sprintf("The machine %s (%s) is of the type %s, which its class does not have any more. %s: %s. "+
			"Its ID, its addresses and its disks stay.", state.Name.ValueString(), state.ProviderID.ValueString(), state.InstanceType.ValueString(), how, strings.Join(types, ", ")))
}

// unresolved reports whether the plan of the machine's class found that it cannot be
// resolved.
func (r *allocationResource) unresolved(plan allocationModel) bool {
	class, known := plan.classModel()

	return known && r.client != nil && r.client.unresolved.has(class.UID.ValueString())
}

// planDestroy refuses to plan what ECS would refuse, as long as nothing is destroyed
// yet that the machine needs. Of one that another run holds it says that it stays: what a
// look before a destroy tells, Terraform does not show.
func (r *allocationResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var state allocationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)

	if resp.Diagnostics.HasError() {
		return
	}

	// One that another run holds is removed from this state only; and a record that cannot
	// be read is no reason to refuse less.
	encoded, _ := req.Private.GetKey(ctx, recordKey)
	if record, err := lifecycle.DecodeRecord(encoded); err == nil && record.Foreign != nil {
		if !r.toldOf(state) {
			resp.Diagnostics.Append(foreignDiagnostic(state, r.reclaimable(state, *record.Foreign)))
		}

		return
	}

	if state.DeletionProtection.ValueBool() {
		resp.Diagnostics.Append(protectedDiagnostic(state, "destroyed"))
	}
}

func protectedDiagnostic(state allocationModel, what string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), "The machine is protected",
		fmt.Sprintf("The machine %s (%s) was to be %s. Its deletion protection is on, with which nobody can release it. Nothing was changed. "+
			"Set deletion_protection = false, apply that, and then this.", state.Name.ValueString(), state.ProviderID.ValueString(), what))
}
