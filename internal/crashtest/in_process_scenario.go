package crashtest

import (
	"context"
	"maps"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest/core"
)

// inProcessPlan is a scenario as the stand-in for core runs it.
type inProcessPlan struct {
	before []core.Configuration
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

	return map[string]inProcessPlan{
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
		"resize-in-place": {
			before: []core.Configuration{wantedMachine(nil, core.Arguments{"instance_type_on_change": "resize"})},
			victim: wantedMachine(core.Arguments{"instance_types": []string{"ecs.g6.large"}}, core.Arguments{"instance_type_on_change": "resize"}),
		},
		"reinstall-in-place": {
			before: []core.Configuration{wantedMachine(nil, core.Arguments{"user_data_on_change": "reinstall", "user_data_wo_version": 1})},
			victim: wantedMachine(nil, core.Arguments{"user_data_on_change": "reinstall", "user_data_wo_version": 2}),
		},
		"resize-and-reinstall": {
			before: []core.Configuration{wantedMachine(nil, reshaped(1))},
			victim: wantedMachine(core.Arguments{"instance_types": []string{"ecs.g6.large"}}, reshaped(2)),
		},
		"edit-role": {
			before: []core.Configuration{one},
			victim: wantedMachine(core.Arguments{"ram_role_name": "acme-node-role"}, nil),
		},
	}
}

// reshaped is an allocation that follows its class's types and its first-boot data in
// place.
func reshaped(version int) core.Arguments {
	return core.Arguments{"instance_type_on_change": "resize", "user_data_on_change": "reinstall", "user_data_wo_version": version}
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
// is run. Quick takes a small share of that.
const (
	everyInProcess = 6
	quickShare     = 6
)

// PointsInProcess lists the points of a selection that run in this process: every
// call that changes something, and its neighbors, in every setting, with every ending,
// under every kind of kill. Quick takes the settings from the table.
func PointsInProcess(ctx context.Context, selection Selection, discover Discoverer) ([]Point, error) {
	plans := inProcessPlans()

	var scenarios []Scenario

	for _, scenario := range Scenarios() {
		_, runs := plans[scenario.Name]
		if runs && (len(selection.Scenarios) == 0 || slices.Contains(selection.Scenarios, scenario.Name)) {
			scenarios = append(scenarios, scenario)
		}
	}

	variations := allVariations()
	if selection.Quick {
		variations = pairwise()
	}

	found, err := discoverAll(ctx, scenarios, settingsOf(variations), selection.Parallel, discover)
	if err != nil {
		return nil, err
	}

	var points []Point

	for _, scenario := range scenarios {
		for _, variation := range variations {
			points = append(points, killedNearChanges(scenario.Name, variation, found[scenario.Name][variation.setting])...)
		}
	}

	every := selection.Every
	if every <= 1 {
		every = everyInProcess
	}

	if selection.Quick {
		every *= quickShare
	}

	return thin(points, every), nil
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
