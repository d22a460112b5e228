package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// The values of power_state.
const (
	powerRunning = "running"
	powerStopped = "stopped"
)

// powerOperation is the name of the operations that power_state causes.
const powerOperation = "power_state"

// changesPower reports whether the plan asks for another power state than the machine
// was last seen in.
func changesPower(state, plan allocationModel) bool {
	return !plan.PowerState.IsNull() && !plan.PowerState.Equal(state.PowerState)
}

// refreshedPower is the power state as the machine has it, where one was asked for. A
// phase that is neither says nothing of it.
func refreshedPower(known types.String, phase driver.MachinePhase) types.String {
	switch {
	case known.IsNull() || known.IsUnknown():
		return known
	case phase == driver.MachinePhaseRunning:
		return types.StringValue(powerRunning)
	case phase == driver.MachinePhaseStopped:
		return types.StringValue(powerStopped)
	default:
		return known
	}
}

// changesAddress reports whether the plan's power state may give the machine another
// public address: one that stops being charged can lose its own, and gets one at its next
// start where its class has it reach the internet.
func changesAddress(state, plan allocationModel) bool {
	if plan.PowerState.ValueString() == powerStopped {
		return !state.PublicIP.IsNull()
	}

	class, known := plan.classPart()

	return state.PublicIP.IsNull() && (!known || part(class.Attributes()).has("internet"))
}

// changePower brings the machine into the power state that the model asks for, and
// returns when it was seen in it.
func (r *allocationResource) changePower(ctx context.Context, model allocationModel) error {
	kind := v1alpha3.OperationHostPowerOn
	if model.PowerState.ValueString() == powerStopped {
		kind = v1alpha3.OperationHostPowerOff
	}

	r.client.written.add(model.ID.ValueString())

	_, err := r.client.operator.Operate(ctx, lifecycle.OperateRequest{
		Owner: r.client.owner, Name: powerOperation, ProviderID: model.ID.ValueString(), Kind: kind, Repeatable: true,
		Parameters: map[string]string{v1alpha3.ParameterOfAllocation: "true"},
	})

	return err
}

// endPower is the power state in which a change of it ends that was cut off: the one that
// is asked for, or else the one that the machine was last seen in.
func endPower(state, plan allocationModel) types.String {
	switch {
	case !plan.PowerState.IsNull():
		return plan.PowerState
	case state.Phase.ValueString() == string(driver.MachinePhaseStopped):
		return types.StringValue(powerStopped)
	default:
		return types.StringValue(powerRunning)
	}
}

// stopLaunched shuts a machine down that is to be stopped from its start. It is no
// error where that fails, which would have Terraform replace a machine that is there:
// the next read shows that the machine runs, and the next apply stops it. One that is
// stopped already was taken over from a run that was cut off, whose trace is to go.
func (r *allocationResource) stopLaunched(ctx context.Context, model *allocationModel, diagnostics *diag.Diagnostics) {
	if model.PowerState.ValueString() != powerStopped || diagnostics.HasError() || ctx.Err() != nil {
		return
	}

	err := r.changePower(ctx, *model)
	if err == nil {
		var machine *driver.ObservedMachine
		if machine, err = r.client.observe(ctx, model.ID.ValueString()); err == nil {
			model.observed(machine)

			return
		}
	}

	diagnostics.AddWarning(fmt.Sprintf("%q was launched, and not seen to stop", model.Name.ValueString()),
		fmt.Sprintf("The machine %s exists and is to be stopped: ", model.ID.ValueString())+withRemedy(err, advice{became: "It is kept.", again: applyAgain + ": if it runs then, it is stopped"}))
}

func powerDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("%q (%s) is not %s", model.Name.ValueString(), model.ID.ValueString(), model.PowerState.ValueString()),
		withRemedy(err, advice{became: "The machine is kept.", again: applyAgain + ": the plan shows the power state that it has by then"}))
}
