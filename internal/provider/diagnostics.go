package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func unconfigured() (string, string) {
	return "Provider not configured",
		"An argument of the provider is not known yet, so nothing can be asked of the cloud. Give the provider's arguments values that are known before apply."
}

func classDiagnostic(name string, err error, next advice) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("The class %q cannot be resolved", name), withRemedy(err, next))
}

func pricesDeniedDiagnostic(err error) diag.Diagnostic {
	return diag.NewWarningDiagnostic("Prices are missing",
		fmt.Sprintf("These credentials may not see prices: %s.\n\nThe offerings are listed without them; max_price_per_hour lets none through whose price is not known, and a class with type_order = "+
			"\"cheapest\" is tried in the order of its types. Grant the RAM user or role the permission for the action named above, or set include_prices = false.", strings.TrimSuffix(err.Error(), ".")))
}

// allocationDiagnostics tells what became of a launch.
func allocationDiagnostics(request lifecycle.AllocateRequest, allocated lifecycle.Allocated, err error, onTimeout string) diag.Diagnostics {
	name := request.Identity.Name

	var (
		diagnostics diag.Diagnostics
		unfinished  *lifecycle.UnfinishedError
		exhausted   *lifecycle.ExhaustedError
		duplicate   *lifecycle.DuplicateError
		conflict    *lifecycle.ConflictError
	)

	diagnostics.Append(neighborDiagnostics(name, allocated)...)

	switch {
	case err == nil && allocated.Adopted:
		diagnostics.AddWarning("A machine of an earlier run was adopted",
			fmt.Sprintf("The machine %s was launched for %q by an earlier run that did not record it. It was taken over, and nothing new was launched.", allocated.ProviderID, name))
	case err == nil:
	case errors.As(err, &conflict):
		diagnostics.Append(conflictDiagnostic(conflict))
	case lifecycle.Blocked(err) != nil:
		diagnostics.Append(blockedDiagnostic(request, allocated, err))
	case errors.As(err, &unfinished):
		diagnostics.Append(unfinishedDiagnostic(name, allocated, err, onTimeout))
	case errors.As(err, &exhausted):
		diagnostics.AddError(fmt.Sprintf("No capacity for %q", name),
			"Nothing was launched. "+alicloudCapacityAdvice(exhausted.Attempts)+"\n\n"+exhausted.Error())
	case errors.As(err, &duplicate):
		diagnostics.AddError("Duplicate allocation name",
			fmt.Sprintf("Two machine_allocation resources of one class are named %q. Give each its own name: put the for_each key or the count index into it.", name))
	default:
		diagnostics.AddError(fmt.Sprintf("Cannot launch %q", name), withRemedy(err, advice{again: applyAgain, remedies: launchRemedies()}))
	}

	if allocated.CleanupError != nil {
		diagnostics.AddWarning(fmt.Sprintf("Cleaning up after the launch of %q failed", name),
			fmt.Sprintf("The machine %s runs. %s. The next apply tries it again.", allocated.ProviderID, allocated.CleanupError))
	}

	return diagnostics
}

// unfinishedDiagnostic tells of a wait that ended before the machine ran. An
// interrupt with a known machine is a warning, so that the machine is not tainted.
func unfinishedDiagnostic(name string, allocated lifecycle.Allocated, err error, onTimeout string) diag.Diagnostic {
	interrupted := lifecycle.Interrupted(err)

	switch {
	case interrupted && allocated.ProviderID != "":
		return diag.NewWarningDiagnostic(fmt.Sprintf("%q is still being allocated", name),
			fmt.Sprintf("The wait for %s was interrupted. The machine is kept in state as Allocating, and the next apply goes on waiting for it.", allocated.ProviderID))
	case !interrupted && allocated.ProviderID != "" && onTimeout == onTimeoutContinue:
		return diag.NewWarningDiagnostic(fmt.Sprintf("%q does not run yet", name),
			fmt.Sprintf("The machine %s exists and was not seen running before the timeout: %s.\n\nIt is kept in state as Allocating (on_timeout = %q), and the next apply goes on waiting for it.",
				allocated.ProviderID, err.Error(), onTimeoutContinue))
	case interrupted:
		return diag.NewErrorDiagnostic(fmt.Sprintf("The launch of %q was interrupted", name),
			err.Error()+"."+answeredText(allocated)+"\n\nNothing is kept in state. If a machine was launched, the next apply finds it and takes it over.")
	case allocated.ProviderID != "":
		return diag.NewErrorDiagnostic(fmt.Sprintf("%q did not run in time", name),
			fmt.Sprintf("The machine %s exists and was not seen running before the timeout: %s.\n\n"+
				"It is kept in state, and Terraform marks it as tainted, so the next apply replaces it. To keep it and go on waiting instead: terraform untaint ADDRESS, then apply again. "+
				"A longer wait: timeouts = { create = \"20m\" }.", allocated.ProviderID, err.Error()))
	default:
		tried := allocated.Refusals()
		if tried != "" {
			tried = "\n\nUntil then, " + tried
		}

		return diag.NewErrorDiagnostic(fmt.Sprintf("%q was not launched in time", name),
			err.Error()+"."+answeredText(allocated)+tried+"\n\nNothing is kept in state. If a machine was launched, the next apply finds it and takes it over. "+
				"A longer wait: timeouts = { create = \"20m\" }.")
	}
}

func releaseDiagnostics(model allocationModel, err error) diag.Diagnostics {
	var diagnostics diag.Diagnostics

	if err == nil {
		return diagnostics
	}

	machine := fmt.Sprintf("%q (%s)", model.Name.ValueString(), model.ID.ValueString())

	var unfinished *lifecycle.UnfinishedError

	switch {
	case reasonOf(err) == v1alpha3.ReasonTaken:
		diagnostics.AddWarning("The machine was not released", fmt.Sprintf("%s: %s. It is removed from this state only. Whoever holds it now can release it.", machine, machineops.Cause(err)))
	case lifecycle.Blocked(err) != nil:
		diagnostics.AddError("The release was not seen to its end",
			machine+": "+withRemedy(err, advice{
				again: runAgain + ": a release that is under way is waited for",
				after: "The machine stays in state until it is known to be gone.",
			}))
	case lifecycle.Interrupted(err):
		diagnostics.AddError("The release was not seen to its end",
			fmt.Sprintf("%s: %s.\n\nThe machine stays in state. Run the command again: a release that is under way is waited for.", machine, err.Error()))
	case errors.As(err, &unfinished):
		diagnostics.AddError("The release was not seen to its end",
			fmt.Sprintf("%s: %s.\n\nThe machine stays in state. Run the command again: a release that is under way is waited for. A longer wait: timeouts = { delete = \"40m\" }.", machine, err.Error()))
	default:
		diagnostics.AddError("Cannot release "+machine,
			withRemedy(err, advice{again: runAgain, after: "The machine stays in state."}))
	}

	return diagnostics
}

// stillHeldDiagnostic tells that a replacement did not take place.
func stillHeldDiagnostic(model allocationModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The machine was not replaced",
		fmt.Sprintf("The launch of %q was answered with the machine that it was to replace, %s, because nothing that is asked for differs. It was kept, and nothing was released. "+
			"To replace it all the same: raise user_data_wo_version, or replace it without create_before_destroy.", model.Name.ValueString(), model.ID.ValueString()))
}

func readDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic("Cannot read "+machineOf(model), withRemedy(err, readAdvice()))
}

// readAdvice is that on a refresh, which any command may begin with.
func readAdvice() advice {
	return advice{became: "The state is unchanged.", again: runAgain, byID: true, timeouts: true}
}

// machineOf names a machine; one that is being imported has no name yet.
func machineOf(model allocationModel) string {
	if model.Name.ValueString() == "" {
		return model.ID.ValueString()
	}

	return fmt.Sprintf("%q (%s)", model.Name.ValueString(), model.ID.ValueString())
}

func updateDiagnostic(model allocationModel, err error) diag.Diagnostic {
	became := "The machine is as it was."
	if ended(err) {
		became = "How far the change came is for the next plan to see."
	}

	return diag.NewErrorDiagnostic(
		fmt.Sprintf("Cannot update %q (%s)", model.Name.ValueString(), model.ID.ValueString()),
		withRemedy(err, advice{became: became, again: applyAgain, timeouts: true}))
}

func notImported(id string) diag.Diagnostic {
	region, instance, _ := strings.Cut(id, ".")

	return diag.NewErrorDiagnostic("There is no such machine",
		fmt.Sprintf("The instance %s does not exist in the region %s, which is the one that was searched. "+
			"If it is in another region, import it as <region>.%s; if it is in another account, use that account's credentials.", instance, region, instance))
}
