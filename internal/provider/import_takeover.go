package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// importedClassName is the name of the class that an imported machine is shown with.
const importedClassName = "imported"

// takeOver fills the state of a machine that was imported or moved here and that no
// update has seen yet: it is owned from now on, under the claim that the first Read
// finds. A claim that it carries later is another run's, unless an update of ours
// wrote it and was cut off.
func (r *allocationResource) takeOver(ctx context.Context, model *allocationModel, record *lifecycle.Record, imported *importRecord, machine *driver.ObservedMachine) {
	if !imported.Read {
		model.Name = types.StringValue(importedName(machine))
	}

	if !imported.Read || r.writtenByCutOffImport(machine) {
		model.Claim = types.StringValue(machine.Identity.Claim)
	}

	model.Class = importedClass(ctx, machine)

	record.Claim = model.Claim.ValueString()
	record.OwnedResources = ownedBy(machine)
	model.OwnedResources = ownedResourcesList(record.OwnedResources)

	imported.Read = true
	imported.Tags = slices.Sorted(maps.Keys(machine.Tags))
}

// writtenByCutOffImport reports whether the machine carries the claim that the update
// after an import writes, and no state is known to hold it.
func (r *allocationResource) writtenByCutOffImport(machine *driver.ObservedMachine) bool {
	return machine.Identity.Claim == importClaim(machine.Identity.ClassUID, machine.ResourceID) &&
		machine.Identity.Owner == r.client.owner && !machine.Settled
}

// importedName is the name to show a machine with, one that an allocation can have.
func importedName(machine *driver.ObservedMachine) string {
	for _, name := range []string{machine.Identity.Allocation, machine.Name} {
		if namePattern.MatchString(name) {
			return name
		}
	}

	return machine.ResourceID
}

// importedClass is a class of which the machine could be, so that a configuration
// that is generated from the state is complete. What is configured instead is not
// compared with it.
func importedClass(ctx context.Context, machine *driver.ObservedMachine) types.Object {
	uid := machine.Identity.ClassUID
	if uid == "" {
		uid = importedClassName + "/" + machine.ProviderID
	}

	return types.ObjectValueMust(classObjectTypes(), map[string]attr.Value{
		"name": types.StringValue(importedClassName), "uid": types.StringValue(uid), alicloudClassKey: alicloudClassOf(ctx, machine),
	})
}

// emptyAllocation is the model of a machine of which nothing is known.
func emptyAllocation(ctx context.Context, diagnostics *diag.Diagnostics) allocationModel {
	schema := allocationSchema(ctx)

	values := map[string]tftypes.Value{}
	for name, attribute := range schema.GetAttributes() {
		values[name] = tftypes.NewValue(attribute.GetType().TerraformType(ctx), nil)
	}

	state := tfsdk.State{Schema: schema, Raw: tftypes.NewValue(schema.Type().TerraformType(ctx), values)}

	var model allocationModel

	diagnostics.Append(state.Get(ctx, &model)...)

	return model
}

// planImported makes sure, before anything is planned for a machine that was imported
// or moved here, that it is where its class is, and has room for our tags.
func (r *allocationResource) planImported(state, plan allocationModel, imported *importRecord, resp *resource.ModifyPlanResponse) bool {
	if refuseElsewhere(state, plan, &resp.Diagnostics) {
		return false
	}

	if imported.Read {
		if total := imported.tagsTogether(tagged{plan, r.defaultTags()}.tags()); total > maximumTags {
			resp.Diagnostics.AddAttributeError(path.Root("tags"), noRoomForTags, noRoomText(state.ID.ValueString(), len(imported.Tags), total))

			return false
		}
	}

	return true
}

// refuseElsewhere refuses to take over a machine for a class of another region. It
// reports whether it did; a region that is not known yet is asked about again.
func refuseElsewhere(state, plan allocationModel, diagnostics *diag.Diagnostics) bool {
	class, known := plan.classModel()
	is, wanted := regionOf(state.ID.ValueString()), class.region().ValueString()

	if !known || wanted == "" || is == wanted {
		return false
	}

	diagnostics.AddAttributeError(path.Root("class"), "The machine is in another region than its class",
		fmt.Sprintf("The machine %s is in the region %s, and its class, %q, is of the region %s. A class has its machines in one region, so this one cannot be taken over for it. Nothing was changed. "+
			"Give the allocation a class of %s, or import a machine of %s. One that is in the state already, as after terraform import, which knows of no class, is taken out of it by terraform state rm ADDRESS; the machine stays as it is.",
			state.ID.ValueString(), is, class.Name.ValueString(), wanted, is, wanted))

	return true
}

const noRoomForTags = "The machine has no room for the provider's tags"

func noRoomText(machine string, own, total int) string {
	return fmt.Sprintf("%s has %d tags of its own; with those of the configuration and room for %d of the provider's it would have %d, and ECS allows %d. Remove some of its tags, then run the command again",
		machine, own, reservedTags, total, maximumTags)
}

// claimedSince reports whether a machine that was imported without a claim, and never
// applied, carries one by now that is not ours. Then it is another state's.
func (r *allocationResource) claimedSince(ctx context.Context, model allocationModel) (bool, error) {
	if model.Claim.ValueString() != "" {
		return false, nil
	}

	machine, err := r.client.observe(ctx, model.ID.ValueString())

	switch {
	case driver.CodeOf(err) == driver.CodeNotFound:
		return false, nil
	case err != nil:
		return false, err
	default:
		return machine.Identity.Claim != "" && !r.writtenByCutOffImport(machine), nil
	}
}

// takenSinceImport tells that a machine was left to those who took it.
func takenSinceImport(model allocationModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The machine was not released",
		fmt.Sprintf("%s was imported here and never applied, and another run has taken it over since. It is removed from this state only.", machineOf(model)))
}
