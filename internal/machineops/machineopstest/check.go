package machineopstest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// check is one run of one rule. Its methods record a violation and return false
// where the rule cannot go on.
type check struct {
	ctx        context.Context // It lives as long as the call of Check that was given it.
	suite      Suite
	rule       string
	violations []Violation
}

func (c *check) violate(format string, arguments ...any) { c.violateRule(c.rule, format, arguments...) }

func (c *check) violateRule(rule, format string, arguments ...any) {
	c.violations = append(c.violations, Violation{
		Rule:   rule,
		Detail: withoutSecrets(fmt.Sprintf(format, arguments...), c.suite.Secrets),
	})
}

// process returns a registration as another process would build it.
func (c *check) process() (*machineops.Provider, bool) {
	registration, err := c.suite.New(c.ctx)
	if err != nil || registration == nil {
		c.violate("no registration could be built: %v", err)

		return nil, false
	}

	return registration, true
}

// processes returns two registrations that share nothing but the cloud.
func (c *check) processes() (first, second *machineops.Provider, ok bool) {
	first, ok = c.process()
	if !ok {
		return nil, nil, false
	}

	second, ok = c.process()

	return first, second, ok
}

func (c *check) operation(
	registration *machineops.Provider, kind unboundedv1alpha3.OperationKind,
) (*machineops.Operation, bool) {
	operation, ok := registration.Operation(kind)
	if !ok {
		c.violate("operation %s is not registered", kind)
	}

	return operation, ok
}

// request returns the HostAllocate request of a name, on an offering that a host
// can be got from.
func (c *check) request(registration *machineops.Provider, name string) (machineops.OperationRequest, bool) {
	request := c.suite.Allocation(c.rule + "-" + name)

	resolution, err := c.resolve(registration, c.suite.Class)
	if err != nil {
		c.violate("the class could not be resolved: %v", err)

		return request, false
	}

	for _, offering := range resolution.Offerings {
		if launchable(offering) {
			request.Operation = unboundedv1alpha3.OperationHostAllocate
			request.Allocation.Offering = offering

			return request, true
		}
	}

	c.violate("the class has no offering that a host can be got from")

	return request, false
}

func launchable(offering unboundedv1alpha3.MachineClassOffering) bool {
	switch offering.Availability {
	case unboundedv1alpha3.AvailabilityAvailable, unboundedv1alpha3.AvailabilityLow,
		unboundedv1alpha3.AvailabilityUnknown:
		return true
	case unboundedv1alpha3.AvailabilitySoldOut, unboundedv1alpha3.AvailabilityDiscontinued:
		return false
	default:
		return false
	}
}

// allocate gets a host for the allocation of a name.
func (c *check) allocate(
	registration *machineops.Provider, name string,
) (machineops.OperationRequest, machineops.OperationResult, bool) {
	request, ok := c.request(registration, name)
	if !ok {
		return request, machineops.OperationResult{}, false
	}

	result, ok := c.perform(registration, request)

	return request, result, ok
}

// perform brings an operation to its end, which must be success.
func (c *check) perform(
	registration *machineops.Provider, request machineops.OperationRequest,
) (machineops.OperationResult, bool) {
	operation, ok := c.operation(registration, request.Operation)
	if !ok {
		return machineops.OperationResult{}, false
	}

	if operation.Mode() == machineops.OperationModeImmediate {
		result, err := c.execute(operation, request)
		if err != nil {
			c.violate("%s failed: %v", request.Operation, err)
		}

		return result, err == nil
	}

	begun, ok := c.mustBegin(operation, request)
	if !ok {
		return machineops.OperationResult{}, false
	}

	return c.pollToSuccess(request, begun.Operation, func() (*machineops.Operation, bool) { return operation, true })
}

// mustBegin begins; ordinary errors are tried again.
func (c *check) mustBegin(
	operation *machineops.Operation, request machineops.OperationRequest,
) (machineops.BeginResult, bool) {
	for range c.polls() {
		begun, err := c.begin(c.ctx, operation, request)
		if err == nil {
			return begun, true
		}

		if isPermanent(err) || c.wait(0) != nil {
			c.violate("%s could not begin: %v", request.Operation, err)

			return begun, false
		}
	}

	c.violate("%s did not begin in %d calls", request.Operation, c.polls())

	return machineops.BeginResult{}, false
}

// pollToSuccess polls a persisted handle until success; process returns the
// operation to poll with. The result of an allocation has one.
func (c *check) pollToSuccess(
	request machineops.OperationRequest,
	handle machineops.ProviderOperation,
	process func() (*machineops.Operation, bool),
) (machineops.OperationResult, bool) {
	for range c.polls() {
		operation, ok := process()
		if !ok {
			return machineops.OperationResult{}, false
		}

		polled, err := c.poll(c.ctx, operation, request, persisted(handle))

		switch {
		case isPermanent(err):
			c.violate("%s could not be polled: %v", request.Operation, err)

			return polled.Result, false
		case err == nil && polled.State == machineops.ProviderOperationStateSucceeded:
			lacking := request.Operation == unboundedv1alpha3.OperationHostAllocate && polled.Result.Allocation == nil
			if lacking {
				c.violate("the allocation succeeded without an allocation result")
			}

			return polled.Result, !lacking
		case err == nil && ended(polled.State):
			c.violate("%s ended as %s: %s %s", request.Operation, polled.State, polled.Reason, polled.Message)

			return polled.Result, false
		}

		if err := c.wait(polled.RequeueAfter); err != nil {
			c.violate("%s was not waited for: %v", request.Operation, err)

			return polled.Result, false
		}
	}

	c.violate("%s came to no end in %d polls", request.Operation, c.polls())

	return machineops.OperationResult{}, false
}

func (c *check) polls() int {
	if c.suite.Polls > 0 {
		return c.suite.Polls
	}

	return defaultPolls
}

func (c *check) wait(d time.Duration) error {
	if d <= 0 {
		d = defaultRequeue
	}

	if c.suite.Wait != nil {
		return c.suite.Wait(c.ctx, d)
	}

	timer := time.NewTimer(d)
	defer timer.Stop()

	select {
	case <-c.ctx.Done():
		return c.ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (c *check) now() time.Time {
	if c.suite.Now != nil {
		return c.suite.Now()
	}

	return time.Now()
}

// effects returns what was done in the cloud after the first mark effects.
func (c *check) effects(mark int) []Effect {
	effects, err := c.suite.Effects(c.ctx)
	if err != nil {
		c.violate("the cloud did not tell its effects: %v", err)

		return nil
	}

	return effects[min(mark, len(effects)):]
}

func (c *check) mark() int { return len(c.effects(0)) }

func isPermanent(err error) bool {
	var permanent *machineops.PermanentError

	return errors.As(err, &permanent)
}

func ended(state machineops.ProviderOperationState) bool {
	return state == machineops.ProviderOperationStateSucceeded ||
		state == machineops.ProviderOperationStateFailed ||
		state == machineops.ProviderOperationStateCanceled
}

// persisted returns the handle as it comes back from where it was recorded.
func persisted(handle machineops.ProviderOperation) machineops.ProviderOperation {
	encoded, err := json.Marshal(handle)
	if err != nil {
		return machineops.ProviderOperation{}
	}

	var decoded machineops.ProviderOperation
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		return machineops.ProviderOperation{}
	}

	return decoded
}

func createdHosts(effects []Effect) []string {
	var hosts []string

	for _, effect := range effects {
		if effect.Action == ActionCreate && effect.Kind == unboundedv1alpha3.OwnedResourceInstance {
			hosts = append(hosts, effect.ID)
		}
	}

	return hosts
}
