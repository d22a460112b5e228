package provider

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// answeredText names the machines that launches were answered with.
func answeredText(allocated lifecycle.Allocated) string {
	if len(allocated.Answered) == 0 {
		return ""
	}

	return " Launches were answered with " + strings.Join(allocated.Answered, ", ") + "."
}

// neighborDiagnostics tells of other machines under the allocation's name.
func neighborDiagnostics(name string, allocated lifecycle.Allocated) diag.Diagnostics {
	var diagnostics diag.Diagnostics

	for _, neighbor := range allocated.Neighbors {
		machine := neighbor.Machine

		switch neighbor.Relation {
		case lifecycle.RelationSettled:
			diagnostics.AddWarning(fmt.Sprintf("Another machine is named %q", name),
				fmt.Sprintf("The machine %s belongs to a state, or is too old to be what an interrupted run left. It was left alone. "+
					"While a machine is replaced with create_before_destroy this is the one that goes; else another configuration uses the same owner and name.", machine.ProviderID))
		case lifecycle.RelationOtherClass:
			diagnostics.AddWarning(fmt.Sprintf("Another machine is named %q", name),
				fmt.Sprintf("The machine %s was launched for a class with another uid, %q, at about the same time. It was left alone. "+
					"If another configuration uses the same owner and name, give one of them another owner.", machine.ProviderID, machine.ClassUID))
		case lifecycle.RelationTwin:
			diagnostics.AddWarning(fmt.Sprintf("A second machine of %q was released", name),
				fmt.Sprintf("The machine %s was launched for the same allocation by an interrupted run, or by a launch whose answer was lost. No state held it, and it was released.", machine.ProviderID))
		case lifecycle.RelationReleasing:
			diagnostics.AddWarning(fmt.Sprintf("A machine of %q was released", name),
				fmt.Sprintf("An interrupted run was about to release the machine %s. That was finished before anything was launched.", machine.ProviderID))
		case lifecycle.RelationOtherInputs:
		}
	}

	return diagnostics
}

// conflictDiagnostic tells what keeps an allocation from being launched, and the ways
// on.
func conflictDiagnostic(conflict *lifecycle.ConflictError) diag.Diagnostic {
	machine := conflict.Machine

	if conflict.Relation == lifecycle.RelationOtherClass {
		return diag.NewErrorDiagnostic(fmt.Sprintf("Another machine is named %q", conflict.Name),
			fmt.Sprintf("The machine %s was launched not long ago under the same owner and name, for a class with the uid %q, and no state is known to hold it. %s Either:\n\n"+
				"- it is another configuration's: give this provider another owner, or the allocation another name;\n"+
				"- it is to be this allocation's machine: terraform import ADDRESS %s;\n"+
				"- a first apply was cut off before the class reached the state: set uid = %q in the machine_class, and apply again, which takes over all machines of that apply.",
				machine.ProviderID, machine.ClassUID, besideText(conflict), machine.ProviderID, machine.ClassUID))
	}

	return diag.NewErrorDiagnostic(fmt.Sprintf("A machine of other inputs is there for %q", conflict.Name),
		fmt.Sprintf("If this apply replaces a machine with create_before_destroy, %s may be the very machine that is being replaced: it is not marked as held by a state "+
			"(mark_settled is off, or the permission ecs:TagResources is missing). Then replace it without create_before_destroy, or grant the permission and plan once.\n\n"+
			"Else it was launched for this allocation (class uid %q) by an interrupted apply, from inputs that have changed since (image, disk, region or user_data_wo_version). Nothing was launched beside it. Either:\n\n"+
			"- keep it: terraform import ADDRESS %s;\n"+
			"- release it: restore the former inputs and apply, which takes it over, then change them; or release it in the ECS console.",
			machine.ProviderID, machine.ClassUID, machine.ProviderID))
}

// besideText tells what became of what was launched beside a machine that should have
// kept it from being launched.
func besideText(conflict *lifecycle.ConflictError) string {
	switch {
	case conflict.Beside == "":
		return "Nothing was launched beside it."
	case conflict.BesideError != nil:
		return fmt.Sprintf("It was not listed yet when this apply looked for it: %s was launched beside it, and is kept in state as tainted, because it could not be released: %s.",
			conflict.Beside, conflict.BesideError)
	default:
		return fmt.Sprintf("It was not listed yet when this apply looked for it: %s was launched beside it, and was released again.", conflict.Beside)
	}
}

// foreignDiagnostic tells of a claim that is not the state's. Reclaimable is one of an
// interrupted run of the same class, as far as is known.
func foreignDiagnostic(model allocationModel, reclaimable bool) diag.Diagnostic {
	if !reclaimable {
		return takenWarning(model)
	}

	return diag.NewWarningDiagnostic("An interrupted run has claimed the machine",
		fmt.Sprintf("The machine %s (%s) carries the claim of another run of this class, of which no state is known. Applying writes this state's claim back. Apply before you destroy it: "+
			"until then this state will not release the machine.", model.Name.ValueString(), model.ID.ValueString()))
}

// takenDiagnostic is why nothing is done to a machine that another state holds.
func takenDiagnostic(model allocationModel) diag.Diagnostic {
	return diag.NewErrorDiagnostic(anotherStateHolds,
		fmt.Sprintf("The machine %s (%s) was taken over by another run, whose state holds it now. Nothing was done to it. %s", model.Name.ValueString(), model.ID.ValueString(), takenRemedy))
}

// takenWarning says so of a look or a plan. It is no error there: Terraform asks for the plan of
// an update before it plans a destroy, too, and a destroy has to be possible.
func takenWarning(model allocationModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic(anotherStateHolds,
		fmt.Sprintf("The machine %s (%s) was taken over by another run, whose state holds it now. Nothing can be changed of it from here, and applying an update of it fails. "+
			"Destroying it removes it from this state only. %s", model.Name.ValueString(), model.ID.ValueString(), takenRemedy))
}

const (
	anotherStateHolds = "Another state holds the machine"
	takenRemedy       = "Either remove it from this state (terraform state rm), after which the next apply launches a machine for this allocation; " +
		"or remove it from the other state, and import it here again."
)

func leftoverDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Cannot release what is left over of %q", model.Name.ValueString()),
		withRemedy(err, advice{
			became: "The machine " + model.ID.ValueString() + " itself is untouched.", again: applyAgain, after: "What is left over can be released in the ECS console as well.",
		}))
}

func leftBehindDiagnostic(model allocationModel, leftovers []string) diag.Diagnostic {
	return diag.NewWarningDiagnostic(fmt.Sprintf("Other machines of %q are still there", model.Name.ValueString()),
		fmt.Sprintf("An interrupted apply launched %s for this allocation, and no state is known to hold them. They were not released with %s. "+
			"Destroying the machine_class releases them.", strings.Join(leftovers, ", "), model.ID.ValueString()))
}
