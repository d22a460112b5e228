package lifecycle_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func release() lifecycle.ReleaseRequest {
	return lifecycle.ReleaseRequest{
		Identity: identity("w"), ProviderID: "north.m-1", Claim: "c",
		OwnedResources: []v1alpha3.ProviderOwnedResource{{Kind: v1alpha3.OwnedResourceInstance, ID: "m-1", Region: "north"}, disk()},
	}
}

func TestReleaseGivesBackWhatIsOwnedAndNothingElse(t *testing.T) {
	t.Parallel()

	f := newFleet(t)

	outcome, err := f.allocator.Release(t.Context(), release())
	if err != nil || outcome.Phase != v1alpha3.OperationPhaseComplete || outcome.Pending != nil {
		t.Fatalf("Release() = %+v, %v", outcome, err)
	}

	wantCounts(t, f.cloud, map[string]int{"release": 1, "poll release": 1, "begin": 0, "resolve": 0, "observe": 0})

	request := f.requests("release")[0]
	if !slices.Equal(request.Allocation.OwnedResources, release().OwnedResources) || request.Parameters[v1alpha3.ParameterClaim] != "c" ||
		request.Parameters[v1alpha3.ParameterOwner] != "team" || request.ProviderID != "north.m-1" {
		t.Errorf("released with %+v", request)
	}

	if request.Allocation.ProviderConfig.Data != nil || request.Allocation.UserData != "" {
		t.Errorf("the release was given what only the launch may see")
	}
}

// What is not asked for is not named: a registration that knows nothing of disks is
// asked for what it always was.
func TestReleaseAsksForDisksToStay(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change func(*lifecycle.ReleaseRequest)
		want   map[string]string
	}{
		"nothing": {change: func(*lifecycle.ReleaseRequest) {}, want: map[string]string{}},
		"to stay": {
			change: func(r *lifecycle.ReleaseRequest) { r.RetainDisks = true }, want: map[string]string{v1alpha3.ParameterRetainDisks: "true"},
		},
		"to be told of": {
			change: func(r *lifecycle.ReleaseRequest) { r.ReportDisks = true }, want: map[string]string{v1alpha3.ParameterReportDisks: "true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t)
			f.onPollRelease = func(int) (machineops.PollResult, error) {
				return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded, Message: "d-1 stays"}, nil
			}

			request := release()
			test.change(&request)

			outcome, err := f.allocator.Release(t.Context(), request)
			if err != nil || outcome.Message != "d-1 stays" {
				t.Errorf("Release() = %+v, %v", outcome, err)
			}

			got := f.requests("release")[0].Parameters
			delete(got, v1alpha3.ParameterOwner)
			delete(got, v1alpha3.ParameterClaim)

			if !maps.Equal(got, test.want) {
				t.Errorf("released with %v, want %v", got, test.want)
			}
		})
	}
}

func TestReleaseThatIsRefusedSaysSo(t *testing.T) {
	t.Parallel()

	for _, reason := range []string{v1alpha3.ReasonTaken, v1alpha3.ReasonRefused} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t)
			f.onRelease = func(int, machineops.OperationRequest) (machineops.BeginResult, error) {
				return machineops.BeginResult{}, permanent(reason, "hands off")
			}

			_, err := f.allocator.Release(t.Context(), release())
			wantFailed(t, err, reason)
			wantCounts(t, f.cloud, map[string]int{"release": 1, "poll release": 0})
		})
	}
}

func TestInterruptedReleaseIsResumedUnderItsUID(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t)
	f.onPollRelease = func(n int) (machineops.PollResult, error) {
		if n == 1 {
			cancel()

			return machineops.PollResult{State: machineops.ProviderOperationStateInProgress, Reason: v1alpha3.ReasonReleasing}, nil
		}

		return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded}, nil
	}

	outcome, err := f.allocator.Release(ctx, release())
	wantUnfinished(t, err, context.Canceled)

	request := release()
	request.Pending = outcome.Pending

	if _, err := f.allocator.Release(t.Context(), request); err != nil {
		t.Fatal(err)
	}

	wantCounts(t, f.cloud, map[string]int{"release": 1, "poll release": 2})

	if looks := f.requests("poll release"); looks[0].OperationUID != looks[1].OperationUID {
		t.Errorf("begun under %s and resumed under %s", looks[0].OperationUID, looks[1].OperationUID)
	}
}

func TestWhatAFailedLaunchLeftBehindIsReleasedAtOnce(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		return broken("BootFailed", host(handle, disk())), nil
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if failed := wantFailed(t, err, "BootFailed"); failed.Message != "it is broken" {
		t.Errorf("error is %v", failed)
	}

	if allocated.ProviderID != "" || len(allocated.Result.OwnedResources) != 0 {
		t.Errorf("allocated %+v, want nothing to keep", allocated)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 1, "release": 1, "poll release": 1})

	request := f.requests("release")[0]
	if len(request.Allocation.OwnedResources) != 2 || request.Parameters[v1alpha3.ParameterClaim] != identity("w").LaunchClaim(0) {
		t.Errorf("released with %+v", request)
	}
}

func TestWhatWasSeenOfALaunchThatIsRefusedLaterIsReleased(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 1 {
			return booting(handle), nil
		}

		return machineops.PollResult{}, permanent(v1alpha3.ReasonPermissionDenied, "not any more")
	}

	_, err := f.allocator.Allocate(t.Context(), allocation("w"))
	wantFailed(t, err, v1alpha3.ReasonPermissionDenied)
	wantCounts(t, f.cloud, map[string]int{"release": 1})
}

func TestWhatALaunchRefusedForCapacityLeftBehindIsReleasedBeforeTheNext(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 1 {
			return broken(v1alpha3.ReasonInsufficientCapacity, machineops.OperationResult{
				Allocation: &machineops.AllocationResult{OwnedResources: []v1alpha3.ProviderOwnedResource{disk()}},
			}), nil
		}

		return running(handle), nil
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-2" || slices.Contains(allocated.Result.OwnedResources, disk()) {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	want := []string{"list", "resolve", "begin", "poll", "release", "poll release", "begin", "poll", "observe"}
	if got := f.happened(); !slices.Equal(got, want) {
		t.Errorf("happened: %v, want %v", got, want)
	}
}

func TestWhatCannotBeReleasedIsNeverForgotten(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		reason   string
		released int
		script   func(*fleet, context.CancelFunc)
	}{
		"since the release is refused":                               {"BootFailed", 1, func(*fleet, context.CancelFunc) {}},
		"since the release is refused, after a refusal for capacity": {v1alpha3.ReasonInsufficientCapacity, 1, func(*fleet, context.CancelFunc) {}},
		"since the run was told to stop": {"BootFailed", 0, func(f *fleet, cancel context.CancelFunc) {
			f.afterEvent = func(event string) {
				if event == "poll" {
					cancel()
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()

			f := newFleet(t, offering("one"), offering("two"))
			f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				return broken(test.reason, host(handle, disk())), nil
			}
			f.onRelease = func(int, machineops.OperationRequest) (machineops.BeginResult, error) {
				return machineops.BeginResult{}, permanent(v1alpha3.ReasonPermissionDenied, "may not delete")
			}
			test.script(f, cancel)

			allocated, err := f.allocator.Allocate(ctx, allocation("w"))
			wantFailed(t, err, test.reason)
			wantCounts(t, f.cloud, map[string]int{"begin": 1, "release": test.released})

			if allocated.ProviderID != "north.m-1" || len(allocated.Result.OwnedResources) != 2 || allocated.Claim != identity("w").LaunchClaim(0) ||
				allocated.Offering.ID != "one" || allocated.Pending != nil {
				t.Errorf("allocated %+v, want all that a release needs", allocated)
			}

			for _, part := range []string{"it is broken", "Instance m-1 in north", "Disk d-1 in north"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}

			if test.released == 1 {
				var refused *machineops.PermanentError
				if !errors.As(err, &refused) || refused.Reason != v1alpha3.ReasonPermissionDenied {
					t.Errorf("error %v does not lead to why the release failed", err)
				}
			}
		})
	}
}

func TestWhatAnOldAnswerNamesIsNotReleased(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if n == 1 {
			return broken(v1alpha3.ReasonReplayed, host(handle)), nil
		}

		return running(handle), nil
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 2, "release": 0})
}
