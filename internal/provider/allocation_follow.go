package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
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
			fmt.Sprintf("The machine %s exists, and its deletion protection could not be turned on: %s.\n\nIt is kept. Apply again: the plan shows whether it is protected.",
				model.ID.ValueString(), cause(err)))
	}
}

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

func reinstallDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("%q (%s) was not seen to run from its new system disk", model.Name.ValueString(), model.ID.ValueString()),
		withRemedy(err, "The machine is kept. Apply again to go on: what was done is not done again."))
}
