package crashtest

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// killedCreate is a create that is killed when its machine is there and nothing knows
// it but the cloud.
var killedCreate = Point{
	Scenario: "create", Call: Call{Action: "RunInstances", Ordinal: 1}, Moment: After, Kill: KillAll, Ending: Apply,
}

// TestTheHarnessSeesInProcess looks between the kill and the next command, when a leak
// is there for certain.
func TestTheHarnessSeesInProcess(t *testing.T) {
	place, err := OpenInProcess(100)
	if err != nil {
		t.Fatal(err)
	}

	trial, err := place.newTrial(t.Context(), killedCreate)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := trial.cloud.Close(); err != nil {
			t.Error(err)
		}
	})

	if _, err := trial.kill(t.Context()); err != nil {
		t.Fatal(err)
	}

	if !trial.verdict.Reached {
		t.Error("there was no kill")
	}

	leaked := Verdict{}
	leaked.compare(evidence{scenario: trial.scenario, ending: Apply, instances: trial.cloud.Instances(), journal: trial.cloud.Journal()})

	if len(leaked.Leaks) != 1 {
		t.Errorf("the machine of the killed create is no leak: %s", leaked)
	}

	// The next apply goes on with it.
	verdict, err := place.Run(t.Context(), killedCreate)
	if err != nil || !verdict.Reached || len(verdict.Leaks) > 0 {
		t.Errorf("%s (%v)", verdict, err)
	}

	// A call that never comes is no kill.
	never := killedCreate
	never.Call.Ordinal = 99

	if verdict, err := place.Run(t.Context(), never); err != nil || verdict.Reached || !verdict.Good() {
		t.Errorf("%s (%v)", verdict, err)
	}
}

// TestTheHarnessSees does the same with the real command.
func TestTheHarnessSees(t *testing.T) {
	t.Parallel()

	laboratory := openLaboratory(t)

	trial, err := laboratory.newTrial(t.Context(), killedCreate.Scenario, killedCreate.Setting)
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := trial.close(); err != nil {
			t.Error(err)
		}
	})

	trial.point = killedCreate

	if err := trial.kill(t.Context()); err != nil {
		t.Fatal(err)
	}

	if !trial.verdict.Reached {
		t.Fatalf("there was no kill: %s\n%s", trial.verdict, trial.messages.String())
	}

	saved, err := trial.bench.saved()
	if err != nil {
		t.Fatal(err)
	}

	leaked := Verdict{}
	leaked.compare(evidence{
		scenario: trial.scenario, ending: Apply, instances: trial.cloud.Instances(), journal: trial.cloud.Journal(), saved: saved,
	})

	if len(leaked.Leaks) != 1 || !saved.hasClass {
		t.Errorf("the machine of the killed create is no leak, or the class (%t) is not saved: %s", saved.hasClass, leaked)
	}
}

// TestEachKillKillsWhatItSays runs the kinds of kills, and wants each to leave what it
// is to leave.
func TestEachKillKillsWhatItSays(t *testing.T) {
	t.Parallel()

	laboratory := openLaboratory(t)

	for kill, want := range map[Kill]struct{ launched, classSaved bool }{
		// With the command the call went; a provider alone also took it along.
		KillAll:      {false, false},
		KillProvider: {false, true},
		// The orphan's call, and that of a provider that is asked to stop, goes on.
		KillCommand: {true, false},
		Interrupt:   {true, true},
		Terminate:   {true, true},
	} {
		t.Run(string(kill), func(t *testing.T) {
			t.Parallel()

			trial, err := laboratory.newTrial(t.Context(), "create", Setting{RemoteState: true})
			if err != nil {
				t.Fatal(err)
			}

			t.Cleanup(func() {
				if err := trial.close(); err != nil {
					t.Error(err)
				}
			})

			trial.point = killedCreate
			trial.point.Moment, trial.point.Kill, trial.point.Setting.RemoteState = Before, kill, true

			if err := trial.kill(t.Context()); err != nil {
				t.Fatal(err)
			}

			if !trial.verdict.Reached {
				t.Fatalf("there was no kill: %s\n%s", trial.verdict, trial.messages.String())
			}

			if err := waitForGroup(t.Context(), trial.group.PID(), patience); err != nil {
				t.Error(err)
			}

			saved, err := trial.bench.saved()
			if err != nil {
				t.Fatal(err)
			}

			launched := false
			for _, effect := range trial.cloud.Journal() {
				launched = launched || effect.Effect == "created"
			}

			if launched != want.launched || saved.hasClass != want.classSaved {
				t.Errorf("launched %t, class saved %t; want %+v", launched, saved.hasClass, want)
			}
		})
	}
}

// openLaboratory builds the provider. It skips the test where there is no command.
func openLaboratory(t *testing.T) *Laboratory {
	t.Helper()

	if _, err := terraformcli.Find(t.Context(), os.Environ()); errors.Is(err, terraformcli.ErrNotFound) {
		t.Skipf("this test runs the real command, and make test does not start without one: %v", err)
	}

	directory := t.TempDir()
	binary := filepath.Join(directory, "provider")

	if err := Build(t.Context(), binary, ""); err != nil {
		t.Fatal(err)
	}

	laboratory, err := OpenLaboratory(t.Context(), LaboratoryOptions{Directory: directory, Provider: binary, ClockFactor: 50})
	if err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		if err := laboratory.Close(); err != nil {
			t.Error(err)
		}
	})

	return laboratory
}
