package crashtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Effects that come only where they are asked for.
const (
	// forcedEffect is a stop or a reboot that does not ask the machine to shut down.
	forcedEffect = "forced"
	// unchargedEffect is a stop that gives the machine's capacity away.
	unchargedEffect = "uncharged"
	stopCharging    = "StopCharging"
)

// effectsOf are the effects on a machine that count, by what the journal tells; forced is
// whether the call asked for force.
func effectsOf(effect ecsemulator.Effect, forced bool) []string {
	switch effect.Effect {
	case "started", "stopped", "rebooted":
		effects := []string{effect.Effect}
		if forced {
			effects = append(effects, forcedEffect)
		}

		if effect.Detail == stopCharging {
			effects = append(effects, unchargedEffect)
		}

		return effects
	case "modified":
		if what, counts := modifications()[effect.Detail]; counts {
			return []string{what}
		}
	}

	return nil
}

// modifications are the changes of a machine that count, by what the journal calls them.
func modifications() map[string]string {
	return map[string]string{"SystemDisk": "reinstalled", "InstanceType": "resized", "RamRoleName": "role changed"}
}

// forcedCalls are the calls that asked for force, by their IDs.
func forcedCalls(calls []ecsemulator.Call) map[int]bool {
	forced := map[int]bool{}

	for _, call := range calls {
		if call.Parameters["ForceStop"] == "true" || call.Parameters["ForceReboot"] == "true" {
			forced[call.ID] = true
		}
	}

	return forced
}

// most is how often an effect may come to a machine. A destroy that finds a shutdown that
// does not end may end it by one more stop.
func (e evidence) most(effect string) int {
	count, named := e.scenario.end.effects[effect]
	hanging := e.ending == Destroy && e.scenario.end.effects[forcedEffect] > 0

	switch {
	case named && hanging && (effect == forcedEffect || effect == "stopped"):
		return count + 1
	case named:
		return count
	case effect == forcedEffect, effect == unchargedEffect:
		return 0
	default:
		return 1
	}
}

// judgeEffects counts what was done to machines.
func (v *Verdict) judgeEffects(e evidence) {
	forced := forcedCalls(e.calls)
	times := map[string]map[string]int{}

	for _, effect := range e.journal {
		for _, what := range effectsOf(effect, forced[effect.CallID]) {
			if times[effect.InstanceID] == nil {
				times[effect.InstanceID] = map[string]int{}
			}

			times[effect.InstanceID][what]++
		}
	}

	for _, machine := range slices.Sorted(maps.Keys(times)) {
		for _, what := range slices.Sorted(maps.Keys(times[machine])) {
			switch count, most := times[machine][what], e.most(what); {
			case count > most && most == 0:
				v.Problems = append(v.Problems, fmt.Sprintf("%s was %s, which nothing asks for", machine, what))
			case count > most:
				v.Repeated = append(v.Repeated, fmt.Sprintf("%s %s %d times", machine, what, count))
			}
		}
	}

	if e.ending != Apply || len(v.Refused) > 0 {
		return
	}

	for _, machine := range e.saved.machines {
		for _, what := range slices.Sorted(maps.Keys(e.scenario.end.effects)) {
			if got, want := times[machine][what], e.scenario.end.effects[what]; got < want {
				v.Problems = append(v.Problems, fmt.Sprintf("%s was %s %d times, want %d", machine, what, got, want))
			}
		}
	}
}

// judgeOperations wants every operation to be in state, and complete.
func (v *Verdict) judgeOperations(e evidence) {
	if found, want := len(e.saved.operations), e.scenario.end.operations; found != want {
		v.Problems = append(v.Problems, fmt.Sprintf("%d operations are in state, want %d", found, want))
	}

	for _, phase := range e.saved.operations {
		if phase != completePhase {
			v.Problems = append(v.Problems, fmt.Sprintf("an operation is %s, want %s", phase, completePhase))
		}
	}
}

// completePhase is the phase of an operation whose end was observed.
const completePhase = "Complete"
