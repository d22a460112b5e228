package provider

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// alicloudCapacityAdvice says what of a class to change, all of whose offerings were
// refused: first what was tried the least of.
func alicloudCapacityAdvice(attempts []lifecycle.Attempt) string {
	var types, zones, charges, full, reasons []string

	add := func(set *[]string, value string) {
		if value != "" && !slices.Contains(*set, value) {
			*set = append(*set, value)
		}
	}

	for _, attempt := range attempts {
		add(&types, attempt.Offering.InstanceType)
		add(&zones, attempt.Offering.Zone)
		add(&charges, string(attempt.Offering.CapacityType))
		add(&reasons, attempt.Reason)

		if attempt.Reason == v1alpha3.ReasonNetworkFull {
			add(&full, attempt.Offering.Network)
		}
	}

	var steps []string

	if len(full) > 0 {
		steps = append(steps, fmt.Sprintf("free addresses in %s, or add a vSwitch with free ones to vswitch_ids", strings.Join(full, ", ")))
	}

	if slices.Contains(reasons, v1alpha3.ReasonTermsNotOffered) {
		steps = append(steps, "change the terms that the refusals are about (the disks, the spot price limit, private_pool or deployment_set_id)")
	}

	// Of vSwitches that are full nothing follows for the stock.
	if len(reasons) != 1 || reasons[0] != v1alpha3.ReasonNetworkFull {
		steps = append(steps, stockSteps(types, zones, charges)...)
	}

	return capitalized(strings.Join(steps, "; or ")) + "; or apply again later."
}

// stockSteps are where else there may be stock.
func stockSteps(types, zones, charges []string) []string {
	var steps []string

	if len(charges) == 1 && charges[0] == string(v1alpha3.CapacityTypeSpot) {
		steps = append(steps, fmt.Sprintf("add %q to capacity_types", v1alpha3.CapacityTypeOnDemand))
	}

	if len(zones) == 1 {
		steps = append(steps, "add a vSwitch of another zone than "+zones[0]+" to vswitch_ids")
	}

	more := "add types to instance_types, or widen requirements"
	if len(types) == 1 {
		more = "add another type than " + types[0] + " to instance_types, or widen requirements"
	}

	steps = append(steps, more)

	if len(zones) > 1 {
		steps = append(steps, "add vSwitches of other zones to vswitch_ids")
	}

	return steps
}

func capitalized(text string) string {
	if text == "" {
		return text
	}

	return strings.ToUpper(text[:1]) + text[1:]
}
