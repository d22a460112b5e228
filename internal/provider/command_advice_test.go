package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// expectNotPrinted wants none of the phrases to be printed.
func (c *command) expectNotPrinted(result terraformcli.Result, phrases ...string) {
	c.Helper()

	for _, phrase := range phrases {
		if acctest.Text(phrase).MatchString(result.Stdout + result.Stderr) {
			c.Errorf("%q is printed in:\n%s%s", phrase, result.Stdout, result.Stderr)
		}
	}
}

// commandAdvises wants what is said to fit the machine that it is said of.
func commandAdvises(t *testing.T, installation *terraformcli.Installation) {
	for name, advise := range map[string]func(*command){
		"a stopped machine is not started for its type":      advisesOnAStoppedMachine,
		"nothing is said of what a wrong class would change": advisesOnAWrongClass,
		"one claim is told once":                             advisesOnAClaim,
		"a destroy is to be repeated as one":                 advisesOnADestroy,
		"a machine is to be powered on for a reboot":         advisesOnAReboot,
		"a machine is to be powered on to be ready":          advisesOnReadiness,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			advise(newCommand(t, installation, ecsemulator.Options{}))
		})
	}
}

func advisesOnAStoppedMachine(c *command) {
	stopped := func(types string) string {
		return acctest.Class(acctest.Arguments{"instance_types": types}) +
			acctest.Allocation("worker-a", acctest.Arguments{"instance_type_on_change": `"resize"`, "power_state": `"stopped"`})
	}

	c.configure(stopped(`["ecs.g7.large"]`))
	c.run("init")
	c.run("apply", "-auto-approve")
	c.configure(stopped(`["ecs.g7.xlarge"]`))

	planned := c.run("plan")
	c.expectPrinted(planned, "Machine will be resized", "It is stopped", "not be started for it: ecs.g7.xlarge")
	c.expectNotPrinted(planned, "It will be stopped")
	c.run("apply", "-auto-approve")
	c.expectOperated(c.recorded()[0], operationKill{effects: map[string]int{"stopped": 1}, status: "Stopped"})
}

func advisesOnAWrongClass(c *command) {
	c.configure(ofTypes(`["ecs.g7.large"]`))
	c.run("init")
	c.run("apply", "-auto-approve")
	c.configure(ofTypes(`["ecs.none.large"]`))

	planned := c.run("plan")
	c.expectPrinted(planned, "cannot be resolved")
	c.expectNotPrinted(planned, "Machine will be resized")
}

func advisesOnAClaim(c *command) {
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	machine := instanceOf(c.T, c.cloud, c.recorded()[0])
	claims := func(result terraformcli.Result) int {
		return strings.Count(result.Stdout, "claimed the machine") + strings.Count(result.Stdout, "Another state holds the machine") + strings.Count(result.Stdout, "Another run holds the machine")
	}

	for _, tag := range [][2]string{{"claim", "of-a-run-that-was-cut-off"}, {"settled", "true"}} {
		c.cloud.Call(c.T, "TagResources", map[string]string{
			"ResourceType": "instance", "ResourceId.1": machine.ID, "Tag.1.Key": driver.ReservedTagPrefix + tag[0], "Tag.1.Value": tag[1],
		})

		for _, arguments := range [][]string{{"plan"}, {"plan", "-destroy"}} {
			if planned := c.run(arguments...); claims(planned) != 1 {
				c.Errorf("after %v %v tells %d times of one claim:\n%s", tag, arguments, claims(planned), planned.Stdout)
			}
		}
	}
}

func advisesOnADestroy(c *command) {
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	denied := c.cloud.Rule(c.T, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DeleteInstance*"})
	c.fail(acctest.Text("Cannot release", "Forbidden.RAM", "then run the command again", "The machine stays in state"), "destroy", "-auto-approve")

	if err := c.cloud.RemoveRule(denied.ID); err != nil {
		c.Fatal(err)
	}

	c.run("destroy", "-auto-approve")
}

func advisesOnAReboot(c *command) {
	machine := c.cloud.Existing(c.T, ecsemulator.NewInstance{InstanceType: "ecs.g7.large", ImageID: "m-acme1", AgeSeconds: 86400, Stopped: true})
	c.configure(acctest.Operation("op-a", "HostReboot", fmt.Sprintf("%q", machine.RegionID+"."+machine.ID)))
	c.run("init")
	c.fail(acctest.Text("HostReboot is for a machine that runs", "is Stopped", "Nothing was done to it. Power it on first", "HostPowerOn"), "apply", "-auto-approve")
	c.expectOperated(machine.ID, operationKill{effects: map[string]int{}, status: "Stopped"})
}

func advisesOnReadiness(c *command) {
	off := c.cloud.Existing(c.T, ecsemulator.NewInstance{InstanceType: "ecs.g7.large", ImageID: "m-acme1", AgeSeconds: 86400, Stopped: true})
	c.configure(fmt.Sprintf("resource \"machine_readiness\" \"fleet\" {\n  provider_ids = [%q]\n  timeouts     = { create = \"3s\" }\n}\n", off.RegionID+"."+off.ID))
	c.run("init")

	result, err := c.workspace.Run(c.Context(), "apply", "-auto-approve")
	c.keep(result)

	if err == nil {
		c.Fatal("a machine that is off is ready")
	}

	c.expectPrinted(result, "did not run within", "(Stopped)", "power it on", "HostPowerOn")
	c.expectNotPrinted(result, "A longer wait")
}
