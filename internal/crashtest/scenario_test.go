package crashtest

import (
	"context"
	"slices"
	"strings"
	"testing"
)

func TestEveryPlanIsThatOfAScenario(t *testing.T) {
	t.Parallel()

	plans := inProcessPlans()
	for name := range plans {
		if _, err := FindScenario(name); err != nil {
			t.Error(err)
		}
	}

	for _, scenario := range Scenarios() {
		_, planned := plans[scenario.Name]

		switch {
		case scenario.inProcessOnly && !planned:
			t.Errorf("%s runs nowhere", scenario.Name)
		case !scenario.inProcessOnly && scenario.victim.configuration == "":
			t.Errorf("%s has no victim", scenario.Name)
		}
	}
}

func TestEveryKindOfOperationIsKilled(t *testing.T) {
	t.Parallel()

	for _, kind := range []string{"HostPowerOn", "HostPowerOff", "HostReboot", "HostReplace"} {
		whole := func(scenario Scenario) bool {
			return !scenario.variant && scenario.end.operations > 0 && strings.Contains(scenario.victim.configuration, kind)
		}
		if !slices.ContainsFunc(Scenarios(), whole) {
			t.Errorf("%s is not killed at each of its calls", kind)
		}
	}

	points, err := Points(t.Context(), Selection{Quick: true}, twoCalls)
	if err != nil {
		t.Fatal(err)
	}

	for name, effect := range quickOperations() {
		if want := name + "/plain/" + effect + "/1/after/kill-all/apply"; !slices.ContainsFunc(points, func(p Point) bool { return p.Name() == want }) {
			t.Errorf("%s is not in the quick slice", want)
		}
	}
}

func TestAVariantIsKilledNearWhatItChanges(t *testing.T) {
	t.Parallel()

	discovered := func(context.Context, string, Setting) ([]Call, error) {
		return []Call{{"DescribeImages", 1}, {"DescribeInstances", 1}, {"RebootInstance", 1}, {"DescribeInstances", 2}, {"DescribeInstances", 3}}, nil
	}

	for scenario, far := range map[string]bool{"reboot": true, "reboot-forced": false} {
		points, err := Points(t.Context(), Selection{Scenarios: []string{scenario}}, discovered)
		if err != nil {
			t.Fatal(err)
		}

		killed := func(call Call) bool {
			return slices.ContainsFunc(points, func(p Point) bool { return p.Call == call && p.Setting == Setting{} })
		}
		varied := slices.ContainsFunc(points, func(p Point) bool { return p.Setting != Setting{} })

		if killed(Call{"DescribeInstances", 3}) != far || varied != far || !killed(Call{"DescribeInstances", 2}) || !killed(Call{"RebootInstance", 1}) {
			t.Errorf("%s: %v", scenario, points)
		}
	}
}

func TestAScenarioThatNeedsTheMarkRunsOnlyWithIt(t *testing.T) {
	t.Parallel()

	discovered := func(_ context.Context, scenario string, setting Setting) ([]Call, error) {
		if setting.MarkDenied {
			t.Errorf("%s is tried out where nothing can be marked", scenario)
		}

		return []Call{{"DescribeInstances", 1}, {"DeleteInstances", 1}}, nil
	}

	points, err := PointsInProcess(t.Context(), Selection{Scenarios: []string{"leftovers"}}, discovered)
	if err != nil {
		t.Fatal(err)
	}

	for _, point := range points {
		if point.Setting.MarkDenied {
			t.Errorf("%s is a point", point.Name())
		}
	}
}

func TestWhatLaunchesNothingHasFewerSettingsInProcess(t *testing.T) {
	t.Parallel()

	for scenario, unlisted := range map[string]bool{"create": true, "reboot": false} {
		discovered := func(context.Context, string, Setting) ([]Call, error) {
			if unlisted {
				return twoCalls(t.Context(), "", Setting{})
			}

			return []Call{{"DescribeInstances", 1}, {"RebootInstance", 1}}, nil
		}

		points, err := PointsInProcess(t.Context(), Selection{Scenarios: []string{scenario}}, discovered)
		if err != nil {
			t.Fatal(err)
		}

		if got := slices.ContainsFunc(points, func(p Point) bool { return p.Setting.UnlistedSeconds > 0 }); got != unlisted {
			t.Errorf("%s runs where machines are listed late: %t", scenario, got)
		}

		if !slices.ContainsFunc(points, func(p Point) bool { return p.Setting.RemoteState && p.Ending == Destroy }) {
			t.Errorf("%s does not run with a remote state", scenario)
		}
	}
}
