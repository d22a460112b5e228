package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// mayNot is the refusal of a look at the machine.
func mayNot(machine string) error {
	return &machineops.BlockedError{
		Reason: v1alpha3.ReasonPermissionDenied, ProviderID: machine, Err: errors.New("looking at " + machine + ": not allowed (request R-9)"),
	}
}

func wantBlocked(t *testing.T, err error) {
	t.Helper()

	blocked := lifecycle.Blocked(err)
	if blocked == nil || blocked.Reason != v1alpha3.ReasonPermissionDenied || lifecycle.Interrupted(err) {
		t.Fatalf("error is %v, want one that says that the caller is refused", err)
	}

	if !strings.Contains(err.Error(), "not allowed (request R-9)") {
		t.Errorf("error %q does not say what was refused", err)
	}
}

func TestALaunchThatMayNotBeLookedAtIsNotWaitedFor(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		look  func(n int, handle machineops.ProviderOperation) (machineops.PollResult, error)
		polls int
		seen  bool
	}{
		"never seen": {
			look: func(_ int, _ machineops.ProviderOperation) (machineops.PollResult, error) {
				return machineops.PollResult{}, mayNot("north.m-1")
			},
			polls: 4,
		},
		"seen before": {
			look: func(n int, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				if n <= 3 {
					return booting(handle), nil
				}

				return machineops.PollResult{}, mayNot("north.m-1")
			},
			polls: 3 + 4, seen: true,
		},
		// The window lasts 35 s, of which the looks are 2 s apart; then come four refusals.
		"never listed, and then refused": {
			look: func(_ int, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				return notListed(handle), nil
			},
			polls: 19 + 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"), offering("two"))
			f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
				return test.look(n, handle)
			}
			f.onObserve = func(_ context.Context, _ int, machine string) (lifecycle.Observation, error) {
				return lifecycle.Observation{}, mayNot(machine)
			}

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
			wantBlocked(t, err)

			if !slices.Equal(allocated.Answered, []string{"north.m-1"}) || allocated.Pending == nil || (allocated.ProviderID != "") != test.seen {
				t.Errorf("Allocate() = %+v", allocated)
			}

			wantCounts(t, f.cloud, map[string]int{"begin": 1, "poll": test.polls, "release": 0, "claim": 0})
		})
	}
}

// A permission that was just granted is refused for some seconds, and other failures
// say nothing of it.
func TestAFewRefusedLooksAreGotOver(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		switch {
		case n == 4:
			return machineops.PollResult{}, errTransient
		case n < 8:
			return machineops.PollResult{}, mayNot("north.m-1")
		default:
			return running(handle), nil
		}
	}

	allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
	if err != nil || allocated.ProviderID != "north.m-1" {
		t.Errorf("Allocate() = %+v, %v", allocated, err)
	}

	wantCounts(t, f.cloud, map[string]int{"begin": 1, "poll": 8})
}

// Ten at a time would otherwise go on launching what nobody can look at.
func TestAfterALaunchThatCannotBeFollowedThePermissionIsProvenAgain(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if handle.OperationID != "launch-1" {
			return running(handle), nil
		}

		return machineops.PollResult{}, mayNot("north.m-1")
	}

	var since []time.Time

	allowed := true
	f.onList = func(_ int, notBefore time.Time) ([]lifecycle.Observation, error) {
		since = append(since, notBefore)

		if !allowed {
			return nil, permanent(v1alpha3.ReasonPermissionDenied, "may not list")
		}

		return nil, nil
	}

	_, err := f.allocator.Allocate(t.Context(), allocation("a"))
	wantBlocked(t, err)

	refused := f.clk.Now()
	allowed = false

	_, err = f.allocator.Allocate(t.Context(), allocation("b"))
	wantFailed(t, err, v1alpha3.ReasonPermissionDenied)
	wantCounts(t, f.cloud, map[string]int{"begin": 1})

	if len(since) != 2 || since[1].Before(refused) {
		t.Errorf("listed since %v, want a list from after %v", since, refused)
	}

	allowed = true

	if _, err := f.allocator.Allocate(t.Context(), allocation("c")); err != nil {
		t.Error(err)
	}
}

// notAllowed is what a cloud answers to who may not.
type notAllowed struct{}

func (notAllowed) Error() string { return "not allowed (request R-9)" }

func (notAllowed) Refused() (said, requestID string) { return "not allowed", "R-9" }

func TestWhatAHeldMachineStillNeedsIsNotAskedForWithoutEnd(t *testing.T) {
	t.Parallel()

	denied := &machineops.PermanentError{Reason: v1alpha3.ReasonPermissionDenied, Err: notAllowed{}}

	for name, prepare := range map[string]func(*fleet){
		"the last look": func(f *fleet) {
			f.onList = func(n int, _ time.Time) ([]lifecycle.Observation, error) {
				if n > 1 {
					return nil, denied
				}

				return nil, nil
			}
		},
		"the release of a twin": func(f *fleet) {
			f.appears(lifecycle.Observation{ProviderID: "north.twin", Name: "w", ClassUID: "class-uid", Fingerprint: "f", Claim: "another", CreatedAt: f.clk.Now().Add(time.Hour)})
			f.onRelease = func(int, machineops.OperationRequest) (machineops.BeginResult, error) {
				return machineops.BeginResult{}, denied
			}
		},
		"the claim on an older machine": func(f *fleet) {
			f.onObserve = func(_ context.Context, _ int, machine string) (lifecycle.Observation, error) {
				return lifecycle.Observation{ProviderID: machine, CreatedAt: f.clk.Now().Add(-time.Hour)}, nil
			}
			f.onClaim = func(context.Context, int, string, string) error { return denied }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			f.young(t)
			prepare(f)

			_, err := f.allocator.Allocate(t.Context(), allocation("w"))
			wantBlocked(t, err)

			// What the cloud said is told, though the step's own error decides nothing.
			if said, requestID := machineops.Refused(err); said != "not allowed" || requestID != "R-9" {
				t.Errorf("the answer is %q, %q", said, requestID)
			}

			// The machine itself is left alone.
			for _, request := range f.requests("release") {
				if request.ProviderID != "north.twin" {
					t.Errorf("%s was to be released", request.ProviderID)
				}
			}

			wantCounts(t, f.cloud, map[string]int{"begin": 1})
		})
	}
}

func TestAReleaseThatMayNotBeLookedAtIsNotWaitedFor(t *testing.T) {
	t.Parallel()

	f := newFleet(t)
	f.onPollRelease = func(int) (machineops.PollResult, error) { return machineops.PollResult{}, mayNot("north.m-1") }

	_, err := f.allocator.Release(t.Context(), lifecycle.ReleaseRequest{Identity: identity("w"), ProviderID: "north.m-1"})
	wantBlocked(t, err)
	wantCounts(t, f.cloud, map[string]int{"release": 1, "poll release": 4})
}
