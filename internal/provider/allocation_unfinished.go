package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// unfinishedKey marks, in private state, a machine on which a run was cut off that was
// changing it in place.
const unfinishedKey = "unfinished"

func readUnfinished(ctx context.Context, private privateReader, diagnostics *diag.Diagnostics) driver.Unfinished {
	unfinished := driver.Unfinished(readText(ctx, private, unfinishedKey, diagnostics))

	// A later version may know of more; what it has begun it ends itself.
	if slices.Contains([]driver.Unfinished{driver.UnfinishedResize, driver.UnfinishedReinstall, driver.UnfinishedPower}, unfinished) {
		return unfinished
	}

	return driver.UnfinishedNone
}

func writeUnfinished(ctx context.Context, private privateWriter, unfinished driver.Unfinished, diagnostics *diag.Diagnostics) {
	writeText(ctx, private, unfinishedKey, string(unfinished), diagnostics)
}

// readText is the text under a key of private state; it is empty where there is none.
func readText(ctx context.Context, private privateReader, key string, diagnostics *diag.Diagnostics) string {
	encoded, diags := private.GetKey(ctx, key)
	diagnostics.Append(diags...)

	var text string
	if len(encoded) > 0 && json.Unmarshal(encoded, &text) != nil {
		return ""
	}

	return text
}

// writeText puts a text under a key of private state, which takes JSON; an empty one
// takes the key away.
func writeText(ctx context.Context, private privateWriter, key, text string, diagnostics *diag.Diagnostics) {
	var encoded []byte
	if text != "" {
		// Strings always have a JSON form.
		encoded, _ = json.Marshal(text)
	}

	diagnostics.Append(private.SetKey(ctx, key, encoded)...)
}

// warnUnfinished says in the plan what becomes of a machine on which a run was cut off,
// where nothing else of the plan says it.
func warnUnfinished(state, plan allocationModel, unfinished driver.Unfinished, resp *resource.ModifyPlanResponse) {
	machine := fmt.Sprintf("The machine %s (%s)", state.Name.ValueString(), state.ProviderID.ValueString())

	switch {
	case unfinished == driver.UnfinishedResize && len(resizedTo(state, plan)) == 0:
		resp.Diagnostics.AddWarning("An interrupted run was resizing the machine",
			machine+" may have been stopped to be made one of another type. Applying makes it one of its class's types again where it is none, and starts it if it ran. "+
				"If a run is still at work on it, let that end first, then plan again.")
	case unfinished == driver.UnfinishedReinstall && !reinstalls(state, plan):
		resp.Diagnostics.AddWarning("An interrupted run was reinstalling the machine",
			machine+" may have been stopped, and may have a new system disk already. Where it still has its disk, applying only starts it again if it ran. "+
				"Where it has not, applying gives it another new disk, from the class's image and with the first-boot data of the configuration. "+
				"If a run is still at work on it, let that end first, then plan again.")
	case unfinished == driver.UnfinishedPower && !changesPower(state, plan):
		resp.Diagnostics.AddWarning("An interrupted run was switching the machine on or off",
			machine+" carries the trace of it. Applying leaves the machine "+endPower(state, plan).ValueString()+", and takes the trace away. "+
				"If a run is still at work on it, let that end first, then plan again.")
	}
}

// underWayKey holds, in private state, which machine_operation the machine was last seen
// under.
const underWayKey = "under_way"

// warnUnderWay says in the plan that the machine is under an operation: one that was cut
// off and is in no configuration any more would leave it as it stands, and whatever else
// is done to it waits.
func warnUnderWay(ctx context.Context, private privateReader, state allocationModel, resp *resource.ModifyPlanResponse) {
	operation := readText(ctx, private, underWayKey, &resp.Diagnostics)
	if operation == "" {
		return
	}

	resp.Diagnostics.AddWarning("Machine is under an operation",
		fmt.Sprintf("The machine %s (%s) is under %s, which was not seen to end, and its phase is %s. A run that is at work on it goes on with it, and other changes of the machine wait. "+
			"If none is, apply the configuration of the operation again, which goes on with it. To give it up, take the tag %soperation off the machine; one that was stopped for it has to be started then "+
			"(power_state, or a HostPowerOn).",
			state.Name.ValueString(), state.ProviderID.ValueString(), operation, state.Phase.ValueString(), driver.ReservedTagPrefix))
}

// takeBackReinstall ends a reinstallation that was cut off and that the configuration
// does not ask for any more.
func (r *allocationResource) takeBackReinstall(ctx context.Context, plan allocationModel, data string) error {
	request := lifecycle.OperateRequest{
		Owner: r.client.owner, Name: reinstallOperation, ProviderID: plan.ID.ValueString(), Kind: v1alpha3.OperationHostReplace, Repeatable: true,
		Parameters: map[string]string{v1alpha3.ParameterOfAllocation: "true", v1alpha3.ParameterTakeBack: "true"},
	}
	givenDisk(&request, plan, data)

	r.client.written.add(request.ProviderID)

	_, err := r.client.operator.Operate(ctx, request)

	return err
}

func takeBackDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("%q (%s) was not seen to run again", model.Name.ValueString(), model.ID.ValueString()),
		withRemedy(err, advice{became: "An interrupted run was reinstalling it. The machine is kept.", again: applyAgain + " to go on: what was done is not done again"}))
}
