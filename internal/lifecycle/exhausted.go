package lifecycle

import (
	"fmt"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ExhaustedError reports that every offering of a class was refused.
type ExhaustedError struct {
	Class    string
	Attempts []Attempt
}

// Error names every candidate with its refusal.
func (e *ExhaustedError) Error() string {
	if len(e.Attempts) == 0 {
		return fmt.Sprintf("the class %q has no offering that can be launched", e.Class)
	}

	return fmt.Sprintf("every offering of the class %q was refused:", e.Class) + refusalsText(e.Attempts)
}

// Refusals tells what was tried and did not hold, one line each; empty where there is
// nothing to tell.
func (a Allocated) Refusals() string {
	if len(a.Attempts) == 0 {
		return ""
	}

	return "what was tried before did not hold:" + refusalsText(a.Attempts)
}

func refusalsText(attempts []Attempt) string {
	var text strings.Builder

	for _, attempt := range attempts {
		text.WriteString("\n- " + attempt.candidate() + ": " + attempt.Message)

		if attempt.Remembered {
			fmt.Fprintf(&text, " (asked %s before, at %s, and not again)",
				attempt.Age.Round(time.Second), attempt.At.UTC().Format("15:04:05 MST"))
		}
	}

	return text.String()
}

// candidate names what was asked for.
func (a Attempt) candidate() string {
	offering := a.Offering
	if offering.InstanceType == "" {
		return "the launch that an earlier run began"
	}

	place := offering.Zone
	if a.Reason == v1alpha3.ReasonNetworkFull {
		place = offering.Network + ", " + offering.Zone
	}

	return fmt.Sprintf("%s in %s (%s)", offering.InstanceType, place, offering.CapacityType)
}
