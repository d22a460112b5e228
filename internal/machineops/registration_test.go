package machineops_test

import (
	"context"
	"errors"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

var errCallback = errors.New("callback was reached")

func execute(context.Context, machineops.OperationRequest) (machineops.OperationResult, error) {
	return machineops.OperationResult{ProviderID: "executed"}, errCallback
}

func begin(context.Context, machineops.OperationRequest) (machineops.BeginResult, error) {
	return machineops.BeginResult{Message: "begun"}, errCallback
}

func poll(
	context.Context, machineops.OperationRequest, machineops.ProviderOperation,
) (machineops.PollResult, error) {
	return machineops.PollResult{Message: "polled"}, errCallback
}

func cleanup(context.Context, machineops.OperationRequest, machineops.OperationResult) error {
	return errCallback
}

func resolveClass(context.Context, machineops.ClassRequest) (machineops.ClassResolution, error) {
	return machineops.ClassResolution{
		Offerings: []unboundedv1alpha3.MachineClassOffering{{ID: "resolved"}},
	}, errCallback
}

func planAllocation(context.Context, machineops.AllocationPlanRequest) (machineops.AllocationPlan, error) {
	return machineops.AllocationPlan{ProviderID: "planned"}, errCallback
}

func immediate(kind unboundedv1alpha3.OperationKind, options ...machineops.OperationOption) machineops.ProviderOption {
	return machineops.WithImmediateOperation(kind, execute, options...)
}

func longRunning(kind unboundedv1alpha3.OperationKind, options ...machineops.OperationOption) machineops.ProviderOption {
	return machineops.WithLongRunningOperation(kind, begin, poll, options...)
}

// register builds a registration that must be valid.
func register(t *testing.T, options ...machineops.ProviderOption) *machineops.Provider {
	t.Helper()

	provider, err := machineops.NewProvider("Cloud", options...)
	if err != nil {
		t.Fatalf("NewProvider: %v", err)
	}

	return provider
}

// operation looks up an operation that must be registered.
func operation(
	t *testing.T, provider *machineops.Provider, kind unboundedv1alpha3.OperationKind,
) *machineops.Operation {
	t.Helper()

	found, ok := provider.Operation(kind)
	if !ok {
		t.Fatalf("operation %s is not registered", kind)
	}

	return found
}

// registerOne builds a registration of one operation and returns the operation.
func registerOne(
	t *testing.T, kind unboundedv1alpha3.OperationKind, option machineops.ProviderOption,
) *machineops.Operation {
	t.Helper()

	return operation(t, register(t, option), kind)
}
