package crashtest

import (
	"strings"
	"testing"
)

func TestAPointIsFoundByItsName(t *testing.T) {
	t.Parallel()

	for _, setting := range append([]Setting{{}}, settingsOf(pairwise())...) {
		point := Point{
			Scenario: "replace", Setting: setting, Call: Call{Action: "RunInstances", Ordinal: 2}, Moment: After, Kill: KillCommand, Ending: Destroy,
		}

		parsed, err := ParsePoint(point.Name())
		if err != nil || parsed != point {
			t.Errorf("%s is read as %+v (%v)", point.Name(), parsed, err)
		}
	}
}

func TestANameOfNoPointIsRefused(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]string{
		"create/plain/RunInstances/1":                               "want scenario/setting",
		"paint/plain/RunInstances/1/before/kill-all/apply":          `no scenario "paint"`,
		"create/odd/RunInstances/1/before/kill-all/apply":           `"odd" is unknown`,
		"create/unlisted/RunInstances/1/before/kill-all/apply":      "not a number of seconds",
		"create/plain/RunInstances/0/before/kill-all/apply":         `"0" is not the number of a call`,
		"create/plain/RunInstances/x/before/kill-all/apply":         `"x" is not the number of a call`,
		"create/plain/RunInstances/1/never/kill-all/apply":          `moment "never"`,
		"create/plain/RunInstances/1/before/shake/apply":            `kill "shake"`,
		"create/plain/RunInstances/1/before/kill-all/weep":          `ending "weep"`,
		"create/plain/RunInstances/1/late/interrupt/apply":          "interrupt cannot be late",
		"create/remote+remote2/RunInstances/1/late/kill-all/apply":  `"remote2" is unknown`,
		"create/plain/RunInstances/1/before/kill-all/apply/further": "want scenario/setting",
	} {
		if _, err := ParsePoint(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// TestAnyTwoValuesMeet checks the tables of settings.
func TestAnyTwoValuesMeet(t *testing.T) {
	t.Parallel()

	const remote, unmarked, destroy = 0, 4, 5

	for name, test := range map[string]struct {
		table []variation
		axes  []int
	}{
		"of what launches":         {pairwise(), []int{remote, 1, 2, 3, unmarked, destroy}},
		"of what launches nothing": {pairwiseWithoutLaunch(), []int{remote, unmarked, destroy}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			rows := [][6]bool{{}, {destroy: true}} // The plain setting, with both endings.

			for _, row := range test.table {
				s := row.setting
				rows = append(rows, [6]bool{s.RemoteState, s.UnlistedSeconds > 0, s.ReplayFails, s.RefusalBurns, s.MarkDenied, row.ending == Destroy})
			}

			for i, one := range test.axes {
				for _, other := range test.axes[:i] {
					met := map[[2]bool]bool{}
					for _, row := range rows {
						met[[2]bool{row[one], row[other]}] = true
					}

					if len(met) != 4 {
						t.Errorf("of the axes %d and %d only %v meet", other, one, met)
					}
				}
			}
		})
	}
}
