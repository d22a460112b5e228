package provider_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// TestCommandTakesOver holds what of taking machines over only the real command shows.
func TestCommandTakesOver(t *testing.T) {
	t.Parallel()

	installation := acctest.NewInstallation(t)

	for name, test := range map[string]func(*testing.T, *terraformcli.Installation){
		"a fleet":                                    commandImportsAFleet,
		"a machine, by generated configuration":      commandGeneratesConfiguration,
		"no machine that another state took since":   commandLeavesWhatAnotherTook,
		"a machine whose import was cut off":         commandGoesOnWithAnImport,
		"a machine that an earlier version imported": commandReadsOldImports,
		"a machine that another state holds":         commandImportsFromAnotherState,
		"what it shows from one list":                commandShowsFromOneList,
		"no machine of another region":               commandLeavesAMachineOfAnotherRegion,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, installation)
		})
	}
}

// importing is an import block, with the configuration of the machine where there is
// one.
func importing(machine ecsemulator.Instance, configuration string) string {
	return fmt.Sprintf("import {\n  to = machine_allocation.worker-a\n  id = %q\n}\n", "cn-hangzhou."+machine.ID) + configuration
}

func (c *command) expectPrinted(result terraformcli.Result, phrases ...string) {
	c.Helper()

	if !acctest.Text(phrases...).MatchString(result.Stdout + result.Stderr) {
		c.Errorf("%q is not printed in:\n%s%s", phrases, result.Stdout, result.Stderr)
	}
}

func commandImportsAFleet(t *testing.T, installation *terraformcli.Installation) {
	const machines = 200

	c := newCommand(t, installation, ecsemulator.Options{})

	var ids []string

	for range machines {
		ids = append(ids, fmt.Sprintf("%q", "cn-hangzhou."+c.cloud.Existing(t, foundMachine()).ID))
	}

	// The class is there before, so that only calls for the machines are counted.
	c.configure(acctest.Class())
	c.run("init")
	c.run("apply", "-auto-approve")
	c.cloud.ResetCalls()

	// Callers meet on a clock that is slow enough for however slow this machine is.
	factor := c.workspace.Variables["TF_MACHINE_CLOCK_FACTOR"]
	c.workspace.Variables["TF_MACHINE_CLOCK_FACTOR"] = "0.05"

	c.configure(acctest.Class() + "locals {\n  fleet = toset([" + strings.Join(ids, ", ") + "])\n}\n" +
		"import {\n  for_each = local.fleet\n  to = machine_allocation.fleet[each.key]\n  id = each.key\n}\n" +
		acctest.Allocation("fleet", acctest.Arguments{"for_each": "local.fleet", "name": `"worker-${replace(each.key, "cn-hangzhou.", "")}"`}))

	result := c.run("apply", "-auto-approve")
	c.expectPrinted(result, "200 imported, 0 added, 200 changed, 0 destroyed")

	// Ten imports that run side by side share a call. The plan and the apply, which are
	// processes of their own, begin with a list each.
	counts := c.cloud.Counts()
	if reads := counts["DescribeInstances"]; reads != 2+machines/10 {
		t.Errorf("%d imports took %d reading calls: %v", machines, reads, counts)
	}

	for action := range counts {
		if action != "DescribeInstances" && action != "TagResources" && action != "GetCallerIdentity" && strings.HasPrefix(action, "Describe") {
			t.Errorf("importing called %s", action)
		}
	}

	c.cloud.ResetCalls()
	c.run("plan", "-detailed-exitcode")

	if reads := c.cloud.Counts()["DescribeInstances"]; reads != machines/100 {
		t.Errorf("the plan after it took %d reading calls, want a list of %d pages", reads, machines/100)
	}

	c.expectMachines(0)

	// Destroying one of them releases exactly that one.
	c.workspace.Variables["TF_MACHINE_CLOCK_FACTOR"] = factor
	released := strings.Trim(ids[7], `"`)
	c.run("destroy", "-auto-approve", "-target", fmt.Sprintf("machine_allocation.fleet[%q]", released))

	if alive := c.cloud.Alive(); len(alive) != machines-1 {
		t.Errorf("%d machines are alive", len(alive))
	}

	for _, machine := range c.cloud.Alive() {
		if "cn-hangzhou."+machine.ID == released {
			t.Errorf("%s is alive", released)
		}
	}
}

func commandGeneratesConfiguration(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})

	found := foundMachine()
	found.Name = "Knoten [1] (bitte behalten)"
	found.SecurityGroups = []string{"sg-2"}
	machine := c.cloud.Existing(t, found)

	c.configure(importing(machine, ""))
	c.run("init")

	result := c.run("plan", "-generate-config-out=generated.tf")
	c.expectPrinted(result, "1 to import, 0 to add, 1 to change, 0 to destroy")

	generated, err := os.ReadFile(filepath.Join(c.workspace.Directory, "generated.tf"))
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []string{machine.ID, "m-acme1", "ecs.r6.large", "vsw-b", "sg-2", "on_demand"} {
		if !strings.Contains(string(generated), want) {
			t.Errorf("the generated configuration does not name %s:\n%s", want, generated)
		}
	}

	c.expectPrinted(c.run("apply", "-auto-approve"), "1 imported, 0 added, 1 changed, 0 destroyed")
	c.run("plan", "-detailed-exitcode")
	c.expectMachines(0)
	c.expectDestroyed()
}

// importedClaim is an import that is in state and was never applied, and what the
// state then says of the claim.
func (c *command) importOnly(machine ecsemulator.Instance, configuration string) {
	c.Helper()
	c.configure(configuration)
	c.run("init")
	c.run("import", "machine_allocation.worker-a", "cn-hangzhou."+machine.ID)
}

func commandLeavesWhatAnotherTook(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	machine := c.cloud.Existing(t, foundMachine())
	configuration := acctest.Class() + acctest.Allocation("worker-a")

	c.importOnly(machine, configuration)

	// Somebody else applies an import of the same machine, under another owner.
	other := c.beside(installation)
	other.configure(importing(machine, configuration))
	other.write("main.tf", acctest.RequiredProviders+"provider \"machine\" {\n  owner = \"somebody/else\"\n}\n"+importing(machine, configuration))
	other.run("init")
	other.run("apply", "-auto-approve")

	c.expectPrinted(c.run("plan"), "Another state holds the machine", "Destroying it removes it from this state only")
	c.fail(acctest.Text("Another state holds the machine", "Nothing was done to it"), "apply", "-auto-approve")

	// The block stays in the configuration: Terraform plans an update before the destroy.
	result := c.run("destroy", "-auto-approve")
	c.expectPrinted(result, "The machine was not released", "imported here and never applied, and another run has taken it over since")

	if alive := c.cloud.Alive(); len(alive) != 1 {
		t.Fatalf("alive are %v, want the machine of the other state", alive)
	}

	other.run("plan", "-detailed-exitcode")
	other.expectDestroyed()
}

// The command imports without a look at the configuration, so that only the plan after it
// can tell that the class is of another region; and it has to say how to get out of that.
func commandLeavesAMachineOfAnotherRegion(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	machine := c.cloud.Existing(t, ecsemulator.NewInstance{Name: "pet", RegionID: "cn-shanghai", AgeSeconds: 86400})
	id := "cn-shanghai." + machine.ID

	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("import", machineA, id)

	refused := acctest.Text("The machine is in another region than its class", id+" is in the region cn-shanghai", `its class, "worker", is of the region cn-hangzhou`, "Nothing was changed",
		"as after terraform import, which knows of no class, is taken out of it by terraform state rm ADDRESS; the machine stays as it is.")
	c.fail(refused, "plan")
	c.fail(refused, "apply", "-auto-approve")
	c.run("state", "rm", machineA)

	if objects := c.objects(); len(objects) != 0 {
		t.Errorf("in state is %v", objects)
	}

	// The machine is as it was added, and the configuration is to have one of its own.
	if effects := c.cloud.Journal(); len(effects) != 1 || effects[0].Effect != "added" || len(c.cloud.Alive()) != 1 {
		t.Errorf("done were %v", effects)
	}

	c.expectPrinted(c.run("plan"), "2 to add, 0 to change, 0 to destroy")
}

// An update after an import that is killed once it has written the tags leaves a state
// that knows nothing of the claim on the machine.
func commandGoesOnWithAnImport(t *testing.T, installation *terraformcli.Installation) {
	for name, private := range map[string]bool{"killed with the command": true, "killed alone, so that the command drops its private data": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			goesOnWithAnImport(t, installation, private)
		})
	}
}

func goesOnWithAnImport(t *testing.T, installation *terraformcli.Installation, private bool) {
	t.Helper()

	c := newCommand(t, installation, ecsemulator.Options{})
	machine := c.cloud.Existing(t, foundMachine())

	c.importOnly(machine, acctest.Class()+acctest.Allocation("worker-a"))

	before, err := os.ReadFile(filepath.Join(c.workspace.Directory, "terraform.tfstate"))
	if err != nil {
		t.Fatal(err)
	}

	c.run("apply", "-auto-approve")

	written := c.cloud.Alive()[0].Tags[driver.ReservedTagPrefix+"claim"]
	if written == "" {
		t.Fatal("applying an import wrote no claim")
	}

	// As if it had been killed before it stored anything.
	c.write("terraform.tfstate", string(before))

	if !private {
		c.dropPrivate()
	}

	c.expectPrinted(c.run("plan"), "1 to change, 0 to destroy")
	c.run("apply", "-auto-approve")
	c.run("plan", "-detailed-exitcode")
	c.expectMachines(0)
	c.expectDestroyed()
}

// dropPrivate takes the provider's private data of all machines out of the state, as the
// command does where a provider dies in an update.
func (c *command) dropPrivate() {
	c.Helper()

	content, err := os.ReadFile(filepath.Join(c.workspace.Directory, "terraform.tfstate"))
	if err != nil {
		c.Fatal(err)
	}

	var state map[string]any
	if err := json.Unmarshal(content, &state); err != nil {
		c.Fatal(err)
	}

	dropped := 0

	for _, resource := range state["resources"].([]any) {
		for _, instance := range resource.(map[string]any)["instances"].([]any) {
			if _, there := instance.(map[string]any)["private"]; there && resource.(map[string]any)["type"] == "machine_allocation" {
				delete(instance.(map[string]any), "private")

				dropped++
			}
		}
	}

	if dropped == 0 {
		c.Fatal("there is no private data in the state")
	}

	if content, err = json.Marshal(state); err != nil {
		c.Fatal(err)
	}

	c.write("terraform.tfstate", string(content))
}

// What was imported and not applied by a version that wrote no class is taken over as
// well.
func commandReadsOldImports(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	machine := c.cloud.Existing(t, foundMachine())

	c.importOnly(machine, acctest.Class()+acctest.Allocation("worker-a"))

	path := filepath.Join(c.workspace.Directory, "terraform.tfstate")

	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	var state map[string]any
	if err := json.Unmarshal(content, &state); err != nil {
		t.Fatal(err)
	}

	object := state["resources"].([]any)[0].(map[string]any)["instances"].([]any)[0].(map[string]any)
	object["attributes"].(map[string]any)["class"] = nil
	delete(object, "private")

	if content, err = json.Marshal(state); err != nil {
		t.Fatal(err)
	}

	c.write("terraform.tfstate", string(content))
	c.expectPrinted(c.run("plan"), "1 to change, 0 to destroy")
	c.run("apply", "-auto-approve")
	c.run("plan", "-detailed-exitcode")
	c.expectMachines(0)
	c.expectDestroyed()
}

// Whoever imports and applies last has the machine; the state that it came from says
// so, and can no longer release it.
func commandImportsFromAnotherState(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")
	// A later run marks the machine as held by this state.
	c.run("plan", "-detailed-exitcode")

	machine := c.cloud.Alive()[0]

	heir := c.beside(installation)
	heir.configure(importing(machine, acctest.Class()+acctest.Allocation("worker-a")))
	heir.run("init")
	heir.expectPrinted(heir.run("apply", "-auto-approve"), "1 imported", "0 destroyed")
	heir.run("plan", "-detailed-exitcode")

	c.fail(acctest.Text("Another state holds the machine", "terraform state rm"), "apply", "-auto-approve")
	c.configure(acctest.Class() + "removed {\n  from = " + machineA + "\n  lifecycle {\n    destroy = true\n  }\n}\n")
	c.expectPrinted(c.run("apply", "-auto-approve"), "The machine was not released")

	heir.expectMachines(1)
	c.run("destroy", "-auto-approve")
	heir.expectMachines(1)
	heir.expectDestroyed()
}

// commandShowsFromOneList runs at the pace of the real clock, at which a list is fresh
// for as long as a plan takes.
func commandShowsFromOneList(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})

	var configuration strings.Builder

	for i := range 250 {
		machine := foundMachine()
		machine.Tags = reservedTagsOf(acctest.Owner, "uid-1", fmt.Sprintf("worker-%d", i), "settled")
		added := c.cloud.Existing(t, machine)

		if i < 20 {
			fmt.Fprintf(&configuration, "data \"machine_instance\" \"one-%d\" {\n  provider_id = %q\n}\n", i, "cn-hangzhou."+added.ID)
			configuration.WriteString(instances(fmt.Sprintf("all-%d", i), fmt.Sprintf("name = \"worker-%d\"", i)))
		}
	}

	c.configure(configuration.String())
	c.run("init")
	delete(c.workspace.Variables, "TF_MACHINE_CLOCK_FACTOR")
	c.run("plan")

	if counts := c.cloud.Counts(); counts["DescribeInstances"] != 3 || len(counts) != 1 {
		t.Errorf("40 data sources over 250 machines took the calls %v, want the three pages of one list", counts)
	}
}
