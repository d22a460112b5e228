package machineops_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestImmediateOperationInvokesExecuteOnly(t *testing.T) {
	t.Parallel()

	op := registerOne(t, reboot, immediate(reboot))

	if result, err := op.Execute(t.Context(), machineops.OperationRequest{}); !errors.Is(err, errCallback) ||
		result.ProviderID != "executed" {
		t.Errorf("Execute() = %v, %v, want what the callback returned", result, err)
	}

	_, err := op.Begin(t.Context(), machineops.OperationRequest{})
	wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

	_, err = op.Poll(t.Context(), machineops.OperationRequest{}, machineops.ProviderOperation{})
	wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)
}

func TestLongRunningOperationInvokesBeginAndPollOnly(t *testing.T) {
	t.Parallel()

	op := registerOne(t, reboot, longRunning(reboot))

	if result, err := op.Begin(t.Context(), machineops.OperationRequest{}); !errors.Is(err, errCallback) ||
		result.Message != "begun" {
		t.Errorf("Begin() = %v, %v, want what the callback returned", result, err)
	}

	if result, err := op.Poll(t.Context(), machineops.OperationRequest{}, machineops.ProviderOperation{}); !errors.Is(
		err, errCallback) || result.Message != "polled" {
		t.Errorf("Poll() = %v, %v, want what the callback returned", result, err)
	}

	_, err := op.Execute(t.Context(), machineops.OperationRequest{})
	wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)
}

func TestPollIsGivenTheHandleAsItWasPersisted(t *testing.T) {
	t.Parallel()

	handle := machineops.ProviderOperation{OperationID: "operation", ResumeToken: "token"}

	var got machineops.ProviderOperation

	op := registerOne(t, reboot, machineops.WithLongRunningOperation(reboot, begin, func(
		_ context.Context, _ machineops.OperationRequest, operation machineops.ProviderOperation,
	) (machineops.PollResult, error) {
		got = operation

		return machineops.PollResult{}, nil
	}))

	if _, err := op.Poll(t.Context(), machineops.OperationRequest{}, handle); err != nil {
		t.Fatalf("Poll: %v", err)
	}

	if got != handle {
		t.Errorf("the callback got %v, want %v", got, handle)
	}
}

func TestCleanupIsOptional(t *testing.T) {
	t.Parallel()

	without := registerOne(t, reboot, immediate(reboot))
	if err := without.Cleanup(t.Context(), machineops.OperationRequest{}, machineops.OperationResult{}); err != nil {
		t.Errorf("Cleanup() without a callback: %v", err)
	}

	for _, option := range []machineops.ProviderOption{
		immediate(reboot, machineops.WithCleanup(cleanup)),
		longRunning(reboot, machineops.WithCleanup(cleanup)),
	} {
		with := registerOne(t, reboot, option)
		if err := with.Cleanup(
			t.Context(), machineops.OperationRequest{}, machineops.OperationResult{},
		); !errors.Is(err, errCallback) {
			t.Errorf("Cleanup() = %v, want what the callback returned", err)
		}
	}
}

func TestReplaySafeIsReportedOnlyWhereDeclared(t *testing.T) {
	t.Parallel()

	if registerOne(t, reboot, immediate(reboot)).ReplaySafe() {
		t.Errorf("an operation is replay-safe without having said so")
	}

	if !registerOne(t, reboot, immediate(reboot, machineops.ReplaySafe())).ReplaySafe() {
		t.Errorf("an operation that says so is not replay-safe")
	}
}

func TestRequiresReplaceUserDataIsReportedOnlyWhereDeclared(t *testing.T) {
	t.Parallel()

	if registerOne(t, replace, longRunning(replace)).RequiresReplaceUserData() {
		t.Errorf("an operation requires replacement user data without having said so")
	}

	for _, option := range []machineops.ProviderOption{
		longRunning(replace, machineops.RequiresReplaceUserData()),
		immediate(replace, machineops.RequiresReplaceUserData()),
	} {
		if !registerOne(t, replace, option).RequiresReplaceUserData() {
			t.Errorf("an operation that says so does not require replacement user data")
		}
	}
}

func TestOperationRefusesARequestOfAnotherKind(t *testing.T) {
	t.Parallel()

	op := registerOne(t, reboot, longRunning(reboot, machineops.WithCleanup(cleanup)))
	request := machineops.OperationRequest{Operation: unboundedv1alpha3.OperationHostPowerOff}

	_, err := op.Begin(t.Context(), request)
	wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

	_, err = op.Poll(t.Context(), request, machineops.ProviderOperation{})
	wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

	wantPermanent(t, op.Cleanup(t.Context(), request, machineops.OperationResult{}), unboundedv1alpha3.ReasonUnsupported)
}

func TestHostAllocateAndHostReleaseNeedAnAllocation(t *testing.T) {
	t.Parallel()

	provider := register(t, machineops.WithCapacity(resolveClass, planAllocation), longRunning(allocate), longRunning(release))

	for _, kind := range []unboundedv1alpha3.OperationKind{allocate, release} {
		request := machineops.OperationRequest{Operation: kind}

		_, err := operation(t, provider, kind).Begin(t.Context(), request)
		wantPermanent(t, err, unboundedv1alpha3.ReasonInvalidConfiguration)

		_, err = operation(t, provider, kind).Poll(t.Context(), request, machineops.ProviderOperation{})
		wantPermanent(t, err, unboundedv1alpha3.ReasonInvalidConfiguration)
	}
}

func TestNilOperationIsSafe(t *testing.T) {
	t.Parallel()

	for name, op := range map[string]*machineops.Operation{"nil": nil, "zero": {}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := op.Begin(t.Context(), machineops.OperationRequest{})
			wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

			_, err = op.Poll(t.Context(), machineops.OperationRequest{}, machineops.ProviderOperation{})
			wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

			_, err = op.Execute(t.Context(), machineops.OperationRequest{})
			wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

			err = op.Cleanup(t.Context(), machineops.OperationRequest{}, machineops.OperationResult{})
			wantPermanent(t, err, unboundedv1alpha3.ReasonUnsupported)

			if op.Mode() != "" || op.ReplaySafe() || op.RequiresReplaceUserData() {
				t.Errorf("an operation that is not there has properties")
			}
		})
	}
}

func TestAllocationResultFieldNamesMatchTheStoredResult(t *testing.T) {
	t.Parallel()

	ours := reflect.TypeFor[machineops.AllocationResult]()
	stored := reflect.TypeFor[unboundedv1alpha3.MachineOperationAllocationResult]()

	if !ours.ConvertibleTo(stored) {
		t.Errorf("%v and %v differ in their fields", ours, stored)
	}
}

func wantPermanent(t *testing.T, err error, reason string) {
	t.Helper()

	var permanent *machineops.PermanentError
	if !errors.As(err, &permanent) || permanent.Reason != reason {
		t.Errorf("error is %v, want a permanent one with reason %s", err, reason)
	}
}
