package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

const (
	// readinessInterval is the wait between looks at a fleet. Looks fall on whole
	// intervals of the clock, so that several who wait look together.
	readinessInterval = 2 * time.Second
	// mostNamed is how many machines an error names.
	mostNamed = 10
)

// notRunningError is a fleet of which some machines do not run.
type notRunningError struct {
	// machines say, sorted by ID, what each machine that does not run is.
	machines []string
	// stopped is how many of them are powered off.
	stopped int
	// lost is set where waiting longer cannot help.
	lost bool
	// ended is what ended the wait, where that was its context.
	ended error
	// look is what the last look failed with, if it did.
	look error
}

// Error names the machines.
func (e *notRunningError) Error() string {
	named := e.machines
	more := ""

	if len(named) > mostNamed {
		named, more = named[:mostNamed], fmt.Sprintf(" and %d more", len(named)-mostNamed)
	}

	text := strings.Join(named, ", ") + more
	if e.look != nil {
		text += "; the last look failed: " + strings.TrimSuffix(e.look.Error(), ".")
	}

	return text
}

// Unwrap returns what ended the wait, and the look that failed.
func (e *notRunningError) Unwrap() []error {
	return slices.DeleteFunc([]error{e.ended, e.look}, func(err error) bool { return err == nil })
}

// awaitRunning returns the machines when all of them run, looked at one call for 100
// of them and tick. A look that fails is repeated, with the patience that a launch has:
// one refusal may be of a permission that only begins to count. Its error is a
// *notRunningError.
func (c *client) awaitRunning(ctx context.Context, ids []string) (map[string]*driver.ObservedMachine, error) {
	var (
		running  = make(map[string]*driver.ObservedMachine, len(ids))
		missing  = ids
		states   = map[string]string{}
		failure  error
		patience lifecycle.Patience
	)

	for {
		seen, err := c.cloud.Observer().ObserveMachines(ctx, &driver.ObserveMachinesRequest{ProviderIDs: missing, Secret: c.secret()})
		if err == nil {
			missing = sift(missing, seen, running, states)
		}

		if len(missing) == 0 {
			return running, nil
		}

		if err == nil {
			var lost []string

			if lost, err = c.lostMachines(ctx, missing, seen, states); len(lost) > 0 {
				return nil, &notRunningError{machines: descriptions(lost, states), lost: true}
			}
		}

		pause := readinessInterval

		switch {
		case err == nil:
			failure = nil
			patience.Succeeded()
		case ctx.Err() == nil:
			var refusal *machineops.BlockedError
			if pause, refusal = patience.Failed(asBlocked(err)); refusal != nil || final(err) {
				return nil, &notRunningError{machines: descriptions(missing, states), lost: true, look: err}
			}

			failure = err
		}

		tflog.Info(ctx, fmt.Sprintf("waiting for %d of %d machines to run: %s", len(missing), len(ids), (&notRunningError{machines: descriptions(missing, states)}).Error()))

		if err := c.nextLook(ctx, pause); err != nil {
			return nil, &notRunningError{machines: descriptions(missing, states), stopped: poweredOff(missing, states), ended: err, look: failure}
		}
	}
}

// asBlocked makes the failure of a look what a launch's would be, where it is a refusal
// that stays until somebody acts.
func asBlocked(err error) error {
	if reason := driverReason(err); lifecycle.Blocks(reason) {
		return &machineops.BlockedError{Reason: reason, Err: err}
	}

	return err
}

// final reports whether a look failed for what no repeat changes, such as a region that
// there is not.
func final(err error) bool {
	reason := driverReason(err)

	return reason != "" && !lifecycle.Blocks(reason)
}

// sift moves the machines that run, notes what the others are, and returns those.
func sift(ids []string, seen, running map[string]*driver.ObservedMachine, states map[string]string) []string {
	var missing []string

	for _, id := range ids {
		machine, listed := seen[id]

		switch {
		case !listed:
			states[id] = "not listed"
		case machine.Phase == driver.MachinePhaseRunning && !machine.Starting && !machine.Releasing:
			running[id] = machine

			continue
		default:
			states[id] = stateOf(machine)
		}

		missing = append(missing, id)
	}

	return missing
}

// poweredOff counts the machines that will not run before somebody starts them.
func poweredOff(ids []string, states map[string]string) int {
	count := 0

	for _, id := range ids {
		if states[id] == string(driver.MachinePhaseStopped) {
			count++
		}
	}

	return count
}

// stateOf is what a machine is, in words.
func stateOf(machine *driver.ObservedMachine) string {
	if machine.Releasing {
		return string(driver.MachinePhaseReleasing)
	}

	state := string(machine.Phase)
	if machine.Starting && machine.Phase == driver.MachinePhaseRunning {
		state = "Starting"
	}

	if len(machine.LockReasons) > 0 {
		state += ": " + strings.Join(machine.LockReasons, ", ")
	}

	return state
}

// lostMachines returns the machines that will not run any more: they are proven to be
// gone, or are on their way out. Of those that are not listed one is asked about at each
// look, since that takes calls of its own; the error is that of such a look.
func (c *client) lostMachines(ctx context.Context, missing []string, seen map[string]*driver.ObservedMachine, states map[string]string) ([]string, error) {
	var (
		lost   []string
		failed error
		asked  bool
	)

	for _, id := range missing {
		machine, listed := seen[id]

		switch {
		case listed && (machine.Phase == driver.MachinePhaseReclaiming || machine.Releasing):
			lost = append(lost, id)
		case !listed && !asked:
			asked = true

			if _, failed = c.observe(ctx, id); driver.CodeOf(failed) == driver.CodeNotFound {
				states[id] = "it does not exist in the region " + regionOf(id)
				lost = append(lost, id)
			}
		}
	}

	return lost, failed
}

func descriptions(ids []string, states map[string]string) []string {
	described := make([]string, 0, len(ids))

	for _, id := range slices.Sorted(slices.Values(ids)) {
		state := states[id]
		if state == "" {
			state = "not looked at"
		}

		described = append(described, fmt.Sprintf("%s (%s)", id, state))
	}

	return described
}

// nextLook returns at the time of the next look, which is about the pause away, or why
// the context ended.
func (c *client) nextLook(ctx context.Context, pause time.Duration) error {
	now := c.clock.Now()

	next := now.Add(pause).Truncate(readinessInterval)
	if next.Sub(now) < pause-readinessInterval/2 {
		next = next.Add(readinessInterval)
	}

	timer := c.clock.NewTimer(next.Sub(now))
	defer timer.Stop()

	select {
	case <-timer.C():
		return machineops.Ended(ctx)
	case <-ctx.Done():
		return machineops.Ended(ctx)
	}
}

// readMany returns those of the machines that are there, from the shared list where
// that shows them as they are.
func (c *client) readMany(ctx context.Context, ids []string) (map[string]*driver.ObservedMachine, error) {
	found := make(map[string]*driver.ObservedMachine, len(ids))

	var rest []string

	for _, id := range ids {
		// A list that failed is no answer; the look below is.
		listed, err := c.listings.since(ctx, regionOf(id), c.clock.Now().Add(-freshness))

		machine, there := listed[id]
		if err != nil || !there || c.written.has(id) {
			rest = append(rest, id)

			continue
		}

		found[id] = machine
	}

	if len(rest) == 0 {
		return found, nil
	}

	seen, err := c.cloud.Observer().ObserveMachines(ctx, &driver.ObserveMachinesRequest{ProviderIDs: rest, Secret: c.secret()})
	if err != nil {
		return nil, err
	}

	for id, machine := range seen {
		found[id] = machine
	}

	return found, nil
}

func readinessDiagnostic(wanted int, timeout time.Duration, err error) diag.Diagnostic {
	const afterwards = "Nothing is kept in state and nothing is tainted: what depends on the machines was not started, and the next apply waits for them again."

	var stopped *notRunningError
	if !errors.As(err, &stopped) {
		return diag.NewErrorDiagnostic("The machines could not be waited for", err.Error()+".\n\n"+afterwards)
	}

	switch {
	case errors.Is(stopped.ended, context.Canceled):
		return diag.NewErrorDiagnostic("The wait for the machines was interrupted",
			fmt.Sprintf("Of %d machines %d did not run yet: %s.\n\n%s", wanted, len(stopped.machines), err, afterwards))
	case stopped.lost && stopped.look != nil, stopped.look != nil && driverReason(stopped.look) != "":
		return diag.NewErrorDiagnostic("The machines cannot be looked at", fmt.Sprintf("%s.\n\n%s", err, advice{became: afterwards, again: applyAgain, byID: true, timeouts: true}.on(stopped.look)))
	case stopped.lost:
		return diag.NewErrorDiagnostic("A machine will not run any more",
			fmt.Sprintf("%s.\n\n%s What the machine's own resource then plans (its state is read again) puts another in its place; a provider ID that was mistyped has to be corrected.", err, afterwards))
	default:
		return diag.NewErrorDiagnostic("The machines did not run in time",
			fmt.Sprintf("Of %d machines %d did not run within %s: %s.\n\n%s %s", wanted, len(stopped.machines), timeout, err, afterwards, stopped.remedy()))
	}
}

// remedy says what has machines run that did not run in time.
func (e *notRunningError) remedy() string {
	const (
		longer = "A longer wait: timeouts = { create = \"20m\" }."
		start  = "power_state = \"running\" in its machine_allocation, or a machine_operation HostPowerOn"
	)

	switch e.stopped {
	case 0:
		return longer
	case len(e.machines):
		return "No wait has a machine run that is Stopped: power it on (" + start + ")."
	default:
		return "No wait has a machine run that is Stopped: power it on (" + start + "). For the others, " + strings.ToLower(longer[:1]) + longer[1:]
	}
}
