package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// accessKey is the key, in private state, of what this provider gave a machine of its
// class, and of what the machine has now.
const accessKey = "access"

// access is what of a machine every look shows, and its class says. A role is not among
// it, as it costs a call for each machine.
type access struct {
	Groups  []string `json:"security_group_ids"`
	KeyPair string   `json:"key_pair_name"`
}

// accessRecord tells what somebody has changed by hand from what was never as the class
// says, such as what a machine had that was imported.
type accessRecord struct {
	GaveGroups  bool `json:"gave_security_group_ids,omitempty"`
	GaveKeyPair bool `json:"gave_key_pair_name,omitempty"`
	// Has is what was last seen, and nil from a change to the next look.
	Has *access `json:"has,omitempty"`
}

func readAccess(ctx context.Context, private privateReader, diagnostics *diag.Diagnostics) accessRecord {
	encoded, diags := private.GetKey(ctx, accessKey)
	diagnostics.Append(diags...)

	var record accessRecord

	// What cannot be read tells of nothing that was given, so that nothing is put right.
	if len(encoded) > 0 && json.Unmarshal(encoded, &record) != nil {
		return accessRecord{}
	}

	return record
}

func writeAccess(ctx context.Context, private privateWriter, record accessRecord, diagnostics *diag.Diagnostics) {
	encoded, err := json.Marshal(record)
	if err != nil {
		diagnostics.AddError("Cannot write what the machine has of its class", ownFault(err, "The machine is kept as it is."))

		return
	}

	diagnostics.Append(private.SetKey(ctx, accessKey, encoded)...)
}

// noteAccess takes over what a look shows. A machine that is on its way somewhere may not
// show all of it yet.
func noteAccess(ctx context.Context, read privateReader, machine *driver.ObservedMachine, write privateWriter, diagnostics *diag.Diagnostics) {
	record := readAccess(ctx, read, diagnostics)
	if record == (accessRecord{}) || (machine.Phase != driver.MachinePhaseRunning && machine.Phase != driver.MachinePhaseStopped) {
		return
	}

	record.Has = &access{Groups: slices.Sorted(slices.Values(machine.SecurityGroupIDs)), KeyPair: machine.KeyPairName}
	writeAccess(ctx, write, record, diagnostics)
}

// noteEdit takes over what the machine was just given.
func noteEdit(ctx context.Context, read privateReader, edited *driver.EditMachineRequest, write privateWriter, diagnostics *diag.Diagnostics) {
	record := readAccess(ctx, read, diagnostics)
	record.GaveGroups = record.GaveGroups || len(edited.SecurityGroupIDs) > 0
	record.GaveKeyPair = record.GaveKeyPair || edited.KeyPairName != nil
	record.Has = nil

	if record != (accessRecord{}) {
		writeAccess(ctx, write, record, diagnostics)
	}
}

// drift asks for what somebody took away by hand of that which the machine was given.
// What the class does not say is left as it is. It returns what that is, in words.
func drift(ctx context.Context, private privateReader, state allocationModel, request *driver.EditMachineRequest, diagnostics *diag.Diagnostics) []string {
	record := readAccess(ctx, private, diagnostics)
	class, known := state.classPart()

	if record.Has == nil || !known {
		return nil
	}

	var (
		drifted []string
		said    = part(class.Attributes())
		groups  = slices.Sorted(slices.Values(said.texts("security_group_ids")))
	)

	if record.GaveGroups && len(groups) > 0 && !slices.Equal(record.Has.Groups, groups) {
		request.SecurityGroupIDs = groups
		drifted = append(drifted, fmt.Sprintf("security_group_ids (it has %s, and its class says %s)", listed(record.Has.Groups), listed(groups)))
	}

	if pair := said.text("key_pair_name"); record.GaveKeyPair && pair != "" && record.Has.KeyPair != pair {
		request.KeyPairName = &pair
		drifted = append(drifted, fmt.Sprintf("key_pair_name (it has %s, and its class says %s)", listed([]string{record.Has.KeyPair}), pair))
	}

	return drifted
}

func listed(ids []string) string {
	if text := strings.Join(ids, ", "); text != "" {
		return text
	}

	return "none"
}

// warnDrift says in the plan what was changed by hand, and reports whether anything was.
// A class that changes as well says what the machine gets.
func (r *allocationResource) warnDrift(ctx context.Context, req resource.ModifyPlanRequest, state, plan allocationModel, resp *resource.ModifyPlanResponse) bool {
	before, _ := state.classPart()
	after, _ := plan.classPart()

	if len(alicloudChanged(before, after)) > 0 {
		return false
	}

	drifted := drift(ctx, req.Private, state, &driver.EditMachineRequest{}, &resp.Diagnostics)
	if len(drifted) == 0 {
		return false
	}

	resp.Diagnostics.AddWarning("Machine was changed by hand",
		fmt.Sprintf("The machine %s (%s) no longer has what its class gave it: %s. Applying gives it that again, in place. To keep what it has, write it into the class.",
			state.Name.ValueString(), state.ProviderID.ValueString(), strings.Join(drifted, "; ")))

	return true
}
