package crashtest

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest/core"
)

// inProcessPlan is a scenario as the stand-in for core runs it.
type inProcessPlan struct {
	// foreign is what another provider's state holds of the machine, with %[1]s for its ID;
	// empty for nothing.
	foreign string
	before  []core.Configuration
	// tainted taints the allocation before the victim runs.
	tainted bool
	victim  core.Configuration
}

// inProcessPlans are the scenarios that also run in this process, by name.
func inProcessPlans() map[string]inProcessPlan {
	one := wantedMachine(nil, nil)
	changed := wantedMachine(core.Arguments{"image_id": "m-acme1"}, nil)

	safe, changedSafe := one, changed
	safe.CreateBeforeDestroy, changedSafe.CreateBeforeDestroy = true, true

	forced := safe
	forced.Replace = true

	released := one
	released.Allocation = nil

	twoTypes := wantedMachine(core.Arguments{"instance_types": []string{"ecs.g7.large", "ecs.g6.large"}}, nil)

	keeping := wantedMachine(core.Arguments{"data_disks": []core.Arguments{{"size_gib": 40}}}, core.Arguments{"retain_disks_on_release": true})
	keptReleased := keeping
	keptReleased.Allocation = nil

	accepted := wantedMachine(nil, core.Arguments{"wait_until": "accepted"})

	plans := map[string]inProcessPlan{
		"create":                {victim: one},
		"create-beside-another": {victim: one},
		"create-accepted":       {victim: accepted},
		"create-again-accepted": {before: []core.Configuration{accepted, released}, victim: accepted},
		"create-fallback":       {victim: twoTypes},
		"create-withdrawn":      {victim: twoTypes},
		"replace":               {before: []core.Configuration{one}, victim: changed},
		"replace-created-first": {before: []core.Configuration{safe}, victim: changedSafe},
		"forced-created-first":  {before: []core.Configuration{safe}, victim: forced},
		"tainted":               {before: []core.Configuration{one}, tainted: true, victim: one},
		"tainted-created-first": {before: []core.Configuration{safe}, tainted: true, victim: safe},
		"release":               {before: []core.Configuration{one}, victim: released},
		"release-keeping-disks": {before: []core.Configuration{keeping}, victim: keptReleased},
		"update-tags": {
			before: []core.Configuration{one},
			victim: wantedMachine(nil, core.Arguments{"tags": map[string]string{"purpose": "crash"}}),
		},
	}

	for _, more := range []map[string]inProcessPlan{takeoversInProcess(), editsInProcess(), operationsInProcess()} {
		maps.Copy(plans, more)
	}

	return plans
}

// wantedMachine is a class and an allocation, with changes of the class's alicloud
// argument and of the allocation.
func wantedMachine(class, allocation core.Arguments) core.Configuration {
	arguments := core.Arguments{
		"image_id":           "m-acme2",
		"instance_types":     []string{"ecs.g7.large"},
		"vswitch_ids":        []string{"vsw-a"},
		"security_group_ids": []string{"sg-1"},
	}
	maps.Copy(arguments, class)

	wanted := core.Arguments{"name": "worker-a"}
	maps.Copy(wanted, allocation)

	return core.Configuration{Class: core.Arguments{"name": "worker", "alicloud": arguments}, Allocation: wanted}
}

// allVariationsWithoutLaunch are those of the axes that matter where no machine is launched
// or released.
func allVariationsWithoutLaunch() []variation {
	return slices.DeleteFunc(allVariations(), func(v variation) bool {
		return v.setting.UnlistedSeconds > 0 || v.setting.ReplayFails || v.setting.RefusalBurns
	})
}

// allVariations are all settings with all endings.
func allVariations() []variation {
	var all []variation

	for bits := range 64 {
		made := variation{
			setting: Setting{RemoteState: bits&1 != 0, ReplayFails: bits&4 != 0, RefusalBurns: bits&8 != 0, MarkDenied: bits&16 != 0},
			ending:  Apply,
		}

		if bits&2 != 0 {
			made.setting.UnlistedSeconds = 20
		}

		if bits&32 != 0 {
			made.ending = Destroy
		}

		all = append(all, made)
	}

	return all
}

// The whole product would take two hours by itself: by default about a sixth of it
// is run, and a fourth of what launches nothing, which has fewer settings. Quick takes a
// small share of that.
const (
	everyInProcess          = 6
	everyWithoutLaunch      = 4
	quickShare              = 7
	quickShareWithoutLaunch = 12
)

// PointsInProcess lists the points of a selection that run in this process: every
// call that changes something, and its neighbors, in every setting, with every ending,
// under every kind of kill. Quick takes the settings from the table, and no scenario that
// differs little from another.
func PointsInProcess(ctx context.Context, selection Selection, discover Discoverer) ([]Point, error) {
	plans := inProcessPlans()

	var scenarios []Scenario

	for _, scenario := range Scenarios() {
		_, runs := plans[scenario.Name]

		selected := slices.Contains(selection.Scenarios, scenario.Name)
		if len(selection.Scenarios) == 0 {
			selected = !selection.Quick || !scenario.variant
		}

		if runs && selected {
			scenarios = append(scenarios, scenario)
		}
	}

	all, withoutLaunch := allVariations(), allVariationsWithoutLaunch()
	if selection.Quick {
		all, withoutLaunch = pairwise(), pairwiseWithoutLaunch()
	}

	found, err := discoverAll(ctx, scenarios, []Setting{{}}, selection.Parallel, discover)
	if err != nil {
		return nil, err
	}

	tables, err := found.vary(ctx, scenarios, all, withoutLaunch, selection.Parallel, discover)
	if err != nil {
		return nil, err
	}

	var points []Point

	for _, scenario := range scenarios {
		var of []Point

		for _, variation := range tables[scenario.Name] {
			of = append(of, killedNearChanges(scenario.Name, variation, found[scenario.Name][variation.setting])...)
		}

		points = append(points, thin(of, selection.everyInProcess(launchesOrReleases(found[scenario.Name][Setting{}])))...)
	}

	return thin(points, 1), nil
}

// everyInProcess is of how many points of a scenario one is run.
func (s Selection) everyInProcess(launches bool) int {
	every, share := everyWithoutLaunch, quickShareWithoutLaunch
	if launches {
		every, share = everyInProcess, quickShare
	}

	if s.Every > 1 {
		every = s.Every
	}

	if s.Quick {
		every *= share
	}

	return every
}

// killedNearChanges are the calls that change something, and their neighbors, under
// every kind of kill.
func killedNearChanges(scenario string, variation variation, calls []Call) []Point {
	var points []Point

	for i, call := range calls {
		if !nearChange(calls, i) {
			continue
		}

		for _, kill := range Kills() {
			for _, moment := range moments(call, kill) {
				points = append(points, Point{
					Scenario: scenario, Setting: variation.setting, Call: call, Moment: moment, Kill: kill, Ending: variation.ending,
				})
			}
		}
	}

	return points
}

// nearChange reports whether a call changes something or stands beside one that does, or
// asks whose the account is, which ends what a launch does.
func nearChange(calls []Call, i int) bool {
	return calls[i].Action == "GetCallerIdentity" || Mutates(calls[i].Action) || i > 0 && Mutates(calls[i-1].Action) || i+1 < len(calls) && Mutates(calls[i+1].Action)
}
