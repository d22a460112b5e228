package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// operationKill is an operation and the calls in which it is killed.
type operationKill struct {
	kind      string
	arguments acctest.Arguments
	// calls are the actions in which it is killed; lastTag is the second TagResources.
	calls   []string
	effects map[string]int
	status  string
}

// lastTag stands for the TagResources call by which an operation notes its end.
const lastTag = "TagResources, the last"

// hold is the call that is held.
func (operationKill) hold(call string, at ecsemulator.Moment) ecsemulator.Rule {
	if call == lastTag {
		return ecsemulator.Rule{Action: "TagResources", At: at, First: 2}
	}

	return ecsemulator.Rule{Action: call, At: at}
}

func operationKills() []operationKill {
	return []operationKill{
		{kind: "HostPowerOff", calls: []string{"TagResources", "StopInstance", lastTag}, effects: map[string]int{"stopped": 1}, status: "Stopped"},
		{kind: "HostReboot", calls: []string{"TagResources", "GetInstanceConsoleOutput", "RebootInstance", lastTag}, effects: map[string]int{"rebooted": 1}, status: "Running"},
		{
			kind: "HostReplace", arguments: acctest.Arguments{"parameters": `{ image_id = "m-acme2" }`, "replace_user_data_wo": `"#cloud-config\n"`},
			calls:   []string{"TagResources", "StopInstance", "ModifyInstanceAttribute", "ReplaceSystemDisk", "StartInstance", lastTag},
			effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running",
		},
	}
}

// commandOperates kills operations at each call that changes something, before and
// after its effect, and applies once more.
func commandOperates(t *testing.T, installation *terraformcli.Installation) {
	for _, kill := range operationKills() {
		for _, call := range kill.calls {
			for _, at := range []ecsemulator.Moment{ecsemulator.MomentBefore, ecsemulator.MomentAfter} {
				for _, keeps := range []bool{false, true} {
					if keeps && kill.kind != "HostReboot" {
						continue
					}

					t.Run(fmt.Sprintf("%s killed %s %s, start time kept: %v", kill.kind, at, call, keeps), func(t *testing.T) {
						t.Parallel()

						c := newCommand(t, installation, ecsemulator.Options{Behavior: ecsemulator.Behavior{RebootKeepsStartTime: keeps}})
						machine, id := existing(t, c.cloud)
						c.configure(acctest.Operation("op-a", kill.kind, id, kill.arguments))
						c.run("init")
						c.killed(kill.hold(call, at))
						c.run("apply", "-auto-approve")
						c.expectOperated(machine.ID, kill)
						c.run("plan", "-detailed-exitcode")
						c.run("destroy", "-auto-approve")
						c.expectOperated(machine.ID, kill)

						if tag, there := instanceOf(t, c.cloud, machine.ID).Tags[operationTag]; there {
							t.Errorf("the operation left its trace: %s", tag)
						}
					})
				}
			}
		}
	}

	t.Run("the state is lost after the end", func(t *testing.T) {
		t.Parallel()
		commandLosesTheState(t, installation)
	})

	t.Run("an interrupt, and an apply that goes on", func(t *testing.T) {
		t.Parallel()
		commandInterruptsAnOperation(t, installation)
	})

	t.Run("a time that is up, and an apply that goes on", func(t *testing.T) {
		t.Parallel()

		// A timeout is wall time, in which the cloud's clock runs a hundred times as fast.
		c := newCommand(t, installation, ecsemulator.Options{BootDuration: 10 * time.Hour})
		machine, id := existing(t, c.cloud)
		c.configure(acctest.Operation("op-a", "HostReboot", id, acctest.Arguments{"timeouts": `{ create = "8s" }`}))
		c.run("init")
		c.fail(acctest.Text("was not seen to its end", "what was done is not done again"), "apply", "-auto-approve")

		if err := c.cloud.Step(10 * time.Hour); err != nil {
			t.Fatal(err)
		}

		// Nothing is in state, and the next apply has its own time.
		c.configure(acctest.Operation("op-a", "HostReboot", id))
		c.run("apply", "-auto-approve")
		c.expectOperated(machine.ID, operationKill{effects: map[string]int{"rebooted": 1}, status: "Running"})
	})

	t.Run("runs side by side", func(t *testing.T) {
		t.Parallel()
		commandsOperateSideBySide(t, installation)
	})
}

// expectOperated wants the effects, and the operation in state to be complete.
func (c *command) expectOperated(machine string, want operationKill) {
	c.Helper()

	if err := wasOperated(c.cloud, want.effects)(nil); err != nil {
		c.Error(err)
	}

	if now := instanceOf(c.T, c.cloud, machine); now.Status != want.status {
		c.Errorf("the machine is %s, want %s", now.Status, want.status)
	}
}

// phases returns the phases of the operations in the state file.
func (c *command) phases() []string {
	c.Helper()

	content, err := os.ReadFile(filepath.Join(c.workspace.Directory, "terraform.tfstate"))
	if err != nil {
		c.Fatal(err)
	}

	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				Status     string
				Attributes struct{ Phase string }
			}
		}
	}
	if err := json.Unmarshal(content, &state); err != nil {
		c.Fatal(err)
	}

	var phases []string

	for _, resource := range state.Resources {
		for _, instance := range resource.Instances {
			if resource.Type == "machine_operation" {
				phases = append(phases, strings.TrimSpace(instance.Attributes.Phase+" "+instance.Status))
			}
		}
	}

	return phases
}

// With a remote backend the last of what was done may never be saved.
func commandLosesTheState(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	machine, id := existing(t, c.cloud)
	c.configure(acctest.Operation("off", "HostPowerOff", id) +
		acctest.Operation("on", "HostPowerOn", id, acctest.Arguments{"depends_on": "[machine_operation.off]"}) +
		acctest.Operation("reboot", "HostReboot", id, acctest.Arguments{"depends_on": "[machine_operation.on]"}))
	c.run("init")
	c.run("apply", "-auto-approve")

	if err := os.Remove(filepath.Join(c.workspace.Directory, "terraform.tfstate")); err != nil {
		t.Fatal(err)
	}

	c.run("apply", "-auto-approve")
	c.expectOperated(machine.ID, operationKill{effects: map[string]int{"stopped": 1, "started": 1, "rebooted": 1}, status: "Running"})

	if phases := c.phases(); fmt.Sprint(phases) != "[Complete Complete Complete]" {
		t.Errorf("in state are %v", phases)
	}
}

func commandInterruptsAnOperation(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{BootDuration: 10 * time.Minute})
	machine, id := existing(t, c.cloud)
	c.configure(acctest.Operation("op-a", "HostReboot", id))
	c.run("init")

	effect := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RebootInstance", Times: 1})

	process, err := c.workspace.Start(t.Context(), "apply", "-auto-approve")
	if err != nil {
		t.Fatal(err)
	}

	rebooting, err := c.cloud.WaitHold(t.Context(), effect.ID)
	if err != nil {
		t.Fatal(err)
	}

	// The look that comes after the effect.
	rule := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "DescribeInstances", Times: 1})

	if err := c.cloud.Release(rebooting.ID, ecsemulator.Proceed); err != nil {
		t.Fatal(err)
	}

	hold, err := c.cloud.WaitHold(t.Context(), rule.ID)
	if err != nil {
		t.Fatal(err)
	}

	if err := process.SignalGroup(os.Interrupt); err != nil {
		t.Fatal(err)
	}

	result, err := process.Wait()

	var exit *terraformcli.ExitError
	if !errors.As(err, &exit) || !acctest.Text("was interrupted", "the next apply goes on with it").MatchString(result.Stdout+result.Stderr) {
		t.Errorf("the interrupted apply ended with %v\n%s%s", err, result.Stdout, result.Stderr)
	}

	if err := c.cloud.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Error(err)
	}

	if phases := c.phases(); fmt.Sprint(phases) != "[InProgress]" {
		t.Errorf("in state are %v, want one that is InProgress and not tainted", phases)
	}

	if plan := c.run("plan"); !acctest.Text("Plan: 0 to add, 1 to change, 0 to destroy.").MatchString(plan.Stdout) {
		t.Errorf("going on is an in-place update, and the plan is\n%s", plan.Stdout)
	}

	if err := c.cloud.Step(10 * time.Minute); err != nil {
		t.Fatal(err)
	}

	c.run("apply", "-auto-approve")
	c.expectOperated(machine.ID, operationKill{effects: map[string]int{"rebooted": 1}, status: "Running"})
	c.run("plan", "-detailed-exitcode")
}

// Four runs with five operations each, on one machine. Each has an access key of its
// own, by which its calls are known.
func commandsOperateSideBySide(t *testing.T, installation *terraformcli.Installation) {
	const runs, each = 4, 5

	keys := make([]ecsemulator.AccessKey, runs)
	for run := range keys {
		keys[run] = ecsemulator.AccessKey{ID: fmt.Sprintf("run-%d", run), Secret: fmt.Sprintf("secret-of-run-%d", run)}
	}

	cloud := acctest.Start(t, ecsemulator.Options{AccessKeys: keys})
	_, id := existing(t, cloud)

	var group sync.WaitGroup

	for _, key := range keys {
		variables := cloud.Variables()
		variables["ALIBABA_CLOUD_ACCESS_KEY_ID"], variables["ALIBABA_CLOUD_ACCESS_KEY_SECRET"] = key.ID, key.Secret

		c := &command{T: t, cloud: cloud, workspace: installation.Workspace(t.TempDir(), variables)}

		text, before := "", ""

		for n := range each {
			label := fmt.Sprintf("%s-step-%d", key.ID, n)
			text += acctest.Operation(label, "HostReboot", id, acctest.Arguments{"depends_on": before, "timeouts": `{ create = "3h" }`})
			before = "[machine_operation." + label + "]"
		}

		c.configure(text)
		c.run("init")

		group.Go(func() {
			result, err := c.workspace.Run(t.Context(), "apply", "-auto-approve")
			if err != nil {
				t.Errorf("%s: %v\n%s", key.ID, err, result.Stderr)
			}
		})
	}

	group.Wait()

	if err := wasOperated(cloud, map[string]int{"rebooted": runs * each})(nil); err != nil {
		t.Error(err)
	}

	wantOneAtATime(t, cloud)
}

// intentOf is what an operation tag says: who is under way, and which carrying out of it
// that is. See the provider's guide for its fields.
func intentOf(tag string) (name, carriedOut string) {
	if fields := strings.Split(tag, "/"); len(fields) > 3 {
		return fields[1], fields[3]
	}

	return "", ""
}

// wantOneAtATime reads from the calls that each reboot took place under an intent of
// its own, that no other took place before its run had noted its end, and that the
// steps of each run came in their order.
func wantOneAtATime(t *testing.T, cloud *acctest.Cloud) {
	t.Helper()

	// written are the intents that the runs wrote last. They may have written them over
	// another's: only one that stands for a while counts.
	type written struct{ name, carriedOut string }

	intents := map[string]written{}
	reboots, last := map[string]int{}, map[string]string{}
	// active is the run that has rebooted the machine and has not noted the end yet.
	active := ""

	for _, call := range cloud.Calls() {
		run := call.AccessKeyID

		switch {
		case call.Code != "":
			if call.Action == "RebootInstance" {
				t.Errorf("a reboot was refused: %s", call.Code)
			}
		case call.Action == "TagResources" && call.Parameters["Tag.1.Key"] == operationTag:
			var wrote written

			wrote.name, wrote.carriedOut = intentOf(call.Parameters["Tag.1.Value"])
			if run == active && wrote.carriedOut != intents[run].carriedOut {
				active = ""
			}

			intents[run] = wrote
		case call.Action == "UntagResources" && call.Parameters["TagKey.1"] == operationTag:
			if run == active {
				active = ""
			}
		case call.Action == "RebootInstance":
			under := intents[run]
			reboots[under.carriedOut]++

			if active != "" {
				t.Errorf("%s rebooted while %s was under way", under.name, intents[active].name)
			}

			active = run

			_, step, _ := strings.Cut(under.name, "-step-")
			if step <= last[run] {
				t.Errorf("step %q of %s came after step %q", step, run, last[run])
			}

			last[run] = step
		}
	}

	for intent, count := range reboots {
		if intent == "" || count != 1 {
			t.Errorf("%d reboots took place under the intent %q", count, intent)
		}
	}
}
