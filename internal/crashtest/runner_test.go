package crashtest

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// rehearsed is a place whose points leak as often as they are told to.
type rehearsed struct {
	mu     sync.Mutex
	leaks  map[string]int
	runs   map[string]int
	slowed int
}

func (r *rehearsed) Run(_ context.Context, point Point) (Verdict, error) {
	r.mu.Lock()
	defer r.mu.Unlock()

	verdict := Verdict{Point: point.Name(), Reached: true}
	r.runs[point.Scenario]++

	if r.runs[point.Scenario] <= r.leaks[point.Scenario] {
		verdict.Leaks = []string{"i-1"}
	}

	return verdict, nil
}

func (r *rehearsed) Slow() error {
	r.slowed++

	return nil
}

func TestWhatDoesNotHealIsRunAgainSlowly(t *testing.T) {
	t.Parallel()

	progress := open(t, filepath.Join(t.TempDir(), "progress"), "one")
	defer closed(t, progress)

	place := &rehearsed{leaks: map[string]int{"create": 0, "replace": 1, "release": 2, "tainted": 3}, runs: map[string]int{}}

	var points []Point
	for scenario := range place.leaks {
		points = append(points, Point{Scenario: scenario, Call: Call{"RunInstances", 1}, Moment: After, Kill: KillAll, Ending: Apply})
	}

	var output strings.Builder

	runner := Runner{Place: place, Progress: progress, Parallel: 2, Again: true, Output: &output}

	summary, err := runner.Run(t.Context(), points)
	if err != nil {
		t.Fatal(err)
	}

	// One that heals twice is healed; one that fails at any repetition is not.
	if summary.Bad != 2 || summary.again != 3 || place.slowed != 1 || place.runs["create"] != 1 || place.runs["replace"] != 3 {
		t.Errorf("%s, slowed %d times, runs %v", summary.Details(), place.slowed, place.runs)
	}

	// What was run again is settled.
	if summary, err = runner.Run(t.Context(), points); err != nil || summary.Bad != 2 || place.slowed != 1 {
		t.Errorf("%s (%v), slowed %d times", summary.Details(), err, place.slowed)
	}
}

func TestARunThatHealsOnlyWhenSlowedIsNotGood(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		points, again int
		want          bool
	}{
		"nothing run":                {0, 0, false},
		"all at once":                {10, 0, true},
		"a few of a short run":       {10, 2, true},
		"more of a short run":        {10, 3, false},
		"one in fifty":               {1000, 20, true},
		"more than one in fifty":     {1000, 21, false},
		"every point of a short one": {3, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var summary Summary
			for i := range test.points {
				summary.Merge(summed(i < test.again))
			}

			if got := summary.Good(); got != test.want {
				t.Errorf("Good() = %t", got)
			}
		})
	}
}

// summed is the summary of one point that healed.
func summed(again bool) Summary {
	summary := Summary{scenarios: map[string]bool{}}
	summary.add(Point{Scenario: "create"}, Verdict{Reached: true, Again: again})

	return summary
}
