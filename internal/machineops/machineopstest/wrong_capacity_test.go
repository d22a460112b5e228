package machineopstest_test

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// wrongRegistration breaks one rule.
type wrongRegistration struct {
	rule, name string
	spoil      func(*cloud, *callbacks)
}

func wrongRegistrations() []wrongRegistration {
	var all []wrongRegistration

	all = append(all, wrongCapacity()...)
	all = append(all, wrongAllocate()...)
	all = append(all, wrongPoll()...)
	all = append(all, wrongRelease()...)
	all = append(all, wrongOperation()...)
	all = append(all, wrongAnswers()...)

	return append(all, wrongSecrets()...)
}

// count returns how often something happened before in this cloud.
func (c *cloud) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()

	c.created++

	return c.created
}

// resolvingInto changes what the class resolves into.
func resolvingInto(change func(*cloud, *machineops.ClassResolution)) func(*cloud, *callbacks) {
	return func(c *cloud, r *callbacks) {
		r.resolve = func(ctx context.Context, request machineops.ClassRequest) (machineops.ClassResolution, error) {
			resolution, err := c.resolveClass(ctx, request)
			if err == nil {
				change(c, &resolution)
			}

			return resolution, err
		}
	}
}

// planningInto changes what an allocation is planned as.
func planningInto(change func(*cloud, *machineops.AllocationPlan)) func(*cloud, *callbacks) {
	return func(c *cloud, r *callbacks) {
		r.plan = func(
			ctx context.Context, request machineops.AllocationPlanRequest,
		) (machineops.AllocationPlan, error) {
			plan, err := planAllocation(ctx, request)
			if err == nil {
				change(c, &plan)
			}

			return plan, err
		}
	}
}

func wrongCapacity() []wrongRegistration {
	return append([]wrongRegistration{
		{"RegistrationIsStable", "another name in every process", func(c *cloud, r *callbacks) {
			r.name = fmt.Sprintf("Fake%d", c.count())
		}},
		{"ResolveClassAllocatesNothing", "resolving launches", resolvingInto(
			func(c *cloud, resolution *machineops.ClassResolution) {
				c.launch(fmt.Sprint("probe-", c.count()), resolution.Offerings[0])
			})},
		{"OfferingsAreStable", "IDs are random", resolvingInto(
			func(c *cloud, resolution *machineops.ClassResolution) {
				resolution.Offerings[0].ID = fmt.Sprint("offering-", c.count())
			})},
		{"InvalidConfigurationIsPermanent", "planning asks to try again", func(_ *cloud, r *callbacks) {
			plan := r.plan
			r.plan = func(
				ctx context.Context, request machineops.AllocationPlanRequest,
			) (machineops.AllocationPlan, error) {
				planned, err := plan(ctx, request)

				return planned, hidden(err)
			}
		}},
		{"InvalidConfigurationIsPermanent", "resolving asks to try again", func(_ *cloud, r *callbacks) {
			resolve := r.resolve
			r.resolve = func(ctx context.Context, request machineops.ClassRequest) (machineops.ClassResolution, error) {
				resolved, err := resolve(ctx, request)

				return resolved, hidden(err)
			}
		}},
		{"InvalidConfigurationIsPermanent", "Begin launches nevertheless", func(c *cloud, r *callbacks) {
			r.beginAllocate = func(
				ctx context.Context, request machineops.OperationRequest,
			) (machineops.BeginResult, error) {
				if ctx.Err() == nil {
					c.launch(launchToken(request), request.Allocation.Offering)
				}

				return c.beginAllocate(ctx, request)
			}
		}},
		{"PlanningIsPure", "planning calls the cloud", planningInto(
			func(c *cloud, _ *machineops.AllocationPlan) { c.hostIDs() })},
		{"PlanningIsPure", "planning reserves", planningInto(
			func(c *cloud, plan *machineops.AllocationPlan) { c.once(plan.ProviderID, "reserve", plan.ProviderID) })},
		{"PlanningIsPure", "planning is random", planningInto(
			func(c *cloud, plan *machineops.AllocationPlan) { plan.ProviderID += fmt.Sprint(c.count()) })},
		{"PlansIdentifyTheAllocation", "one locator for all", planningInto(
			func(_ *cloud, plan *machineops.AllocationPlan) { plan.ProviderID = "planned" })},
		{"PlansIdentifyTheAllocation", "no locator", planningInto(
			func(_ *cloud, plan *machineops.AllocationPlan) { plan.ProviderID = "" })},
	}, wrongOfferings()...)
}

func wrongOfferings() []wrongRegistration {
	offering := func(change func(*unboundedv1alpha3.MachineClassOffering)) func(*cloud, *callbacks) {
		return resolvingInto(func(_ *cloud, resolution *machineops.ClassResolution) {
			change(&resolution.Offerings[0])
		})
	}

	return []wrongRegistration{
		{"OfferingsAreWellFormed", "there is none", resolvingInto(
			func(_ *cloud, resolution *machineops.ClassResolution) { resolution.Offerings = nil })},
		{"OfferingsAreWellFormed", "no ValidUntil", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) { o.ValidUntil = metav1.Time{} })},
		{"OfferingsAreWellFormed", "ValidUntil is past", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) {
				o.ValidUntil = metav1.NewTime(newCloud().now.Add(-1))
			})},
		{"OfferingsAreWellFormed", "two of one ID", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) { o.ID = "large-a" })},
		{"OfferingsAreWellFormed", "no ID", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) { o.ID = "" })},
		{"OfferingsAreWellFormed", "no instance type", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) { o.InstanceType = "" })},
		{"OfferingsAreWellFormed", "an availability of its own", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) { o.Availability = "Maybe" })},
		{"OfferingsAreWellFormed", "a price without a currency", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) { o.Price.Currency = "" })},
		{"OfferingsAreWellFormed", "a negative quantity", offering(
			func(o *unboundedv1alpha3.MachineClassOffering) {
				quantity := o.Resources["cpu"]
				quantity.Neg()
				o.Resources["cpu"] = quantity
			})},
	}
}

// hidden makes an ordinary error of a permanent one.
func hidden(err error) error {
	if err == nil {
		return nil
	}

	return errors.New(err.Error())
}
