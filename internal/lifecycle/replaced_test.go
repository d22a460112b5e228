package lifecycle_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func (f *fleet) replacing() []string {
	f.mu.Lock()
	defer f.mu.Unlock()

	return slices.DeleteFunc(slices.Clone(f.events), func(event string) bool { return !strings.HasPrefix(event, "replacing ") && event != "begin" })
}

func TestTheMachineThatIsReplacedIsMarkedBeforeItsSuccessorIsLaunched(t *testing.T) {
	t.Parallel()

	refuse := func(f *fleet) {
		f.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
			return machineops.BeginResult{}, &machineops.PermanentError{Reason: v1alpha3.ReasonQuotaExceeded, Err: errors.New("quota")}
		}
	}

	for name, test := range map[string]struct {
		there  lifecycle.Observation
		change func(*fleet)
		fails  bool
		want   []string
	}{
		"and stays marked where there is one": {there: left("o", settled), want: []string{"replacing north.o true", "begin"}},
		"and is not where there is none": {
			there: left("o", settled), change: refuse, fails: true,
			want: []string{"replacing north.o true", "begin", "replacing north.o false"},
		},
		"unless it is another class's": {there: left("o", settled, otherClass), want: []string{"begin"}},
		"unless it is adopted":         {there: left("o"), want: nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			f := newFleet(t, offering("one"))
			f.contains(test.there)

			if test.change != nil {
				test.change(f)
			}

			if _, err := f.allocator.Allocate(t.Context(), allocation("w")); (err != nil) != test.fails {
				t.Fatal(err)
			}

			if got := f.replacing(); !slices.Equal(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

// A launch that was cut off may have made the successor: the mark is for the next run.
func TestAnInterruptedReplacementLeavesTheMark(t *testing.T) {
	t.Parallel()

	f := newFleet(t, offering("one"))
	f.contains(left("o", settled))

	ctx, cancel := context.WithCancel(t.Context())
	f.onBegin = func(context.Context, int, machineops.OperationRequest) (machineops.BeginResult, error) {
		cancel()

		return machineops.BeginResult{}, context.Canceled
	}

	if _, err := f.allocator.Allocate(ctx, allocation("w")); !lifecycle.Interrupted(err) {
		t.Fatalf("Allocate() = %v", err)
	}

	if got, want := f.replacing(), []string{"replacing north.o true", "begin"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
