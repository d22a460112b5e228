package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// forgetPatience bounds how long a read or a destroy tries to take the trace of an
	// operation off its machine.
	forgetPatience = 30 * time.Second
	// giveUpPatience bounds how long a destroy waits for a machine to stop that is to be
	// started again.
	giveUpPatience = 5 * time.Minute
)

// forget takes the trace of the operation off its machine.
func (r *operationResource) forget(ctx context.Context, model operationModel) error {
	machine, err := r.machineOf(model)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()

	r.client.written.add(machine)

	return r.client.operator.Forget(ctx, model.request(r.client.owner, machine, r.client.cloud.EffectParameters()), model.OperationID.ValueString())
}

// refusedKey marks, in private state, an operation of which a run has tried in vain to give
// it up.
const refusedKey = "give_up_refused"

// privateStore is private state that is read and written.
type privateStore interface {
	privateReader
	privateWriter
}

// giveUp ends an operation that is taken away before its end: a machine that was stopped
// for it runs again. It tells what was done, and what is left. A machine that is gone is
// left as nothing.
//
// Where the machine cannot be started again, that is an error at first, which keeps the
// operation in state: what is wrong can be put right. Nobody can tell whether the machine
// is about to be released, too, which must not be kept up for ever. So the next try lets
// the operation go all the same, and the machine itself tells of it as long as it stands
// still.
func (r *operationResource) giveUp(ctx context.Context, model operationModel, private privateStore, diagnostics *diag.Diagnostics) {
	id, err := r.machineOf(model)
	if err != nil {
		diagnostics.Append(traceDiagnostic(model, err))

		return
	}

	patient, cancel := context.WithTimeout(ctx, giveUpPatience)
	defer cancel()

	r.client.written.add(id)

	tried := readText(ctx, private, refusedKey, diagnostics) != ""
	done, unseen := r.done(ctx, model, id)
	err = r.client.operator.GiveUp(patient, model.request(r.client.owner, id, r.client.cloud.EffectParameters()), model.OperationID.ValueString(), tried)

	switch {
	case err == nil || (tried && reasonOf(err) == v1alpha3.ReasonNotStarted):
	case lifecycle.Interrupted(err):
		diagnostics.AddError(notGivenUp(model),
			fmt.Sprintf("An interrupted run had begun it on %s, which may be stopped for it. It was interrupted again before the machine was seen to run. It stays in state, and the next apply goes on.", id))

		return
	case !tried:
		writeFlag(ctx, private, refusedKey, true, diagnostics)
		diagnostics.AddError(notGivenUp(model), refusedText(id, done, unseen, err))

		return
	}

	machine, failed := r.client.observe(ctx, id)
	if driver.CodeOf(failed) == driver.CodeNotFound {
		return
	}

	left := unseenText(unseen) + " " + leftText(machine, err)
	if err != nil && reasonOf(err) != v1alpha3.ReasonNotStarted {
		left = traceStaysText(machine, unseen, err)
	}

	diagnostics.AddWarning(fmt.Sprintf("%s %q was given up before its end", model.Kind.ValueString(), model.Name.ValueString()),
		fmt.Sprintf("The operation on %s had been interrupted, and is not gone on with any more.%s%s", id, done, left))
}

func notGivenUp(model operationModel) string {
	return fmt.Sprintf("%s %q was not given up", model.Kind.ValueString(), model.Name.ValueString())
}

// refusedText tells of an operation that could not be given up as it should be.
func refusedText(machine, done string, unseen, err error) string {
	became := "whether the machine was stopped for it, and runs again, was not seen"
	if reasonOf(err) == v1alpha3.ReasonNotStarted {
		became = "the machine was stopped for it, and could not be started again"
	} else if unseen != nil {
		// What kept it from being given up kept what was done from being seen.
		became, unseen = "neither what was done to the machine, nor whether it was stopped for it, and runs again, was seen", nil
	}

	return fmt.Sprintf("The operation on %s had been interrupted, and is not to be gone on with; %s: %s.%s\n\n"+
		"It stays in state. Put that right (a permission that is missing: grant it to the RAM user or role), and apply again: the machine is started, and the operation removed. Put back into the configuration, it is gone on with. "+
		"Applied, or destroyed, again without that, the operation is removed all the same, and its machine is left as it is, with its tag where that cannot be taken off.",
		machine, became, strings.TrimSuffix(machineops.Cause(err), "."), done+unseenText(unseen))
}

// done says, after a space, what of the operation was done to the machine; nothing where
// there is nothing to say. It is an error where that could not be seen.
func (r *operationResource) done(ctx context.Context, model operationModel, machine string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()

	asked := model.checked(machine)
	asked.OperationUID = r.uid(model, machine)
	asked.Parameters[v1alpha3.ParameterOperationID] = model.OperationID.ValueString()
	asked.Auth = r.client.auth

	done, err := r.client.cloud.OperationDone(ctx, asked)

	switch {
	case err != nil && ctx.Err() == nil:
		return "", err
	case done == "":
		return "", nil
	case model.kind() == v1alpha3.OperationHostReplace:
		return " " + done + " Its machine_allocation, if it has one, shows the image that it has, and no plan replaces or reinstalls the machine for that.", nil
	default:
		return " " + done, nil
	}
}

// unseenText says, after a space, that what was done to a machine could not be seen.
func unseenText(unseen error) string {
	if unseen == nil {
		return ""
	}

	return fmt.Sprintf(" What was done to it could not be seen: %s.", strings.TrimSuffix(machineops.Cause(unseen), "."))
}

// traceStaysText says, after a space, how an operation leaves its machine that is given up
// without its trace: first that has to go.
func traceStaysText(machine *driver.ObservedMachine, unseen, err error) string {
	const start = "start it (" + waysToStart + ")"

	nor := ""
	if unseen != nil {
		nor = "What was done to the machine could not be seen. "
	}

	take := "Take the tag off by hand first, then look at the machine, and where it was stopped, " + start

	switch {
	case machine == nil:
	case machine.Phase == driver.MachinePhaseStopped:
		take = "The machine is Stopped, or on its way there. Take the tag off by hand first, then, where it is to run, " + start
	case machine.Starting:
		take = "The machine is being started. Take the tag off by hand"
	case machine.Phase == driver.MachinePhaseRunning:
		take = "The machine is Running. Take the tag off by hand"
	}

	return fmt.Sprintf(" It was under way, and its trace, the machine's tag %soperation, could not be taken off: %s.\n\n"+
		"%sAs long as that tag is there, whatever else is to switch, resize or reinstall the machine waits. %s.",
		driver.ReservedTagPrefix, strings.TrimSuffix(machineops.Cause(err), "."), nor, take)
}

// leftText says how an operation that was given up leaves its machine, and what to do.
func leftText(machine *driver.ObservedMachine, err error) string {
	const start = "start it (" + waysToStart + ")"

	switch {
	case reasonOf(err) == v1alpha3.ReasonNotStarted:
		return fmt.Sprintf("The machine was stopped for it, and could not be started again: %s. Once that is put right, %s. Until then the plan of its machine_allocation tells that it stands still.",
			machineops.Cause(err), start)
	case machine == nil:
		return fmt.Sprintf("The machine could not be looked at. Look at it; where it was stopped, %s.", start)
	case machine.Phase == driver.MachinePhaseStopped:
		return fmt.Sprintf("The machine is Stopped, or on its way there. Where it is to run, %s.", start)
	case machine.Starting:
		return "The machine is being started."
	default:
		return fmt.Sprintf("The machine is %s.", machine.Phase)
	}
}
