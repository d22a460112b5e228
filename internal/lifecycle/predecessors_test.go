package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// tokens are what a cloud keeps of launches for ever: the same one is answered with
// the machine that it once made, which is no longer there.
type tokens struct {
	machines map[string]string
	alive    string
}

// keepTokens makes the fleet's cloud keep tokens. A released machine is answered with
// again, or the launch refused for it.
func (f *fleet) keepTokens(refused bool) *tokens {
	kept := &tokens{machines: map[string]string{}}

	f.onBegin = func(_ context.Context, n int, request machineops.OperationRequest) (machineops.BeginResult, error) {
		machine, spent := kept.machines[string(request.OperationUID)]

		switch {
		case !spent:
			machine = fmt.Sprintf("m-%d", n)
			kept.machines[string(request.OperationUID)] = machine
			kept.alive = "north." + machine
		case refused && "north."+machine != kept.alive:
			return machineops.BeginResult{}, permanent(v1alpha3.ReasonTokenSpent, "the token is spent")
		}

		return machineops.BeginResult{Operation: machineops.ProviderOperation{OperationID: machine, ResumeToken: machine}}, nil
	}
	f.onPoll = func(_ context.Context, _ int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		if "north."+handle.ResumeToken == kept.alive {
			return running(handle), nil
		}

		return notListed(handle), nil
	}
	f.onObserve = func(_ context.Context, _ int, machine string) (lifecycle.Observation, error) {
		if machine == kept.alive {
			return lifecycle.Observation{ProviderID: machine, CreatedAt: f.clk.Now()}, nil
		}

		return lifecycle.Observation{}, lifecycle.ErrAbsent
	}

	return kept
}

// However many machines had the name before, each released by a process of its own,
// the next one is there after two windows: the one that every create waits for, and
// that of the first old answer.
func TestAnyNumberOfPredecessorsCostsOneWindow(t *testing.T) {
	t.Parallel()

	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprintf("refused %t", refused), func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			kept := f.keepTokens(refused)

			for generation := range 40 {
				f.young(t)

				began, asked := f.clk.Now(), f.count("begin")

				allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
				if err != nil || allocated.ProviderID != kept.alive {
					t.Fatalf("generation %d: Allocate() = %+v, %v; want %s", generation, allocated, err, kept.alive)
				}

				// Some more where one epoch sees several of them.
				if took, asked := f.clk.Now().Sub(began), f.count("begin")-asked; took > 4*time.Minute || asked > 7 {
					t.Errorf("generation %d took %s and %d launches", generation, took, asked)
				}

				kept.alive = ""
			}
		})
	}
}

// A process that is killed right after such a launch leaves a machine that the next
// one adopts, as soon as it is listed.
func TestAMachineOfAKilledProcessIsFoundBeyondItsPredecessors(t *testing.T) {
	t.Parallel()

	for _, refused := range []bool{false, true} {
		t.Run(fmt.Sprintf("refused %t", refused), func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			kept := f.keepTokens(refused)

			for range 3 {
				f.young(t)

				if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
					t.Fatal(err)
				}

				kept.alive = ""
			}

			f.young(t)

			killed, err := f.allocator.Allocate(t.Context(), allocation("w"))
			if err != nil {
				t.Fatal(err)
			}

			f.young(t)

			listed := f.clk.Now().Add(20 * time.Second)
			f.onList = func(int, time.Time) ([]lifecycle.Observation, error) {
				if f.clk.Now().Before(listed) {
					return nil, nil
				}

				return []lifecycle.Observation{{ProviderID: killed.ProviderID, Name: "w", ClassUID: "class-uid", Fingerprint: "f", CreatedAt: f.clk.Now()}}, nil
			}

			next, err := f.allocator.Allocate(t.Context(), allocation("w"))
			if err != nil || next.ProviderID != killed.ProviderID || kept.alive != killed.ProviderID {
				t.Errorf("Allocate() = %+v, %v; want %s again, and alive is %s", next, err, killed.ProviderID, kept.alive)
			}
		})
	}
}

// Until everything can be seen that earlier processes launched, the launches go on
// one by one: the next index may be that of a process that was just killed.
func TestNoLaunchIsSkippedBeforeALookHasShownEverything(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.young(t)

	// An earlier process took this one over, so that its claim tells no index.
	if _, err := f.allocator.Release(t.Context(), lifecycle.ReleaseRequest{Identity: identity("w"), ProviderID: "north.m-1", Claim: "of-an-adoption"}); err != nil {
		t.Fatal(err)
	}

	f.firstUnlisted(0, false)

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	requests := f.requests("begin")
	if len(requests) != 2 || requests[1].OperationUID != identity("w").OperationUID(1) {
		t.Errorf("launched under %+v", requests)
	}
}

func TestAClaimOfAnEpochTellsItsLaunch(t *testing.T) {
	t.Parallel()

	index := lifecycle.EpochIndex(start()) + 3
	claim := identity("w").LaunchClaim(index)

	for name, test := range map[string]struct {
		claim string
		want  int
	}{
		"its own":            {claim, index + 1},
		"another identity's": {identity("v").LaunchClaim(index), 0},
		"another index":      {claim + "7", 0},
		"no index":           {claim + "x", 0},
		"a negative one":     {"f3470d15c19e6c19b7a3c0b389217a85--1", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))

			if _, err := f.allocator.Release(t.Context(), lifecycle.ReleaseRequest{Identity: identity("w"), ProviderID: "north.m-9", Claim: test.claim}); err != nil {
				t.Fatal(err)
			}

			if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
				t.Fatal(err)
			}

			if requests := f.requests("begin"); len(requests) != 1 || requests[0].OperationUID != identity("w").OperationUID(test.want) {
				t.Errorf("launched under %+v, want index %d", requests, test.want)
			}
		})
	}
}

func TestTheIndexesOfEpochsGrowAndFit(t *testing.T) {
	t.Parallel()

	before := 0

	for _, at := range []time.Time{start(), start().Add(time.Minute), start().Add(24 * time.Hour), start().AddDate(18, 0, 0)} {
		index := lifecycle.EpochIndex(at)
		if index < before+100 || index > 1<<31-1 {
			t.Errorf("the index at %s is %d, after %d", at, index, before)
		}

		before = index
	}

	if a, b := lifecycle.EpochIndex(start()), lifecycle.EpochIndex(start().Add(time.Second)); a != b {
		t.Errorf("two processes at about the same time begin at %d and %d", a, b)
	}

	if got := lifecycle.EpochIndex(time.Unix(0, 0)); got != 1000 {
		t.Errorf("before all epochs the index is %d", got)
	}
}

// An old token answers its refusal however much there is by now. What all offerings were
// refused for is asked again under tokens of now, once, and in the order of the class.
func TestRefusalsOfOldTokensAreNotBelieved(t *testing.T) {
	t.Parallel()

	old := func(request machineops.OperationRequest) bool {
		for index := range 1000 {
			if request.OperationUID == identity(request.MachineName).OperationUID(index) {
				return true
			}
		}

		return false
	}
	soldOut := func(all bool) func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
		return func(_ context.Context, n int, request machineops.OperationRequest) (machineops.BeginResult, error) {
			if all || old(request) {
				return machineops.BeginResult{}, permanent(v1alpha3.ReasonInsufficientCapacity, "sold out")
			}

			return launched(n), nil
		}
	}

	t.Run("there is some by now", func(t *testing.T) {
		t.Parallel()

		f := newFleet(t, offering("one"), offering("two"))
		f.young(t)
		f.onBegin = soldOut(false)

		allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
		if err != nil || allocated.Offering.ID != "one" || len(allocated.Attempts) != 0 {
			t.Errorf("Allocate() = %+v, %v", allocated, err)
		}

		f.wantAsked(t, "one", "two", "one")
	})

	t.Run("there is still none", func(t *testing.T) {
		t.Parallel()

		f := newFleet(t, offering("one"), offering("two"))
		f.onBegin = soldOut(true)

		// What was refused twice is believed, and what the others know is enough.
		for _, name := range []string{"w", "v", "x"} {
			var exhausted *lifecycle.ExhaustedError
			if _, err := f.allocator.Allocate(t.Context(), allocation(name)); !errors.As(err, &exhausted) || len(exhausted.Attempts) != 2 {
				t.Errorf("Allocate(%s): %v", name, err)
			}
		}

		f.wantAsked(t, "one", "two", "one", "two")
	})

	t.Run("the machine of a killed process comes up meanwhile", func(t *testing.T) {
		t.Parallel()

		f := newFleet(t, offering("one"))
		f.young(t)
		f.appears(left("o"))
		f.onBegin = soldOut(false)

		allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
		if err != nil || allocated.ProviderID != "north.o" || !allocated.Adopted {
			t.Errorf("Allocate() = %+v, %v", allocated, err)
		}

		f.wantAsked(t, "one")
	})

	t.Run("behind an old answer", func(t *testing.T) {
		t.Parallel()

		f := newFleet(t, offering("one"), offering("two"))
		f.onBegin = func(_ context.Context, n int, request machineops.OperationRequest) (machineops.BeginResult, error) {
			switch {
			case n == 1:
				return machineops.BeginResult{}, permanent(v1alpha3.ReasonInsufficientCapacity, "sold out")
			case old(request):
				return machineops.BeginResult{}, permanent(v1alpha3.ReasonTokenSpent, "the token is spent")
			default:
				return launched(n), nil
			}
		}

		allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
		if err != nil || allocated.Offering.ID != "one" {
			t.Errorf("Allocate() = %+v, %v", allocated, err)
		}

		f.wantAsked(t, "one", "two", "one")
	})

	t.Run("the wait for that is interrupted", func(t *testing.T) {
		t.Parallel()

		ctx, cancel := context.WithCancel(t.Context())
		f := newFleet(t, offering("one"))
		f.young(t)
		f.onBegin = soldOut(true)
		f.clk.hold = func(int, time.Duration) bool {
			cancel()

			return true
		}

		_, err := f.allocator.Allocate(ctx, allocation("w"))
		wantUnfinished(t, err, context.Canceled)
		f.wantAsked(t, "one")

		if !strings.Contains(err.Error(), "sold out") {
			t.Errorf("the error does not tell what was refused: %v", err)
		}
	})
}
