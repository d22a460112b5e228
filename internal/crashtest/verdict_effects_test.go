package crashtest

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestEffectsAreCounted(t *testing.T) {
	t.Parallel()

	effect := func(what, detail string, call int) ecsemulator.Effect {
		return ecsemulator.Effect{Effect: what, InstanceID: "i-1", Detail: detail, CallID: call}
	}
	forced := []ecsemulator.Call{{ID: 7, Parameters: map[string]string{"ForceStop": "true"}}, {ID: 8, Parameters: map[string]string{"ForceReboot": "true"}}}

	for name, test := range map[string]struct {
		effects map[string]int
		journal []ecsemulator.Effect
		ending  Ending
		want    string
	}{
		"asked for, and there": {effects: once("rebooted"), journal: []ecsemulator.Effect{effect("rebooted", "", 1)}, want: "healed"},
		"asked for twice":      {effects: map[string]int{"rebooted": 2}, journal: []ecsemulator.Effect{effect("rebooted", "", 1), effect("rebooted", "", 2)}, want: "healed"},
		"twice and came once":  {effects: map[string]int{"rebooted": 2}, journal: []ecsemulator.Effect{effect("rebooted", "", 1)}, want: "problem: i-1 was rebooted 1 times, want 2"},
		"twice and came thrice": {
			effects: map[string]int{"rebooted": 2}, journal: []ecsemulator.Effect{effect("rebooted", "", 1), effect("rebooted", "", 2), effect("rebooted", "", 3)},
			want: "repeated: i-1 rebooted 3 times",
		},
		"a disk that was replaced twice": {
			effects: once("reinstalled"), journal: []ecsemulator.Effect{effect("modified", "SystemDisk", 1), effect("modified", "SystemDisk", 2)},
			want: "repeated: i-1 reinstalled 2 times",
		},
		"what is destroyed need not have had it": {effects: once("rebooted"), ending: Destroy, want: "healed"},
		"force that was asked for":               {effects: once("stopped", "forced"), journal: []ecsemulator.Effect{effect("stopped", "KeepCharging", 7)}, want: "healed"},
		"force that nothing asks for":            {effects: once("stopped"), journal: []ecsemulator.Effect{effect("stopped", "KeepCharging", 7)}, want: "problem: i-1 was forced, which nothing asks for"},
		"a forced reboot of many":                {effects: once("rebooted"), journal: []ecsemulator.Effect{effect("rebooted", "", 8)}, want: "problem: i-1 was forced, which nothing asks for"},
		"no force where it is wanted":            {effects: once("stopped", "forced"), journal: []ecsemulator.Effect{effect("stopped", "KeepCharging", 1)}, want: "problem: i-1 was forced 0 times, want 1"},
		"capacity that is given away":            {effects: once("stopped"), journal: []ecsemulator.Effect{effect("stopped", "StopCharging", 1)}, want: "problem: i-1 was uncharged, which nothing asks for"},
		"other changes":                          {effects: once(), journal: []ecsemulator.Effect{effect("modified", "InstanceName", 1), effect("modified", "InstanceName", 2)}, want: "healed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			if test.ending == "" {
				test.ending = Apply
			}

			given := evidence{
				scenario: Scenario{machines: 1, launches: 1, end: end{effects: test.effects}}, ending: test.ending, journal: append(created("i-1"), test.journal...), calls: forced,
			}
			if test.ending == Apply {
				given.instances, given.saved = []ecsemulator.Instance{machine("i-1", "a")}, savedState{machines: []string{"i-1"}}
			}

			verdict := Verdict{Point: "p", Reached: true}
			verdict.compare(given)

			if got := verdict.String(); got != "p\n    "+test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

func TestOperationsHaveToBeComplete(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		phases []string
		want   string
	}{
		"all":           {[]string{"Complete", "Complete"}, "healed"},
		"one is absent": {[]string{"Complete"}, "problem: 1 operations are in state, want 2"},
		"one goes on":   {[]string{"Complete", "InProgress"}, "problem: an operation is InProgress, want Complete"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			verdict := Verdict{Point: "p", Reached: true}
			verdict.compare(evidence{
				scenario: Scenario{machines: 1, launches: 1, end: end{operations: 2}}, ending: Apply, journal: created("i-1"),
				instances: []ecsemulator.Instance{machine("i-1", "a")}, saved: savedState{machines: []string{"i-1"}, operations: test.phases},
			})

			if got := verdict.String(); got != "p\n    "+test.want {
				t.Errorf("%s\nwant %s", got, test.want)
			}
		})
	}
}

func TestTheFirstBootDataIsLookedAt(t *testing.T) {
	t.Parallel()

	verdict := Verdict{}
	verdict.judgeMachine(end{userData: "one"}, ecsemulator.Instance{ID: "i-1", UserDataSHA256: "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"})

	if !verdict.Good() {
		t.Error(verdict)
	}

	verdict.judgeMachine(end{userData: "two"}, ecsemulator.Instance{ID: "i-1", UserDataSHA256: "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed"})

	if verdict.Good() {
		t.Error("other data is not seen")
	}
}

func TestWhatCannotBeKnownMayBeRefused(t *testing.T) {
	t.Parallel()

	for _, reached := range []bool{true, false} {
		verdict := Verdict{Reached: reached, Refused: []string{"apply fails: not known"}}
		verdict.compare(evidence{
			scenario: Scenario{machines: 1, launches: 1, unknowable: true, end: end{operations: 1, effects: once("rebooted")}}, ending: Apply,
			instances: []ecsemulator.Instance{machine("i-1", "a")}, journal: created("i-1"), saved: savedState{machines: []string{"i-1"}},
		})

		if verdict.Good() != reached {
			t.Errorf("killed %t: %s", reached, verdict)
		}
	}
}

func TestAStateTellsOfItsOperations(t *testing.T) {
	t.Parallel()

	saved, err := readState([]byte(`{"resources":[{"type":"machine_operation","instances":[{"attributes":{"phase":"Complete"}}]}]}`))
	if err != nil || strings.Join(saved.operations, " ") != "Complete" {
		t.Errorf("%+v (%v)", saved, err)
	}
}
