package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// follow changes in place what the machine itself is: its name, its groups, key pair
// and role, its protection. Of a machine that is taken over only what the allocation
// itself asks for is changed: the class that it is shown with is its own. The request may
// ask for something already, which what the plan changes goes before.
func (r *allocationResource) follow(ctx context.Context, state, plan allocationModel, imported bool, request *driver.EditMachineRequest) error {
	request.ProviderID, request.Secret = state.ID.ValueString(), r.client.secret()

	if protection := plan.DeletionProtection; !protection.IsNull() && !protection.Equal(state.DeletionProtection) {
		wanted := protection.ValueBool()
		request.DeletionProtection = &wanted
	}

	if !imported {
		if name := plan.Name.ValueString(); name != state.Name.ValueString() {
			request.Name = &name
		}

		before, had := state.classPart()
		after, has := plan.classPart()

		if had && has {
			alicloudEdit(before, after, request)
		}
	}

	if request.Empty() {
		return nil
	}

	r.client.written.add(request.ProviderID)

	_, err := r.client.cloud.Editor().EditMachine(ctx, request)

	return err
}

// refreshedProtection is the deletion protection as the machine has it, where one was
// asked for.
func refreshedProtection(known types.Bool, actual bool) types.Bool {
	if known.IsNull() || known.IsUnknown() {
		return known
	}

	return types.BoolValue(actual)
}

// protectLaunched protects a machine that was just launched. It is no error where that
// fails, which would have Terraform replace a machine that is there: the next read
// shows that it is not protected, and the next apply protects it.
func (r *allocationResource) protectLaunched(ctx context.Context, model allocationModel, diagnostics *diag.Diagnostics) {
	if !model.DeletionProtection.ValueBool() || diagnostics.HasError() || ctx.Err() != nil {
		return
	}

	// Nothing else differs.
	before := model
	before.DeletionProtection = types.BoolNull()

	if err := r.follow(ctx, before, model, false, &driver.EditMachineRequest{}); err != nil {
		diagnostics.AddWarning(fmt.Sprintf("%q was launched, and is not protected", model.Name.ValueString()),
			fmt.Sprintf("The machine %s exists, and its deletion protection could not be turned on: ", model.ID.ValueString())+
				withRemedy(err, advice{became: "It is kept.", again: applyAgain + ": the plan shows whether it is protected"}))
	}
}
