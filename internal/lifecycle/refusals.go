package lifecycle

import (
	"maps"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// refusalMemory is how long a capacity refusal is believed.
const refusalMemory = 5 * time.Minute

// refusalKey is what a capacity refusal is true of. A zone's name says its region.
type refusalKey struct {
	instanceType string
	zone         string
	capacityType v1alpha3.CapacityType
}

type refusal struct {
	message string
	at      time.Time
}

func keyOf(offering v1alpha3.MachineClassOffering) refusalKey {
	return refusalKey{
		instanceType: offering.InstanceType,
		zone:         offering.Zone,
		capacityType: offering.CapacityType,
	}
}

// rememberRefusal notes a capacity refusal for every machine of the process.
func (a *Allocator) rememberRefusal(offering v1alpha3.MachineClassOffering, message string) {
	if offering.InstanceType == "" {
		// A resumed launch does not always know what it was begun with.
		return
	}

	now := a.runner.Clock.Now()

	a.mu.Lock()
	defer a.mu.Unlock()

	maps.DeleteFunc(a.refusals, func(_ refusalKey, known refusal) bool { return now.Sub(known.at) >= refusalMemory })
	a.refusals[keyOf(offering)] = refusal{message: message, at: now}
}

// refused returns a refusal that is still believed.
func (a *Allocator) refused(offering v1alpha3.MachineClassOffering) (refusal, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()

	known, ok := a.refusals[keyOf(offering)]
	if !ok || a.runner.Clock.Since(known.at) >= refusalMemory {
		return refusal{}, false
	}

	return known, true
}
