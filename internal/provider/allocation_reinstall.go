package provider

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// reinstallOperation is the name of the operations that new first-boot data causes.
const reinstallOperation = "user_data_wo_version"

// reinstallKey marks, in private state, that the trace of a reinstallation is on the
// machine.
const reinstallKey = "reinstalled"

// reinstallRecord is what is known of the last reinstallation.
type reinstallRecord struct {
	// Version is that of the first-boot data.
	Version string `json:"version"`
	// OperationID tells it from another one.
	OperationID string `json:"operation_id,omitempty"`
	// Process is the run that stores this. That another one reads it proves that it was
	// stored, and that the trace has served its purpose.
	Process string `json:"process"`
}

// reinstallRequest is the reinstallation for a version of the first-boot data, of which
// there is one, however often it is asked for.
func (r *allocationResource) reinstallRequest(machine, version string) lifecycle.OperateRequest {
	return lifecycle.OperateRequest{
		Owner: r.client.owner, Name: reinstallOperation, ProviderID: machine, Kind: v1alpha3.OperationHostReplace,
		Triggers: map[string]string{reinstallOperation: version}, Parameters: map[string]string{v1alpha3.ParameterOfAllocation: "true"},
	}
}

// givenDisk completes a reinstallation with what the machine boots from and with.
func givenDisk(request *lifecycle.OperateRequest, plan allocationModel, data string) {
	request.ReplaceUserData = data

	if data == "" {
		request.Parameters[v1alpha3.ParameterKeepUserData] = "true"
	}

	class, _ := plan.classPart()
	for _, name := range []string{"image_id", "image_family"} {
		if image := part(class.Attributes()).text(name); image != "" {
			request.Parameters[name] = image
		}
	}
}

// examineReinstall says why the machine can never be reinstalled as it is asked for. A
// look that fails says nothing: the reinstallation looks again.
func (r *allocationResource) examineReinstall(ctx context.Context, plan allocationModel) error {
	machine, err := r.client.observe(ctx, plan.ID.ValueString())
	if err != nil {
		return nil //nolint:nilerr // See above.
	}

	request := r.reinstallRequest(machine.ProviderID, plan.UserDataWOVersion.String())
	givenDisk(&request, plan, "")

	var wrong *machineops.PermanentError

	err = r.client.cloud.ExamineOperation(ctx, machineops.OperationRequest{
		ProviderID: machine.ProviderID, Operation: request.Kind, Parameters: request.Parameters, Auth: r.client.auth,
	}, machine)
	if errors.As(err, &wrong) && wrong.Reason == v1alpha3.ReasonInvalidConfiguration {
		return wrong
	}

	return nil
}

// reinstall gives the machine a new system disk, from which it boots with the new
// first-boot data, and returns when it was seen to run. One that an earlier run began
// is gone on with.
func (r *allocationResource) reinstall(ctx context.Context, plan allocationModel, data string, private privateWriter, diagnostics *diag.Diagnostics) error {
	version := strconv.FormatInt(plan.UserDataWOVersion.ValueInt64(), 10)
	request := r.reinstallRequest(plan.ID.ValueString(), version)
	givenDisk(&request, plan, data)

	r.client.written.add(request.ProviderID)

	outcome, err := r.client.operator.Operate(ctx, request)
	if err != nil {
		return err
	}

	record := reinstallRecord{Version: version, Process: r.client.process}
	if outcome.Pending != nil {
		record.OperationID = outcome.Pending.OperationID
	}

	encoded, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("encoding the record of the reinstallation: %w", err)
	}

	diagnostics.Append(private.SetKey(ctx, reinstallKey, encoded)...)

	return nil
}

// forgetReinstall takes the trace of a reinstallation off its machine whose record
// another run has stored. It is best effort: a trace that stays costs one tag, and the
// next read tries again.
func (r *allocationResource) forgetReinstall(ctx context.Context, read privateReader, machine string, write privateWriter, diagnostics *diag.Diagnostics) {
	encoded, diags := read.GetKey(ctx, reinstallKey)
	diagnostics.Append(diags...)

	var record reinstallRecord
	if len(encoded) == 0 || json.Unmarshal(encoded, &record) != nil || record.Process == r.client.process || r.client.tracesDenied.Load() {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()

	r.client.written.add(machine)

	if err := r.client.operator.Forget(ctx, r.reinstallRequest(machine, record.Version), record.OperationID); err != nil {
		if reasonOf(err) == v1alpha3.ReasonPermissionDenied {
			r.client.tracesDenied.Store(true)
		}

		return
	}

	diagnostics.Append(write.SetKey(ctx, reinstallKey, nil)...)
}

// reinstalledKey marks, in private state, a machine of which an interrupted run has
// replaced the disk, with an end that no state has recorded.
const reinstalledKey = "reinstalled_unrecorded"

// noteReinstalled notes whether the machine was given another disk of which this state
// knows nothing.
func noteReinstalled(ctx context.Context, read privateReader, machine *driver.ObservedMachine, write privateWriter, diagnostics *diag.Diagnostics) {
	recorded, diags := read.GetKey(ctx, reinstallKey)
	diagnostics.Append(diags...)

	writeFlag(ctx, write, reinstalledKey, machine.Reinstalled && len(recorded) == 0, diagnostics)
}

// warnReinstalled says in the plan that the machine runs from a disk that the state knows
// nothing of, where nothing is done about it: a version that was given up, after its
// reinstallation had ended.
func warnReinstalled(ctx context.Context, private privateReader, state, plan allocationModel, unfinished driver.Unfinished, resp *resource.ModifyPlanResponse) {
	if readText(ctx, private, reinstalledKey, &resp.Diagnostics) == "" || reinstalls(state, plan) || unfinished == driver.UnfinishedReinstall {
		return
	}

	resp.Diagnostics.AddWarning("An interrupted run has reinstalled the machine",
		fmt.Sprintf("The machine %s (%s) has a new system disk, made with the first-boot data of another user_data_wo_version than %s, and the run that did that was cut off before it stored it. Nothing is done about it. "+
			"To have the machine run from what the configuration says now, raise user_data_wo_version above both; to keep what it has, set the version and the data that were being applied, which then changes nothing of the machine.",
			state.Name.ValueString(), state.ProviderID.ValueString(), versionText(state)))
}

func versionText(model allocationModel) string {
	if model.UserDataWOVersion.IsNull() {
		return "none"
	}

	return strconv.FormatInt(model.UserDataWOVersion.ValueInt64(), 10)
}

func reinstallDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("%q (%s) was not seen to run from its new system disk", model.Name.ValueString(), model.ID.ValueString()),
		withRemedy(err, advice{became: "The machine is kept.", again: applyAgain + " to go on: what was done is not done again"}))
}
