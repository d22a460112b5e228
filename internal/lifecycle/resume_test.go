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

// recordAt is what an earlier process recorded of a reboot.
func recordAt(stage lifecycle.Stage) *lifecycle.PendingOperation {
	record := &lifecycle.PendingOperation{
		Provider: cloudName, Kind: v1alpha3.OperationHostReboot, OperationUID: "op-0", BeganAt: start(), Stage: stage, Attempts: 1,
	}

	if stage != lifecycle.StageIntended {
		record.OperationID, record.ResumeToken = "id-0", "token-0"
	}

	if stage == lifecycle.StageSucceeded || stage == lifecycle.StageApplied || stage == lifecycle.StageComplete {
		record.Result = &lifecycle.RecordedResult{ProviderID: machineID, CleanupProviderID: "north.old"}
	}

	return record
}

func TestRecordIsTakenUpWhereItWasLeft(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		pending *lifecycle.PendingOperation
		counts  map[string]int
	}{
		"intended":  {recordAt(lifecycle.StageIntended), map[string]int{"begin": 1, "poll": 1, "apply": 1, "cleanup": 1, "record complete": 1}},
		"begun":     {recordAt(lifecycle.StageBegun), map[string]int{"begin": 0, "poll": 1, "apply": 1, "cleanup": 1, "record complete": 1}},
		"succeeded": {recordAt(lifecycle.StageSucceeded), map[string]int{"begin": 0, "poll": 0, "apply": 1, "cleanup": 1, "record complete": 1}},
		"applied":   {recordAt(lifecycle.StageApplied), map[string]int{"begin": 0, "poll": 0, "apply": 0, "cleanup": 1, "record complete": 1}},
		"complete":  {recordAt(lifecycle.StageComplete), map[string]int{"begin": 0, "poll": 0, "apply": 0, "cleanup": 0, "record complete": 0}},
		"applied, by a version that kept no result": {
			func() *lifecycle.PendingOperation {
				record := recordAt(lifecycle.StageApplied)
				record.Result = nil

				return record
			}(),
			map[string]int{"begin": 0, "poll": 1, "apply": 1, "cleanup": 1, "record complete": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var (
				records []lifecycle.PendingOperation
				cleaned machineops.OperationResult
			)

			c := newCloud()
			c.onCleanup = func(_ context.Context, _ int, request machineops.OperationRequest, result machineops.OperationResult) error {
				cleaned = result

				if request.OperationUID != "op-0" {
					t.Errorf("cleaned up after %s", request.OperationUID)
				}

				return nil
			}
			before := *test.pending

			outcome, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{
				Request: reboot(), Pending: test.pending, Recorder: c.recorder(&records),
				Apply: func(context.Context, machineops.OperationResult) error { c.note("apply", nil); return nil },
			})
			if err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete || outcome.Pending != nil || outcome.Result.CleanupProviderID != "north.old" {
				t.Fatalf("Run() = %+v, %v, want a complete operation with its result", outcome, err)
			}

			wantCounts(t, c, test.counts)

			if test.counts["cleanup"] == 1 && cleaned != (machineops.OperationResult{ProviderID: machineID, CleanupProviderID: "north.old"}) {
				t.Errorf("Cleanup was given %+v", cleaned)
			}

			for _, request := range c.requests("begin") {
				if request.OperationUID != "op-0" {
					t.Errorf("begun again under another UID, %s", request.OperationUID)
				}
			}

			if *test.pending != before {
				t.Errorf("the caller's record was changed to %+v", test.pending)
			}
		})
	}
}

func TestNothingRestsOnARecordThatCouldNotBeWritten(t *testing.T) {
	t.Parallel()

	for stage, want := range map[lifecycle.Stage][]string{
		lifecycle.StageIntended:  {},
		lifecycle.StageBegun:     {"begin"},
		lifecycle.StageSucceeded: {"begin", "poll"},
		lifecycle.StageApplied:   {"begin", "poll", "apply"},
	} {
		t.Run(string(stage), func(t *testing.T) {
			t.Parallel()

			c := newCloud()
			run := lifecycle.Run{
				Request: reboot(),
				Recorder: lifecycle.RecorderFunc(func(_ context.Context, operation lifecycle.PendingOperation) error {
					if operation.Stage == stage {
						return permanent("", "read-only")
					}

					return nil
				}),
				Apply: func(context.Context, machineops.OperationResult) error { c.note("apply", nil); return nil },
			}

			outcome, err := c.runner(t, newClock()).Run(t.Context(), run)

			var unfinished *lifecycle.UnfinishedError
			if !errors.As(err, &unfinished) || lifecycle.Interrupted(err) {
				t.Fatalf("error is %v, want an UnfinishedError that is no interrupt", err)
			}

			if got := c.happened(); !slices.Equal(got, want) {
				t.Errorf("happened: %v, want %v", got, want)
			}

			if outcome.Pending == nil || outcome.Pending.Stage != stage {
				t.Errorf("pending is %+v, want what could not be recorded", outcome.Pending)
			}

			// The caller may keep it by other means, and go on.
			run.Pending, run.Recorder = outcome.Pending, nil
			if outcome, err = c.runner(t, newClock()).Run(t.Context(), run); err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete {
				t.Fatalf("resumed: %+v, %v", outcome, err)
			}

			wantCounts(t, c, map[string]int{"begin": 1, "poll": 1, "apply": 1, "cleanup": 1})
		})
	}
}

func TestRecordingIsTriedAgain(t *testing.T) {
	t.Parallel()

	c, tries := newCloud(), 0
	_, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{
		Request: reboot(),
		Recorder: lifecycle.RecorderFunc(func(context.Context, lifecycle.PendingOperation) error {
			if tries++; tries%3 != 0 {
				return errTransient
			}

			return nil
		}),
	})
	if err != nil {
		t.Fatalf("Run: %v", err)
	}

	if tries != 15 {
		t.Errorf("recorded %d times, want three times for each of 5 stages", tries)
	}

	wantCounts(t, c, map[string]int{"begin": 1, "poll": 1, "cleanup": 1})
}

func TestApplyIsRepeatedAndCleanupComesAfterIt(t *testing.T) {
	t.Parallel()

	c, applied := newCloud(), 0
	c.onCleanup = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.OperationResult) error {
		if applied != 3 {
			t.Errorf("cleaned up after %d attempts to apply", applied)
		}

		if n < 3 {
			return errTransient
		}

		return nil
	}

	outcome, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{
		Request: reboot(),
		Apply: func(context.Context, machineops.OperationResult) error {
			if applied++; applied < 3 {
				return errTransient
			}

			return nil
		},
	})
	if err != nil || outcome.Pending != nil {
		t.Fatalf("Run() = %+v, %v", outcome, err)
	}

	wantCounts(t, c, map[string]int{"poll": 1, "cleanup": 3})
}

func TestApplyThatRefusesEndsTheOperationWithoutCleanup(t *testing.T) {
	t.Parallel()

	c := newCloud()
	_, err := c.runner(t, newClock()).Run(t.Context(), lifecycle.Run{
		Request: reboot(),
		Apply: func(context.Context, machineops.OperationResult) error {
			return permanent(v1alpha3.ReasonTaken, "not ours")
		},
	})
	wantFailed(t, err, v1alpha3.ReasonTaken)
	wantCounts(t, c, map[string]int{"poll": 1, "cleanup": 0})
}

func TestCleanupThatIsRefusedIsToldAndKept(t *testing.T) {
	t.Parallel()

	var records []lifecycle.PendingOperation

	c := newCloud()
	c.onCleanup = func(_ context.Context, n int, _ machineops.OperationRequest, _ machineops.OperationResult) error {
		if n == 1 {
			return permanent(v1alpha3.ReasonPermissionDenied, "may not delete")
		}

		return nil
	}

	run := lifecycle.Run{Request: reboot(), Recorder: c.recorder(&records)}

	outcome, err := c.runner(t, newClock()).Run(t.Context(), run)
	if err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete || outcome.CleanupError == nil {
		t.Fatalf("Run() = %+v, %v, want complete with the refusal told", outcome, err)
	}

	// The reason is a word for programs.
	if text := outcome.CleanupError.Error(); text != "cleaning up: may not delete" {
		t.Errorf("the refusal is told as %q", text)
	}

	if outcome.Pending == nil || outcome.Pending.Stage != lifecycle.StageApplied || records[len(records)-1].Stage != lifecycle.StageApplied {
		t.Fatalf("pending is %+v, want the Cleanup to be outstanding", outcome.Pending)
	}

	run.Pending = outcome.Pending
	if outcome, err = c.runner(t, newClock()).Run(t.Context(), run); err != nil || outcome.CleanupError != nil || outcome.Pending != nil {
		t.Errorf("handed again: %+v, %v", outcome, err)
	}

	wantCounts(t, c, map[string]int{"begin": 1, "poll": 1, "cleanup": 2})
}

func TestCleanupCanBeLeftToALaterRun(t *testing.T) {
	t.Parallel()

	c := newCloud()
	run := lifecycle.Run{Request: reboot(), CleanupLater: true}

	outcome, err := c.runner(t, newClock()).Run(t.Context(), run)
	if err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete || outcome.Pending == nil || outcome.Pending.Stage != lifecycle.StageApplied {
		t.Fatalf("Run() = %+v, %v, want complete with the Cleanup outstanding", outcome, err)
	}

	wantCounts(t, c, map[string]int{"poll": 1, "cleanup": 0})

	run.Pending, run.CleanupLater = outcome.Pending, false
	if outcome, err = c.runner(t, newClock()).Run(t.Context(), run); err != nil || outcome.Pending != nil {
		t.Fatalf("Run() = %+v, %v", outcome, err)
	}

	wantCounts(t, c, map[string]int{"begin": 1, "poll": 1, "cleanup": 1})
}
