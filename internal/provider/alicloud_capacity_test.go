package provider

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestTheBestStepAfterARefusalIsToldFirst(t *testing.T) {
	t.Parallel()

	attempt := func(instanceType, zone string, charge v1alpha3.CapacityType, reason string) lifecycle.Attempt {
		return lifecycle.Attempt{Reason: reason, Offering: v1alpha3.MachineClassOffering{InstanceType: instanceType, Zone: zone, Network: "vsw-" + zone, CapacityType: charge}}
	}

	const (
		spot, onDemand = v1alpha3.CapacityTypeSpot, v1alpha3.CapacityTypeOnDemand
		soldOut, full  = v1alpha3.ReasonInsufficientCapacity, v1alpha3.ReasonNetworkFull
		terms          = v1alpha3.ReasonTermsNotOffered
	)

	for name, test := range map[string]struct {
		attempts []lifecycle.Attempt
		want     string
	}{
		"nothing was offered": {nil, "Add types to instance_types, or widen requirements; or apply again later."},
		"only spot was asked for": {
			[]lifecycle.Attempt{attempt("large", "a", spot, soldOut), attempt("large", "b", spot, soldOut)},
			`Add "on_demand" to capacity_types; or add another type than large to instance_types, or widen requirements; or add vSwitches of other zones to vswitch_ids; or apply again later.`,
		},
		"only one zone was asked for": {
			[]lifecycle.Attempt{attempt("large", "a", spot, soldOut), attempt("small", "a", onDemand, soldOut)},
			"Add a vSwitch of another zone than a to vswitch_ids; or add types to instance_types, or widen requirements; or apply again later.",
		},
		"every vSwitch is full": {
			[]lifecycle.Attempt{attempt("large", "a", onDemand, full), attempt("large", "b", onDemand, full)},
			"Free addresses in vsw-a, vsw-b, or add a vSwitch with free ones to vswitch_ids; or apply again later.",
		},
		"the terms are not to be had": {
			[]lifecycle.Attempt{attempt("large", "a", onDemand, terms), attempt("small", "b", onDemand, soldOut)},
			"Change the terms that the refusals are about (the disks, the spot price limit, private_pool or deployment_set_id); or add types to instance_types, or widen requirements; " +
				"or add vSwitches of other zones to vswitch_ids; or apply again later.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := alicloudCapacityAdvice(test.attempts); got != test.want {
				t.Errorf("the advice is %q, want %q", got, test.want)
			}
		})
	}
}
