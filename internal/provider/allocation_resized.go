package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// resizeKey marks, in private state, that the trace of another type is on the machine.
	resizeKey = "resized"
	// resizedKey marks a machine that an interrupted run has made one of another type, with
	// an end that no state has recorded, and that is none of its class's.
	resizedKey = "resized_unrecorded"
	// endedOperation names no carrying out that is under way.
	endedOperation = "ended"
)

// resizeRequest is the resizing of a machine to one of the types, given with commas
// between them.
func (r *allocationResource) resizeRequest(machine, wanted string) lifecycle.OperateRequest {
	return lifecycle.OperateRequest{
		Owner: r.client.owner, Name: resizeOperation, ProviderID: machine, Kind: v1alpha3.OperationHostReplace, Repeatable: true,
		Parameters: map[string]string{v1alpha3.ParameterInstanceTypes: wanted, v1alpha3.ParameterOfAllocation: "true"},
	}
}

// noteResized notes whether the machine was made one of another type of which this state
// knows nothing, and takes the trace of one away that it knows. Before is the type that the
// state had.
func (r *allocationResource) noteResized(
	ctx context.Context, read privateReader, before types.String, model allocationModel, machine *driver.ObservedMachine, write privateWriter, diagnostics *diag.Diagnostics,
) {
	process := readText(ctx, read, resizeKey, diagnostics)
	if process == r.client.process {
		return
	}

	recorded := process != "" || !outsideOf(model, machine.InstanceType)
	news := before.ValueString() != machine.InstanceType || readText(ctx, read, resizedKey, diagnostics) != ""

	writeFlag(ctx, write, resizedKey, machine.Resized && !recorded && news, diagnostics)

	// A trace that stays costs one tag, and the next read tries again.
	if (machine.Resized && recorded && r.forgetResize(ctx, machine)) || (process != "" && !machine.Resized) {
		writeText(ctx, write, resizeKey, "", diagnostics)
	}
}

func (r *allocationResource) forgetResize(ctx context.Context, machine *driver.ObservedMachine) bool {
	if r.client.tracesDenied.Load() || machine.Unfinished != driver.UnfinishedNone {
		return false
	}

	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()

	r.client.written.add(machine.ProviderID)

	err := r.client.operator.Forget(ctx, r.resizeRequest(machine.ProviderID, machine.InstanceType), endedOperation)
	if reasonOf(err) == v1alpha3.ReasonPermissionDenied {
		r.client.tracesDenied.Store(true)
	}

	return err == nil
}

// outsideOf reports whether the type is none of those that the model's class names.
func outsideOf(model allocationModel, instanceType string) bool {
	class, has := model.classPart()
	if !has || !known(class, "instance_types") {
		return false
	}

	named := candidatesOf(class, "instance_types", "")

	return len(named) > 0 && !slices.Contains(named, instanceType)
}

// cutOffAt is what a run was cut off at on the machine: a change that has not ended, or one
// of its type that has, and was not stored.
func cutOffAt(ctx context.Context, private privateReader, plan allocationModel, diagnostics *diag.Diagnostics) driver.Unfinished {
	unfinished := readUnfinished(ctx, private, diagnostics)
	if unfinished == driver.UnfinishedNone && resizedUnrecorded(ctx, private, plan, diagnostics) {
		return driver.UnfinishedResize
	}

	return unfinished
}

// resizedUnrecorded reports whether the machine was made what it is by a run that did not
// store it, and follows its class's types in place.
func resizedUnrecorded(ctx context.Context, private privateReader, plan allocationModel, diagnostics *diag.Diagnostics) bool {
	return readText(ctx, private, resizedKey, diagnostics) != "" && plan.InstanceTypeOnChange.ValueString() == onTypeResize
}

// warnResized says in the plan that a resizing had ended which is given up, and what
// becomes of the machine. One that is still asked for is only stored.
func warnResized(state, plan allocationModel, resp *resource.ModifyPlanResponse) {
	if !outsideOf(plan, state.InstanceType.ValueString()) {
		return
	}

	class, _ := plan.classPart()

	resp.Diagnostics.AddWarning("An interrupted run has resized the machine",
		fmt.Sprintf("The machine %s (%s) is of the type %s: the run that made it that was cut off before it stored it, and its class names %s. "+
			"Applying makes it one of these, for which it is stopped if it runs. To keep what it is, name its type in instance_types.",
			state.Name.ValueString(), state.ProviderID.ValueString(), state.InstanceType.ValueString(), strings.Join(candidatesOf(class, "instance_types", ""), ", ")))
}
