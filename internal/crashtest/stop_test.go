package crashtest

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestTheSeedPicksWhereAFleetIsStopped(t *testing.T) {
	t.Parallel()

	calls := make([]Call, 200)

	names := func(seed uint64, quick bool) []string {
		var found []string
		for _, point := range stopPoints("fleet", calls, Selection{Seed: seed, Quick: quick}) {
			found = append(found, point.Name())

			if _, err := ParsePoint(point.Name()); err != nil || !point.Kill.Stops() {
				t.Errorf("%s: %v", point.Name(), err)
			}
		}

		slices.Sort(found)

		return slices.Compact(found)
	}

	if one, again, other := names(1, false), names(1, false), names(2, false); !slices.Equal(one, again) || slices.Equal(one, other) || len(one) != timesStopped {
		t.Errorf("of one seed there are %d stops, again %d, and of another %d", len(one), len(again), len(other))
	}

	if quick := names(1, true); len(quick) != timesStoppedQuick {
		t.Errorf("%d stops are quick", len(quick))
	}
}

func TestACallOfAnyActionIsHeld(t *testing.T) {
	t.Parallel()

	point, err := ParsePoint("fleet/plain/any/7/before/interrupt/apply")
	if err != nil {
		t.Fatal(err)
	}

	if rule := point.holdRule(); rule.Action != "" || rule.First != 7 || Mutates(AnyCall) {
		t.Errorf("%+v", rule)
	}
}

func TestOnlyTheMachineOfAKilledLaunchIsConcealed(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]bool{
		"create/unlisted20/RunInstances/1/after/kill-all/apply":      true,
		"create/plain/RunInstances/1/after/kill-all/apply":           false,
		"create/unlisted20/RunInstances/1/late/kill-all/apply":       false,
		"create/unlisted20/DescribeInstances/1/after/kill-all/apply": false,
	} {
		point, err := ParsePoint(name)
		if err != nil {
			t.Fatal(err)
		}

		if _, concealed := point.conceal(); concealed != want {
			t.Errorf("%s: %t", name, concealed)
		}
	}
}

func TestACallAfterTheStopIsTold(t *testing.T) {
	t.Parallel()

	stopped := time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)
	call := func(action string, after time.Duration, parameters map[string]string) ecsemulator.Call {
		return ecsemulator.Call{AccessKeyID: victimKey, Action: action, Time: stopped.Add(after), Parameters: parameters}
	}

	got := callsAfterStop([]ecsemulator.Call{
		call("StopInstance", -time.Second, nil), call("DescribeInstances", time.Second, nil), call("TagResources", time.Second, nil), call("UntagResources", time.Second, nil),
		call("RunInstances", time.Second, map[string]string{"DryRun": "true"}),
		{AccessKeyID: "another", Action: "StopInstance", Time: stopped.Add(time.Second)},
		call("RebootInstance", 5*time.Second, nil), call("RunInstances", 10*time.Second, nil),
	}, stopped, 50)

	want := []string{"RebootInstance was called 0.10 s after the stop had been noticed", "RunInstances was called 0.20 s after the stop had been noticed"}
	if !slices.Equal(got, want) {
		t.Errorf("told: %q, want %q", got, want)
	}
}
