package lifecycle_test

import (
	"context"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func TestWhatIsPublishedAsSoldOutIsAskedForLast(t *testing.T) {
	t.Parallel()

	soldOut, gone, low := offering("sold-out"), offering("gone"), offering("low")
	soldOut.Availability, gone.Availability, low.Availability = v1alpha3.AvailabilitySoldOut, v1alpha3.AvailabilityDiscontinued, v1alpha3.AvailabilityLow

	f := newFleet(t, soldOut, low, gone, offering("unknown"))
	f.onBegin = refuse(v1alpha3.ReasonInsufficientCapacity, 3)

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "low", "unknown", "sold-out", "gone")
}

func TestFleetSpreadsOverTheZonesOfOneType(t *testing.T) {
	t.Parallel()

	var offerings []v1alpha3.MachineClassOffering

	for _, zone := range []string{"a", "b", "c"} {
		next := offering("large-" + zone)
		next.InstanceType, next.Zone = "large", zone
		offerings = append(offerings, next)
	}

	f := newFleet(t, append(offerings, offering("small"))...)

	for i := range 60 {
		if _, err := f.allocator.Allocate(t.Context(), allocation("w-"+string(rune('A'+i)))); err != nil {
			t.Fatal(err)
		}
	}

	for _, next := range offerings {
		count := 0

		for _, asked := range f.asked() {
			if asked == next.ID {
				count++
			}
		}

		if count < 10 {
			t.Errorf("%s got %d of 60 machines", next.ID, count)
		}
	}

	if slices.Contains(f.asked(), "small") {
		t.Errorf("another instance type was asked for while the first one was not refused")
	}
}

func TestNothingIsLaunchedPastItsValidity(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"), offering("two"))
	f.onPoll = func(_ context.Context, n int, _ machineops.OperationRequest, handle machineops.ProviderOperation) (machineops.PollResult, error) {
		switch n {
		case 1:
			look := booting(handle)
			look.RequeueAfter = 11 * time.Minute

			return look, nil
		case 2:
			return broken(v1alpha3.ReasonWithdrawn, machineops.OperationResult{}), nil
		default:
			return running(handle), nil
		}
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "one", "two")
	wantCounts(t, f.cloud, map[string]int{"resolve": 2, "begin": 2})

	for _, request := range f.requests("begin")[1:] {
		if until := request.Allocation.Offering.ValidUntil; !until.After(start().Add(11 * time.Minute)) {
			t.Errorf("launched from an offering that was valid until %v", until)
		}
	}
}

func TestSpentIndexLeadsToTheNextOneOfTheSameOffering(t *testing.T) {
	t.Parallel()

	for _, reason := range []string{v1alpha3.ReasonReplayed, v1alpha3.ReasonTokenSpent} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"), offering("two"))
			f.onBegin = refuse(reason, 3)

			allocated, err := f.allocator.Allocate(t.Context(), allocation("w"))
			if err != nil || len(allocated.Attempts) != 3 || allocated.Claim != identity("w").LaunchClaim(lifecycle.EpochIndex(start())+2) {
				t.Fatalf("Allocate() = %+v, %v", allocated, err)
			}

			f.wantAsked(t, "one", "one", "one", "one")

			if got, want := f.clk.waited(), seconds(2, 4); !slices.Equal(got, want) {
				t.Errorf("waited %v, want %v: a long row is not hurried", got, want)
			}
		})
	}
}

func TestRowOfSpentIndexesEndsWithTheWait(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	f := newFleet(t, offering("one"))
	f.onBegin = refuse(v1alpha3.ReasonTokenSpent, 1000)
	f.clk.hold = func(wait int, _ time.Duration) bool {
		if wait == 5 {
			cancel()
		}

		return wait == 5
	}

	allocated, err := f.allocator.Allocate(ctx, allocation("w"))
	wantUnfinished(t, err, context.Canceled)
	wantCounts(t, f.cloud, map[string]int{"begin": 6})

	if allocated.ProviderID != "" || len(allocated.Attempts) != 6 {
		t.Errorf("allocated %+v", allocated)
	}
}

func TestRowOfSpentIndexesIsNotContinuedPastTheValidity(t *testing.T) {
	t.Parallel()

	one := offering("one")
	f := newFleet(t, one)
	f.onBegin = refuse(v1alpha3.ReasonTokenSpent, 2)
	f.onResolve = func(_ context.Context, n int) (machineops.ClassResolution, error) {
		if n == 1 {
			one.ValidUntil = metav1.NewTime(start().Add(time.Second))
		} else {
			one.ValidUntil = metav1.NewTime(start().Add(time.Hour))
		}

		return machineops.ClassResolution{Offerings: []v1alpha3.MachineClassOffering{one}}, nil
	}

	if _, err := f.allocator.Allocate(t.Context(), allocation("w")); err != nil {
		t.Fatal(err)
	}

	f.wantAsked(t, "one", "one", "one")
	wantCounts(t, f.cloud, map[string]int{"resolve": 2})

	if until := f.requests("begin")[2].Allocation.Offering.ValidUntil; !until.Equal(&metav1.Time{Time: start().Add(time.Hour)}) {
		t.Errorf("launched from an offering that was valid until %v", until)
	}
}
