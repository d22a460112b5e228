package lifecycle_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestEachStepIsRecordedBeforeTheNext(t *testing.T) {
	t.Parallel()

	var records []lifecycle.PendingOperation

	c := newCloud()
	c.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if handle != begun().Operation {
			t.Errorf("polled with the handle %v", handle)
		}

		if n == 1 {
			return inProgress(0), nil
		}

		return succeeded(), nil
	}

	var applied machineops.OperationResult

	outcome, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{
		Request:  reboot(),
		Recorder: c.recorder(&records),
		Apply: func(_ context.Context, result machineops.OperationResult) error {
			c.note("apply", nil)

			applied = result

			return nil
		},
	})
	if err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete || outcome.Pending != nil {
		t.Fatalf("Run() = %+v, %v, want a complete operation with nothing outstanding", outcome, err)
	}

	want := []string{
		"record intended", "begin", "record begun", "poll", "poll", "record succeeded", "apply", "record applied", "cleanup", "record complete",
	}
	if got := c.happened(); !slices.Equal(got, want) {
		t.Errorf("happened: %v, want %v", got, want)
	}

	if applied.CleanupProviderID != "north.old" || applied.ProviderID != machineID {
		t.Errorf("applied %+v, want the identity and the one that it replaced", applied)
	}

	for _, record := range records {
		if record.OperationUID != "op-1" || !record.BeganAt.Equal(start()) || record.Attempts != 1 || record.Provider != cloudName {
			t.Errorf("record %+v does not identify the operation", record)
		}
	}
}

func TestWhatCanNeverBeDrivenFailsBeforeAnyCall(t *testing.T) {
	t.Parallel()

	pending := func(change func(*lifecycle.PendingOperation)) *lifecycle.PendingOperation {
		operation := recordAt(lifecycle.StageBegun)
		change(operation)

		return operation
	}

	for name, test := range map[string]struct {
		run    lifecycle.Run
		reason string
		text   string
	}{
		"a kind that is not registered": {
			run:    lifecycle.Run{Request: machineops.OperationRequest{OperationUID: "u", Operation: v1alpha3.OperationHostPowerOn}},
			reason: v1alpha3.ReasonUnsupported, text: "Cloud does not support the operation HostPowerOn",
		},
		"no UID":                     {run: lifecycle.Run{Request: machineops.OperationRequest{Operation: v1alpha3.OperationHostReboot}}, reason: v1alpha3.ReasonInvalidConfiguration, text: "no UID"},
		"a record of another cloud":  {run: lifecycle.Run{Request: reboot(), Pending: pending(func(p *lifecycle.PendingOperation) { p.Provider = "Other" })}, reason: v1alpha3.ReasonUnsupported, text: "of Other"},
		"a record of another kind":   {run: lifecycle.Run{Request: reboot(), Pending: pending(func(p *lifecycle.PendingOperation) { p.Kind = "HostReplace" })}, reason: v1alpha3.ReasonUnsupported, text: "HostReplace"},
		"a record of a later stage":  {run: lifecycle.Run{Request: reboot(), Pending: pending(func(p *lifecycle.PendingOperation) { p.Stage = "polished" })}, reason: v1alpha3.ReasonUnsupported, text: "polished"},
		"a record without a handle":  {run: lifecycle.Run{Request: reboot(), Pending: pending(func(p *lifecycle.PendingOperation) { p.OperationID, p.ResumeToken = "", "" })}, reason: v1alpha3.ReasonUnsupported, text: "handle is missing"},
		"a reinstall without a boot": {run: lifecycle.Run{Request: machineops.OperationRequest{OperationUID: "u", Operation: v1alpha3.OperationHostReplace}}, reason: v1alpha3.ReasonInvalidConfiguration, text: "needs user data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCloud()
			runner := c.runner(t, newClock(),
				machineops.WithLongRunningOperation(v1alpha3.OperationHostReplace, c.begin, c.poll, machineops.RequiresReplaceUserData()))

			outcome, err := runner.Run(t.Context(), test.run)

			failed := wantFailed(t, err, test.reason)
			if !strings.Contains(failed.Error(), test.text) {
				t.Errorf("error is %q, want one that says %q", failed, test.text)
			}

			if outcome.Phase != v1alpha3.OperationPhaseFailed || len(c.happened()) != 0 {
				t.Errorf("phase %s after %v, want Failed and no call", outcome.Phase, c.happened())
			}
		})
	}
}

func TestBeginIsRepeatedUnderOneUIDAtGrowingIntervals(t *testing.T) {
	t.Parallel()

	c, clk := newCloud(), newClock()
	c.onBegin = func(_ context.Context, n int, _ machineops.OperationRequest) (machineops.BeginResult, error) {
		if n <= 6 {
			return machineops.BeginResult{}, errTransient
		}

		result := begun()
		result.RequeueAfter = 7 * time.Second

		return result, nil
	}

	if _, err := c.runner(t, clk).Run(t.Context(), lifecycle.Run{Request: reboot()}); err != nil {
		t.Fatalf("Run: %v", err)
	}

	wantCounts(t, c, map[string]int{"begin": 7, "poll": 1, "cleanup": 1})

	for _, request := range c.requests("begin") {
		if request.OperationUID != "op-1" {
			t.Errorf("begun under %s", request.OperationUID)
		}
	}

	want := seconds(2, 4, 8, 16, 30, 30, 7)
	if got := clk.waited(); !slices.Equal(got, want) {
		t.Errorf("waited %v, want %v", got, want)
	}
}

func TestLooksFollowTheProviderAndSlowDownOnlyWhileTheyFail(t *testing.T) {
	t.Parallel()

	c, clk := newCloud(), newClock()
	c.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
		switch n {
		case 1:
			return inProgress(5 * time.Second), nil
		case 2:
			return inProgress(0), nil
		case 3, 4, 6:
			return machineops.PollResult{}, errTransient
		case 5:
			return inProgress(-1), nil
		default:
			return succeeded(), nil
		}
	}

	if _, err := c.runner(t, clk).Run(t.Context(), lifecycle.Run{Request: reboot()}); err != nil {
		t.Fatalf("Run: %v", err)
	}

	want := seconds(5, 2, 2, 4, 2, 2)
	if got := clk.waited(); !slices.Equal(got, want) {
		t.Errorf("waited %v, want %v", got, want)
	}
}

func TestPermanentErrorEndsTheOperation(t *testing.T) {
	t.Parallel()

	refuse := permanent(v1alpha3.ReasonRefused, "locked")

	for name, test := range map[string]struct {
		script func(*cloud)
		counts map[string]int
	}{
		"at its beginning": {
			script: func(c *cloud) {
				c.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
					return machineops.BeginResult{}, refuse
				}
			},
			counts: map[string]int{"begin": 1, "poll": 0, "cleanup": 0, "record failed": 1},
		},
		"at a look": {
			script: func(c *cloud) {
				c.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
					return machineops.PollResult{}, refuse
				}
			},
			counts: map[string]int{"begin": 1, "poll": 1, "cleanup": 0, "record failed": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var records []lifecycle.PendingOperation

			c := newCloud()
			test.script(c)

			outcome, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{Request: reboot(), Recorder: c.recorder(&records)})

			failed := wantFailed(t, err, v1alpha3.ReasonRefused)
			if failed.Message != "locked" || outcome.Phase != v1alpha3.OperationPhaseFailed || outcome.Reason != v1alpha3.ReasonRefused || outcome.Pending != nil {
				t.Errorf("Run() = %+v, %v", outcome, failed)
			}

			wantCounts(t, c, test.counts)

			// The end stays the end, whoever asks again.
			last := records[len(records)-1]

			outcome, err = c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{Request: reboot(), Pending: &last})
			if again := wantFailed(t, err, v1alpha3.ReasonRefused); again.Message != "locked" || outcome.Phase != v1alpha3.OperationPhaseFailed {
				t.Errorf("handed the record again: %+v, %v", outcome, again)
			}

			wantCounts(t, c, test.counts)
		})
	}
}

func TestFailedAndCanceledAreFailuresWithTheirReason(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		look   machineops.PollResult
		reason string
	}{
		"failed with a reason":      {machineops.PollResult{State: machineops.ProviderOperationStateFailed, Reason: "Broken", Message: "no"}, "Broken"},
		"canceled with a reason":    {machineops.PollResult{State: machineops.ProviderOperationStateCanceled, Reason: "ByOperator", Message: "no"}, "ByOperator"},
		"canceled without a reason": {machineops.PollResult{State: machineops.ProviderOperationStateCanceled, Message: "no"}, "Canceled"},
		"failed without a reason":   {machineops.PollResult{State: machineops.ProviderOperationStateFailed, Message: "no"}, "Failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCloud()
			c.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
				return test.look, nil
			}

			outcome, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{Request: reboot()})
			if failed := wantFailed(t, err, test.reason); failed.Message != "no" || outcome.Message != "no" {
				t.Errorf("message is %q and %q, want what the provider said", failed.Message, outcome.Message)
			}

			wantCounts(t, c, map[string]int{"poll": 1, "cleanup": 0})
		})
	}
}

func TestUnknownStateIsInProgressWithAReason(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())

	c, clk := newCloud(), newClock()
	c.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
		return machineops.PollResult{State: "Hibernating", Message: "zzz"}, nil
	}
	clk.hold = func(wait int, _ time.Duration) bool {
		if wait == 3 {
			cancel()
		}

		return wait == 3
	}

	outcome, err := c.runner(t, clk).Run(ctx, lifecycle.Run{Request: reboot()})
	wantUnfinished(t, err, context.Canceled)

	if outcome.Phase != v1alpha3.OperationPhaseInProgress || outcome.Reason != lifecycle.ReasonUnknownState || !strings.Contains(outcome.Message, `"Hibernating": zzz`) {
		t.Errorf("outcome is %+v, want in progress for an unknown state", outcome)
	}

	wantCounts(t, c, map[string]int{"poll": 3})
}

func TestStalledIsMarkedAndEndsNothing(t *testing.T) {
	t.Parallel()

	for name, answer := range map[string]func(n int) (machineops.PollResult, error){
		"while it is in progress": func(int) (machineops.PollResult, error) { return inProgress(4 * time.Minute), nil },
		"while looks fail": func(int) (machineops.PollResult, error) {
			return machineops.PollResult{}, errTransient
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var log bytes.Buffer

			c := newCloud()
			c.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.ProviderOperation) (machineops.PollResult, error) {
				if n > 60 {
					return succeeded(), nil
				}

				return answer(n)
			}

			runner := c.runner(t, newClock())
			runner.Logger = slog.New(slog.NewTextHandler(&log, nil))

			outcome, err := runner.Run(t.Context(), lifecycle.Run{Request: reboot()})
			if err != nil || !outcome.Stalled || outcome.Phase != v1alpha3.OperationPhaseComplete {
				t.Errorf("Run() = %+v, %v, want complete and stalled", outcome, err)
			}

			if said := strings.Count(log.String(), "takes longer than expected"); said != 1 {
				t.Errorf("the stall was told %d times, want once", said)
			}
		})
	}

	t.Run("not before its time", func(t *testing.T) {
		t.Parallel()

		c := newCloud()

		outcome, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{Request: reboot()})
		if err != nil || outcome.Stalled {
			t.Errorf("Run() = %+v, %v", outcome, err)
		}
	})
}

func TestJudgeCanEndTheOperation(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onPoll = func(context.Context, int, machineops.OperationRequest, machineops.ProviderOperation) (machineops.PollResult, error) {
		return inProgress(0), nil
	}

	looks := 0
	_, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{
		Request: reboot(),
		Judge: func(context.Context, machineops.PollResult) error {
			if looks++; looks == 2 {
				return &lifecycle.FailedError{Reason: "Enough"}
			}

			return nil
		},
	})
	wantFailed(t, err, "Enough")
	wantCounts(t, c, map[string]int{"poll": 2, "cleanup": 0})
}

func TestAcceptanceWithoutAHandleFails(t *testing.T) {
	t.Parallel()

	c := newCloud()
	c.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
		return machineops.BeginResult{Message: "sure"}, nil
	}

	_, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{Request: reboot()})
	wantFailed(t, err, lifecycle.ReasonIncompleteAnswer)
	wantCounts(t, c, map[string]int{"begin": 1, "poll": 0})
}

func seconds(counts ...int) []time.Duration {
	durations := make([]time.Duration, 0, len(counts))
	for _, count := range counts {
		durations = append(durations, time.Duration(count)*time.Second)
	}

	return durations
}
