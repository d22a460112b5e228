package provider

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// again is how what failed is done once more.
type again string

const (
	applyAgain again = "apply again"
	// runAgain is for what several commands do, such as to read a machine, or to release
	// it, which an apply does as well as a destroy.
	runAgain again = "run the command again"
	// planAgain is for what a plan tells without being an error.
	planAgain again = "plan again"
)

// remedies say what to do next, by reason.
func remedies() map[string]string {
	known := map[string]string{
		v1alpha3.ReasonPermissionDenied:     "Grant the RAM user or role the permission for the action named above, then apply again.",
		v1alpha3.ReasonQuotaExceeded:        "Free what is no longer needed or ask for a higher quota in the Quota Center, then apply again.",
		v1alpha3.ReasonInvalidConfiguration: "Correct the configuration, then apply again.",
		v1alpha3.ReasonRefused:              "Alibaba Cloud refuses this until somebody acts on the account or the machine; the code above says on what. Act on it, then apply again.",
		v1alpha3.ReasonUnsupported:          "Use a version of the provider that offers this.",
		v1alpha3.ReasonTaken:                "The machine belongs to another run now. Apply again: this state then gets a machine of its own or says who has it.",
	}
	maps.Copy(known, alicloudRemedies())

	return known
}

// remedy says what to do next about what was refused for the reason, and what to do
// then; it is empty where that is not known.
func remedy(reason string, then again) string {
	return strings.Replace(remedies()[reason], string(applyAgain), string(then), 1)
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

	if blocked := lifecycle.Blocked(err); blocked != nil {
		return blocked.Reason
	}

	return driverReason(err)
}

// driverReason returns the reason of a driver's error; it is empty where a repeat may
// help, or nobody knows.
func driverReason(err error) string {
	if reason := driver.ReasonOf(err); reason != "" {
		return reason
	}

	return map[driver.Code]string{
		driver.CodePermissionDenied:   v1alpha3.ReasonPermissionDenied,
		driver.CodeUnauthenticated:    v1alpha3.ReasonCredentialsRefused,
		driver.CodeInvalidArgument:    v1alpha3.ReasonInvalidConfiguration,
		driver.CodeFailedPrecondition: v1alpha3.ReasonRefused,
	}[driver.CodeOf(err)]
}

// Remedies of what is nobody's fault.
const (
	interruptedRemedy = "The command was interrupted before an answer; nothing is wrong. Run it again."
	timedOutRemedy    = "There was no answer in time. Run it again; more time is given in the resource's timeouts argument."
)

// regionRemedy is for a machine whose region there is not.
const regionRemedy = "Correct the provider ID: it is <region>.<instance-id>, with a region of Alibaba Cloud."

// wrongRegion reports whether a look failed of a region that there is not: the API says
// so, or nobody knows the name that its endpoint would have.
func wrongRegion(err error) bool {
	reason := driver.ReasonOf(err)

	return driver.CodeOf(err) == driver.CodeInvalidArgument && (reason == "" || reason == v1alpha3.ReasonUnreachable)
}

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

// withRemedy is the text of an error and, below it, what to do next before it is applied
// again.
func withRemedy(err error, otherwise string) string {
	return withRemedyThen(err, applyAgain, otherwise)
}

// withRemedyThen is withRemedy for what is not done again by an apply alone.
func withRemedyThen(err error, then again, otherwise string) string {
	next := remedy(reasonOf(err), then)
	if next == "" {
		next = otherwise
	}

	if end := ended(err); end == interruptedRemedy {
		next = end
	}

	return strings.TrimSuffix(machineops.Cause(err), ".") + ".\n\n" + asFarAsTold(machineops.Cause(err), next)
}

// readRemedy says what to do about a read that failed.
func readRemedy(err error) string {
	if end := ended(err); end != "" {
		return end
	}

	var other *otherAccountError
	if errors.As(err, &other) {
		return "Use credentials of the account " + other.recorded + "; what is not to be managed with these any more, take out of the state: terraform state rm ADDRESS."
	}

	if wrongRegion(err) {
		return regionRemedy
	}

	if next := remedy(driverReason(err), runAgain); next != "" {
		return next
	}

	return asFarAsTold(err.Error(), "Try again; if it stays, look at the code and the request ID above.")
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
		{"; the code above says on what. Act on it, then", ". Then"},
	} {
		remedy = strings.ReplaceAll(remedy, told.with, told.without)
	}

	return remedy
}
