package crashtest

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"math/bits"
	"slices"
)

// Selection says which part of the matrix is run.
type Selection struct {
	// Quick takes the slice that runs with every change: the calls that change
	// something, in a few scenarios.
	Quick bool
	// Scenarios limits the matrix to these; none means all.
	Scenarios []string
	// Seed decides at which calls a fleet is stopped.
	Seed uint64
	// Every takes about one point in so many; 0 and 1 take all.
	Every int
	// Parallel is how many scenarios are tried out at once.
	Parallel int
}

// has reports whether a scenario is selected for the real command.
func (s Selection) has(scenario string) bool {
	if len(s.Scenarios) > 0 {
		return slices.Contains(s.Scenarios, scenario)
	}

	return !s.Quick || slices.Contains(quickScenarios(), scenario)
}

// quickScenarios are those of the quick slice.
func quickScenarios() []string {
	launching := []string{"create", "create-fallback", "replace", "replace-created-first", "forced-created-first", "tainted", "release", "fleet"}

	return slices.AppendSeq(launching, maps.Keys(quickOperations()))
}

// quickOperations are the operations of which the quick slice has one point each: where
// the effect has come and nobody has heard of it.
func quickOperations() map[string]string {
	return map[string]string{
		"power-on": "StartInstance", "power-off": "StopInstance", "reboot": "RebootInstance", "replace-disk": "ReplaceSystemDisk",
		"resize-in-place": "ModifyInstanceSpec",
	}
}

// Points lists the points of a selection. In the plain setting they are every call
// of every scenario, under every kind of kill; a call that changes something before and
// after its effect, arriving late, and also with the other ending. In the other
// settings, a table in which any two values of two axes meet, they are the calls that
// change something and their neighbors, with kills that take turns. A scenario that
// launches nothing has no use for the axes that only new machines and their tokens have.
// One that differs from another in few calls runs in the plain setting, and near what it
// changes.
func Points(ctx context.Context, selection Selection, discover Discoverer) ([]Point, error) {
	var scenarios []Scenario

	var points []Point

	for _, scenario := range Scenarios() {
		effect, quick := quickOperations()[scenario.Name]

		switch {
		case !selection.has(scenario.Name) || scenario.inProcessOnly:
		case selection.Quick && quick:
			points = append(points, Point{Scenario: scenario.Name, Call: Call{effect, 1}, Moment: After, Kill: KillAll, Ending: Apply})
		default:
			scenarios = append(scenarios, scenario)
		}
	}

	found, err := discoverAll(ctx, scenarios, []Setting{{}}, selection.Parallel, discover)
	if err != nil {
		return nil, err
	}

	tables := map[string][]variation{}

	if !selection.Quick {
		whole := slices.DeleteFunc(slices.Clone(scenarios), func(s Scenario) bool { return s.variant })
		if tables, err = found.vary(ctx, whole, pairwise(), pairwiseWithoutLaunch(), selection.Parallel, discover); err != nil {
			return nil, err
		}
	}

	for _, scenario := range scenarios {
		calls := found[scenario.Name]

		if scenario.machines > 1 {
			points = append(points, stopPoints(scenario.Name, calls[Setting{}], selection)...)
		}

		if selection.Quick {
			points = append(points, quickPoints(scenario, calls[Setting{}])...)

			continue
		}

		points = append(points, plainPoints(scenario, calls[Setting{}])...)

		for _, variation := range tables[scenario.Name] {
			points = append(points, variedPoints(scenario.Name, variation, calls[variation.setting])...)
		}
	}

	if len(points) == 0 {
		return nil, errors.New("the selection holds no point")
	}

	return thin(points, selection.Every), nil
}

// thin keeps about one point in so many, and puts them into an order in which every
// part of a run is of all kinds. Both only the names decide, so that no axis is left out
// by the order of the points, and a run that is cut off goes on as it began.
func thin(points []Point, every int) []Point {
	kept := points

	if every > 1 {
		kept = nil

		for _, point := range points {
			if point.hash()%uint32(every) == 0 { //nolint:gosec // A count that somebody typed.
				kept = append(kept, point)
			}
		}
	}

	slices.SortStableFunc(kept, func(a, b Point) int { return cmp.Compare(bits.Reverse32(a.hash()), bits.Reverse32(b.hash())) })

	return kept
}

func (p Point) hash() uint32 {
	hash := fnv.New32a()
	hash.Write([]byte(p.Name()))

	return hash.Sum32()
}

// fleetCalls is of how many calls of a fleet that change nothing one is killed.
const fleetCalls = 3

// plainPoints are the points of a scenario in the plain setting. Of a fleet the calls
// are alike, so that each call is killed in one way, and the ways take turns.
func plainPoints(scenario Scenario, calls []Call) []Point {
	var points []Point

	for i, call := range calls {
		kills := Kills()
		if scenario.machines > 1 {
			if i%fleetCalls > 0 && !Mutates(call.Action) {
				continue
			}

			kills = Kills()[i%len(Kills()):][:1]
		}

		if scenario.variant && !nearChange(calls, i) {
			continue
		}

		for j, kill := range kills {
			for _, moment := range momentsByTurns(call, kill, i+j) {
				points = append(points, Point{Scenario: scenario.Name, Call: call, Moment: moment, Kill: kill, Ending: Apply})

				if Mutates(call.Action) {
					points = append(points, Point{Scenario: scenario.Name, Call: call, Moment: moment, Kill: kill, Ending: Destroy})
				}
			}
		}
	}

	return points
}

func moments(call Call, kill Kill) []Moment {
	if Mutates(call.Action) && !kill.Stops() {
		return []Moment{Before, After, Late}
	}

	return []Moment{Before, After}
}

// momentsByTurns are those that the real command is killed at. A call that changes
// nothing has no effect that a kill could come before or after, so whether it is held
// before the cloud reads or after takes turns.
func momentsByTurns(call Call, kill Kill, turn int) []Moment {
	all := moments(call, kill)
	if Mutates(call.Action) {
		return all
	}

	return all[turn%len(all):][:1]
}

// variedPoints are the points of a scenario in another setting.
func variedPoints(scenario string, variation variation, calls []Call) []Point {
	var points []Point

	turn := 0

	for i, call := range calls {
		if !nearChange(calls, i) {
			continue
		}

		for _, moment := range []Moment{Before, After} {
			points = append(points, Point{
				Scenario: scenario, Setting: variation.setting, Call: call, Moment: moment, Kill: Kills()[turn%len(Kills())], Ending: variation.ending,
			})
			turn++
		}

		if Mutates(call.Action) {
			points = append(points, Point{
				Scenario: scenario, Setting: variation.setting, Call: call, Moment: Late, Kill: Kills()[turn%3], Ending: variation.ending,
			})
		}
	}

	return points
}

// quickPoints are the points of a scenario that run with every change. A fleet is only
// stopped then.
func quickPoints(scenario Scenario, calls []Call) []Point {
	if scenario.machines > 1 {
		return nil
	}

	var points []Point

	for i, call := range calls {
		if !Mutates(call.Action) {
			continue
		}

		for _, moment := range []Moment{Before, After, Late} {
			kill := Kills()[i%2]
			if moment == After {
				kill = Kills()[2+i%3]
			}

			point := Point{Scenario: scenario.Name, Call: call, Moment: moment, Kill: kill, Ending: Apply}
			points = append(points, point)

			if moment == Before {
				continue
			}

			point.Ending = Destroy
			point.Kill = KillAll
			point.Setting = Setting{RemoteState: true, UnlistedSeconds: 20}
			points = append(points, point)
		}
	}

	return points
}
