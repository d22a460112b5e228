package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// resolver returns classes over a cloud that resolves to the offerings.
func resolver(t *testing.T, offerings ...v1alpha3.MachineClassOffering) (*cloud, *steppingClock, *lifecycle.Classes) {
	t.Helper()

	f := newFleet(t, offerings...)
	registration := f.register(t,
		machineops.WithCapacity(f.resolve, func(context.Context, machineops.AllocationPlanRequest) (machineops.AllocationPlan, error) {
			return machineops.AllocationPlan{}, nil
		}),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostAllocate, f.begin, f.poll),
		machineops.WithLongRunningOperation(v1alpha3.OperationHostRelease, f.begin, f.poll))

	return f.cloud, f.clk, lifecycle.NewClasses(registration, credentials, f.clk, "site")
}

func class(name string) lifecycle.Class {
	return lifecycle.Class{Name: name, UID: "uid", ProviderConfig: machineops.ProviderConfig{Data: map[string]string{"a": "1", "b": "2"}}}
}

func ids(offerings []v1alpha3.MachineClassOffering) []string {
	var found []string
	for _, offering := range offerings {
		found = append(found, offering.ID)
	}

	return found
}

func TestResolutionIsKeptForAsLongAsItsOfferingsAreValid(t *testing.T) {
	t.Parallel()

	short := offering("short")
	short.ValidUntil = metav1.NewTime(start().Add(time.Minute))

	c, clk, classes := resolver(t, offering("long"), short)

	resolve := func(want int, offered ...string) {
		t.Helper()

		offerings, err := classes.Resolve(t.Context(), class("c"))
		if err != nil || !slices.Equal(ids(offerings), offered) {
			t.Errorf("Resolve() = %v, %v, want %v", ids(offerings), err, offered)
		}

		wantCounts(t, c, map[string]int{"resolve": want})
	}

	resolve(1, "long", "short")
	resolve(1, "long", "short")
	clk.Step(time.Minute - 1)
	resolve(1, "long", "short")
	clk.Step(1)
	// It is resolved again, and what is past its time is not offered.
	resolve(2, "long")
	resolve(2, "long")
}

func TestCallerCannotChangeWhatIsKept(t *testing.T) {
	t.Parallel()

	_, _, classes := resolver(t, offering("one"), offering("two"))

	for range 2 {
		offerings, err := classes.Resolve(t.Context(), class("c"))
		if err != nil || !slices.Equal(ids(offerings), []string{"one", "two"}) {
			t.Fatalf("Resolve() = %v, %v", ids(offerings), err)
		}

		slices.Reverse(offerings)
	}
}

// A class gets its UID when it is created, and offers what it offered at plan.
func TestClassIsKnownByItsContent(t *testing.T) {
	t.Parallel()

	c, _, classes := resolver(t, offering("one"))
	edited, moved, renamed := class("c"), class("c"), class("d")
	edited.ProviderConfig = machineops.ProviderConfig{Data: map[string]string{"a": "1", "b": "3"}}
	moved.UID = "other"

	for range 2 {
		for _, class := range []lifecycle.Class{class("c"), edited, moved, renamed} {
			if _, err := classes.Resolve(t.Context(), class); err != nil {
				t.Fatal(err)
			}
		}
	}

	wantCounts(t, c, map[string]int{"resolve": 3})
}

func TestResolutionIsRetriedAFewTimesAndItsErrorIsNotKept(t *testing.T) {
	t.Parallel()

	c, clk, classes := resolver(t)
	c.onResolve = func(_ context.Context, n int) (machineops.ClassResolution, error) {
		if n <= 5 {
			return machineops.ClassResolution{}, errTransient
		}

		return machineops.ClassResolution{Offerings: validFor(clk.Now(), []v1alpha3.MachineClassOffering{offering("one")})}, nil
	}

	if _, err := classes.Resolve(t.Context(), class("c")); !errors.Is(err, errTransient) {
		t.Errorf("error is %v, want the cloud's", err)
	}

	wantCounts(t, c, map[string]int{"resolve": 3})

	if got, want := clk.waited(), seconds(2, 4); !slices.Equal(got, want) {
		t.Errorf("waited %v, want %v", got, want)
	}

	if offerings, err := classes.Resolve(t.Context(), class("c")); err != nil || len(offerings) != 1 {
		t.Errorf("asked again: %v, %v", offerings, err)
	}

	wantCounts(t, c, map[string]int{"resolve": 6})
}

func TestRefusalOfAClassIsNotRepeated(t *testing.T) {
	t.Parallel()

	c, _, classes := resolver(t)
	c.onResolve = func(context.Context, int) (machineops.ClassResolution, error) {
		return machineops.ClassResolution{}, permanent(v1alpha3.ReasonInvalidConfiguration, "no such image")
	}

	_, err := classes.Resolve(t.Context(), class("c"))

	var refused *machineops.PermanentError
	if !errors.As(err, &refused) || refused.Reason != v1alpha3.ReasonInvalidConfiguration {
		t.Errorf("error is %v", err)
	}

	wantCounts(t, c, map[string]int{"resolve": 1})
}

func TestOfferingsThatWereNeverValidAreAnError(t *testing.T) {
	t.Parallel()

	c, _, classes := resolver(t)
	c.onResolve = func(context.Context, int) (machineops.ClassResolution, error) {
		return machineops.ClassResolution{Offerings: []v1alpha3.MachineClassOffering{offering("timeless")}}, nil
	}

	if offerings, err := classes.Resolve(t.Context(), class("c")); err == nil || !strings.Contains(err.Error(), "past its time") {
		t.Errorf("Resolve() = %v, %v", offerings, err)
	}
}

func TestProviderWithoutCapacityResolvesNothing(t *testing.T) {
	t.Parallel()

	c := newCloud()
	_, err := lifecycle.NewClasses(c.register(t), credentials, newClock(), "site").Resolve(t.Context(), class("c"))

	var refused *machineops.PermanentError
	if !errors.As(err, &refused) || refused.Reason != v1alpha3.ReasonUnsupported {
		t.Errorf("error is %v", err)
	}
}

func TestNothingIsResolvedOnceTheContextHasEnded(t *testing.T) {
	t.Parallel()

	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	c, _, classes := resolver(t, offering("one"))
	_, err := classes.Resolve(ctx, class("c"))
	wantUnfinished(t, err, context.Canceled)
	wantCounts(t, c, map[string]int{"resolve": 0})
}

// waiters starts callers that ask for the class while it is being resolved, and
// returns where each tells its end.
func waiters(ctx context.Context, count int, classes *lifecycle.Classes) chan error {
	ended := make(chan error, count)

	for range count {
		go func() {
			_, err := classes.Resolve(ctx, class("c"))
			ended <- err
		}()
	}

	return ended
}

func TestCallersOfOneClassShareOneResolution(t *testing.T) {
	t.Parallel()

	for name, result := range map[string]error{"that succeeds": nil, "that is refused": permanent(v1alpha3.ReasonPermissionDenied, "no")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c, clk, classes := resolver(t)
			started, finish := make(chan struct{}), make(chan struct{})
			c.onResolve = func(context.Context, int) (machineops.ClassResolution, error) {
				started <- struct{}{}
				<-finish

				return machineops.ClassResolution{Offerings: validFor(clk.Now(), []v1alpha3.MachineClassOffering{offering("one")})}, result
			}

			first := waiters(t.Context(), 1, classes)
			<-started

			// One that gives up does not disturb the others.
			ctx, cancel := context.WithCancel(t.Context())
			impatient := waiters(ctx, 1, classes)

			cancel()
			wantUnfinished(t, <-impatient, context.Canceled)

			others := make(chan error, 20)
			waiting := make(chan struct{}, 20)

			for range 20 {
				go func() {
					_, err := classes.Resolve(&noticedContext{Context: t.Context(), noticed: waiting}, class("c"))
					others <- err
				}()
			}

			for range 20 {
				<-waiting
			}

			close(finish)

			if err := <-first; !errors.Is(err, result) {
				t.Errorf("Resolve: %v", err)
			}

			for range 20 {
				if err := <-others; !errors.Is(err, result) {
					t.Errorf("Resolve: %v", err)
				}
			}

			wantCounts(t, c, map[string]int{"resolve": 1})
		})
	}
}

// noticedContext tells when somebody begins to wait for its end.
type noticedContext struct {
	context.Context

	noticed chan<- struct{}
}

func (c *noticedContext) Done() <-chan struct{} {
	c.noticed <- struct{}{}

	return c.Context.Done()
}

func TestWaitingCallerTakesOverAnAbandonedResolution(t *testing.T) {
	t.Parallel()

	c, clk, classes := resolver(t)
	started := make(chan struct{})
	c.onResolve = func(ctx context.Context, n int) (machineops.ClassResolution, error) {
		if n == 1 {
			close(started)
			<-ctx.Done()

			return machineops.ClassResolution{}, ctx.Err()
		}

		return machineops.ClassResolution{Offerings: validFor(clk.Now(), []v1alpha3.MachineClassOffering{offering("one")})}, nil
	}

	ctx, cancel := context.WithCancel(t.Context())
	first := waiters(ctx, 1, classes)
	<-started

	waiting, second := make(chan struct{}, 1), make(chan error, 1)

	go func() {
		_, err := classes.Resolve(&noticedContext{Context: t.Context(), noticed: waiting}, class("c"))
		second <- err
	}()

	<-waiting
	cancel()

	wantUnfinished(t, <-first, context.Canceled)

	if err := <-second; err != nil {
		t.Errorf("the other caller got %v", err)
	}

	wantCounts(t, c, map[string]int{"resolve": 2})
}

func TestPanicOfAResolutionLetsTheNextCallerTry(t *testing.T) {
	t.Parallel()

	c, _, classes := resolver(t, offering("one"))
	succeed := c.onResolve
	c.onResolve = func(ctx context.Context, n int) (machineops.ClassResolution, error) {
		if n == 1 {
			panic("bug")
		}

		return succeed(ctx, n)
	}

	func() {
		defer func() { _ = recover() }()

		_, _ = classes.Resolve(t.Context(), class("c"))
	}()

	if offerings, err := classes.Resolve(t.Context(), class("c")); err != nil || len(offerings) != 1 {
		t.Errorf("Resolve() = %v, %v", offerings, err)
	}
}

func TestResolutionsKeptAreBounded(t *testing.T) {
	t.Parallel()

	c, clk, classes := resolver(t, offering("one"))

	resolve := func(number int) {
		t.Helper()

		if _, err := classes.Resolve(t.Context(), class(fmt.Sprintf("class-%d", number))); err != nil {
			t.Fatal(err)
		}
	}

	for number := range 129 {
		resolve(number)
		clk.Step(time.Millisecond)
	}

	wantCounts(t, c, map[string]int{"resolve": 129})

	// The 128 youngest are kept, and the one that would have ended first is not.
	for number := 128; number > 0; number-- {
		resolve(number)
	}

	wantCounts(t, c, map[string]int{"resolve": 129})
	resolve(0)
	wantCounts(t, c, map[string]int{"resolve": 130})
}
