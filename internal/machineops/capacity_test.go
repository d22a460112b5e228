package machineops_test

import (
	"errors"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestCapacityInvokesItsCallbacks(t *testing.T) {
	t.Parallel()

	provider := register(t, machineops.WithCapacity(resolveClass, planAllocation), longRunning(allocate), longRunning(release))

	capacity, ok := provider.Capacity()
	if !ok {
		t.Fatalf("no capacity is registered")
	}

	if resolution, err := capacity.ResolveClass(t.Context(), machineops.ClassRequest{}); !errors.Is(err, errCallback) ||
		len(resolution.Offerings) != 1 {
		t.Errorf("ResolveClass() = %v, %v, want what the callback returned", resolution, err)
	}

	if plan, err := capacity.PlanAllocation(t.Context(), machineops.AllocationPlanRequest{}); !errors.Is(err, errCallback) ||
		plan.ProviderID != "planned" {
		t.Errorf("PlanAllocation() = %v, %v, want what the callback returned", plan, err)
	}
}

func TestNilCapacityIsSafe(t *testing.T) {
	t.Parallel()

	for name, capacity := range map[string]*machineops.Capacity{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := capacity.ResolveClass(t.Context(), machineops.ClassRequest{})
			wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

			_, err = capacity.PlanAllocation(t.Context(), machineops.AllocationPlanRequest{})
			wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)
		})
	}
}
