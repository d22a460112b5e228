package provider

import (
	"errors"
	"maps"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// remedies say what to do next, by reason, and what to do then. Coded means that the text
// above them has what the cloud answered.
func remedies(a again, coded bool) map[string]string {
	known := map[string]string{
		v1alpha3.ReasonPermissionDenied:     "Grant the RAM user or role the permission for the action named above" + a.then() + ".",
		v1alpha3.ReasonQuotaExceeded:        "Free what is no longer needed or ask for a higher quota in the Quota Center" + a.then() + ".",
		v1alpha3.ReasonInvalidConfiguration: "Correct the configuration" + a.then() + ".",
		v1alpha3.ReasonRefused:              "Somebody has to act on the account or the machine before Alibaba Cloud does this. Act on it" + a.then() + ".",
		v1alpha3.ReasonUnsupported:          "Use a version of the provider that offers this" + a.then() + ".",
		v1alpha3.ReasonTaken:                "Another run has the machine now. Wait until no other run is at work on it" + a.then() + ".",
	}
	maps.Copy(known, alicloudRemedies(a))

	if coded {
		known[v1alpha3.ReasonRefused] = "Alibaba Cloud refuses this until somebody acts on the account or the machine; the code above says on what. Act on it" + a.then() + "."
	}

	return known
}

// launchRemedies say what to do next about a launch, where that is not what remedies say.
func launchRemedies() map[string]string {
	return map[string]string{
		v1alpha3.ReasonTaken: "The machine belongs to another run now. " + capitalized(string(applyAgain)) + ": this state then gets a machine of its own or says who has it.",
	}
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

// wrongRegion reports whether a look failed of a region that there is not: the API says
// so, or nobody knows the name that its endpoint would have.
func wrongRegion(err error) bool {
	reason := driver.ReasonOf(err)

	return driver.CodeOf(err) == driver.CodeInvalidArgument && (reason == "" || reason == v1alpha3.ReasonUnreachable)
}
