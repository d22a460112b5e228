package provider_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// given is the configuration in which the parameters come from a variable, as which they
// are known with the plan alone: what stands in the resource itself is refused by each
// command, as validate refuses it.
func given(parameters string) (variable string, argument acctest.Arguments) {
	return fmt.Sprintf("variable \"parameters\" {\n  default = %s\n}\n", parameters), acctest.Arguments{"parameters": "var.parameters"}
}

// commandDestroysAWrongOperation edits an operation that was carried out, so that it can
// not be carried out any more: an apply is an error, and a destroy, which plans what is
// configured first, goes through all the same.
func commandDestroysAWrongOperation(t *testing.T, installation *terraformcli.Installation) {
	for name, test := range map[string]struct {
		kind, id     string
		right, wrong acctest.Arguments
		want         string
	}{
		"a parameter that there is not": {kind: "HostReboot", wrong: acctest.Arguments{"parameters": `{ forse = "true" }`}, want: `takes no parameter "forse"`},
		"a value":                       {kind: "HostReboot", wrong: acctest.Arguments{"parameters": `{ force = "yes" }`}, want: "force"},
		"an image": {
			kind: "HostReplace", right: acctest.Arguments{"keep_user_data": "true", "parameters": `{ image_id = "m-acme2" }`},
			wrong: acctest.Arguments{"parameters": `{ image_id = "m-none" }`}, want: "m-none",
		},
		"another kind": {
			kind: "HostReboot", right: acctest.Arguments{"parameters": `{ force = "true" }`},
			wrong: acctest.Arguments{"kind": `"HostPowerOn"`}, want: `takes no parameter "force"`,
		},
		"another trigger": {
			kind: "HostReboot", wrong: acctest.Arguments{"triggers": `{ kernel = "2" }`, "parameters": `{ forse = "true" }`}, want: `takes no parameter "forse"`,
		},
		"no image": {
			kind: "HostReplace", right: acctest.Arguments{"keep_user_data": "true", "parameters": `{ image_id = "m-acme2" }`},
			wrong: acctest.Arguments{"parameters": "null"}, want: "needs the parameter image_id",
		},
		"a machine that there is not": {kind: "HostReboot", id: `"cn-hangzhou.i-none"`, want: "does not exist"},
		"no machine":                  {kind: "HostReboot", id: "var.machine", want: "Malformed provider ID"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			_, id := existing(t, c.cloud)
			c.configure(acctest.Operation("op-a", test.kind, id, test.right))
			c.run("init")
			c.run("apply", "-auto-approve")

			if test.id != "" {
				id = test.id
			}

			variable, wrong := given(cmp.Or(test.wrong["parameters"], test.right["parameters"], "null"))
			c.configure("variable \"machine\" {\n  default = \"i none\"\n}\n" + variable + acctest.Operation("op-a", test.kind, id, test.right, test.wrong, wrong))
			c.expectPrinted(c.run("plan"), "Warning", test.want, "applying ends with this error")
			c.fail(acctest.Text("Error", test.want), "apply", "-auto-approve")

			if phases := c.phases(); !slices.Equal(phases, []string{"Complete"}) {
				t.Errorf("the operations in state are %v", phases)
			}

			c.run("destroy", "-auto-approve")

			if left := c.objects(); len(left) > 0 {
				t.Errorf("in state are %v", left)
			}
		})
	}
}

// commandRefusesWhatStandsWrong has mistakes in the parameters as they stand: validate tells
// them, and no command makes anything before they are corrected, known or not as the
// machine is. The operation that was carried out stays in state meanwhile.
func commandRefusesWhatStandsWrong(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	fleet := acctest.Class() + acctest.Allocation("worker-a")
	off := func(parameters string) string {
		return fleet + acctest.Operation("op-a", "HostPowerOff", machineA+".provider_id", acctest.Arguments{"parameters": parameters})
	}
	wrong := acctest.Text("Error", "HostPowerOff: the parameter force_after_timeout is one of true, false, and not \"maybe\"")

	c.configure(off(`{ force_after_timeout = "maybe" }`))
	c.run("init")
	c.fail(wrong, "validate")
	c.fail(wrong, "apply", "-auto-approve")

	if alive := c.cloud.Alive(); len(alive) > 0 {
		t.Errorf("alive are %v", alive)
	}

	c.configure(off(`{ graceful_timeout = "5m" }`))
	c.run("validate")
	c.run("apply", "-auto-approve")
	c.configure(off(`{ force_after_timeout = "maybe" }`))

	for _, command := range [][]string{{"validate"}, {"plan"}, {"apply", "-auto-approve"}, {"destroy", "-auto-approve"}} {
		c.fail(wrong, command...)
	}

	if phases := c.phases(); !slices.Equal(phases, []string{"Complete"}) {
		t.Errorf("the operations in state are %v", phases)
	}

	c.configure(off(`{ graceful_timeout = "5m" }`))
	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}

// commandCarriesOutWhatWasHeldWithTheNextApply has an operation become possible while it
// is applied.
func commandCarriesOutWhatWasHeldWithTheNextApply(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	reinstalled := func(image, tag string) string {
		return acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"tags": fmt.Sprintf("{ version = %q }", tag)}) +
			acctest.Operation("op-a", "HostReplace", machineA+".provider_id", acctest.Arguments{"keep_user_data": "true", "parameters": fmt.Sprintf("{ image_id = %q }", image)})
	}
	available := func(status string) {
		if err := c.cloud.SetImageStatus("m-acme1", status); err != nil {
			t.Fatal(err)
		}
	}

	c.configure(reinstalled("m-acme2", "1"))
	c.run("init")
	c.run("apply", "-auto-approve")

	hold := func(tag string) {
		available("UnAvailable")
		c.configure(reinstalled("m-acme1", tag))
		c.expectPrinted(c.run("plan", "-out", "held.tfplan"), "Warning", "the image m-acme1 is UnAvailable", "stays in state as it was carried out")
		available("Available")
	}

	hold("2")

	denied := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeImages"})
	c.fail(acctest.Text("What an operation needs could not be looked at", "ecs:DescribeImages", "Nothing was done to the machine.", "then apply again"), "apply", "held.tfplan")

	if err := c.cloud.RemoveRule(denied.ID); err != nil {
		t.Fatal(err)
	}

	hold("3")
	c.fail(acctest.Text("could not be carried out", "now it can", "Apply again to carry it out"), "apply", "held.tfplan")
	c.expectOperated(c.recorded()[0], operationKill{effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, status: "Running"})
	c.run("apply", "-auto-approve")
	c.expectOperated(c.recorded()[0], operationKill{effects: map[string]int{"stopped": 2, "reinstalled": 2, "started": 2}, status: "Running"})
	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}

// commandTellsAllMistakesOfAnOperation makes several mistakes in one operation: one plan
// tells all of them, whether it is new or was carried out before it was edited.
func commandTellsAllMistakesOfAnOperation(t *testing.T, installation *terraformcli.Installation) {
	for name, test := range map[string]struct {
		id, parameters string
		want           []string
	}{
		"of a machine that there is not": {
			`"cn-hangzhou.i-none"`, `{ forse = "true", image_id = "m-none" }`,
			[]string{"No such machine", `takes no parameter "forse"`, "the image m-none does not exist in the region cn-hangzhou"},
		},
		"of a malformed ID": {
			"var.machine", `{ forse = "true", system_disk_size_gib = "4000", image_id = "m-acme2" }`,
			[]string{"Malformed provider ID", `takes no parameter "forse"`, "of at most 2048"},
		},
		"of a machine that there is": {
			"", `{ forse = "true", image_id = "m-acme-arm", system_disk_size_gib = "10" }`,
			[]string{`takes no parameter "forse"`, "is of the architecture arm64, and the machine is of the type ecs.g7.large (amd64)", "the image m-acme-arm needs a system disk of", "system_disk_size_gib asks for 10"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			_, there := existing(t, c.cloud)

			id := test.id
			if id == "" {
				id = there
			}

			variable, parameters := given(test.parameters)
			wrong := variable + "variable \"machine\" {\n  default = \"i none\"\n}\n" + acctest.Operation("op-a", "HostReplace", id, reinstalling(""), parameters)
			c.configure(wrong)
			c.run("init")
			c.expectTold(c.failures("plan", "-json")[operationA], test.want...)

			c.configure(acctest.Operation("op-a", "HostReplace", there, reinstalling(`{ image_id = "m-acme2" }`)))
			c.run("apply", "-auto-approve")
			c.configure(wrong)
			c.expectTold(c.run("plan").Stdout, test.want...)
			c.run("destroy", "-auto-approve")
		})
	}
}

// expectTold wants each of the phrases in the text, in any order.
func (c *command) expectTold(text string, phrases ...string) {
	c.Helper()

	for _, phrase := range phrases {
		if !acctest.Text(phrase).MatchString(text) {
			c.Errorf("it is not told %q:\n%s", phrase, text)
		}
	}
}
