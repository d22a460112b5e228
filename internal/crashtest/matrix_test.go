package crashtest

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// twoCalls is a scenario that looks and launches.
func twoCalls(context.Context, string, Setting) ([]Call, error) {
	return []Call{{"DescribeInstances", 1}, {"RunInstances", 1}}, nil
}

func TestEveryCallIsKilledInEveryWay(t *testing.T) {
	t.Parallel()

	points, err := Points(t.Context(), Selection{Scenarios: []string{"create"}}, twoCalls)
	if err != nil {
		t.Fatal(err)
	}

	names := map[string]bool{}
	for _, point := range points {
		if names[point.Name()] {
			t.Errorf("%s is there twice", point.Name())
		}

		names[point.Name()] = true

		if _, err := ParsePoint(point.Name()); err != nil {
			t.Error(err)
		}
	}

	// A call that changes nothing is held at one of both moments, in turns.
	turns := map[string]int{}

	for _, kill := range Kills() {
		for _, moment := range []string{"before", "after"} {
			if name := "create/plain/RunInstances/1/" + moment + "/" + string(kill) + "/apply"; !names[name] {
				t.Errorf("%s is not there", name)
			}

			if names["create/plain/DescribeInstances/1/"+moment+"/"+string(kill)+"/apply"] {
				turns[string(kill)]++
				turns[moment]++
			}
		}

		if turns[string(kill)] != 1 {
			t.Errorf("a look is killed by %s %d times", kill, turns[string(kill)])
		}
	}

	if turns["before"] < 2 || turns["after"] < 2 {
		t.Errorf("looks are held %v", turns)
	}

	for _, name := range []string{
		"create/plain/RunInstances/1/late/kill-all/apply",
		"create/plain/RunInstances/1/late/kill-command/destroy",
		"create/remote+unlisted20+unmarked/RunInstances/1/late/kill-command/apply",
	} {
		if !names[name] {
			t.Errorf("%s is not there", name)
		}
	}
}

func TestASelectionOfNothingIsRefused(t *testing.T) {
	t.Parallel()

	if _, err := Points(t.Context(), Selection{Scenarios: []string{"paint"}}, twoCalls); err == nil {
		t.Error("a scenario that is not there gives no error")
	}
}

func TestAScenarioThatFailsByItselfIsTold(t *testing.T) {
	t.Parallel()

	broken := errors.New("broken")

	_, err := Points(t.Context(), Selection{}, func(context.Context, string, Setting) ([]Call, error) { return nil, broken })
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

func TestTheQuickSliceIsPartlyOfEachKill(t *testing.T) {
	t.Parallel()

	points, err := Points(t.Context(), Selection{Quick: true}, twoCalls)
	if err != nil {
		t.Fatal(err)
	}

	for _, moment := range []Moment{Before, After, Late} {
		if !slices.ContainsFunc(points, func(p Point) bool { return p.Moment == moment }) {
			t.Errorf("no point is %s", moment)
		}
	}
}
