package provider

import (
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// shownPhase is the phase of a machine, with the mark of a run that was about to
// release it.
func shownPhase(machine *driver.ObservedMachine) driver.MachinePhase {
	if machine.Releasing {
		return driver.MachinePhaseReleasing
	}

	return machine.Phase
}

// phaseReason is why the machine is in its phase at the time. The end of a
// subscription explains whatever follows from it.
func phaseReason(machine *driver.ObservedMachine, at time.Time) driver.PhaseReason {
	if !machine.ExpiresAt.IsZero() && !machine.ExpiresAt.After(at) {
		return driver.PhaseReasonExpired
	}

	return machine.PhaseReason
}

// reclaimedBy is by when a machine that is being taken back is gone; zero for others.
func reclaimedBy(machine *driver.ObservedMachine, at time.Time) time.Time {
	if machine.ReclaimNotice == 0 {
		return time.Time{}
	}

	return at.Add(machine.ReclaimNotice).Truncate(time.Second)
}

// mayBeLeftover reports whether the machine is of this provider's owner, and no state
// is known to hold it.
func (c *client) mayBeLeftover(machine *driver.ObservedMachine) bool {
	return machine.Identity.Owner == c.owner && machine.Identity.ClassUID != "" && c.allocator.Unsettled(observation(machine)) && !c.held.has(machine.ProviderID)
}
