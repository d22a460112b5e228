package machineopstest

import (
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func capacityRules() []Rule {
	return []Rule{
		{
			Name:    "RegistrationIsStable",
			Promise: "another process registers the same name, operations and capacity",
			check:   registrationIsStable,
		},
		{
			Name:    "ResolveClassAllocatesNothing",
			Promise: "resolving a class must not allocate infrastructure",
			check:   resolveClassAllocatesNothing,
		},
		{
			Name:    "OfferingsAreWellFormed",
			Promise: "offerings are told apart by ID and carry a known availability and a ValidUntil that is still to come",
			check:   offeringsAreWellFormed,
		},
		{
			Name:    "OfferingsAreStable",
			Promise: "one class content resolves into offerings of the same IDs, in any process",
			check:   offeringsAreStable,
		},
		{
			Name:    "InvalidConfigurationIsPermanent",
			Promise: "a configuration that can never be right is a PermanentError, and nothing is done",
			check:   invalidConfigurationIsPermanent,
		},
		{
			Name:    "PlanningIsPure",
			Promise: "planning is deterministic, calls nobody and reserves nothing",
			check:   planningIsPure,
		},
		{
			Name:    "PlansIdentifyTheAllocation",
			Promise: "a plan has a locator of its own for every allocation",
			check:   plansIdentifyTheAllocation,
		},
	}
}

// traits is all that a registration says about itself.
func traits(registration *machineops.Provider) []any {
	_, capacity := registration.Capacity()
	machineKind, declared := registration.ProviderMachineKind()
	found := []any{registration.Name(), capacity, machineKind, declared}

	for _, kind := range unboundedv1alpha3.OperationKinds() {
		operation, ok := registration.Operation(kind)
		found = append(found, kind, ok, operation.Mode(), operation.ReplaySafe(), operation.RequiresReplaceUserData())
	}

	return found
}

func registrationIsStable(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	if _, ok := first.Capacity(); !ok {
		c.violate("no capacity is registered")
	}

	if !slices.Equal(traits(first), traits(second)) {
		c.violate("one process registers %v, another %v", traits(first), traits(second))
	}
}

func resolveClassAllocatesNothing(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	mark := c.mark()

	if _, err := c.resolve(registration, c.suite.Class); err != nil {
		c.violate("the class could not be resolved: %v", err)
	}

	if effects := c.effects(mark); len(effects) > 0 {
		c.violate("resolving did %v", effects)
	}
}

func offeringsAreWellFormed(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	resolution, err := c.resolve(registration, c.suite.Class)
	if err != nil || len(resolution.Offerings) == 0 {
		c.violate("the class resolved into no offering: %v", err)

		return
	}

	seen := map[string]bool{}

	for _, offering := range resolution.Offerings {
		c.checkOffering(offering)

		if seen[offering.ID] {
			c.violate("two offerings have the ID %q", offering.ID)
		}

		seen[offering.ID] = true
	}
}

func (c *check) checkOffering(offering unboundedv1alpha3.MachineClassOffering) {
	switch offering.Availability {
	case unboundedv1alpha3.AvailabilityAvailable, unboundedv1alpha3.AvailabilityLow,
		unboundedv1alpha3.AvailabilitySoldOut, unboundedv1alpha3.AvailabilityDiscontinued,
		unboundedv1alpha3.AvailabilityUnknown:
	default:
		c.violate("offering %q has the unknown availability %q", offering.ID, offering.Availability)
	}

	if offering.ID == "" || offering.InstanceType == "" {
		c.violate("an offering lacks its ID or instance type: %q, %q", offering.ID, offering.InstanceType)
	}

	if !offering.ValidUntil.After(c.now()) {
		c.violate("offering %q is valid until %s, which is no time to come", offering.ID, offering.ValidUntil)
	}

	for name, quantity := range offering.Resources {
		if quantity.Sign() < 0 {
			c.violate("offering %q has a negative quantity of %s", offering.ID, name)
		}
	}

	if offering.Price != nil && (offering.Price.Currency == "" || offering.Price.PerHour.Sign() < 0) {
		c.violate("offering %q has a price that is negative or has no currency", offering.ID)
	}
}

func offeringsAreStable(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	var resolved [][]string

	for _, registration := range []*machineops.Provider{first, first, second} {
		resolution, err := c.resolve(registration, c.suite.Class)
		if err != nil {
			c.violate("the class could not be resolved: %v", err)

			return
		}

		var ids []string
		for _, offering := range resolution.Offerings {
			ids = append(ids, offering.ID)
		}

		slices.Sort(ids)
		resolved = append(resolved, ids)
	}

	if !slices.Equal(resolved[0], resolved[1]) || !slices.Equal(resolved[0], resolved[2]) {
		c.violate("the class resolved into %q", resolved)
	}
}

func invalidConfigurationIsPermanent(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, ok := c.request(registration, "invalid")
	if !ok {
		return
	}

	operation, ok := c.operation(registration, unboundedv1alpha3.OperationHostAllocate)
	if !ok {
		return
	}

	request.Allocation.ProviderConfig = c.suite.InvalidConfig
	class := c.suite.Class
	class.ProviderConfig = c.suite.InvalidConfig
	mark := c.mark()

	if _, err := c.resolve(registration, class); !isPermanent(err) {
		c.violate("ResolveClass answered with %v", err)
	}

	if _, err := c.plan(c.ctx, registration, planRequest(request)); !isPermanent(err) {
		c.violate("PlanAllocation answered with %v", err)
	}

	if _, err := c.begin(c.ctx, operation, request); !isPermanent(err) {
		c.violate("Begin of HostAllocate answered with %v", err)
	}

	if effects := c.effects(mark); len(effects) > 0 {
		c.violate("a wrong configuration did %v", effects)
	}
}

func planRequest(request machineops.OperationRequest) machineops.AllocationPlanRequest {
	return machineops.AllocationPlanRequest{
		AllocationName: request.Allocation.Name,
		AllocationUID:  request.Allocation.UID,
		HostName:       request.Allocation.HostName,
		ProviderConfig: request.Allocation.ProviderConfig,
		Offering:       request.Allocation.Offering,
	}
}

func planningIsPure(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	request, ok := c.request(first, "planned")
	if !ok {
		return
	}

	mark, calls := c.mark(), c.suite.Calls()

	var plans []machineops.AllocationPlan

	for _, registration := range []*machineops.Provider{first, first, second} {
		plan, err := c.plan(c.ctx, registration, planRequest(request))
		if err != nil {
			c.violate("the allocation could not be planned: %v", err)

			return
		}

		plans = append(plans, plan)
	}

	if plans[0] != plans[1] || plans[0] != plans[2] {
		c.violate("one request was planned as %v", plans)
	}

	if made := c.suite.Calls() - calls; made != 0 {
		c.violate("planning made %d calls", made)
	}

	if effects := c.effects(mark); len(effects) > 0 {
		c.violate("planning did %v", effects)
	}
}

func plansIdentifyTheAllocation(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	locators := map[string]bool{}

	for _, name := range []string{"first", "second"} {
		request, ok := c.request(registration, name)
		if !ok {
			return
		}

		plan, err := c.plan(c.ctx, registration, planRequest(request))
		if err != nil || plan.ProviderID == "" {
			c.violate("the plan has no locator: %v", err)

			return
		}

		if locators[plan.ProviderID] {
			c.violate("two allocations were planned as %q", plan.ProviderID)
		}

		locators[plan.ProviderID] = true
	}
}
