package machineopstest

import (
	"context"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const concurrentBegins = 4

func allocateRules() []Rule {
	return []Rule{
		{
			Name:    "BeginIsIdempotent",
			Promise: "beginning again under one OperationUID, in any process, returns a usable handle of the same operation",
			check:   beginIsIdempotent,
		},
		{
			Name:    "ConcurrentBeginsAreOneEffect",
			Promise: "processes that begin one operation at the same time cause one effect",
			check:   concurrentBeginsAreOneEffect,
		},
		{
			Name:    "BeginIsKeyedOnTheAllocation",
			Promise: "an OperationUID under another allocation UID is another operation",
			check:   beginIsKeyedOnTheAllocation,
		},
		{
			Name:    "CancellationChangesAndEndsNothing",
			Promise: "a canceled context causes no effect, and its error is no end of the operation",
			check:   cancellationChangesAndEndsNothing,
		},
		{
			Name:    "AllocationResultIsWellFormed",
			Promise: "an allocated host is named, is of the offering, and is among the owned resources",
			check:   allocationResultIsWellFormed,
		},
	}
}

func beginIsIdempotent(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	request, ok := c.request(first, "repeated")
	if !ok {
		return
	}

	mark := c.mark()
	hosts := map[string]bool{}

	for _, registration := range []*machineops.Provider{first, first, second} {
		operation, ok := c.operation(registration, request.Operation)
		if !ok {
			return
		}

		begun, ok := c.mustBegin(operation, request)
		if !ok {
			return
		}

		if host, ok := c.hostOf(operation, request, begun.Operation); ok {
			hosts[host] = true
		}
	}

	if created := createdHosts(c.effects(mark)); len(created) != 1 || len(hosts) != 1 {
		c.violate("three Begins created the hosts %q, and their handles lead to %d", created, len(hosts))
	}
}

// hostOf follows a handle to its host.
func (c *check) hostOf(
	operation *machineops.Operation, request machineops.OperationRequest, handle machineops.ProviderOperation,
) (string, bool) {
	result, ok := c.pollToSuccess(request, handle, func() (*machineops.Operation, bool) { return operation, true })
	if !ok {
		return "", false
	}

	return result.Allocation.ProviderResourceID, true
}

func concurrentBeginsAreOneEffect(c *check) {
	var operations []*machineops.Operation

	for range concurrentBegins {
		registration, ok := c.process()
		if !ok {
			return
		}

		operation, ok := c.operation(registration, unboundedv1alpha3.OperationHostAllocate)
		if !ok {
			return
		}

		operations = append(operations, operation)
	}

	registration, ok := c.process()
	if !ok {
		return
	}

	request, ok := c.request(registration, "concurrent")
	if !ok {
		return
	}

	mark := c.mark()
	c.beginTogether(operations, request)

	// Losers of the race may answer with an ordinary error; trying again must do.
	if begun, ok := c.mustBegin(operations[0], request); ok {
		c.hostOf(operations[0], request, begun.Operation)
	}

	if created := createdHosts(c.effects(mark)); len(created) != 1 {
		c.violate("concurrent Begins created the hosts %q", created)
	}
}

// beginTogether calls the registrations at the same time and looks at the answers
// afterwards.
func (c *check) beginTogether(operations []*machineops.Operation, request machineops.OperationRequest) {
	var group sync.WaitGroup

	begun := make([]machineops.BeginResult, len(operations))
	failed := make([]error, len(operations))

	for i, operation := range operations {
		group.Go(func() {
			failed[i] = recovered(func() (err error) {
				begun[i], err = operation.Begin(c.ctx, request)

				return err
			})
		})
	}

	group.Wait()

	for i, err := range failed {
		c.inspectBegun(begun[i], err)

		if err == nil {
			continue
		}

		c.inspect("Begin's error", err.Error())

		if isPermanent(err) {
			c.violate("a concurrent Begin ended the operation: %v", err)
		}
	}
}

func beginIsKeyedOnTheAllocation(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, result, ok := c.allocate(registration, "incarnation")
	if !ok {
		return
	}

	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return
	}

	other := *request.Allocation
	other.UID = types.UID(string(other.UID) + "-next")
	request.Allocation = &other

	begun, err := c.begin(c.ctx, operation, request)
	if err != nil {
		// A refusal keeps the two apart as well.
		return
	}

	if host, ok := c.hostOf(operation, request, begun.Operation); ok && host == result.Allocation.ProviderResourceID {
		c.violate("another incarnation of the allocation was given the same host, %s", host)
	}
}

func cancellationChangesAndEndsNothing(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, ok := c.request(registration, "canceled")
	if !ok {
		return
	}

	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return
	}

	canceled, cancel := context.WithCancel(c.ctx)
	cancel()

	mark := c.mark()
	_, err := c.begin(canceled, operation, request)
	c.checkCanceled("Begin", err, machineops.ProviderOperationStateInProgress, mark)

	begun, ok := c.mustBegin(operation, request)
	if !ok {
		return
	}

	mark = c.mark()
	polled, err := c.poll(canceled, operation, request, begun.Operation)
	c.checkCanceled("Poll", err, polled.State, mark)

	result, ok := c.pollToSuccess(
		request, begun.Operation, func() (*machineops.Operation, bool) { return operation, true })
	if !ok {
		return
	}

	release := c.releaseRequest(request, result)
	if operation, ok = c.operation(registration, release.Operation); !ok {
		return
	}

	mark = c.mark()
	_, err = c.begin(canceled, operation, release)
	c.checkCanceled("Begin of HostRelease", err, machineops.ProviderOperationStateInProgress, mark)
}

func (c *check) checkCanceled(what string, err error, state machineops.ProviderOperationState, mark int) {
	if isPermanent(err) || (err == nil && ended(state) && state != machineops.ProviderOperationStateSucceeded) {
		c.violate("%s with a canceled context ended the operation: %s %v", what, state, err)
	}

	if effects := c.effects(mark); len(effects) > 0 {
		c.violate("%s with a canceled context did %v", what, effects)
	}
}

func allocationResultIsWellFormed(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	mark := c.mark()

	request, result, ok := c.allocate(registration, "result")
	if !ok {
		return
	}

	host := result.Allocation.ProviderResourceID

	if created := createdHosts(c.effects(mark)); !slices.Equal(created, []string{host}) {
		c.violate("the result names the host %q, created were %q", host, created)
	}

	if result.ProviderID == "" {
		c.violate("the result has no provider ID")
	}

	offering := request.Allocation.Offering
	if result.Allocation.InstanceType != offering.InstanceType || result.Allocation.Zone != offering.Zone {
		c.violate("offered was %s in %q, the result says %s in %q",
			offering.InstanceType, offering.Zone, result.Allocation.InstanceType, result.Allocation.Zone)
	}

	seen := map[string]bool{}

	for _, owned := range result.Allocation.OwnedResources {
		if owned.Kind == "" || owned.ID == "" || seen[owned.ID] {
			c.violate("an owned resource lacks its kind or ID, or is named twice: %v", owned)
		}

		seen[owned.ID] = true
	}

	if !seen[host] {
		c.violate("the host is not among the owned resources %v", result.Allocation.OwnedResources)
	}
}
