package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func unconfigured() (string, string) {
	return "Provider not configured",
		"An argument of the provider is not known yet, so nothing can be asked of the cloud. Give the provider's arguments values that are known before apply."
}

// remedies say what to do next, by reason.
var remedies = map[string]string{
	v1alpha3.ReasonCredentialsRefused: "Check the AccessKey: alicloud.access_key_id and access_key_secret in the provider block, or ALIBABA_CLOUD_ACCESS_KEY_ID and " +
		"ALIBABA_CLOUD_ACCESS_KEY_SECRET in the environment (and the security token of temporary credentials).",
	v1alpha3.ReasonPermissionDenied:     "Grant the RAM user or role the permission for the action named above, then apply again.",
	v1alpha3.ReasonQuotaExceeded:        "Free what is no longer needed or ask for a higher quota in the Quota Center, then apply again.",
	v1alpha3.ReasonInvalidConfiguration: "Correct the configuration, then apply again.",
	v1alpha3.ReasonRefused:              "Alibaba Cloud refuses this until somebody acts on the account or the machine; the code above says on what. Then apply again.",
	v1alpha3.ReasonUnsupported:          "Use a version of the provider that offers this.",
	v1alpha3.ReasonTaken:                "The machine belongs to another run now. Apply again: this state then gets a machine of its own or says who has it.",
}

// reasonOf returns the reason in an error's chain.
func reasonOf(err error) string {
	var failed *lifecycle.FailedError
	if errors.As(err, &failed) {
		return failed.Reason
	}

	var permanent *machineops.PermanentError
	if errors.As(err, &permanent) {
		return permanent.Reason
	}

	var blocked *machineops.BlockedError
	if errors.As(err, &blocked) {
		return blocked.Reason
	}

	return ""
}

// cause returns an error's text without the reason, which is for programs.
func cause(err error) string {
	var permanent *machineops.PermanentError
	if errors.As(err, &permanent) && permanent.Err != nil {
		return permanent.Err.Error()
	}

	return err.Error()
}

// Remedies of what is nobody's fault.
const (
	interruptedRemedy = "The command was interrupted before an answer; nothing is wrong. Run it again."
	timedOutRemedy    = "There was no answer in time. Run it again; more time is given in the resource's timeouts argument."
)

// ended says what to do after a command that ended before its answer; nothing where
// that is not what happened.
func ended(err error) string {
	switch {
	case lifecycle.Interrupted(err), driver.CodeOf(err) == driver.CodeCanceled, errors.Is(err, context.Canceled):
		return interruptedRemedy
	case driver.CodeOf(err) == driver.CodeDeadlineExceeded, errors.Is(err, context.DeadlineExceeded):
		return timedOutRemedy
	default:
		return ""
	}
}

// withRemedy is the text of an error and, below it, what to do next.
func withRemedy(err error, otherwise string) string {
	remedy, known := remedies[reasonOf(err)]
	if !known {
		remedy = otherwise
	}

	if end := ended(err); end == interruptedRemedy {
		remedy = end
	}

	return strings.TrimSuffix(cause(err), ".") + ".\n\n" + asFarAsTold(cause(err), remedy)
}

// asFarAsTold is a remedy without what it says of a code and a request ID that the text
// does not have, as one has not that came of no answer.
func asFarAsTold(text, remedy string) string {
	if strings.Contains(text, "(request ") || strings.Contains(text, "(HTTP ") {
		return remedy
	}

	for _, told := range []struct{ with, without string }{
		{"look at the code and the request ID above", "TF_LOG=DEBUG shows the calls and their answers"},
		{"Look at the code and the request ID above, then apply again.", "Apply again; TF_LOG=DEBUG shows the calls and their answers."},
		{"; the code above says on what", ""},
	} {
		remedy = strings.ReplaceAll(remedy, told.with, told.without)
	}

	return remedy
}

func classDiagnostic(name string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		fmt.Sprintf("The class %q cannot be resolved", name),
		withRemedy(err, "Nothing was launched. Apply again; if it stays, look at the code and the request ID above."))
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
	case errors.As(err, &unfinished):
		diagnostics.Append(unfinishedDiagnostic(name, allocated, err, onTimeout))
	case errors.As(err, &exhausted):
		diagnostics.AddError(fmt.Sprintf("No capacity for %q", name),
			exhausted.Error()+"\n\nNothing was launched. Add instance types, vSwitches in other zones or capacity types to the class, or apply again later.")
	case errors.As(err, &duplicate):
		diagnostics.AddError("Duplicate allocation name",
			fmt.Sprintf("Two machine_allocation resources of one class are named %q. Give each its own name: put the for_each key or the count index into it.", name))
	default:
		diagnostics.AddError(fmt.Sprintf("Cannot launch %q", name), withRemedy(err, "Apply again; if it stays, look at the code and the request ID above."))
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
		diagnostics.AddWarning("The machine was not released", fmt.Sprintf("%s: %s. It is removed from this state only. Whoever holds it now can release it.", machine, cause(err)))
	case errors.As(err, &unfinished):
		diagnostics.AddError("The release was not seen to its end",
			fmt.Sprintf("%s: %s.\n\nThe machine stays in state. Destroy again: a release that is under way is waited for. A longer wait: timeouts = { delete = \"40m\" }.", machine, err.Error()))
	default:
		diagnostics.AddError("Cannot release "+machine, toDestroyAgain(withRemedy(err, "Destroy again; if it stays, look at the code and the request ID above."))+" The machine stays in state.")
	}

	return diagnostics
}

// toDestroyAgain is what to do about a destroy that failed, in the words of one.
func toDestroyAgain(text string) string {
	return strings.NewReplacer("then apply again", "then destroy it again", "Then apply again", "Then destroy it again").Replace(text)
}

// stillHeldDiagnostic tells that a replacement did not take place.
func stillHeldDiagnostic(model allocationModel) diag.Diagnostic {
	return diag.NewWarningDiagnostic("The machine was not replaced",
		fmt.Sprintf("The launch of %q was answered with the machine that it was to replace, %s, because nothing that is asked for differs. It was kept, and nothing was released. "+
			"To replace it all the same: raise user_data_wo_version, or replace it without create_before_destroy.", model.Name.ValueString(), model.ID.ValueString()))
}

func readDiagnostic(model allocationModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(
		"Cannot read "+machineOf(model),
		fmt.Sprintf("%s.\n\nThe state is unchanged. %s", err.Error(), readRemedy(err)))
}

// machineOf names a machine; one that is being imported has no name yet.
func machineOf(model allocationModel) string {
	if model.Name.ValueString() == "" {
		return model.ID.ValueString()
	}

	return fmt.Sprintf("%q (%s)", model.Name.ValueString(), model.ID.ValueString())
}

func readRemedy(err error) string {
	if end := ended(err); end != "" {
		return end
	}

	var other *otherAccountError
	if errors.As(err, &other) {
		return fmt.Sprintf("Use credentials of the account %s; what is not to be managed with these any more, take out of the state: terraform state rm ADDRESS.", other.recorded)
	}

	switch driver.CodeOf(err) {
	case driver.CodePermissionDenied:
		return remedies[v1alpha3.ReasonPermissionDenied]
	case driver.CodeUnauthenticated:
		return remedies[v1alpha3.ReasonCredentialsRefused]
	case driver.CodeInvalidArgument:
		return "Correct the provider ID: it is <region>.<instance-id>, with a region of Alibaba Cloud."
	default:
		return asFarAsTold(err.Error(), "Try again; if it stays, look at the code and the request ID above.")
	}
}

func updateDiagnostic(model allocationModel, err error) diag.Diagnostic {
	became := "The machine is as it was."
	if ended(err) != "" {
		became = "How far the change came is for the next plan to see."
	}

	return diag.NewErrorDiagnostic(
		fmt.Sprintf("Cannot update %q (%s)", model.Name.ValueString(), model.ID.ValueString()),
		fmt.Sprintf("%s.\n\n%s %s", err.Error(), became, readRemedy(err)))
}

func notImported(id string) diag.Diagnostic {
	region, instance, _ := strings.Cut(id, ".")

	return diag.NewErrorDiagnostic("There is no such machine",
		fmt.Sprintf("The instance %s does not exist in the region %s, which is the one that was searched. "+
			"If it is in another region, import it as <region>.%s; if it is in another account, use that account's credentials.", instance, region, instance))
}
