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
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// reshape makes the changes for which a machine is stopped: its type, its system disk,
// its power. It fills what the plan left open, and reports whether all went well. What
// was done before something failed is kept in state, so that it is not done again.
func (r *allocationResource) reshape(
	ctx context.Context, imported bool, unfinished driver.Unfinished, state allocationModel, plan *allocationModel, data string, resp *resource.UpdateResponse,
) bool {
	steps := []func() *diag.Diagnostic{
		func() *diag.Diagnostic { return r.reshapeType(ctx, unfinished, state, *plan) },
		func() *diag.Diagnostic { return r.reshapeDisk(ctx, unfinished, state, *plan, data, resp) },
	}

	// What was cut off goes first: another change would take its place on the machine, and
	// with it what the machine tells of it.
	if unfinished == driver.UnfinishedReinstall {
		slices.Reverse(steps)
	}

	if imported {
		steps = nil
	}

	for _, step := range append(steps, func() *diag.Diagnostic { return r.reshapePower(ctx, imported, unfinished, state, *plan) }) {
		if failed := step(); failed != nil {
			resp.Diagnostics.Append(*failed)

			return false
		}
	}

	writeUnfinished(ctx, resp.Private, driver.UnfinishedNone, &resp.Diagnostics)

	if !imported && (unfinished == driver.UnfinishedResize || len(resizedTo(state, *plan)) > 0) {
		writeText(ctx, resp.Private, resizeKey, r.client.process, &resp.Diagnostics)
		writeText(ctx, resp.Private, resizedKey, "", &resp.Diagnostics)
	}

	if err := r.fillReshaped(ctx, plan); err != nil {
		resp.Diagnostics.Append(updateDiagnostic(state, err))

		return false
	}

	return !resp.Diagnostics.HasError()
}

func (r *allocationResource) reshapeType(ctx context.Context, unfinished driver.Unfinished, state, plan allocationModel) *diag.Diagnostic {
	wanted := resizedTo(state, plan)
	if len(wanted) == 0 && unfinished != driver.UnfinishedResize {
		return nil
	}

	// The machine is stopped once for both.
	handsOver := reinstalls(state, plan) && unfinished != driver.UnfinishedReinstall
	if handsOver {
		if err := r.examineReinstall(ctx, plan); err != nil {
			failed := reinstallDiagnostic(plan, err)

			return &failed
		}
	}

	if err := r.resize(ctx, state, plan, wanted, handsOver); err != nil {
		failed := resizeDiagnostic(plan, err)

		return &failed
	}

	return nil
}

func (r *allocationResource) reshapeDisk(
	ctx context.Context, unfinished driver.Unfinished, state, plan allocationModel, data string, resp *resource.UpdateResponse,
) *diag.Diagnostic {
	if !reinstalls(state, plan) {
		if unfinished != driver.UnfinishedReinstall {
			return nil
		}

		if err := r.takeBackReinstall(ctx, plan, data); err != nil {
			failed := takeBackDiagnostic(plan, err)

			return &failed
		}

		return nil
	}

	if err := r.reinstall(ctx, plan, data, resp.Private, &resp.Diagnostics); err != nil {
		failed := reinstallDiagnostic(plan, err)

		return &failed
	}

	state.UserDataWOVersion = plan.UserDataWOVersion
	resp.Diagnostics.Append(resp.State.Set(ctx, state)...)

	return nil
}

// reshapePower switches the machine on or off. One that was reinstalled runs.
func (r *allocationResource) reshapePower(ctx context.Context, imported bool, unfinished driver.Unfinished, state, plan allocationModel) *diag.Diagnostic {
	reinstalled := !imported && (reinstalls(state, plan) || unfinished == driver.UnfinishedReinstall)
	unfinishedPower := !imported && unfinished == driver.UnfinishedPower

	if !changesPower(state, plan) && !unfinishedPower && (!reinstalled || plan.PowerState.ValueString() != powerStopped) {
		return nil
	}

	plan.PowerState = endPower(state, plan)

	if err := r.changePower(ctx, plan); err != nil {
		failed := powerDiagnostic(plan, err)

		return &failed
	}

	return nil
}

// fillReshaped fills what a change may have changed with what the machine is now.
func (r *allocationResource) fillReshaped(ctx context.Context, plan *allocationModel) error {
	if !plan.Phase.IsUnknown() {
		return nil
	}

	machine, err := r.client.observe(ctx, plan.ID.ValueString())
	if err != nil {
		return err
	}

	plan.Phase = types.StringValue(string(machine.Phase))

	for field, value := range map[*types.String]string{
		&plan.PublicIP: machine.PublicIP, &plan.Image: machine.Image, &plan.InstanceType: machine.InstanceType, &plan.Offering: machine.OfferingID,
	} {
		if field.IsUnknown() {
			*field = stringOrNull(value)
		}
	}

	return nil
}

// judgedBy is the machine as it is held against a changed class: one that follows the
// class's types in place is not held against their list.
func (m allocationModel) judgedBy(plan allocationModel) allocationModel {
	if plan.InstanceTypeOnChange.ValueString() == onTypeResize {
		m.InstanceType = types.StringNull()
	}

	return m
}

// resizedTo are the types of which the machine is to become the first that it can; none
// where it stays what it is.
func resizedTo(state, plan allocationModel) []string {
	if plan.InstanceTypeOnChange.ValueString() != onTypeResize {
		return nil
	}

	before, had := state.classPart()
	after, has := plan.classPart()

	if !had || !has || !known(after, "instance_types") {
		return nil
	}

	current := state.InstanceType.ValueString()
	wanted := candidatesOf(after, "instance_types", "")

	// A machine that never was among them, imported or resized by hand, is not what an
	// edit of the list is about.
	if !slices.Contains(candidatesOf(before, "instance_types", ""), current) || slices.Contains(wanted, current) {
		return nil
	}

	return wanted
}

// resizeOperation is the name of the operations that new instance types cause.
const resizeOperation = "instance_type"

// resize makes the machine one of the types, or goes on with what an earlier run began,
// and returns when it runs again, if it ran before, or is handed over to what it has to
// be stopped for, too. Types that are not wanted are those of the class.
func (r *allocationResource) resize(ctx context.Context, state, plan allocationModel, wanted []string, handsOver bool) error {
	if len(wanted) == 0 {
		class, _ := plan.classPart()
		wanted = candidatesOf(class, "instance_types", "")
	}

	if len(wanted) == 0 {
		// The class chooses by requirements now; what was begun is taken back.
		wanted = []string{state.InstanceType.ValueString()}
	}

	r.client.written.add(plan.ID.ValueString())

	request := r.resizeRequest(plan.ID.ValueString(), strings.Join(wanted, ","))
	if handsOver {
		request.Parameters[v1alpha3.ParameterHandsOver] = "true"
	}

	_, err := r.client.operator.Operate(ctx, request)

	return err
}

func resizeDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("%q (%s) was not seen to run as another type", model.Name.ValueString(), model.ID.ValueString()),
		withRemedy(err, advice{
			became: "The machine is kept.", again: applyAgain + " to go on",
			otherwise: "If none of instance_types can be had where it runs, name another, or let it be replaced: instance_type_on_change = \"replace\".",
		}))
}
