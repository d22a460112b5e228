package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// unmetRequirements tells which changed requirements of its class the machine does not
// meet. What its type is, the state does not say; the cloud's catalogue does, which is
// asked only where requirements changed. An answer that does not come never costs a
// machine.
func (r *allocationResource) unmetRequirements(ctx context.Context, state, plan allocationModel, diagnostics *diag.Diagnostics) []string {
	before, _ := state.classPart()
	after, known := plan.classPart()

	if r.client == nil || !known || !alicloudRequirementsChanged(before, after, state) {
		return nil
	}

	class, _ := plan.classModel()

	resolvable, err := class.class()
	if err != nil {
		return nil // Some part of the class is not known yet; so is what its machines have to be.
	}

	ctx, cancel := context.WithTimeout(ctx, resolution)
	defer cancel()

	unmet, err := r.client.unmetRequirements(ctx, resolvable, state.InstanceType.ValueString())
	if err != nil {
		diagnostics.AddWarning("Changed requirements could not be compared with the machine",
			fmt.Sprintf("Whether the machine %s (%s, %s) meets the class's requirements could not be looked up: %s. It is kept; the next plan looks again.",
				state.Name.ValueString(), state.ProviderID.ValueString(), state.InstanceType.ValueString(), machineops.Cause(err)))

		return nil
	}

	reasons := make([]string, 0, len(unmet))
	for _, requirement := range unmet {
		reasons = append(reasons, fmt.Sprintf("its type %s does not meet class.%s.requirements.%s", state.InstanceType.ValueString(), alicloudClassKey, requirement))
	}

	return reasons
}
