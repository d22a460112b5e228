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
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
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

// writeFlag keeps whether something is so in private state.
func writeFlag(ctx context.Context, private privateWriter, key string, is bool, diagnostics *diag.Diagnostics) {
	text := ""
	if is {
		text = "true"
	}

	writeText(ctx, private, key, text, diagnostics)
}

// warnUnfinished says in the plan what becomes of a machine on which a run was cut off,
// and what was done to it, where nothing else of the plan says it.
func (r *allocationResource) warnUnfinished(
	ctx context.Context, private privateReader, state, plan allocationModel, unfinished driver.Unfinished, resp *resource.ModifyPlanResponse,
) {
	machine := fmt.Sprintf("The machine %s (%s)", state.Name.ValueString(), state.ProviderID.ValueString())

	switch {
	case unfinished == driver.UnfinishedResize && resizedUnrecorded(ctx, private, plan, &resp.Diagnostics):
		warnResized(state, plan, resp)
	case unfinished == driver.UnfinishedResize && len(resizedTo(state, plan)) == 0:
		resp.Diagnostics.AddWarning("An interrupted run was resizing the machine",
			machine+" may have been stopped to be made one of another type."+r.doneText(ctx, state, "")+" Applying makes it one of its class's types again where it is none, and starts it if it ran. "+
				"If a run is still at work on it, let that end first, then plan again.")
	case unfinished == driver.UnfinishedReinstall && !reinstalls(state, plan):
		resp.Diagnostics.AddWarning("An interrupted run was reinstalling the machine",
			machine+" may have been stopped."+r.doneText(ctx, state, " It may have a new system disk already.")+" Where it still has its disk, applying only starts it again if it ran. "+
				"Where it has not, applying gives it another new disk, from the class's image and with the first-boot data of the configuration. "+
				"If a run is still at work on it, let that end first, then plan again.")
	case unfinished == driver.UnfinishedPower && !changesPower(state, plan):
		resp.Diagnostics.AddWarning("An interrupted run was switching the machine on or off",
			machine+" carries the trace of it. Applying leaves the machine "+endPower(state, plan).ValueString()+", and takes the trace away. "+
				"If a run is still at work on it, let that end first, then plan again.")
	}
}

// doneText says, after a space, what a change of the machine in place that was cut off has
// done to it; otherwise where that cannot be told.
func (r *allocationResource) doneText(ctx context.Context, state allocationModel, otherwise string) string {
	if r.client == nil {
		return otherwise
	}

	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()

	done, err := r.client.cloud.OperationDone(ctx, machineops.OperationRequest{
		ProviderID: state.ID.ValueString(), Operation: v1alpha3.OperationHostReplace,
		Parameters: map[string]string{v1alpha3.ParameterOfAllocation: "true"}, Auth: r.client.auth,
	})
	if err != nil || done == "" {
		return otherwise
	}

	return " " + done
}

// underWayKey holds, in private state, which machine_operation the machine was last seen
// under.
const underWayKey = "under_way"

// warnUnderWay says in the plan that the machine is under an operation: one that was cut
// off and is in no configuration any more would leave it as it stands, and whatever else
// is done to it waits.
func warnUnderWay(ctx context.Context, private privateReader, state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	operation := readText(ctx, private, underWayKey, &resp.Diagnostics)
	if operation == "" {
		return
	}

	waits := ""
	if changesPower(state, plan) || reinstalls(state, plan) || len(resizedTo(state, plan)) > 0 {
		waits = " This plan does such a thing to the machine, and what comes after that waits with it: where the operation is of this configuration, take the change back, apply, and make it then."
	}

	resp.Diagnostics.AddWarning("Machine is under an operation",
		fmt.Sprintf("The machine %s (%s) is under %s, which was not seen to end; its phase is %s. If this plan creates, updates or destroys that machine_operation, applying goes on with it or gives it up, "+
			"and nothing else is to be done. Otherwise whatever else is to switch, resize or reinstall the machine (power_state and a HostPowerOn, too) waits for the run that is at work on it. If none is, "+resumeAwaited+"%s",
			state.Name.ValueString(), state.ProviderID.ValueString(), operation, state.Phase.ValueString(), waits))
}

// leftStoppedKey marks, in private state, a machine that stands still because of an
// operation that was given up.
const leftStoppedKey = "left_stopped"

func noteLeftStopped(ctx context.Context, machine *driver.ObservedMachine, private privateWriter, diagnostics *diag.Diagnostics) {
	writeFlag(ctx, private, leftStoppedKey, machine.LeftStopped, diagnostics)
}

// warnLeftStopped says in the plan that nobody has wished the machine to stand still, as
// long as it does and the plan does nothing about it.
func warnLeftStopped(ctx context.Context, private privateReader, state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	if readText(ctx, private, leftStoppedKey, &resp.Diagnostics) == "" || !plan.PowerState.IsNull() {
		return
	}

	resp.Diagnostics.AddWarning("Machine was left stopped",
		fmt.Sprintf("The machine %s (%s) is Stopped: an operation had stopped it that has failed since, or was given up, and did not start it again. Nothing starts it by itself. "+
			"Start it ("+waysToStart+"), for which what was refused then, if anything, has to be put right; or let it stand still: power_state = \"stopped\".",
			state.Name.ValueString(), state.ProviderID.ValueString()))
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
