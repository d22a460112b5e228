package crashtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// The tags by which machines tell whose they are.
const (
	ownerTag = "terraform-machine/owner"
	nameTag  = "terraform-machine/name"
	// operationTag tells of an operation under way.
	operationTag = "terraform-machine/operation"
)

// Verdict is what became of a point.
type Verdict struct {
	Point string `json:"point"`
	// Reached is whether the call came, so that there was a kill.
	Reached bool `json:"reached"`
	// Leaks are machines alive that are in no state and that no message named.
	Leaks []string `json:"leaks,omitempty"`
	// Twins are identities of which several machines are alive.
	Twins []string `json:"twins,omitempty"`
	// Thefts are machines that were released and should not have been.
	Thefts []string `json:"thefts,omitempty"`
	// Repeated are effects that were asked for once and came twice.
	Repeated []string `json:"repeated,omitempty"`
	// Problems are other things that must not be.
	Problems []string `json:"problems,omitempty"`
	// Named are machines alive that are in no state, but that a message named.
	Named []string `json:"named,omitempty"`
	// Refused are commands after the kill that failed.
	Refused []string `json:"refused,omitempty"`
	// ExtraLaunches counts the machines that were launched beyond those that the
	// scenario launches undisturbed.
	ExtraLaunches int `json:"extra_launches,omitempty"`
	// StopSeconds is how long a command that was asked to stop took to end, from the
	// moment at which the held call went on.
	StopSeconds float64 `json:"stop_seconds,omitempty"`
	Seconds     float64 `json:"seconds"`
	// Again is whether the point was run again at a slower clock, since it did not heal
	// at first.
	Again bool `json:"again,omitempty"`
	// History tells what happened, and what was said.
	History string `json:"-"`
}

// Good reports whether the point healed as promised.
func (v Verdict) Good() bool {
	return len(v.Leaks)+len(v.Twins)+len(v.Thefts)+len(v.Repeated)+len(v.Problems) == 0
}

// String tells all that is to tell.
func (v Verdict) String() string {
	var parts []string

	for _, part := range []struct {
		name  string
		found []string
	}{
		{"leak", v.Leaks},
		{"twins", v.Twins},
		{"theft", v.Thefts},
		{"repeated", v.Repeated},
		{"problem", v.Problems},
		{"named", v.Named},
		{"refused", v.Refused},
	} {
		for _, text := range part.found {
			parts = append(parts, part.name+": "+text)
		}
	}

	if v.ExtraLaunches > 0 {
		parts = append(parts, fmt.Sprintf("%d launched beyond what was asked for", v.ExtraLaunches))
	}

	if !v.Reached {
		parts = append(parts, "not reached")
	}

	if len(parts) == 0 {
		parts = append(parts, "healed")
	}

	return v.Point + "\n    " + strings.Join(parts, "\n    ")
}

// evidence is what a verdict is found from.
type evidence struct {
	scenario  Scenario
	setting   Setting
	ending    Ending
	instances []ecsemulator.Instance
	journal   []ecsemulator.Effect
	calls     []ecsemulator.Call
	disks     []ecsemulator.Disk
	saved     savedState
	messages  string
	// told is whether an error told the user to write down the uid of a lost class.
	told bool
}

// compare compares the machines with the state.
func (v *Verdict) compare(e evidence) {
	launched := map[string]bool{}

	for _, effect := range e.journal {
		if effect.Effect == "created" {
			launched[effect.InstanceID] = true
		}
	}

	v.ExtraLaunches = max(0, len(launched)-e.scenario.launches)

	alive := map[string]bool{}
	identities := map[string][]string{}

	for _, instance := range e.instances {
		if instance.Releasing {
			continue
		}

		alive[instance.ID] = true

		if launched[instance.ID] {
			identity := instance.Tags[ownerTag] + " " + instance.Tags[nameTag]
			identities[identity] = append(identities[identity], instance.ID)
		}
	}

	for identity, ids := range identities {
		if len(ids) > 1 {
			v.Twins = append(v.Twins, fmt.Sprintf("%s: %s", identity, strings.Join(ids, ", ")))
		}
	}

	for _, id := range slices.Sorted(maps.Keys(launched)) {
		switch {
		case !alive[id] || slices.Contains(e.saved.machines, id):
		case strings.Contains(e.messages, id), strings.Contains(e.saved.text, id):
			v.Named = append(v.Named, id)
		default:
			v.Leaks = append(v.Leaks, id)
		}
	}

	for _, id := range e.saved.machines {
		switch {
		case !alive[id]:
			v.Thefts = append(v.Thefts, id+" is in state and gone")
		case !launched[id] && !e.scenario.imports:
			v.Thefts = append(v.Thefts, id+" is in state and somebody else's")
		}
	}

	v.judgeJournal(e, launched)
	v.judgeEnd(e)
	v.judgeDisks(e.scenario.end, e.disks)
	slices.Sort(v.Twins)
}

// judgeJournal finds machines of others that were released, and effects that came
// oftener or more rarely than they were asked for.
func (v *Verdict) judgeJournal(e evidence, launched map[string]bool) {
	for _, effect := range e.journal {
		// What was imported is the configuration's to destroy.
		if effect.Effect == "releasing" && !launched[effect.InstanceID] &&
			(e.ending != Destroy || !e.scenario.imports || !takenOver(e.journal, effect.InstanceID)) {
			v.Thefts = append(v.Thefts, effect.InstanceID+" was somebody else's")
		}
	}

	v.judgeEffects(e)
}

// judgeMachine wants a machine to be what the scenario ends with, and nothing to be under
// way on it.
func (v *Verdict) judgeMachine(end end, machine ecsemulator.Instance) {
	for _, part := range []struct{ what, want, got string }{
		{"status", end.status, machine.Status},
		{"type", end.instanceType, machine.InstanceType},
		{"image", end.image, machine.ImageID},
	} {
		if part.want != "" && part.want != part.got {
			v.Problems = append(v.Problems, fmt.Sprintf("the %s of %s is %s, want %s", part.what, machine.ID, part.got, part.want))
		}
	}

	if data := sha256.Sum256([]byte(end.userData)); end.userData != "" && machine.UserDataSHA256 != hex.EncodeToString(data[:]) {
		v.Problems = append(v.Problems, fmt.Sprintf("%s does not have the first-boot data that it is to have", machine.ID))
	}

	// What has ended is remembered until a later run has read that it is stored.
	if tag := machine.Tags[operationTag]; tag != "" && !strings.HasPrefix(tag, "done/") {
		v.Problems = append(v.Problems, fmt.Sprintf("%s says that an operation is under way: %s", machine.ID, tag))
	}
}

// takenOver reports whether our tags were written on a machine that we did not launch.
func takenOver(journal []ecsemulator.Effect, id string) bool {
	return slices.ContainsFunc(journal, func(effect ecsemulator.Effect) bool {
		return effect.InstanceID == id && effect.Effect == "tagged"
	})
}

// judgeEnd wants going on to have succeeded, unless the scenario may fail. A class that
// was lost may fail to get its uid back where nothing can be marked: by documentation, a
// machine that was launched for the same class meanwhile cannot be given another uid.
func (v *Verdict) judgeEnd(e evidence) {
	if e.scenario.unknowable && v.Reached && len(v.Refused) > 0 {
		return
	}

	if e.scenario.mayFail(e.setting) || e.told && e.setting.MarkDenied && e.scenario.machines > 1 && len(v.Refused) > 0 {
		return
	}

	v.Problems = append(v.Problems, v.Refused...)

	// Without the mark a destroy only names what it cannot prove to be left over.
	if len(v.Named) > 0 && !e.setting.MarkDenied {
		v.Problems = append(v.Problems, "left alive, though named: "+strings.Join(v.Named, ", "))
	}

	wanted := 0
	if e.ending == Apply {
		wanted = e.scenario.machines
	}

	if e.ending == Apply && len(v.Refused) == 0 {
		v.judgeOperations(e)

		for _, instance := range e.instances {
			if slices.Contains(e.saved.machines, instance.ID) {
				v.judgeMachine(e.scenario.end, instance)
			}
		}
	}

	if found := len(e.saved.machines); found != wanted && len(v.Refused) == 0 {
		v.Problems = append(v.Problems, fmt.Sprintf("%d machines are in state, want %d", found, wanted))
	}
}

// callsAfterStop are the calls that do something to a machine and came after a process
// knew that it was to stop. Marks are an exception: as long as an apply makes its plan,
// Terraform (1.11) tells no provider of a stop, and a refresh that has found a mark
// which has served its purpose takes it off. So is a dry run, which launches nothing.
func callsAfterStop(calls []ecsemulator.Call, since time.Time, clockFactor float64) []string {
	var found []string

	for _, call := range calls {
		if call.AccessKeyID == victimKey && Mutates(call.Action) && !marks(call.Action) && call.Parameters["DryRun"] != "true" && call.Time.After(since) {
			late := call.Time.Sub(since).Seconds() / clockFactor
			found = append(found, fmt.Sprintf("%s was called %.2f s after the stop had been noticed", call.Action, late))
		}
	}

	return found
}

// marks reports whether an action changes what is written on a machine, and not the machine.
func marks(action string) bool { return action == "TagResources" || action == "UntagResources" }
