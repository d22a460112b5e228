package machineopstest

import (
	"reflect"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func pollRules() []Rule {
	return []Rule{
		{
			Name:    "PollResumesInAnotherProcess",
			Promise: "a persisted handle is all that another process needs, without provider configuration and user data",
			check:   pollResumesInAnotherProcess,
		},
		{
			Name:    "PollOnlyObserves",
			Promise: "polling an allocation causes no effect",
			check:   pollOnlyObserves,
		},
		{
			Name:    "PollKeepsTheEnd",
			Promise: "an operation that succeeded stays so, with the same result",
			check:   pollKeepsTheEnd,
		},
		{
			Name:    "PollBelievesNoForeignHandle",
			Promise: "a handle that nobody was given leads to no success",
			check:   pollBelievesNoForeignHandle,
		},
	}
}

func pollResumesInAnotherProcess(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, ok := c.request(registration, "resumed")
	if !ok {
		return
	}

	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return
	}

	begun, ok := c.mustBegin(operation, request)
	if !ok {
		return
	}

	// What is recorded of a request holds neither of the two.
	recorded := *request.Allocation
	recorded.ProviderConfig = machineops.ProviderConfig{}
	recorded.UserData = ""
	request.Allocation = &recorded

	c.pollToSuccess(request, begun.Operation, func() (*machineops.Operation, bool) {
		fresh, ok := c.process()
		if !ok {
			return nil, false
		}

		return c.operation(fresh, unboundedv1alpha3.OperationHostAllocate)
	})
}

func pollOnlyObserves(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, ok := c.request(registration, "observed")
	if !ok {
		return
	}

	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return
	}

	begun, ok := c.mustBegin(operation, request)
	if !ok {
		return
	}

	mark := c.mark()
	c.hostOf(operation, request, begun.Operation)

	if effects := c.effects(mark); len(effects) > 0 {
		c.violate("polling did %v", effects)
	}
}

func pollKeepsTheEnd(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	request, ok := c.request(first, "ended")
	if !ok {
		return
	}

	operation, ok := c.operation(first, request.Operation)
	if !ok {
		return
	}

	begun, ok := c.mustBegin(operation, request)
	if !ok {
		return
	}

	result, ok := c.pollToSuccess(
		request, begun.Operation, func() (*machineops.Operation, bool) { return operation, true })
	if !ok {
		return
	}

	for _, registration := range []*machineops.Provider{first, second} {
		operation, ok := c.operation(registration, request.Operation)
		if !ok {
			return
		}

		again, err := c.poll(c.ctx, operation, request, begun.Operation)
		if err != nil || again.State != machineops.ProviderOperationStateSucceeded {
			c.violate("after success, Poll answered %s and %v", again.State, err)
		} else if !reflect.DeepEqual(again.Result, result) {
			c.violate("after success, the result became %v", again.Result)
		}
	}
}

func pollBelievesNoForeignHandle(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, ok := c.request(registration, "foreign")
	if !ok {
		return
	}

	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return
	}

	for _, handle := range []machineops.ProviderOperation{
		{},
		{OperationID: "nobody-was-given-this", ResumeToken: "nobody-was-given-this"},
	} {
		polled, err := c.poll(c.ctx, operation, request, handle)
		if err == nil && polled.State == machineops.ProviderOperationStateSucceeded {
			c.violate("the handle %v led to %v", handle, polled.Result)
		}
	}
}
