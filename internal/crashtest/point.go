package crashtest

import (
	"fmt"
	"strconv"
	"strings"
)

// Kill says what is killed, and how.
type Kill string

// The kinds of kills.
const (
	// KillAll kills the command and the provider at once (SIGKILL).
	KillAll Kill = "kill-all"
	// KillCommand kills the command alone: its provider lives on as an orphan.
	KillCommand Kill = "kill-command"
	// KillProvider kills the provider alone.
	KillProvider Kill = "kill-provider"
	// Interrupt is Ctrl-C in a terminal: SIGINT to the process group.
	Interrupt Kill = "interrupt"
	// Terminate is a service manager's or a CI system's stop: SIGTERM to the group.
	Terminate Kill = "terminate"
)

// Kills are all kinds of kills.
func Kills() []Kill { return []Kill{KillAll, KillCommand, KillProvider, Interrupt, Terminate} }

// Sudden reports whether the kill leaves the provider no say.
func (k Kill) Sudden() bool { return k == KillAll || k == KillProvider }

// Stops reports whether the kill is a request to stop.
func (k Kill) Stops() bool { return k == Interrupt || k == Terminate }

// Moment says where in a call the kill comes.
type Moment string

// The moments.
const (
	// Before is before the call's effect. A call of a process that is dead by then
	// never arrives.
	Before Moment = "before"
	// After is after the effect; the answer has not been sent.
	After Moment = "after"
	// Late is before the effect, and the call arrives when what follows has begun to
	// look around.
	Late Moment = "late"
)

// Ending is what the user does next.
type Ending string

// The endings.
const (
	Apply   Ending = "apply"
	Destroy Ending = "destroy"
)

// Call is one API call of a scenario: the nth of its action.
type Call struct {
	Action  string `json:"action"`
	Ordinal int    `json:"ordinal"`
}

// AnyCall stands for the action where calls of all actions are counted together.
const AnyCall = "any"

// Mutates reports whether calls of the action change something in the cloud.
func Mutates(action string) bool {
	return action != AnyCall && !strings.HasPrefix(action, "Describe") && !strings.HasPrefix(action, "List") && !strings.HasPrefix(action, "Get")
}

// Point is one place in which a scenario is killed, and what follows.
type Point struct {
	Scenario string
	Setting  Setting
	Call     Call
	Moment   Moment
	Kill     Kill
	Ending   Ending
}

// Name names the point: scenario/setting/action/ordinal/moment/kill/ending.
func (p Point) Name() string {
	return strings.Join([]string{
		p.Scenario, p.Setting.Name(), p.Call.Action, strconv.Itoa(p.Call.Ordinal), string(p.Moment), string(p.Kill), string(p.Ending),
	}, "/")
}

// ParsePoint reads the name of a point. What it names need not exist.
func ParsePoint(name string) (Point, error) {
	parts := strings.Split(name, "/")
	if len(parts) != 7 {
		return Point{}, fmt.Errorf("point %q: want scenario/setting/action/ordinal/moment/kill/ending", name)
	}

	setting, err := ParseSetting(parts[1])
	if err != nil {
		return Point{}, fmt.Errorf("point %q: %w", name, err)
	}

	ordinal, err := strconv.Atoi(parts[3])
	if err != nil || ordinal < 1 {
		return Point{}, fmt.Errorf("point %q: %q is not the number of a call", name, parts[3])
	}

	point := Point{
		Scenario: parts[0], Setting: setting, Call: Call{Action: parts[2], Ordinal: ordinal},
		Moment: Moment(parts[4]), Kill: Kill(parts[5]), Ending: Ending(parts[6]),
	}

	return point, point.check()
}

func (p Point) check() error {
	if _, err := FindScenario(p.Scenario); err != nil {
		return err
	}

	for _, choice := range []struct {
		what, value string
		known       []string
	}{
		{"moment", string(p.Moment), []string{string(Before), string(After), string(Late)}},
		{"kill", string(p.Kill), []string{string(KillAll), string(KillCommand), string(KillProvider), string(Interrupt), string(Terminate)}},
		{"ending", string(p.Ending), []string{string(Apply), string(Destroy)}},
	} {
		if err := oneOf(choice.what, choice.value, choice.known); err != nil {
			return err
		}
	}

	if p.Moment == Late && p.Kill.Stops() {
		return fmt.Errorf("a process that is asked to stop waits for its calls: %s cannot be %s", p.Kill, p.Moment)
	}

	return nil
}

func oneOf(what, value string, known []string) error {
	for _, name := range known {
		if value == name {
			return nil
		}
	}

	return fmt.Errorf("%s %q is none of %s", what, value, strings.Join(known, ", "))
}
