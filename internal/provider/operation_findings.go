package provider

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// findings are what can be told of an operation before it is carried out.
type findings struct {
	// wrong is all that keeps it from being carried out, as errors.
	wrong diag.Diagnostics
	// told is what it meets, as warnings.
	told diag.Diagnostics
}

// planFindings tells what a plan finds. Nothing is looked at once this run has changed
// something, as which the plan is part of an apply.
func (r *operationResource) planFindings(ctx context.Context, plan operationModel, former *operationModel, begins bool) findings {
	return r.find(ctx, plan, former, begins && r.client != nil && !r.client.applied.Load())
}

// decided reports whether all is known that says how the operation is carried out.
func (m operationModel) decided() bool {
	return !m.Kind.IsUnknown() && !m.KeepUserData.IsUnknown() && fullyKnown(m.Parameters)
}

// find tells what can be seen, as far as it is known. An operation that is about to be
// carried out is examined, too. Former is what it takes the place of, if it does.
func (r *operationResource) find(ctx context.Context, plan operationModel, former *operationModel, begins bool) findings {
	var found findings

	if r.client == nil {
		return found
	}

	machine := ""

	if !plan.ProviderID.IsUnknown() {
		id, err := r.client.cloud.Observer().ParseProviderID(plan.ProviderID.ValueString(), r.client.region)
		if err != nil {
			found.wrong.AddAttributeError(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))
		} else {
			machine = id.String()
		}
	}

	// Terraform shows one of several warnings of a kind, so what is wrong stands in one.
	var impossible []error

	if plan.decided() {
		impossible = append(impossible, r.client.cloud.CheckOperation(plan.checked(machine)))
	}

	if begins && machine != "" {
		observed, err := r.examine(ctx, plan, machine, &found)
		impossible = append(impossible, err)
		r.findAwaited(plan, former, machine, observed, &found)
	}

	if err := errors.Join(impossible...); err != nil {
		found.wrong.AddAttributeError(path.Root("parameters"), impossibleOperation, sentence(err)+" Correct the parameters; nothing was done to the machine.")
	}

	return found
}

const impossibleOperation = "The operation cannot be carried out as it is asked for"

// examinePatience bounds the looks of a plan at what an operation needs.
const examinePatience = 30 * time.Second

// examine looks at the machine, and says why the operation can never be carried out on
// it, or finds that there is none. A look that fails says nothing: whoever carries the
// operation out looks again before the machine is touched.
func (r *operationResource) examine(ctx context.Context, plan operationModel, machine string, found *findings) (*driver.ObservedMachine, error) {
	ctx, cancel := context.WithTimeout(ctx, examinePatience)
	defer cancel()

	observed, err := r.client.known(ctx, machine)

	switch {
	case driver.CodeOf(err) == driver.CodeNotFound:
		found.wrong.AddAttributeError(path.Root("provider_id"), "No such machine",
			fmt.Sprintf("%s, which is the one that was searched.\n\n%s", strings.TrimSuffix(err.Error(), "."), operationRemedies(runAgain)[v1alpha3.ReasonNotFound]))

		// What else is wrong is told with it, as far as it does not depend on the machine.
		observed = &driver.ObservedMachine{Region: regionOf(machine)}
	case err != nil:
		return nil, nil
	}

	if !plan.decided() {
		return observed, nil
	}

	request := plan.checked(machine)
	request.Auth = r.client.auth

	var wrong *machineops.PermanentError
	if err := r.client.cloud.ExamineOperation(ctx, request, observed); errors.As(err, &wrong) && wrong.Reason == v1alpha3.ReasonInvalidConfiguration {
		return observed, wrong.Err
	}

	return observed, nil
}

// findAwaited tells of the operation that the machine is under. That its run is dead
// cannot be seen, and an operation of this configuration that was cut off is gone on with
// by the apply; so it is only told, and early, as the wait for one that nobody goes on
// with lasts to the timeout.
func (r *operationResource) findAwaited(plan operationModel, former *operationModel, machine string, observed *driver.ObservedMachine, found *findings) {
	if observed == nil || plan.Kind.IsUnknown() || plan.Name.IsUnknown() || !fullyKnown(plan.Triggers) || !fullyKnown(plan.Parameters) {
		return
	}

	awaited := r.awaited(plan, machine, observed)

	// What it takes the place of is ended or given up first.
	if awaited == "" || (former != nil && r.awaited(*former, machine, observed) == "") {
		return
	}

	// Its triggers or parameters were edited, perhaps, which makes it another operation.
	itself := ""
	if strings.Contains(awaited, strconv.Quote(plan.Name.ValueString())) {
		itself = " That one has the same name: where it is this operation as it was before an edit, put its triggers and parameters back and apply, and edit them afterwards."
	}

	found.told.AddAttributeWarning(path.Root("provider_id"), "Machine is under another operation",
		fmt.Sprintf("%s %q waits for %s, which was begun on %s and was not seen to end. The phase of the machine is %s. A run that is at work on that, or an apply of the configuration that holds it, ends it. "+
			"If nobody goes on with it, this one waits until its timeout and does nothing: apply the configuration of that operation again; or take the tag %soperation off the machine, "+
			"and start the machine where it was stopped for it (power_state, or a HostPowerOn).%s",
			plan.Kind.ValueString(), plan.Name.ValueString(), awaited, machine, observed.Phase, driver.ReservedTagPrefix, itself))
}

// awaited is what a user calls the operation that this one would wait for.
func (r *operationResource) awaited(model operationModel, machine string, observed *driver.ObservedMachine) string {
	return r.client.cloud.AwaitedOperation(model.request(r.client.owner, machine, r.client.cloud.EffectParameters()).OperationUID(), observed)
}

// fullyKnown reports whether the map and all that it holds are known.
func fullyKnown(m types.Map) bool {
	if m.IsUnknown() {
		return false
	}

	for _, element := range m.Elements() {
		if element.IsUnknown() {
			return false
		}
	}

	return true
}
