package machineopstest

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func releaseRules() []Rule {
	return []Rule{
		{
			Name:    "ReleaseGivesBackWhatIsOwned",
			Promise: "release, without provider configuration and user data, removes the host and all that outlives it",
			check:   releaseGivesBackWhatIsOwned,
		},
		{
			Name:    "ReleaseTouchesOnlyWhatIsOwned",
			Promise: "release acts only on the resources recorded as owned by the allocation",
			check:   releaseTouchesOnlyWhatIsOwned,
		},
		{
			Name:    "ReleaseIsRepeatable",
			Promise: "releasing again, in any process, ends well and does nothing more; absent is released",
			check:   releaseIsRepeatable,
		},
	}
}

// releaseRequest returns the HostRelease request for an allocated host.
func (c *check) releaseRequest(
	request machineops.OperationRequest, result machineops.OperationResult,
) machineops.OperationRequest {
	if c.suite.Release != nil {
		return c.suite.Release(request, result)
	}

	return derivedRequest(unboundedv1alpha3.OperationHostRelease, request, result)
}

// derivedRequest returns what a caller asks about an allocated host for which it
// has recorded request and result.
func derivedRequest(
	kind unboundedv1alpha3.OperationKind, request machineops.OperationRequest, result machineops.OperationResult,
) machineops.OperationRequest {
	derived := request
	derived.Operation = kind
	derived.OperationName = request.OperationName + "-" + string(kind)
	derived.OperationUID = types.UID(string(request.OperationUID) + "-" + string(kind))
	derived.ProviderID = result.ProviderID
	derived.HostImage = result.Allocation.Image

	allocation := *request.Allocation
	allocation.ProviderConfig = machineops.ProviderConfig{}
	allocation.UserData = ""
	allocation.OwnedResources = slices.Clone(result.Allocation.OwnedResources)
	derived.Allocation = &allocation

	return derived
}

func releaseGivesBackWhatIsOwned(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	request, result, ok := c.allocate(first, "released")
	if !ok {
		return
	}

	mark := c.mark()

	released, ok := c.perform(second, c.releaseRequest(request, result))
	if !ok {
		return
	}

	if released.Allocation != nil {
		c.violate("release reported an allocation: %v", released.Allocation)
	}

	removed := map[string]bool{}

	for _, effect := range c.effects(mark) {
		if effect.Action == ActionRemove {
			removed[effect.ID] = true
		}
	}

	for _, owned := range result.Allocation.OwnedResources {
		expected := owned.OutlivesHost || owned.ID == result.Allocation.ProviderResourceID
		if expected && !removed[owned.ID] {
			c.violate("release ended well without removing %s %s", owned.Kind, owned.ID)
		}
	}
}

func releaseTouchesOnlyWhatIsOwned(c *check) {
	registration, ok := c.process()
	if !ok {
		return
	}

	request, result, ok := c.allocate(registration, "ours")
	if !ok {
		return
	}

	_, other, ok := c.allocate(registration, "other")
	if !ok {
		return
	}

	release := c.releaseRequest(request, result)

	// Owned is nothing, though the request names the host.
	nothing := release
	allocation := *release.Allocation
	allocation.OwnedResources = nil
	nothing.Allocation = &allocation
	nothing.OperationUID += "-nothing"
	c.attemptRelease(registration, nothing, nil)

	// Owned is our host, though the request names another one.
	misnamed := release
	misnamed.ProviderID = other.ProviderID
	misnamed.OperationUID += "-misnamed"
	c.attemptRelease(registration, misnamed, release.Allocation.OwnedResources)

	c.attemptRelease(registration, release, release.Allocation.OwnedResources)
}

// attemptRelease releases, whatever comes of it, and sees that nothing but the
// owned resources was touched.
func (c *check) attemptRelease(
	registration *machineops.Provider,
	request machineops.OperationRequest,
	owned []unboundedv1alpha3.ProviderOwnedResource,
) {
	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return
	}

	mark := c.mark()

	if begun, err := c.begin(c.ctx, operation, request); err == nil {
		c.pollToAnyEnd(operation, request, begun.Operation)
	}

	for _, effect := range c.effects(mark) {
		if !slices.ContainsFunc(owned, func(o unboundedv1alpha3.ProviderOwnedResource) bool { return o.ID == effect.ID }) {
			c.violate("owned was %v, but release did %v", owned, effect)
		}
	}
}

func (c *check) pollToAnyEnd(
	operation *machineops.Operation, request machineops.OperationRequest, handle machineops.ProviderOperation,
) {
	for range c.polls() {
		polled, err := c.poll(c.ctx, operation, request, handle)
		if isPermanent(err) || (err == nil && ended(polled.State)) || c.wait(polled.RequeueAfter) != nil {
			return
		}
	}

	c.violate("%s came to no end in %d polls", request.Operation, c.polls())
}

func releaseIsRepeatable(c *check) {
	first, second, ok := c.processes()
	if !ok {
		return
	}

	request, result, ok := c.allocate(first, "repeated")
	if !ok {
		return
	}

	release := c.releaseRequest(request, result)
	mark := c.mark()

	// Begun but never polled: its handle was lost.
	if operation, ok := c.operation(first, release.Operation); ok {
		c.mustBegin(operation, release)
	}

	c.perform(second, release)
	c.perform(first, release)

	// By another operation, after the host is gone.
	later := release
	later.OperationUID += "-later"
	c.perform(second, later)

	c.checkNothingTwice(mark)
}

// checkNothingTwice sees that no effect came upon one resource a second time.
func (c *check) checkNothingTwice(mark int) {
	seen := map[Effect]bool{}

	for _, effect := range c.effects(mark) {
		if seen[effect] {
			c.violate("%s of %s %s was done twice", effect.Action, effect.Kind, effect.ID)
		}

		seen[effect] = true
	}
}
