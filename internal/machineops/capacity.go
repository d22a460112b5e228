package machineops

import (
	"context"
	"errors"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ResolveClassFunc normalizes a class's provider configuration into capacity
// offerings. It must not allocate infrastructure. A PermanentError reports
// invalid configuration; other errors are transient and retried.
type ResolveClassFunc func(context.Context, ClassRequest) (ClassResolution, error)

// PlanAllocationFunc computes the host identity for one allocation. It must be
// pure: deterministic for the same request, with no remote calls and no
// reservations. A PermanentError reports that the request can never be planned;
// other errors are retried.
type PlanAllocationFunc func(context.Context, AllocationPlanRequest) (AllocationPlan, error)

// Capacity is a provider's registered capacity lifecycle. Capacity is all or
// nothing: it requires HostAllocate and HostRelease registered as long-running
// operations, and those kinds require capacity.
type Capacity struct {
	resolveClass   ResolveClassFunc
	planAllocation PlanAllocationFunc
}

// ResolveClass invokes the registered class resolution callback with a copy of
// request. It is a PermanentError on a nil receiver.
func (c *Capacity) ResolveClass(ctx context.Context, request ClassRequest) (ClassResolution, error) {
	if c == nil || c.resolveClass == nil {
		return ClassResolution{}, noCapacity()
	}

	return c.resolveClass(ctx, request.copied())
}

// PlanAllocation invokes the registered allocation planning callback with a copy
// of request. It is a PermanentError on a nil receiver.
func (c *Capacity) PlanAllocation(ctx context.Context, request AllocationPlanRequest) (AllocationPlan, error) {
	if c == nil || c.planAllocation == nil {
		return AllocationPlan{}, noCapacity()
	}

	return c.planAllocation(ctx, request.copied())
}

func noCapacity() error {
	return &PermanentError{
		Reason: unboundedv1alpha3.ReasonUnsupported,
		Err:    errors.New("no capacity lifecycle is registered"),
	}
}
