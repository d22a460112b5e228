package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const (
	twice     = "Two operations of one name"
	twiceNext = "put the for_each key or the count index into it"
)

// named gives an operation with a label of its own the name of another.
func named(name string, more ...acctest.Arguments) acctest.Arguments {
	arguments := acctest.Arguments{"name": `"` + name + `"`}
	for _, one := range more {
		for key, value := range one {
			arguments[key] = value
		}
	}

	return arguments
}

// Two resources that are one operation can only be a mistake, which a plan tells before
// it is carried out twice.
func TestAccOneOperationOfTwoResourcesIsRefused(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, test := range map[string]struct {
		kind string
		// first and second are the arguments of the two.
		first, second acctest.Arguments
		refused       bool
	}{
		"one name":                        {kind: "HostReboot", first: named("kernel"), second: named("kernel"), refused: true},
		"of a whole count":                {kind: "HostReboot", first: named("kernel", acctest.Arguments{"count": "2"}), second: named("other"), refused: true},
		"one name and one effect":         {kind: "HostReplace", first: named("disk", reinstalling(`{ image_id = "m-acme2" }`)), second: named("disk", reinstalling(`{ image_id = "m-acme2", force = "true" }`)), refused: true},
		"another form of the machine":     {kind: "HostReboot", first: named("kernel"), second: named("kernel", acctest.Arguments{"provider_id": `"alicloud://ID"`}), refused: true},
		"another name":                    {kind: "HostReboot", first: named("kernel"), second: named("firmware")},
		"another trigger":                 {kind: "HostReboot", first: named("kernel"), second: named("kernel", acctest.Arguments{"triggers": `{ kernel = "2" }`})},
		"another kind":                    {kind: "HostReboot", first: named("kernel"), second: named("kernel", acctest.Arguments{"kind": `"HostPowerOn"`})},
		"another effect":                  {kind: "HostReplace", first: named("disk", reinstalling(`{ image_id = "m-acme2" }`)), second: named("disk", reinstalling(`{ image_id = "m-acme1" }`))},
		"a trigger that is not known yet": {kind: "HostReboot", first: named("kernel"), second: named("kernel", acctest.Arguments{"triggers": `{ kernel = terraform_data.kernel.id }`})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			_, id := existing(t, cloud)
			config := cloud.Provider() + "resource \"terraform_data\" \"kernel\" {}\n" +
				acctest.Operation("op-a", test.kind, id, test.first) + acctest.Operation("op-b", test.kind, id, test.second)
			step := resource.TestStep{Config: strings.ReplaceAll(config, "ID", strings.Trim(id, `"`)), PlanOnly: true, ExpectNonEmptyPlan: true}

			if test.refused {
				step.ExpectError = acctest.Text(twice, "are the same operation", "It would be carried out twice", twiceNext)
			}

			resource.UnitTest(t, resource.TestCase{ProtoV6ProviderFactories: acctest.Factories(), Steps: []resource.TestStep{step}})
		})
	}
}

// What is replaced is planned twice, and is no second resource.
func TestAccAnOperationThatIsReplacedIsNoSecondOne(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, lifecycle := range map[string]string{
		"destroyed first": "", "created first": "  lifecycle {\n    create_before_destroy = true\n  }\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			_, id := existing(t, cloud)
			config := func(kernel string) string {
				text := acctest.Operation("op-a", "HostReboot", id, acctest.Arguments{"triggers": `{ kernel = "` + kernel + `" }`})

				return cloud.Provider() + strings.TrimSuffix(text, "}\n") + lifecycle + "}\n"
			}
			rebooted := func(times int) resource.TestCheckFunc { return wasOperated(cloud, map[string]int{"rebooted": times}) }
			action := plancheck.ResourceActionDestroyBeforeCreate

			if lifecycle != "" {
				action = plancheck.ResourceActionCreateBeforeDestroy
			}

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{
					{Config: config("1"), Check: rebooted(1)},
					{Config: config("2"), ConfigPlanChecks: planned(operationA, action), Check: rebooted(2)},
					// One that is tainted is planned as a new one.
					{Taint: []string{operationA}, Config: config("2"), ConfigPlanChecks: planned(operationA, action), Check: rebooted(3)},
					{
						Config:      config("2") + acctest.Operation("op-b", "HostReboot", id, named("op-a", acctest.Arguments{"triggers": `{ kernel = "2" }`})),
						PlanOnly:    true,
						ExpectError: acctest.Text(twice),
					},
				},
			})
		})
	}
}

// commandRefusesAnOperationTwice applies one operation of two resources whose machine is
// known to no plan: one of them is carried out, once.
func commandRefusesAnOperationTwice(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	machine := acctest.Class() + acctest.Allocation("worker-a")
	first := acctest.Operation("op-a", "HostReboot", machineA+".provider_id", named("kernel"))
	second := acctest.Operation("op-b", "HostReboot", machineA+".provider_id", named("kernel"))

	c.configure(machine + first + second)
	c.run("init")
	c.fail(acctest.Text("Error", twice, "Nothing was done to the machine for this one"), "apply", "-auto-approve")
	c.expectRebooted(1)

	// Nor do later runs, whichever of the two is in state.
	c.fail(acctest.Text("Error", twice), "apply", "-auto-approve")
	c.expectRebooted(1)

	carriedOut := "op-a"
	if strings.Contains(string(c.printed), "machine_operation.op-b: Creation complete") {
		carriedOut = "op-b"
	}

	// One that goes on under another address is no second one.
	c.configure(machine + strings.ReplaceAll(second, "op-b", "op-c") + "moved {\n  from = machine_operation." + carriedOut + "\n  to   = machine_operation.op-c\n}\n")
	c.run("apply", "-auto-approve")
	c.expectRebooted(1)

	// A forced replacement, too, is one operation.
	c.run("apply", "-auto-approve", "-replace=machine_operation.op-c")
	c.expectRebooted(2)
	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}

func (c *command) expectRebooted(times int) {
	c.Helper()

	if got := operated(c.cloud)["rebooted"]; got != times {
		c.Errorf("%d reboots, want %d", got, times)
	}
}
