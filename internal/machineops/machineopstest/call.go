package machineopstest

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

const (
	ruleAnswers = "AnswersAreWellFormed"
	ruleSecrets = "SecretsStayInside"
)

var errNoCapacity = errors.New("no capacity is registered")

// The calls below are the only way in which rules reach a registration. Each
// looks at the answer, whatever the rule is about, and turns a panic into an error.

func (c *check) resolve(
	registration *machineops.Provider, request machineops.ClassRequest,
) (resolution machineops.ClassResolution, err error) {
	capacity, ok := registration.Capacity()
	if !ok {
		return resolution, errNoCapacity
	}

	err = c.guarded("ResolveClass", func() error {
		resolution, err = capacity.ResolveClass(c.ctx, request)

		return err
	})

	for _, offering := range resolution.Offerings {
		c.inspect("an offering", offering.ID, offering.InstanceType, offering.Region, offering.Zone, offering.Network)
	}

	return resolution, err
}

func (c *check) plan(
	ctx context.Context, registration *machineops.Provider, request machineops.AllocationPlanRequest,
) (plan machineops.AllocationPlan, err error) {
	capacity, ok := registration.Capacity()
	if !ok {
		return plan, errNoCapacity
	}

	err = c.guarded("PlanAllocation", func() error {
		plan, err = capacity.PlanAllocation(ctx, request)

		return err
	})
	c.inspect("a plan", plan.ProviderID, plan.HostImage)

	return plan, err
}

func (c *check) begin(
	ctx context.Context, operation *machineops.Operation, request machineops.OperationRequest,
) (begun machineops.BeginResult, err error) {
	err = c.guarded("Begin", func() error {
		begun, err = operation.Begin(ctx, request)

		return err
	})
	c.inspectBegun(begun, err)

	return begun, err
}

func (c *check) inspectBegun(begun machineops.BeginResult, err error) {
	c.inspect("Begin's handle", begun.Operation.OperationID, begun.Operation.ResumeToken)
	c.inspect("Begin's message", begun.Message)
	c.inspectPause("Begin", begun.RequeueAfter)

	if err == nil && begun.Operation == (machineops.ProviderOperation{}) {
		c.violateRule(ruleAnswers, "Begin succeeded with an empty handle")
	}
}

func (c *check) poll(
	ctx context.Context,
	operation *machineops.Operation,
	request machineops.OperationRequest,
	handle machineops.ProviderOperation,
) (polled machineops.PollResult, err error) {
	err = c.guarded("Poll", func() error {
		polled, err = operation.Poll(ctx, request, handle)

		return err
	})
	c.inspect("Poll's message", polled.Message)
	c.inspect("Poll's reason", polled.Reason)
	c.inspectPause("Poll", polled.RequeueAfter)
	c.inspectResult(polled.Result)

	switch {
	case err != nil, polled.State == machineops.ProviderOperationStateInProgress, ended(polled.State):
	default:
		c.violateRule(ruleAnswers, "Poll answered with the unknown state %q", polled.State)
	}

	return polled, err
}

func (c *check) execute(
	operation *machineops.Operation, request machineops.OperationRequest,
) (result machineops.OperationResult, err error) {
	err = c.guarded("Execute", func() error {
		result, err = operation.Execute(c.ctx, request)

		return err
	})
	c.inspectResult(result)

	return result, err
}

func (c *check) cleanup(
	operation *machineops.Operation, request machineops.OperationRequest, result machineops.OperationResult,
) error {
	return c.guarded("Cleanup", func() error { return operation.Cleanup(c.ctx, request, result) })
}

// guarded calls f, makes an error of its panic, and looks at its error.
func (c *check) guarded(name string, f func() error) error {
	err := recovered(f)
	if err != nil {
		c.inspect(name+"'s error", err.Error(), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err))
	}

	return err
}

func recovered(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &machineops.PermanentError{Err: fmt.Errorf("panic: %v", value)}
		}
	}()

	return f()
}

func (c *check) inspectResult(result machineops.OperationResult) {
	c.inspect("a result", result.ProviderID, result.CleanupProviderID)

	if result.Allocation == nil {
		return
	}

	c.inspect("an allocation result", result.Allocation.ProviderResourceID, result.Allocation.InstanceType,
		result.Allocation.Zone, result.Allocation.Image)

	for _, owned := range result.Allocation.OwnedResources {
		c.inspect("an owned resource", string(owned.Kind), owned.ID, owned.Region)
	}
}

func (c *check) inspectPause(name string, pause time.Duration) {
	if pause < 0 {
		c.violateRule(ruleAnswers, "%s asks for a negative pause, %s", name, pause)
	}
}

// inspect looks for secrets in texts that come from a registration.
func (c *check) inspect(what string, texts ...string) {
	for _, text := range texts {
		if !utf8.ValidString(text) {
			c.violateRule(ruleAnswers, "%s is not valid UTF-8, so it cannot be recorded", what)
		}

		if holdsSecret(text, c.suite.Secrets) {
			c.violateRule(ruleSecrets, "%s holds a secret (seen in %s)", what, c.rule)
		}
	}
}

func (c *check) inspectOutput() {
	if c.suite.Output != nil && holdsSecret(c.suite.Output(), c.suite.Secrets) {
		c.violateRule(ruleSecrets, "the log holds a secret (seen after %s)", c.rule)
	}
}
