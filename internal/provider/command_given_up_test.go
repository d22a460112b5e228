package provider_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandGivesUpAnOperation cuts off an operation that has stopped its machine, and takes
// it out of the configuration: what it leaves is told, by the plan as long as the machine
// carries its trace, and by the apply that takes the trace away.
func commandGivesUpAnOperation(t *testing.T, installation *terraformcli.Installation) {
	machine := acctest.Class() + acctest.Allocation("worker-a")
	operation := acctest.Operation("disk", "HostReplace", "machine_allocation.worker-a.provider_id",
		acctest.Arguments{"keep_user_data": "true", "parameters": `{ image_id = "m-acme2" }`})
	rule := ecsemulator.Rule{Action: "ReplaceSystemDisk", At: ecsemulator.MomentAfter}

	begin := func(t *testing.T) *command {
		t.Helper()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(machine)
		c.run("init")
		c.run("apply", "-auto-approve")
		c.configure(machine + operation)

		return c
	}

	t.Run("killed", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		c.killed(rule)
		c.configure(machine)
		c.expectPrinted(c.run("plan"), "Machine is under an operation", `HostReplace "disk"`, "its phase is Stopped", "power_state and a HostPowerOn, too", "put that operation back into the configuration", "take the tag terraform-machine/operation off the machine, then start the machine")

		// Another change of the machine waits for it, which its plan tells.
		c.configure(machine + acctest.Operation("on", "HostPowerOn", "machine_allocation.worker-a.provider_id"))
		planned := c.run("plan")
		c.expectPrinted(planned, "Machine is under an operation")
		c.expectPrinted(planned, "Machine is under another operation", `HostPowerOn "on" waits for HostReplace "disk"`, "phase of the machine is Stopped", "terraform-machine/operation")

		// So does itself after an edit, which is another operation of the same name.
		c.configure(machine + strings.Replace(operation, "kind = ", "triggers = { edited = \"yes\" }\n  kind = ", 1))
		c.expectPrinted(c.run("plan"), `The edited HostReplace "disk" waits for the one of the same name from before the edit`, "put that operation back into the configuration")

		// The configuration that was cut off ends it, and nothing is told any more. It does
		// not wait for itself.
		c.configure(machine + operation)

		planned = c.run("plan")
		c.expectPrinted(planned, "Machine is under an operation", "If this plan creates, updates or destroys that machine_operation, applying goes on with it or gives it up")

		if acctest.Text("Machine is under another operation").MatchString(planned.Stdout) {
			t.Errorf("an operation waits for itself:\n%s", planned.Stdout)
		}

		c.run("apply", "-auto-approve")

		if plan := c.run("plan", "-detailed-exitcode"); acctest.Text("under an operation").MatchString(plan.Stdout) {
			t.Errorf("it is told of an operation that has ended:\n%s", plan.Stdout)
		}
	})

	// What the operation has made of its machine for now is nothing that power_state puts
	// right, as the operation would wait for that, and that for the operation.
	t.Run("killed, of a machine that is to run", func(t *testing.T) {
		t.Parallel()

		running := acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"power_state": `"running"`, "timeouts": `{ update = "5s" }`})
		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(running)
		c.run("init")
		c.run("apply", "-auto-approve")
		c.configure(running + operation)
		c.killed(rule)
		c.expectPrinted(c.run("plan"), "1 to add, 0 to change, 0 to destroy", "Machine is under an operation", "its phase is Stopped")

		// What is asked for anew does wait, which its plan tells.
		c.configure(strings.Replace(running, `"running"`, `"stopped"`, 1))
		c.expectPrinted(c.run("plan"), "1 to change", "This plan does such a thing to the machine", "take the change back, apply, and make it then")
		c.fail(acctest.Text(`is not stopped`, `If a run is at work on HostReplace "disk"`, "put that operation back into the configuration"), "apply", "-auto-approve")

		c.configure(running + operation)
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")
		c.expectOperated(c.recorded()[0], operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})
	})

	// Another one that comes first lets it go ahead, as each would wait for the other.
	t.Run("killed, and another one comes first", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		c.killed(rule)
		later := "resource \"terraform_data\" \"later\" { input = machine_allocation.worker-a.provider_id }\n\n"
		c.configure(machine + later + strings.Replace(operation, "machine_allocation.worker-a.provider_id", "terraform_data.later.output", 1) +
			acctest.Operation("on", "HostPowerOn", "machine_allocation.worker-a.provider_id"))
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")
		c.expectOperated(c.recorded()[0], operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})
	})

	interrupt := func(c *command) string {
		c.Helper()

		process, hold := c.held(rule)
		if err := process.SignalGroup(os.Interrupt); err != nil {
			c.Fatal(err)
		}

		c.proceed(hold)

		// That it was interrupted is what was asked for.
		_, _ = process.Wait()

		stopped := c.recorded()[0]
		if now := instanceOf(c.T, c.cloud, stopped); now.Status != "Stopped" {
			c.Fatalf("the machine is %s", now.Status)
		}

		return stopped
	}

	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		stopped := interrupt(c)

		// Whoever may not start it is told that it stands still, and what was done to it; and
		// can put it right.
		c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})
		c.configure(machine)
		c.expectPrinted(c.run("plan"), "1 to destroy", "Machine is under an operation", "If this plan creates, updates or destroys that machine_operation, applying goes on with it or gives it up")
		c.fail(acctest.Text(`HostReplace "disk" was not given up`, "could not be started again", "StartInstance", "Forbidden.RAM", "Its system disk is a new one, made from m-acme2", "It stays in state"), "apply", "-auto-approve")
		c.expectPrinted(c.run("plan"), "1 to destroy", "Machine is under an operation")
		allowAgain(t, c.cloud)
		c.expectPrinted(c.run("apply", "-auto-approve"), `HostReplace "disk" was given up before its end`, "Its system disk is a new one, made from m-acme2", "no plan replaces or reinstalls the machine")
		c.later(time.Minute)
		c.expectOperated(stopped, operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})
		c.run("plan", "-detailed-exitcode")
	})

	t.Run("interrupted, and let go", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		stopped := interrupt(c)
		c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})
		c.configure(machine)
		c.fail(acctest.Text(`HostReplace "disk" was not given up`), "apply", "-auto-approve")

		// The second time it goes, and the machine itself tells of it from then on.
		c.expectPrinted(c.run("apply", "-auto-approve"), `HostReplace "disk" was given up before its end`, "could not be started again", "StartInstance", "Forbidden.RAM", "power_state")

		for range 2 {
			c.expectPrinted(c.run("plan", "-detailed-exitcode"), "Machine was left stopped", "an operation had stopped it that has failed since, or was given up", "power_state")
		}

		// It keeps nobody from starting it, and tells nothing any more then.
		allowAgain(t, c.cloud)
		c.configure(machine + acctest.Operation("on", "HostPowerOn", machineA+".provider_id"))
		c.run("apply", "-auto-approve")
		c.expectOperated(stopped, operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})

		for range 2 {
			if plan := c.run("plan", "-detailed-exitcode"); acctest.Text("left stopped").MatchString(plan.Stdout) {
				t.Errorf("it is told of a machine that runs:\n%s", plan.Stdout)
			}
		}

		if tag, there := instanceOf(t, c.cloud, stopped).Tags[operationTag]; there {
			t.Errorf("it left its trace: %s", tag)
		}
	})

	t.Run("interrupted, and destroyed with its machine", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		interrupt(c)
		c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})
		c.fail(acctest.Text(`HostReplace "disk" was not given up`, "destroyed, again without that, the operation is removed all the same"), "destroy", "-auto-approve")
		c.expectDestroyed()
	})

	t.Run("interrupted, and edited", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		stopped := interrupt(c)
		edited := strings.Replace(operation, "kind = ", "lifecycle {\n    create_before_destroy = true\n  }\n  triggers = { edited = \"yes\" }\n  kind = ", 1)

		// Which of the two is destroyed first is not for the provider to see.
		c.configure(machine + edited)
		planned := c.run("plan")
		c.expectPrinted(planned, "Operation takes the place of one that was interrupted", `takes the place of HostReplace "disk"`,
			"With create_before_destroy that is not so", "waits for that one until its timeout", "Put the arguments back")

		if acctest.Text("Machine is under another operation").MatchString(planned.Stdout) {
			t.Errorf("what it takes the place of is told as another's:\n%s", planned.Stdout)
		}

		c.configure(machine + operation)
		c.run("apply", "-auto-approve")
		c.expectOperated(stopped, operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})
		c.configure(machine + edited)
		c.run("apply", "-auto-approve")
		c.expectOperated(stopped, operationKill{effects: map[string]int{"stopped": 2, "reinstalled": 2, "started": 2}, status: "Running"})
	})

	for name, after := range map[string]string{
		"interrupted and removed":            machine,
		"interrupted, and of another kind":   machine + acctest.Operation("disk", "HostPowerOn", machineA+".provider_id"),
		"interrupted, and of another effect": machine + acctest.Operation("disk", "HostPowerOn", machineA+".provider_id", acctest.Arguments{"triggers": `{ again = "1" }`}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := begin(t)
			stopped := interrupt(c)

			c.configure(after)

			printed := c.run("apply", "-auto-approve")
			c.expectPrinted(printed, `HostReplace "disk" was given up before its end`, "Its system disk is a new one, made from m-acme2, and what was on the former one is gone")

			if acctest.Text("Where it is to run").MatchString(printed.Stdout) {
				t.Errorf("a machine that runs is to be started:\n%s", printed.Stdout)
			}

			c.later(time.Minute)
			c.expectOperated(stopped, operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})
			c.run("plan", "-detailed-exitcode")

			if plan := c.run("plan", "-detailed-exitcode"); acctest.Text("under an operation").MatchString(plan.Stdout) {
				t.Errorf("it is told of an operation that was given up:\n%s", plan.Stdout)
			}

			c.expectNoTrace(stopped)
		})
	}
}
