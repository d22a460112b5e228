package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func powerOff() machineops.OperationRequest {
	request := reboot()
	request.Operation = v1alpha3.OperationHostPowerOff

	return request
}

func immediate(t *testing.T, c *cloud, options ...machineops.OperationOption) *lifecycle.Runner {
	t.Helper()

	return c.runner(t, newClock(),
		machineops.WithImmediateOperation(v1alpha3.OperationHostPowerOff, c.execute, append(options, machineops.WithCleanup(c.cleanup))...))
}

func TestImmediateOperationIsExecutedOnceAndRecorded(t *testing.T) {
	t.Parallel()

	var records []lifecycle.PendingOperation

	c := newCloud()

	outcome, err := immediate(t, c).Run(t.Context(), lifecycle.Run{Request: powerOff(), Recorder: c.recorder(&records)})
	if err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete || outcome.Result.ProviderID != machineID {
		t.Fatalf("Run() = %+v, %v", outcome, err)
	}

	want := []string{"record intended", "execute", "record succeeded", "record applied", "cleanup", "record complete"}
	if got := c.happened(); !slices.Equal(got, want) {
		t.Errorf("happened: %v, want %v", got, want)
	}
}

func TestImmediateOperationOfLostOutcomeIsRepeatedOnlyWhereThatIsSafe(t *testing.T) {
	t.Parallel()

	pending := recordAt(lifecycle.StageIntended)
	pending.Kind = v1alpha3.OperationHostPowerOff

	t.Run("not declared to be safe", func(t *testing.T) {
		t.Parallel()

		c := newCloud()
		_, err := immediate(t, c).Run(t.Context(), lifecycle.Run{Request: powerOff(), Pending: pending})
		wantFailed(t, err, lifecycle.ReasonOutcomeLost)
		wantCounts(t, c, map[string]int{"execute": 0, "cleanup": 0})
	})

	t.Run("declared to be safe", func(t *testing.T) {
		t.Parallel()

		c := newCloud()
		if _, err := immediate(t, c, machineops.ReplaySafe()).Run(t.Context(), lifecycle.Run{Request: powerOff(), Pending: pending}); err != nil {
			t.Fatalf("Run: %v", err)
		}

		wantCounts(t, c, map[string]int{"execute": 1, "cleanup": 1})

		if uid := c.requests("execute")[0].OperationUID; uid != "op-0" {
			t.Errorf("executed under %s, want the recorded UID", uid)
		}
	})

	t.Run("not lost", func(t *testing.T) {
		t.Parallel()

		done := recordAt(lifecycle.StageSucceeded)
		done.Kind = v1alpha3.OperationHostPowerOff

		c := newCloud()
		if _, err := immediate(t, c).Run(t.Context(), lifecycle.Run{Request: powerOff(), Pending: done}); err != nil {
			t.Fatalf("Run: %v", err)
		}

		wantCounts(t, c, map[string]int{"execute": 0, "cleanup": 1})
	})
}

func TestImmediateOperationThatFails(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		err      error
		options  []machineops.OperationOption
		reason   string
		executed int
	}{
		"for good":                      {permanent(v1alpha3.ReasonRefused, "locked"), nil, v1alpha3.ReasonRefused, 1},
		"who knows how":                 {errTransient, nil, lifecycle.ReasonOutcomeLost, 1},
		"for good, though safe":         {permanent(v1alpha3.ReasonRefused, "locked"), []machineops.OperationOption{machineops.ReplaySafe()}, v1alpha3.ReasonRefused, 1},
		"who knows how, and is safe":    {errTransient, []machineops.OperationOption{machineops.ReplaySafe()}, "", 3},
		"with a result beside an error": {errors.Join(errTransient, errTransient), nil, lifecycle.ReasonOutcomeLost, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCloud()
			c.onExecute = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.OperationResult, error) {
				if n == 3 {
					return machineops.OperationResult{}, nil
				}

				return machineops.OperationResult{ProviderID: machineID}, test.err
			}

			_, err := immediate(t, c, test.options...).Run(t.Context(), lifecycle.Run{Request: powerOff()})
			if test.reason == "" && err != nil {
				t.Errorf("Run: %v", err)
			}

			if test.reason != "" {
				failed := wantFailed(t, err, test.reason)
				if !errors.Is(failed, test.err) {
					t.Errorf("error %v does not lead to its cause", failed)
				}
			}

			wantCounts(t, c, map[string]int{"execute": test.executed})
		})
	}
}

func TestCredentialsForAnImmediateOperationAreAskedForAgain(t *testing.T) {
	t.Parallel()

	c := newCloud()
	runner := immediate(t, c)

	asked := 0
	runner.Auth = func(ctx context.Context) (*machineops.OperationAuth, error) {
		if asked++; asked == 1 {
			return nil, errTransient
		}

		return credentials(ctx)
	}

	if _, err := runner.Run(t.Context(), lifecycle.Run{Request: powerOff()}); err != nil {
		t.Fatalf("Run: %v", err)
	}

	wantCounts(t, c, map[string]int{"execute": 1})
}
