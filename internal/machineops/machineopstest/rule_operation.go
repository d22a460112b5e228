package machineopstest

import (
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func operationRules() []Rule {
	return []Rule{
		{
			Name:    "OperationsHaveOneEffect",
			Promise: "a long-running operation that is begun again, in any process, does nothing twice",
			check:   operationsHaveOneEffect,
		},
		{
			Name:    "OperationsTouchOnlyTheirHost",
			Promise: "an operation acts on no other host than the one it names, and reports no allocation",
			check:   operationsTouchOnlyTheirHost,
		},
		{
			Name:    "ReplaySafeOperationsCanBeRepeated",
			Promise: "an immediate operation that is declared replay-safe can be executed again",
			check:   replaySafeOperationsCanBeRepeated,
		},
		{
			Name:    "CleanupCanBeRepeated",
			Promise: "cleanup ends well, also when its outcome was lost, and creates no host",
			check:   cleanupCanBeRepeated,
		},
	}
}

// eachKind calls f, for each kind besides HostAllocate and HostRelease, with the
// operation and with its request for one host that is allocated for all.
func (c *check) eachKind(
	f func(first, second *machineops.Operation, request machineops.OperationRequest, host string),
) {
	one, two, ok := c.processes()
	if !ok {
		return
	}

	allocated, result, ok := c.allocate(one, "host")
	if !ok {
		return
	}

	for _, kind := range c.kinds(one) {
		first, ok := c.operation(one, kind)
		if !ok {
			continue
		}

		second, ok := c.operation(two, kind)
		if !ok {
			continue
		}

		f(first, second, c.operationRequest(first, kind, allocated, result), result.Allocation.ProviderResourceID)
	}
}

func (c *check) kinds(registration *machineops.Provider) []unboundedv1alpha3.OperationKind {
	if c.suite.Kinds != nil {
		return c.suite.Kinds
	}

	return slices.DeleteFunc(
		unboundedv1alpha3.OperationKinds(),
		func(kind unboundedv1alpha3.OperationKind) bool {
			_, ok := registration.Operation(kind)

			return !ok ||
				kind == unboundedv1alpha3.OperationHostAllocate ||
				kind == unboundedv1alpha3.OperationHostRelease
		},
	)
}

func (c *check) operationRequest(
	operation *machineops.Operation,
	kind unboundedv1alpha3.OperationKind,
	allocated machineops.OperationRequest,
	result machineops.OperationResult,
) machineops.OperationRequest {
	if c.suite.Operation != nil {
		return c.suite.Operation(kind, allocated, result)
	}

	request := derivedRequest(kind, allocated, result)
	request.Parameters = nil
	request.Allocation = nil

	if operation.RequiresReplaceUserData() {
		request.ReplaceUserData = allocated.Allocation.UserData
	}

	return request
}

func operationsHaveOneEffect(c *check) {
	c.eachKind(func(first, second *machineops.Operation, request machineops.OperationRequest, _ string) {
		if first.Mode() != machineops.OperationModeLongRunning {
			return
		}

		mark := c.mark()

		for _, operation := range []*machineops.Operation{first, first, second} {
			begun, ok := c.mustBegin(operation, request)
			if !ok {
				return
			}

			// The last handle alone was persisted.
			if operation == second {
				c.pollToSuccess(
					request, begun.Operation, func() (*machineops.Operation, bool) { return second, true })
			}
		}

		c.checkNothingTwice(mark)
	})
}

func operationsTouchOnlyTheirHost(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	if _, _, ok := c.allocate(registration, "bystander"); !ok {
		return
	}

	c.eachKind(func(_, _ *machineops.Operation, request machineops.OperationRequest, host string) {
		mark := c.mark()

		result, ok := c.perform(registration, request)
		if !ok {
			return
		}

		if result.Allocation != nil {
			c.violate("%s reported an allocation: %v", request.Operation, result.Allocation)
		}

		if result.CleanupProviderID != "" {
			// Its identity was replaced, so its effects are upon two hosts by right.
			return
		}

		for _, effect := range c.effects(mark) {
			if effect.Kind == unboundedv1alpha3.OwnedResourceInstance && effect.ID != host {
				c.violate("%s of host %s did %v", request.Operation, host, effect)
			}
		}
	})
}

func replaySafeOperationsCanBeRepeated(c *check) {
	c.eachKind(func(first, second *machineops.Operation, request machineops.OperationRequest, _ string) {
		if !first.ReplaySafe() {
			return
		}

		for _, operation := range []*machineops.Operation{first, first, second} {
			if _, err := c.execute(operation, request); err != nil {
				c.violate("%s failed: %v", request.Operation, err)
			}
		}
	})
}

func cleanupCanBeRepeated(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	clean := func(request machineops.OperationRequest, result machineops.OperationResult) {
		operation, ok := c.operation(registration, request.Operation)
		if !ok {
			return
		}

		mark := c.mark()

		for range 2 {
			if err := c.cleanup(operation, request, result); err != nil {
				c.violate("cleanup of %s failed: %v", request.Operation, err)
			}
		}

		if created := createdHosts(c.effects(mark)); len(created) > 0 {
			c.violate("cleanup of %s created %q", request.Operation, created)
		}
	}

	request, result, ok := c.allocate(registration, "cleaned")
	if !ok {
		return
	}

	clean(request, result)

	c.eachKind(func(_, _ *machineops.Operation, request machineops.OperationRequest, _ string) {
		if result, ok := c.perform(registration, request); ok {
			clean(request, result)
		}
	})

	release := c.releaseRequest(request, result)
	if released, ok := c.perform(registration, release); ok {
		clean(release, released)
	}
}
