package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// retainDisksArgument says whether data disks outlive their machine.
const retainDisksArgument = "retain_disks_on_release"

func retainDisksAttribute() schema.BoolAttribute {
	return schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "`true` has the machine's data disks stay when Terraform releases the machine, by a destroy or a replacement; the system disk goes. They cost what they did, no state holds them, and a warning names them. " +
			"Where ECS cannot be seen to keep them, the machine is not released. A release goes by what was applied before: **apply a change of this first**, then destroy or replace. " +
			"Default `false`: data disks stay by `delete_with_instance` of the class alone.",
	}
}

// retains reports whether the data disks stay when the machine is released.
func (m allocationModel) retains() bool { return m.RetainDisksOnRelease.ValueBool() }

// dataDisks counts the data disks that the class gives the machine.
func (m allocationModel) dataDisks() int {
	part, known := m.classPart()
	if !known {
		return 0
	}

	return alicloudDataDisks(part)
}

// checkRetention refuses to promise that disks stay which cannot.
func checkRetention(model allocationModel, diagnostics *diag.Diagnostics) {
	part, known := model.classPart()
	if !known || !model.retains() {
		return
	}

	disks := alicloudEphemeralDisks(part)
	if len(disks) == 0 {
		return
	}

	diagnostics.AddAttributeError(path.Root(retainDisksArgument), "Disks that cannot stay",
		fmt.Sprintf("The data disks of %q are to stay when it is released, and its class gives it elastic ephemeral disks, which always go with their machine: %s. Nothing was changed. "+
			"Remove %s, or choose another category for them.", model.Name.ValueString(), strings.Join(disks, ", "), retainDisksArgument))
}

// lateRetention is the refusal of a replacement that would release the machine, by the
// state, with the data disks that the configuration wants to stay.
func lateRetention(name, machine, why string) diag.Diagnostic {
	return diag.NewAttributeErrorDiagnostic(path.Root(retainDisksArgument), "Data disks would be lost",
		fmt.Sprintf("The machine %s (%s) was to be replaced: %s. The configuration has its data disks stay, and a release goes by what was applied before, with which they are deleted. Nothing was changed. "+
			"Apply %s = true by itself first, and then this; or set it to false to give the disks up.", name, machine, why, retainDisksArgument))
}

// retainsTooLate reports whether the machine has data disks that only the plan keeps.
func retainsTooLate(state, plan allocationModel) bool {
	return plan.retains() && !state.retains() && state.dataDisks() > 0
}

// noteRetention notes that the machine has data disks that go with it. A replacement that
// is forced shows the plan of its successor nothing of it.
func (r *allocationResource) noteRetention(state allocationModel) {
	if r.client != nil && state.dataDisks() > 0 && !state.retains() {
		r.client.unretained.add(named(regionOf(state.ID.ValueString()), state.Name.ValueString()))
	}
}

// named is a name that is unique in a region.
func named(region, name string) string { return region + "/" + name }

// tellLateRetention tells of a successor that keeps its disks, and whose predecessor does
// not. Its replacement is forced, where the predecessor is known, which is an error;
// Terraform shows no warnings of such a plan. Else it may be tainted, and perhaps never
// ran. It reports whether there is an error.
func (r *allocationResource) tellLateRetention(plan allocationModel, predecessor string, resp *resource.ModifyPlanResponse) bool {
	class, _ := plan.classModel()
	name := plan.Name.ValueString()

	if !plan.retains() || !r.client.unretained.has(named(class.region().ValueString(), name)) {
		return false
	}

	if predecessor != "" {
		resp.Diagnostics.Append(lateRetention(name, predecessor, "a replacement is asked for (-replace)"))

		return true
	}

	resp.Diagnostics.AddAttributeWarning(path.Root(retainDisksArgument), "Data disks will be lost",
		fmt.Sprintf("The machine %q that there is now was applied without %s, and a release goes by that: its data disks are deleted with it. To keep them, apply %s = true before it is replaced; "+
			"where it is tainted, after terraform untaint ADDRESS.", name, retainDisksArgument, retainDisksArgument))

	return false
}

// reportsDisks reports whether some of the data disks stay without having to be told to.
func (m allocationModel) reportsDisks() bool {
	part, known := m.classPart()

	return known && alicloudStayingDisks(part) > 0
}

// disksDiagnostics tells what became of the data disks of a machine that was released;
// nothing where nothing is known to stay.
func disksDiagnostics(model allocationModel, outcome lifecycle.Outcome) diag.Diagnostics {
	if outcome.Message == "" || !model.retains() && !model.reportsDisks() {
		return nil
	}

	return diag.Diagnostics{diag.NewWarningDiagnostic(fmt.Sprintf("Data disks of %q after its release", model.Name.ValueString()),
		fmt.Sprintf("The machine %s was released. %s What stays costs what it did, and no state holds it. Disks that were launched with the machine carry the tag %sname = %s. "+
			"Delete them when they are no longer needed.", model.ProviderID.ValueString(), outcome.Message, driver.ReservedTagPrefix, model.Name.ValueString()))}
}
