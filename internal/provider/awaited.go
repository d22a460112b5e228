package provider

import (
	"errors"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// resumeAwaited is what to do about an operation that a machine is under, that others wait
// for, and that no run is at work on.
const resumeAwaited = "put that operation back into the configuration (same name, kind, triggers and parameters), leave out what waits for it, and apply, which goes on with it; remove or edit it then. " +
	"Or take the tag " + driver.ReservedTagPrefix + "operation off the machine, then start the machine where it was stopped for it (" + waysToStart + ")."

// waysToStart is how a machine is started that stands still.
const waysToStart = "power_state = \"running\", or a HostPowerOn"

// awaitedOperation is what a user calls the operation that was waited for when the error
// came about; it is empty where it was none.
func awaitedOperation(err error) string {
	if awaited := (*machineops.AwaitedError)(nil); errors.As(err, &awaited) {
		return awaited.Operation
	}

	return ""
}

// awaitedAdvice says what to do about the operation that was waited for, and how what
// waited is done again.
func awaitedAdvice(operation string, a again) string {
	return "If a run is at work on " + operation + ", let that end" + a.then() + ". If none is, " + resumeAwaited
}
