package lifecycle_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func kernelReboot() lifecycle.OperateRequest {
	return lifecycle.OperateRequest{
		Owner: "platform/test", Name: "kernel", ProviderID: machineID, Kind: v1alpha3.OperationHostReboot,
		Triggers: map[string]string{"kernel": "1"}, Parameters: map[string]string{"force": "true"},
	}
}

func newOperator(t *testing.T, c *cloud, clock *steppingClock) *lifecycle.Operator {
	t.Helper()

	return lifecycle.NewOperator(c.runner(t, clock))
}

func TestOneOperationHasOneUIDInEveryProcess(t *testing.T) {
	t.Parallel()

	seen := func(t *testing.T, change func(*lifecycle.OperateRequest)) machineops.OperationRequest {
		t.Helper()

		c, request := newCloud(), kernelReboot()
		change(&request)

		if _, err := newOperator(t, c, newClock()).Operate(t.Context(), request); err != nil {
			t.Fatal(err)
		}

		return c.requests("begin")[0]
	}

	first := seen(t, func(*lifecycle.OperateRequest) {})
	if first.OperationUID == "" || first.ProviderID != machineID || first.OperationName != "kernel" || first.Parameters["force"] != "true" {
		t.Fatalf("the request is %+v", first)
	}

	for name, test := range map[string]struct {
		change func(*lifecycle.OperateRequest)
		same   bool
	}{
		"again":              {func(*lifecycle.OperateRequest) {}, true},
		"how it is done":     {func(r *lifecycle.OperateRequest) { r.Parameters = nil }, true},
		"other data":         {func(r *lifecycle.OperateRequest) { r.ReplaceUserData = secret }, true},
		"another name":       {func(r *lifecycle.OperateRequest) { r.Name = "other" }, false},
		"another owner":      {func(r *lifecycle.OperateRequest) { r.Owner = "other" }, false},
		"another machine":    {func(r *lifecycle.OperateRequest) { r.ProviderID = "north.m-2" }, false},
		"another trigger":    {func(r *lifecycle.OperateRequest) { r.Triggers = map[string]string{"kernel": "2"} }, false},
		"another trigger's":  {func(r *lifecycle.OperateRequest) { r.Triggers = map[string]string{"kerne": "l1"} }, false},
		"no trigger":         {func(r *lifecycle.OperateRequest) { r.Triggers = nil }, false},
		"one trigger's more": {func(r *lifecycle.OperateRequest) { r.Triggers["more"] = "" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if got := seen(t, test.change); (got.OperationUID == first.OperationUID) != test.same {
				t.Errorf("the UIDs are %s and %s", got.OperationUID, first.OperationUID)
			}
		})
	}
}

func TestAnOperationIsForgottenLater(t *testing.T) {
	t.Parallel()

	c := newCloud()
	operator := newOperator(t, c, newClock())
	request := kernelReboot()

	outcome, err := operator.Operate(t.Context(), request)
	if err != nil || outcome.Pending == nil || outcome.Pending.Stage != lifecycle.StageApplied || outcome.Phase != v1alpha3.OperationPhaseComplete {
		t.Fatalf("the outcome is %+v, %v", outcome, err)
	}

	if happened := c.happened(); slices.Contains(happened, "cleanup") {
		t.Fatalf("it was forgotten before its record can be stored: %v", happened)
	}

	// Deleting comes with what the state holds and no record.
	if err := operator.Forget(t.Context(), request, "operation-7"); err != nil {
		t.Fatal(err)
	}

	forgotten, begun := c.requests("cleanup"), c.requests("begin")
	if len(forgotten) != 1 || forgotten[0].OperationUID != begun[0].OperationUID || forgotten[0].Parameters[v1alpha3.ParameterOperationID] != "operation-7" || len(begun) != 1 {
		t.Errorf("it was forgotten as %+v", forgotten)
	}

	if !maps.Equal(request.Parameters, kernelReboot().Parameters) {
		t.Errorf("the caller's parameters became %v", request.Parameters)
	}
}

func TestWhatCannotBeForgottenIsTold(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onCleanup = func(context.Context, int, machineops.OperationRequest, machineops.OperationResult) error {
		return &machineops.PermanentError{Reason: v1alpha3.ReasonPermissionDenied, Err: errors.New("may not untag")}
	}

	if err := newOperator(t, c, newClock()).Forget(t.Context(), kernelReboot(), ""); err == nil || !strings.Contains(err.Error(), "may not untag") {
		t.Errorf("the error is %v", err)
	}
}

func TestARepeatableOperationLeavesNothingToForget(t *testing.T) {
	t.Parallel()

	c, request := newCloud(), kernelReboot()
	request.Repeatable = true

	if _, err := newOperator(t, c, newClock()).Operate(t.Context(), request); err != nil {
		t.Fatal(err)
	}

	if got := c.requests("begin")[0].Parameters[v1alpha3.ParameterRepeatable]; got != "true" {
		t.Errorf("the registration is not told: %q", got)
	}
}

func TestOperationsOnOneMachineTakeTurns(t *testing.T) {
	t.Parallel()

	c := newCloud()

	var (
		mu           sync.Mutex
		under, worst int
	)

	c.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
		mu.Lock()
		under++
		worst = max(worst, under)
		mu.Unlock()

		return begun(), nil
	}
	c.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
		if n%3 != 0 {
			return machineops.PollResult{State: machineops.ProviderOperationStateInProgress, RequeueAfter: 2 * time.Second}, nil
		}

		mu.Lock()
		under--
		mu.Unlock()

		return succeeded(), nil
	}

	operator := newOperator(t, c, newClock())

	var group sync.WaitGroup

	for range 8 {
		group.Go(func() {
			if _, err := operator.Operate(t.Context(), kernelReboot()); err != nil {
				t.Error(err)
			}
		})
	}

	group.Wait()

	if worst != 1 {
		t.Errorf("%d operations were under way at a time", worst)
	}
}

func TestWhatIsGivenUpIsToldApartFromWhatHasEnded(t *testing.T) {
	t.Parallel()

	c, request := newCloud(), kernelReboot()
	operator := newOperator(t, c, newClock())

	if err := errors.Join(operator.Forget(t.Context(), request, "operation-7"), operator.GiveUp(t.Context(), request, "operation-7", true)); err != nil {
		t.Fatal(err)
	}

	asked := c.requests("cleanup")
	if len(asked) != 2 || asked[0].Parameters[v1alpha3.ParameterGivenUp] != "" || asked[1].Parameters[v1alpha3.ParameterGivenUp] != "true" ||
		asked[0].Parameters[v1alpha3.ParameterLeaveStopped] != "" || asked[1].Parameters[v1alpha3.ParameterLeaveStopped] != "true" ||
		asked[1].Parameters[v1alpha3.ParameterOperationID] != "operation-7" || asked[0].OperationUID != asked[1].OperationUID {
		t.Errorf("it was asked for as %+v", asked)
	}

	if !maps.Equal(request.Parameters, kernelReboot().Parameters) {
		t.Errorf("the caller's parameters became %v", request.Parameters)
	}
}
