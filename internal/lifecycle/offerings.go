package lifecycle

import (
	"context"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// candidate tells offerings apart within one call.
type candidate struct {
	refusalKey

	id      string
	network string
}

func candidateOf(offering v1alpha3.MachineClassOffering) candidate {
	return candidate{refusalKey: keyOf(offering), id: offering.ID, network: offering.Network}
}

// next returns the first offering that was neither tried in this call nor refused
// a while ago. The class is resolved for every launch: a resolution that is still
// valid costs nothing, and from any other nothing may be launched.
//
// Where another machine's launch from the offering is the first one and not answered
// yet, it waits for that, and looks again.
func (l *launch) next(ctx context.Context) (v1alpha3.MachineClassOffering, bool, error) {
	// waitedFor are the offerings for which no further wait is worth its time.
	waitedFor := map[candidate]struct{}{}
	l.probing = false

	for {
		offerings, err := l.allocator.classes.Resolve(ctx, l.request.Class)
		if err != nil {
			return v1alpha3.MachineClassOffering{}, false, err
		}

		offering, found := l.firstUntried(offerings)
		if !found {
			return v1alpha3.MachineClassOffering{}, false, nil
		}

		if _, waited := waitedFor[candidateOf(offering)]; !waited {
			answered, leading := l.allocator.enterProbe(offering)
			if answered != nil {
				inTime, err := l.allocator.awaitProbe(ctx, answered)
				if err != nil {
					return v1alpha3.MachineClassOffering{}, false, err
				}

				if !inTime {
					waitedFor[candidateOf(offering)] = struct{}{}
				}

				continue
			}

			l.probing = leading
		}

		l.tried[candidateOf(offering)] = struct{}{}

		return offering, true, nil
	}
}

// firstUntried returns the first offering that was neither tried nor refused; what was
// refused to another machine is noted as refused to this one.
func (l *launch) firstUntried(offerings []v1alpha3.MachineClassOffering) (v1alpha3.MachineClassOffering, bool) {
	if !l.request.Class.ZonesInOrder {
		offerings = spread(offerings, l.request.Identity.Name)
	}

	for _, offering := range soldOutLast(offerings) {
		if _, tried := l.tried[candidateOf(offering)]; tried {
			continue
		}

		known, refused := l.allocator.refused(l.request.Class, offering)
		if !refused {
			return offering, true
		}

		l.tried[candidateOf(offering)] = struct{}{}

		if l.told(offering, known.reason) {
			continue
		}

		l.allocated.Attempts = append(l.allocated.Attempts, Attempt{
			Offering: offering, Reason: known.reason, Message: known.message, Said: known.said, RequestID: known.requestID,
			At: known.at, Remembered: true, Age: l.clock().Since(known.at),
		})
	}

	return v1alpha3.MachineClassOffering{}, false
}

// soldOutLast moves the offerings that are published as sold out behind all
// others. They are not left out: the publication lags behind, and a launch that is
// refused costs one call.
func soldOutLast(offerings []v1alpha3.MachineClassOffering) []v1alpha3.MachineClassOffering {
	soldOut := func(offering v1alpha3.MachineClassOffering) int {
		switch offering.Availability {
		case v1alpha3.AvailabilitySoldOut, v1alpha3.AvailabilityDiscontinued:
			return 1
		default:
			return 0
		}
	}

	slices.SortStableFunc(offerings, func(a, b v1alpha3.MachineClassOffering) int { return soldOut(a) - soldOut(b) })

	return offerings
}

// told reports whether the refusal of the offering is among the attempts already,
// because it was met by one that differs only in what the refusal is not about.
func (l *launch) told(offering v1alpha3.MachineClassOffering, reason string) bool {
	return slices.ContainsFunc(l.allocated.Attempts, func(attempt Attempt) bool {
		return keyOf(attempt.Offering) == keyOf(offering) &&
			(reason != v1alpha3.ReasonNetworkFull || attempt.Offering.Network == offering.Network)
	})
}
