package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// consolePatience bounds how long a failed operation's console is asked for.
const consolePatience = 10 * time.Second

// operationRemedies say what to do next about an operation, where that is not what
// remedies say, and what to do then. The machine is as the configuration writes it.
func (r *operationResource) operationRemedies(a again, machine string) map[string]string {
	return map[string]string{
		v1alpha3.ReasonNotStopped: "Look at the machine, or allow its power to be cut: parameters = { graceful_timeout = \"5m\", force_after_timeout = \"true\" } (and leave power_state out of its machine_allocation for that apply)" + a.then() + ".",
		v1alpha3.ReasonNotRunning: "Nothing was done to it. Power it on first (a HostPowerOn, or power_state = \"running\" in its machine_allocation)" + a.then() + ".",
		v1alpha3.ReasonOutcomeUnknown: "Look at the machine. If it has to be rebooted, " + string(a) + ": this operation is then carried out anew. " +
			"If it was, remove the operation from the configuration.",
		v1alpha3.ReasonNotFound: r.notFoundRemedy(machine),
		v1alpha3.ReasonInsufficientCapacity: "There is no stock to start the machine with now. " + capitalized(string(a)) + " later; " +
			"a machine that is stopped with KeepCharging keeps its capacity.",
		v1alpha3.ReasonBusy: "Nothing was done to the machine.",
	}
}

// notFoundRemedy says what to do about a machine that is not there.
func (r *operationResource) notFoundRemedy(machine string) string {
	const check = "Check provider_id and the account of these credentials."

	id, err := r.client.cloud.Observer().ParseProviderID(machine, someRegion)
	if err != nil || id.Region != someRegion {
		return check
	}

	return check + " If the machine is in another region, write <region>.<instance-id>."
}

// operationDiagnostics tells what became of an operation on the machine, which is as the
// configuration writes it.
func (r *operationResource) operationDiagnostics(
	ctx context.Context, machine string, request lifecycle.OperateRequest, outcome lifecycle.Outcome, err error,
) diag.Diagnostics {
	var (
		diagnostics diag.Diagnostics
		unfinished  *lifecycle.UnfinishedError
	)

	what := fmt.Sprintf("%s %q of %s", request.Kind, request.Name, request.ProviderID)
	awaited := awaitedOperation(err)

	switch {
	case err == nil:
	case lifecycle.Interrupted(err) && outcome.Pending != nil && awaited != "":
		diagnostics.AddWarning(what+" was interrupted", err.Error()+". It is kept in state. "+awaitedAdvice(awaited, applyAgain))
	case lifecycle.Interrupted(err) && outcome.Pending != nil:
		diagnostics.AddWarning(what+" was interrupted", err.Error()+". It is kept in state, and the next apply goes on with it.")
	case lifecycle.Blocked(err) != nil:
		diagnostics.AddError(what+" was not seen to its end",
			withRemedy(err, advice{again: applyAgain + " to go on with the operation: what was done is not done again"})+r.console(ctx, request))
	case awaited != "":
		diagnostics.AddError(what+" was not seen to its end",
			err.Error()+".\n\n"+awaitedAdvice(awaited, applyAgain+" (a longer wait: timeouts = { create = \"40m\", update = \"40m\" })")+r.console(ctx, request))
	case errors.As(err, &unfinished):
		diagnostics.AddError(what+" was not seen to its end",
			err.Error()+".\n\nApply again to go on waiting: what was done is not done again. A longer wait: timeouts = { create = \"40m\", update = \"40m\" }."+r.console(ctx, request))
	default:
		diagnostics.AddError(what+" failed", withRemedy(err, advice{became: untouched(err), again: applyAgain, remedies: r.operationRemedies(applyAgain, machine)})+r.console(ctx, request))
	}

	return diagnostics
}

// untouched says that nothing was done to the machine, where that is known and no remedy
// says so itself.
func untouched(err error) string {
	reason := reasonOf(err)
	if !machineops.IsUntouched(err) || reason == v1alpha3.ReasonNotRunning || reason == v1alpha3.ReasonBusy {
		return ""
	}

	return "Nothing was done to the machine."
}

// console is the end of the machine's console, where that is asked for.
func (r *operationResource) console(ctx context.Context, request lifecycle.OperateRequest) string {
	if request.Parameters[v1alpha3.ParameterConsoleOutput] != "true" || errors.Is(ctx.Err(), context.Canceled) {
		return ""
	}

	// The operation's own time may be up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), consolePatience)
	defer cancel()

	output, err := r.client.cloud.ConsoleOutput(ctx, r.client.secret(), request.ProviderID)

	switch {
	case driver.CodeOf(err) == driver.CodePermissionDenied:
		return fmt.Sprintf("\n\nIts console could not be read: %s. Grant the RAM user or role that permission to see it.", err.Error())
	case err != nil:
		return fmt.Sprintf("\n\nIts console could not be read: %s.", err.Error())
	case strings.TrimSpace(output) == "":
		return "\n\nIts console is empty."
	default:
		return "\n\nThe end of its console:\n\n" + output
	}
}

func traceDiagnostic(model operationModel, err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic(
		fmt.Sprintf("The trace of %q stays on %s", model.Name.ValueString(), model.ProviderID.ValueString()),
		fmt.Sprintf("The operation is removed from this state. What it wrote into the machine's tag %soperation could not be taken off: %s.\n\n"+
			"If it was under way, other operations on the machine wait for it: take the tag off by hand.", driver.ReservedTagPrefix, err.Error()))
}
