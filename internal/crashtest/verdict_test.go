package crashtest

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func machine(id, name string) ecsemulator.Instance {
	return ecsemulator.Instance{ID: id, Tags: map[string]string{ownerTag: owner, nameTag: name}}
}

func created(ids ...string) []ecsemulator.Effect {
	var journal []ecsemulator.Effect
	for _, id := range ids {
		journal = append(journal, ecsemulator.Effect{Effect: "created", InstanceID: id})
	}

	return journal
}

func TestAVerdictSees(t *testing.T) {
	t.Parallel()

	one := Scenario{machines: 1, launches: 1}
	releasing := machine("i-2", "a")
	releasing.Releasing = true

	under := machine("i-1", "a")
	under.Tags[operationTag] = "resize/"
	resizedTwice := []ecsemulator.Effect{{Effect: "modified", Detail: "InstanceType", InstanceID: "i-1"}, {Effect: "modified", Detail: "InstanceType", InstanceID: "i-1"}}

	for name, test := range map[string]struct {
		evidence evidence
		want     string
		bad      bool
	}{
		"a machine that is in state": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{machine("i-1", "a")},
				journal: created("i-1"), saved: savedState{machines: []string{"i-1"}},
			},
			want: "healed",
		},
		"a machine that nothing knows": {
			evidence: evidence{
				scenario: one, ending: Destroy, instances: []ecsemulator.Instance{machine("i-1", "a")}, journal: created("i-1"),
			},
			want: "leak: i-1", bad: true,
		},
		"a machine that a message names": {
			evidence: evidence{
				scenario: one, ending: Destroy, instances: []ecsemulator.Instance{machine("i-1", "a")}, journal: created("i-1"),
				messages: "│ cn-hangzhou.i-1 is left",
			},
			want: "named: i-1", bad: true,
		},
		"a machine that is only named where nothing could be marked": {
			evidence: evidence{
				scenario: one, ending: Destroy, instances: []ecsemulator.Instance{machine("i-1", "a")}, journal: created("i-1"),
				messages: "│ cn-hangzhou.i-1 is left", setting: Setting{MarkDenied: true},
			},
			want: "named: i-1",
		},
		"two machines of one identity": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{machine("i-1", "a"), machine("i-2", "a")},
				journal: created("i-1", "i-2"), saved: savedState{machines: []string{"i-1"}},
			},
			want: "twins: " + owner + " a: i-1, i-2", bad: true,
		},
		"a second machine on its way out": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{machine("i-1", "a"), releasing},
				journal: created("i-1", "i-2"), saved: savedState{machines: []string{"i-1"}},
			},
			want: "1 launched beyond what was asked for",
		},
		"a machine in state that is gone": {
			evidence: evidence{scenario: one, ending: Apply, journal: created("i-1"), saved: savedState{machines: []string{"i-1"}}},
			want:     "theft: i-1 is in state and gone", bad: true,
		},
		"a machine of somebody else that was released": {
			evidence: evidence{scenario: Scenario{}, ending: Destroy, journal: []ecsemulator.Effect{
				{Effect: "added", InstanceID: "i-9"},
				{Effect: "releasing", InstanceID: "i-9"},
			}},
			want: "theft: i-9 was somebody else's", bad: true,
		},
		"a machine of somebody else that is in state": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{machine("i-9", "a")},
				journal: []ecsemulator.Effect{{Effect: "added", InstanceID: "i-9"}}, saved: savedState{machines: []string{"i-9"}},
			},
			want: "theft: i-9 is in state and somebody else's", bad: true,
		},
		"a reboot that came twice": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{machine("i-1", "a")}, saved: savedState{machines: []string{"i-1"}},
				journal: append(created("i-1"), ecsemulator.Effect{Effect: "rebooted", InstanceID: "i-1"}, ecsemulator.Effect{Effect: "rebooted", InstanceID: "i-1"}),
			},
			want: "repeated: i-1 rebooted 2 times", bad: true,
		},
		"a machine that is not what it is to be": {
			evidence: evidence{
				scenario: Scenario{machines: 1, launches: 1, end: end{status: running}}, ending: Apply, journal: created("i-1"),
				instances: []ecsemulator.Instance{machine("i-1", "a")}, saved: savedState{machines: []string{"i-1"}},
			},
			want: "problem: the status of i-1 is , want Running", bad: true,
		},
		"an effect that never came": {
			evidence: evidence{
				scenario: Scenario{machines: 1, launches: 1, end: end{effects: once("resized")}}, ending: Apply, journal: created("i-1"),
				instances: []ecsemulator.Instance{machine("i-1", "a")}, saved: savedState{machines: []string{"i-1"}},
			},
			want: "problem: i-1 was resized 0 times, want 1", bad: true,
		},
		"a type that was changed twice": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{machine("i-1", "a")}, saved: savedState{machines: []string{"i-1"}},
				journal: append(created("i-1"), resizedTwice...),
			},
			want: "repeated: i-1 resized 2 times", bad: true,
		},
		"an operation that is under way for ever": {
			evidence: evidence{
				scenario: one, ending: Apply, instances: []ecsemulator.Instance{under}, journal: created("i-1"), saved: savedState{machines: []string{"i-1"}},
			},
			want: "problem: i-1 says that an operation is under way: resize/", bad: true,
		},
		"a disk that was lost with its machine": {
			evidence: evidence{scenario: Scenario{launches: 1, end: end{disks: 1}}, ending: Destroy, journal: created("i-1")},
			want:     "problem: 0 data disks are kept, want 1", bad: true,
		},
		"a disk that was kept": {
			evidence: evidence{
				scenario: Scenario{launches: 1, end: end{disks: 1}}, ending: Destroy, journal: created("i-1"), disks: []ecsemulator.Disk{{ID: "d-1"}, {ID: "d-2", System: true}},
			},
			want: "healed",
		},
		"too few machines": {
			evidence: evidence{scenario: one, ending: Apply},
			want:     "problem: 0 machines are in state, want 1", bad: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			verdict := Verdict{Point: "p", Reached: true}
			verdict.compare(test.evidence)

			if verdict.Good() == test.bad || !strings.Contains(verdict.String(), "\n    "+test.want) {
				t.Errorf("good: %t\n%s\nwant %q", verdict.Good(), verdict, test.want)
			}
		})
	}
}

func TestARefusalWithoutTheMarkIsDocumented(t *testing.T) {
	t.Parallel()

	for _, createdFirst := range []bool{false, true} {
		verdict := Verdict{Reached: true, Refused: []string{"apply fails: taken"}}
		verdict.compare(evidence{
			scenario: Scenario{machines: 1, launches: 2, createdFirst: createdFirst}, setting: Setting{MarkDenied: true}, ending: Apply,
			instances: []ecsemulator.Instance{machine("i-1", "a")}, journal: created("i-1"), saved: savedState{machines: []string{"i-1"}},
		})

		if verdict.Good() != createdFirst {
			t.Errorf("created first %t: %s", createdFirst, verdict)
		}
	}
}

func TestAStateIsRead(t *testing.T) {
	t.Parallel()

	saved, err := readState([]byte(`{"resources":[
		{"type":"machine_class","instances":[{"attributes":{"name":"worker"}}]},
		{"type":"machine_allocation","instances":[
			{"attributes":{"provider_resource_id":"i-1"}},{"deposed":"00","attributes":{"provider_resource_id":"i-2"}}]}]}`))
	if err != nil || !saved.hasClass || len(saved.machines) != 2 {
		t.Errorf("%+v, %v", saved, err)
	}

	if saved, err := readState(nil); err != nil || saved.hasClass {
		t.Errorf("of nothing is read %+v, %v", saved, err)
	}

	if _, err := readState([]byte("{")); err == nil {
		t.Error("half a state gives no error")
	}
}

func TestOnlyMessagesName(t *testing.T) {
	t.Parallel()

	printed := "  - id = \"i-plan\" -> null\nWarning: left\n\n  i-warned is left\nworker: Destroying... [id=i-progress]\n"
	kept := warnings(printed)

	for id, want := range map[string]bool{"i-plan": false, "i-warned": true, "i-progress": false} {
		if strings.Contains(kept, id) != want {
			t.Errorf("%s is named: %t", id, !want)
		}
	}

	if boxed := "│ Warning: left\n│ i-warned\n"; warnings(boxed) != boxed {
		t.Errorf("%q is kept of %q", warnings(boxed), boxed)
	}
}
