package lifecycle_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// crash is what a killed process is to this test: a panic at one of its calls.
type crash struct{}

// world is what outlives a process: the provider's side, what was recorded, and
// what the invariants count.
type world struct {
	t *rapid.T
	// mode is how the operation is registered.
	mode mode
	// calm is set for the last process, to which nothing happens.
	calm bool
	// cancel interrupts the process that is running.
	cancel context.CancelFunc

	// durable is the record that the next process is handed.
	durable *lifecycle.PendingOperation
	// effects counts what happened to the machine, by OperationUID.
	effects map[string]int
	// handles are the handles given out, by OperationUID.
	handles map[string]machineops.ProviderOperation
	// applied counts the results that were applied.
	applied int
	// cleaned counts the cleanups that had their effect, of this process and in all;
	// unrecorded counts those whose process could not say so any more.
	cleaned, cleanedHere, unrecorded int
}

type mode string

const (
	longRunning   mode = "long-running"
	onceOnly      mode = "immediate"
	repeatedly    mode = "immediate and replay-safe"
	operationUID       = "op-1"
	livesPerCheck      = 12
)

// happens draws whether something befalls the process now.
func (w *world) happens(what string, oneIn int) bool {
	return !w.calm && rapid.IntRange(0, oneIn-1).Draw(w.t, what) == oneIn-1
}

// disturb lets the process be killed or told to stop.
func (w *world) disturb(where string) {
	if w.happens("crash "+where, 12) {
		panic(crash{})
	}

	if w.happens("cancel "+where, 12) {
		w.cancel()
	}
}

func (w *world) mayChange(ctx context.Context, what string) {
	if ctx.Err() != nil {
		w.t.Fatalf("%s after the context had ended", what)
	}
}

func (w *world) begin(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
	w.mayChange(ctx, "begun")
	w.disturb("before the effect")

	if w.happens("begin fails before the effect", 4) {
		return machineops.BeginResult{}, errTransient
	}

	uid := string(request.OperationUID)
	if _, known := w.handles[uid]; !known {
		w.effects[uid]++
		w.handles[uid] = machineops.ProviderOperation{OperationID: "handle of " + uid}
	}

	w.disturb("after the effect")

	if w.happens("begin fails after the effect", 4) {
		return machineops.BeginResult{}, errTransient
	}

	return machineops.BeginResult{Operation: w.handles[uid]}, nil
}

func (w *world) execute(ctx context.Context, request machineops.OperationRequest) (machineops.OperationResult, error) {
	w.mayChange(ctx, "executed")
	w.disturb("before the effect")

	if w.happens("execution fails before the effect", 4) {
		return machineops.OperationResult{}, errTransient
	}

	if w.mode == onceOnly || w.effects[string(request.OperationUID)] == 0 {
		// Repeating what is replay-safe adds no effect.
		w.effects[string(request.OperationUID)]++
	}

	w.disturb("after the effect")

	if w.happens("execution fails after the effect", 4) {
		return machineops.OperationResult{}, errTransient
	}

	return machineops.OperationResult{ProviderID: machineID}, nil
}

func (w *world) poll(_ context.Context, request machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
	if handle.OperationID == "" || handle != w.handles[string(request.OperationUID)] {
		w.t.Fatalf("polled with the handle %+v, and %+v was given", handle, w.handles)
	}

	if w.durable == nil || w.durable.Stage != lifecycle.StageBegun || w.durable.OperationID != handle.OperationID {
		w.t.Fatalf("polled while the record was %+v", w.durable)
	}

	w.disturb("in a look")

	if w.calm {
		return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded, Result: machineops.OperationResult{ProviderID: machineID}}, nil
	}

	// The provider need not be of one mind: after an end, the next look may tell
	// another one. Whoever recorded an end must not look any more.
	switch rapid.SampledFrom([]string{"error", "progress", "progress", "stall", "unknown", "success", "failure", "canceled", "refused"}).Draw(w.t, "look") {
	case "error":
		return machineops.PollResult{}, errTransient
	case "stall":
		return machineops.PollResult{State: machineops.ProviderOperationStateInProgress, RequeueAfter: 20 * time.Minute}, nil
	case "unknown":
		return machineops.PollResult{State: "Pondering"}, nil
	case "success":
		return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded, Result: machineops.OperationResult{ProviderID: machineID}}, nil
	case "failure":
		return machineops.PollResult{State: machineops.ProviderOperationStateFailed, Reason: "Broken"}, nil
	case "canceled":
		return machineops.PollResult{State: machineops.ProviderOperationStateCanceled}, nil
	case "refused":
		return machineops.PollResult{}, permanent("Refused", "no")
	default:
		return machineops.PollResult{State: machineops.ProviderOperationStateInProgress}, nil
	}
}

func (w *world) apply(ctx context.Context, result machineops.OperationResult) error {
	w.mayChange(ctx, "applied")

	if result.ProviderID != machineID || w.durable.Stage != lifecycle.StageSucceeded {
		w.t.Fatalf("applied %+v while the record was %+v", result, w.durable)
	}

	w.disturb("before applying")

	if w.happens("applying fails", 4) {
		return errTransient
	}

	w.applied++

	w.disturb("after applying")

	return nil
}

func (w *world) cleanup(ctx context.Context, _ machineops.OperationRequest, result machineops.OperationResult) error {
	w.mayChange(ctx, "cleaned up")

	if w.applied == 0 || w.durable.Stage != lifecycle.StageApplied || result.ProviderID != machineID {
		w.t.Fatalf("cleaned up %+v after %d applications, while the record was %+v", result, w.applied, w.durable)
	}

	w.disturb("before cleaning up")

	if w.happens("cleanup fails", 4) {
		return errTransient
	}

	w.cleaned++
	w.cleanedHere++

	w.disturb("after cleaning up")

	return nil
}

func (w *world) record(_ context.Context, operation lifecycle.PendingOperation) error {
	w.disturb("before recording")

	if w.happens("the record is lost", 5) {
		return errTransient
	}

	if w.durable != nil && terminal(w.durable.Stage) && w.durable.Stage != operation.Stage {
		w.t.Fatalf("the end %s was recorded, and then %s", w.durable.Stage, operation.Stage)
	}

	w.durable = &operation

	w.disturb("after recording")

	if w.happens("the record is written and its answer lost", 8) {
		return errTransient
	}

	return nil
}

func terminal(stage lifecycle.Stage) bool {
	return stage == lifecycle.StageComplete || stage == lifecycle.StageFailed
}

// live is one process, from its start to its end.
func (w *world) live() (outcome lifecycle.Outcome, crashed bool, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	w.cancel = cancel
	w.cleanedHere = 0

	defer func() {
		switch fault := recover(); fault.(type) {
		case nil:
		case crash:
			crashed = true
		default:
			panic(fault)
		}
	}()

	clk := newClock()
	// A wait in a process that is told to stop lasts until it has.
	clk.hold = func(int, time.Duration) bool { return ctx.Err() != nil }

	outcome, err = w.runner(clk).Run(ctx, lifecycle.Run{
		Request: machineops.OperationRequest{
			OperationUID: operationUID, Operation: v1alpha3.OperationHostReboot, ProviderID: machineID,
		},
		Pending:  w.durable,
		Recorder: lifecycle.RecorderFunc(w.record),
		Apply:    w.apply,
	})

	return outcome, false, err
}

func (w *world) runner(clk *steppingClock) *lifecycle.Runner {
	option := machineops.WithLongRunningOperation(v1alpha3.OperationHostReboot, w.begin, w.poll, machineops.WithCleanup(w.cleanup))

	switch w.mode {
	case onceOnly:
		option = machineops.WithImmediateOperation(v1alpha3.OperationHostReboot, w.execute, machineops.WithCleanup(w.cleanup))
	case repeatedly:
		option = machineops.WithImmediateOperation(v1alpha3.OperationHostReboot, w.execute, machineops.WithCleanup(w.cleanup), machineops.ReplaySafe())
	case longRunning:
	}

	registration, err := machineops.NewProvider(cloudName, option)
	if err != nil {
		w.t.Fatalf("NewProvider: %v", err)
	}

	return &lifecycle.Runner{Registration: registration, Auth: credentials, Clock: clk}
}

// check looks at what one process did and how it ended.
func (w *world) check(outcome lifecycle.Outcome, crashed bool, err error) {
	for uid, count := range w.effects {
		if uid != operationUID || count > 1 {
			w.t.Fatalf("%d effects under %s", count, uid)
		}
	}

	if w.cleanedHere > 1 {
		w.t.Fatalf("cleaned up %d times in one process", w.cleanedHere)
	}

	// A process that ends between a cleanup and the record of it leaves one more to
	// the next. There is no other way to clean up twice.
	if w.cleanedHere == 1 && (w.durable == nil || w.durable.Stage != lifecycle.StageComplete) {
		w.unrecorded++
	}

	if w.cleaned > 1+w.unrecorded {
		w.t.Fatalf("cleaned up %d times, of which %d were not recorded", w.cleaned, w.unrecorded)
	}

	if crashed {
		return
	}

	var (
		failed     *lifecycle.FailedError
		unfinished *lifecycle.UnfinishedError
	)

	switch {
	case err == nil:
		if outcome.Phase != v1alpha3.OperationPhaseComplete || w.durable.Stage != lifecycle.StageComplete || w.cleaned == 0 {
			w.t.Fatalf("complete: %+v, recorded as %+v, after %d cleanups", outcome, w.durable, w.cleaned)
		}
	case errors.As(err, &failed):
		if outcome.Phase != v1alpha3.OperationPhaseFailed || w.durable.Stage != lifecycle.StageFailed || w.cleaned != 0 {
			w.t.Fatalf("failed: %+v, recorded as %+v, after %d cleanups", outcome, w.durable, w.cleaned)
		}
	case errors.As(err, &unfinished):
		if !lifecycle.Interrupted(err) {
			w.t.Fatalf("unfinished without an interrupt: %v", err)
		}

		// A caller that returns normally keeps what it was given.
		if outcome.Pending != nil && w.happens("the caller keeps the outcome", 2) {
			w.durable = outcome.Pending
		}
	default:
		w.t.Fatalf("neither an end nor unfinished: %v", err)
	}
}

func TestOperationKeepsItsPromisesWhateverHappens(t *testing.T) {
	t.Parallel()

	for _, mode := range []mode{longRunning, onceOnly, repeatedly} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()

			rapid.Check(t, func(t *rapid.T) {
				w := &world{t: t, mode: mode, effects: map[string]int{}, handles: map[string]machineops.ProviderOperation{}}

				for range rapid.IntRange(0, livesPerCheck).Draw(t, "lives") {
					w.check(w.live())
				}

				// Left in peace, the operation comes to an end.
				w.calm = true
				outcome, _, err := w.live()
				w.check(outcome, false, err)

				if outcome.Phase != v1alpha3.OperationPhaseComplete && outcome.Phase != v1alpha3.OperationPhaseFailed {
					t.Fatalf("left in peace, it did not end: %+v, %v", outcome, err)
				}

				// And the end stays.
				cleaned, applied := w.cleaned, w.applied

				again, _, err := w.live()
				w.check(again, false, err)

				if again.Phase != outcome.Phase || w.cleaned != cleaned || w.applied != applied {
					t.Fatalf("it ended as %s, and then as %s", outcome.Phase, again.Phase)
				}
			})
		})
	}
}
