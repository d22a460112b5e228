package lifecycle

import (
	"maps"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// refusalMemory is how long a capacity refusal is believed.
const refusalMemory = 5 * time.Minute

// refusalKey is what a capacity refusal is true of: a type in a zone for one way to
// pay, that on the terms of one class, or a network alone. A zone's name says its
// region.
type refusalKey struct {
	instanceType string
	zone         string
	capacityType v1alpha3.CapacityType
	network      string
	class        string
}

type refusal struct {
	reason  string
	message string
	at      time.Time
	// said and requestID are those of Attempt.
	said, requestID string
}

func keyOf(offering v1alpha3.MachineClassOffering) refusalKey {
	return refusalKey{
		instanceType: offering.InstanceType,
		zone:         offering.Zone,
		capacityType: offering.CapacityType,
	}
}

// refusedKey returns what a refusal of an offering of the class is true of. A network
// that is full is full for every type.
func refusedKey(class Class, offering v1alpha3.MachineClassOffering, reason string) refusalKey {
	key := keyOf(offering)

	switch reason {
	case v1alpha3.ReasonNetworkFull:
		return refusalKey{network: offering.Network}
	case v1alpha3.ReasonTermsNotOffered:
		key.class = class.key()
	}

	return key
}

// rememberRefusal notes a capacity refusal for every machine of the process.
func (a *Allocator) rememberRefusal(class Class, offering v1alpha3.MachineClassOffering, failed *FailedError) {
	key := refusedKey(class, offering, failed.Reason)
	if key.network == "" && key.instanceType == "" {
		// A resumed launch does not always know what it was begun with.
		return
	}

	now := a.runner.Clock.Now()
	text, requestID := machineops.Refused(failed)

	a.mu.Lock()
	defer a.mu.Unlock()

	maps.DeleteFunc(a.refusals, func(_ refusalKey, known refusal) bool { return now.Sub(known.at) >= refusalMemory })
	a.refusals[key] = refusal{reason: failed.Reason, message: failed.Error(), at: now, said: text, requestID: requestID}
	delete(a.accepted, keyOf(offering))
}

// refused returns a refusal that is still believed.
func (a *Allocator) refused(class Class, offering v1alpha3.MachineClassOffering) (refusal, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()

	for _, reason := range []string{v1alpha3.ReasonInsufficientCapacity, v1alpha3.ReasonTermsNotOffered, v1alpha3.ReasonNetworkFull} {
		key := refusedKey(class, offering, reason)
		if known, ok := a.refusals[key]; ok && a.runner.Clock.Since(known.at) < refusalMemory {
			return known, true
		}
	}

	return refusal{}, false
}
