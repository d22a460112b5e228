package lifecycle

import (
	"fmt"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// mostTold is how many offerings are named that were refused for one reason, and
	// mostReasons for how many reasons.
	mostTold    = 12
	mostReasons = 6
)

// ExhaustedError reports that every offering of a class was refused.
type ExhaustedError struct {
	Class    string
	Attempts []Attempt
}

// Error names the candidates with their refusals, by what was said of them; of a long
// list it says how long it is.
func (e *ExhaustedError) Error() string {
	if len(e.Attempts) == 0 {
		return fmt.Sprintf("the class %q has no offering that can be launched", e.Class)
	}

	return fmt.Sprintf("every offering of the class %q was refused (%d in all):", e.Class, len(e.Attempts)) + refusalsText(e.Attempts)
}

// Refusals tells what was tried and did not hold, as ExhaustedError does; empty where
// there is nothing to tell.
func (a Allocated) Refusals() string {
	if len(a.Attempts) == 0 {
		return ""
	}

	return "what was tried before did not hold:" + refusalsText(a.Attempts)
}

// refusedAlike are attempts that were refused for one reason, in the same words.
type refusedAlike struct {
	reason, said string
	attempts     []Attempt
}

func grouped(attempts []Attempt) []refusedAlike {
	var groups []refusedAlike

next:
	for _, attempt := range attempts {
		for i := range groups {
			if groups[i].reason == attempt.Reason && groups[i].said == attempt.Said {
				groups[i].attempts = append(groups[i].attempts, attempt)

				continue next
			}
		}

		groups = append(groups, refusedAlike{reason: attempt.Reason, said: attempt.Said, attempts: []Attempt{attempt}})
	}

	return groups
}

// refusalsText tells of the attempts, one line each at most: those that were refused
// alike one after the other, under what was said of all of them.
func refusalsText(attempts []Attempt) string {
	var text strings.Builder

	groups := grouped(attempts)

	for i, group := range groups {
		if i == mostReasons {
			rest := 0
			for _, left := range groups[i:] {
				rest += len(left.attempts)
			}

			fmt.Fprintf(&text, "\n- and %d more, for other reasons", rest)

			break
		}

		text.WriteString(group.text(len(groups) > 1))
	}

	return text.String()
}

// text tells of the attempts, and of several how many they are where they are not all.
func (g refusedAlike) text(amongOthers bool) string {
	var text strings.Builder

	why := reasonText(g.reason)
	if g.said != "" {
		why += ": " + g.said
	}

	if len(g.attempts) > 1 && g.said != "" {
		text.WriteString("\n" + why)

		if amongOthers {
			fmt.Fprintf(&text, " (%d of them)", len(g.attempts))
		}

		text.WriteString(":")
	}

	for i, attempt := range g.attempts {
		if i == mostTold {
			fmt.Fprintf(&text, "\n- and %d more", len(g.attempts)-i)

			break
		}

		text.WriteString("\n- " + attempt.candidate())

		switch {
		case g.said == "":
			text.WriteString(": " + attempt.Message)
		case len(g.attempts) == 1:
			text.WriteString(": " + why + told(" (request %s)", attempt.RequestID))
		default:
			text.WriteString(told(", request %s", attempt.RequestID))
		}

		if attempt.Remembered {
			fmt.Fprintf(&text, " (asked %s before, at %s, and not again)",
				attempt.Age.Round(time.Second), attempt.At.UTC().Format("15:04:05 MST"))
		}
	}

	return text.String()
}

// told is a text around a value, and nothing without one.
func told(format, value string) string {
	if value == "" {
		return ""
	}

	return fmt.Sprintf(format, value)
}

// reasonText is a reason in words.
func reasonText(reason string) string {
	switch reason {
	case v1alpha3.ReasonInsufficientCapacity:
		return "no stock"
	case v1alpha3.ReasonNetworkFull:
		return "no free address"
	case v1alpha3.ReasonTermsNotOffered:
		return "not on these terms"
	case v1alpha3.ReasonWithdrawn:
		return "withdrawn after it was accepted"
	default:
		return reason
	}
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
