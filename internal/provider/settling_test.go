package provider

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// marker notes the calls that settling makes.
type marker struct {
	mu    sync.Mutex
	calls [][]string
	err   error
}

func (m *marker) settling(enabled bool) *settling {
	return &settling{
		clock: clock.RealClock{}, enabled: enabled,
		look: func(_ context.Context, machine settlement) bool { return machine.claim == "ours" },
		mark: func(_ context.Context, ids []string) error {
			m.mu.Lock()
			defer m.mu.Unlock()

			m.calls = append(m.calls, slices.Clone(ids))

			return m.err
		},
	}
}

func (m *marker) made() [][]string {
	m.mu.Lock()
	defer m.mu.Unlock()

	return m.calls
}

func TestSettlingMarksEachMachineOnceFiftyACall(t *testing.T) {
	t.Parallel()

	var m marker

	s := m.settling(true)
	for i := range 120 {
		s.add(settlement{providerID: fmt.Sprint(i % 60), verified: true})
	}

	if err := s.flush(t.Context()); err != nil {
		t.Fatal(err)
	}

	if calls := m.made(); len(calls) != 2 || len(calls[0]) != 50 || len(calls[1]) != 10 {
		t.Errorf("the calls were %v", calls)
	}

	// A machine that comes later is marked as well.
	s.add(settlement{providerID: "later", verified: true})

	if err := s.flush(t.Context()); err != nil || len(m.made()) != 3 {
		t.Errorf("flush: %v, after the calls %v", err, m.made())
	}
}

func TestSettlingLooksFirstWhereNobodyHas(t *testing.T) {
	t.Parallel()

	var m marker

	s := m.settling(true)
	s.add(settlement{providerID: "ours", claim: "ours"})
	s.add(settlement{providerID: "another's", claim: "another"})

	if err := s.flush(t.Context()); err != nil || !slices.Equal(m.made()[0], []string{"ours"}) {
		t.Errorf("flush: %v, after the calls %v", err, m.made())
	}
}

func TestSettlingThatIsDeniedAsksOnce(t *testing.T) {
	t.Parallel()

	m := marker{err: driver.NewError(driver.CodePermissionDenied, "may not tag")}

	s := m.settling(true)

	for round := range 3 {
		s.add(settlement{providerID: fmt.Sprint(round), verified: true})

		if err := s.flush(t.Context()); driver.CodeOf(err) != driver.CodePermissionDenied {
			t.Errorf("flush: %v", err)
		}
	}

	if calls := m.made(); len(calls) != 1 {
		t.Errorf("the calls were %v", calls)
	}
}

func TestSettlingThatIsOffDoesNothing(t *testing.T) {
	t.Parallel()

	var m marker

	s := m.settling(false)
	s.add(settlement{providerID: "a", verified: true})

	if err := s.flush(t.Context()); err != nil || len(m.made()) != 0 {
		t.Errorf("flush: %v, after the calls %v", err, m.made())
	}
}

func TestFlushEndsWithItsContextAndSurvivesAPanic(t *testing.T) {
	t.Parallel()

	held := make(chan struct{})
	s := (&marker{}).settling(true)
	s.mark = func(context.Context, []string) error {
		<-held
		panic("boom")
	}
	s.add(settlement{providerID: "a", verified: true})

	ended, cancel := context.WithCancel(t.Context())
	cancel()

	if err := s.flush(ended); err == nil {
		t.Error("flush did not end with its context")
	}

	close(held)

	if err := s.flush(t.Context()); err == nil {
		t.Error("a panic was not told")
	}
}

func TestListsAreSharedAndNeverOlderThanAskedFor(t *testing.T) {
	t.Parallel()

	var (
		mu     sync.Mutex
		listed int
	)

	l := newListings(clock.RealClock{}, func(context.Context, string) ([]*driver.ObservedMachine, error) {
		mu.Lock()
		defer mu.Unlock()

		listed++

		return []*driver.ObservedMachine{{ProviderID: fmt.Sprint(listed)}}, nil
	})

	var all sync.WaitGroup

	began := time.Now()
	for range 50 {
		all.Go(func() {
			if machines, err := l.since(t.Context(), "r", began); err != nil || len(machines) != 1 {
				t.Errorf("listed %v, %v", machines, err)
			}
		})
	}

	all.Wait()

	if listed != 1 {
		t.Errorf("%d lists were made for callers who could share one", listed)
	}

	machines, err := l.since(t.Context(), "r", time.Now())
	if _, fresh := machines["2"]; err != nil || !fresh {
		t.Errorf("listed %v, %v, want a new list", machines, err)
	}
}

func TestAListEndsWithItsCallerAndNotWithAnother(t *testing.T) {
	t.Parallel()

	first := make(chan struct{})
	l := newListings(clock.RealClock{}, func(ctx context.Context, _ string) ([]*driver.ObservedMachine, error) {
		select {
		case <-first:
			return nil, nil
		default:
		}

		close(first)
		<-ctx.Done()

		return nil, ctx.Err()
	})

	ctx, cancel := context.WithCancel(t.Context())

	var all sync.WaitGroup

	all.Go(func() {
		if _, err := l.since(ctx, "r", time.Time{}); err == nil {
			t.Error("the list did not end with its caller")
		}
	})
	<-first
	all.Go(func() {
		if _, err := l.since(t.Context(), "r", time.Time{}); err != nil {
			t.Errorf("another's end was taken for the list's: %v", err)
		}
	})

	cancel()
	all.Wait()
}
