package provider

import (
	"context"
	"fmt"
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
	id, err := r.client.cloud.Observer().ParseProviderID(model.ProviderID.ValueString(), r.client.region)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, forgetPatience)
	defer cancel()

	r.client.written.add(id.String())

	return r.client.operator.Forget(ctx, model.request(r.client.owner, id.String(), r.client.cloud.EffectParameters()), model.OperationID.ValueString())
}

// giveUp ends an operation that is taken away before its end: a machine that was stopped
// for it runs again. It tells what is left. A machine that is gone is left as nothing.
func (r *operationResource) giveUp(ctx context.Context, model operationModel, diagnostics *diag.Diagnostics) {
	id, err := r.client.cloud.Observer().ParseProviderID(model.ProviderID.ValueString(), r.client.region)
	if err != nil {
		diagnostics.Append(traceDiagnostic(model, err))

		return
	}

	patient, cancel := context.WithTimeout(ctx, giveUpPatience)
	defer cancel()

	r.client.written.add(id.String())

	err = r.client.operator.GiveUp(patient, model.request(r.client.owner, id.String(), r.client.cloud.EffectParameters()), model.OperationID.ValueString())

	switch {
	case err == nil || reasonOf(err) == v1alpha3.ReasonNotStarted:
	case lifecycle.Interrupted(err):
		diagnostics.AddError(fmt.Sprintf("%s %q was not given up", model.Kind.ValueString(), model.Name.ValueString()),
			fmt.Sprintf("An interrupted run had begun it on %s, which may be stopped for it. It was interrupted again before the machine was seen to run. It stays in state, and the next apply goes on.", id.String()))

		return
	default:
		diagnostics.Append(traceDiagnostic(model, err))
	}

	machine, failed := r.client.observe(ctx, id.String())
	if driver.CodeOf(failed) == driver.CodeNotFound {
		return
	}

	diagnostics.AddWarning(fmt.Sprintf("%s %q was given up before its end", model.Kind.ValueString(), model.Name.ValueString()),
		fmt.Sprintf("The operation on %s had been interrupted, and is not gone on with any more. %s", id.String(), leftText(machine, err)))
}

// leftText says how an operation that was given up leaves its machine, and what to do.
func leftText(machine *driver.ObservedMachine, err error) string {
	const start = "start it (power_state = \"running\", or a HostPowerOn)"

	switch {
	case reasonOf(err) == v1alpha3.ReasonNotStarted:
		return fmt.Sprintf("The machine was stopped for it, and could not be started again: %s. Once that is put right, %s.", machineops.Cause(err), start)
	case machine == nil:
		return fmt.Sprintf("The machine could not be looked at. Look at it; where it was stopped, %s.", start)
	case machine.Phase == driver.MachinePhaseStopped:
		return fmt.Sprintf("The machine is Stopped. Where it is to run, %s.", start)
	case machine.Starting:
		return "The machine is being started."
	default:
		return fmt.Sprintf("The machine is %s.", machine.Phase)
	}
}
