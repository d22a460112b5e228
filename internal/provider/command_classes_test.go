package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// anotherClass is a class beside acctest.Class, and of is an allocation of it.
func anotherClass() string {
	return strings.NewReplacer(`"worker" {`, `"other" {`, `name = "worker"`, `name = "other"`).Replace(acctest.Class())
}

func ofAnotherClass() string {
	return acctest.Allocation("worker-a", acctest.Arguments{"class": "machine_class.other"})
}

// commandChangesClasses changes classes while a machine hangs on them. What a state
// holds is never released for that.
func commandChangesClasses(t *testing.T, installation *terraformcli.Installation) {
	begin := func(t *testing.T) *command {
		t.Helper()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("init")
		c.run("apply", "-auto-approve")

		return c
	}

	// changes are the ways in which the class's uid becomes another.
	changes := map[string]func(*command) []string{
		"replaced": func(*command) []string { return []string{"-replace=" + theClass} },
		"switched": func(c *command) []string {
			c.configure(acctest.Class() + anotherClass() + ofAnotherClass())

			return nil
		},
		"switched and removed": func(c *command) []string {
			c.configure(anotherClass() + ofAnotherClass())

			return nil
		},
		"renamed in state": func(c *command) []string {
			c.configure(anotherClass() + ofAnotherClass() + "moved {\n  from = machine_class.worker\n  to = machine_class.other\n}\n")

			return nil
		},
	}

	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := begin(t)
			machine := c.recorded()[0]
			c.run(append([]string{"apply", "-auto-approve"}, change(c)...)...)
			c.expectMachines(1)
			c.expectAlive(machine)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})

		t.Run(name+", without the permission to write tags", func(t *testing.T) {
			t.Parallel()

			c := begin(t)
			machine := c.recorded()[0]
			deny := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "TagResources"})
			arguments := append([]string{"apply", "-auto-approve"}, change(c)...)

			if name == "renamed in state" {
				c.run(arguments...) // The class stays what it is.
			} else {
				c.fail(acctest.Text("The machine cannot change its class now", "Forbidden.RAM", "Grant ecs:TagResources", "or give the new class the uid of the old one"), arguments...)
			}

			c.expectAlive(machine)

			if err := c.cloud.RemoveRule(deny.ID); err != nil {
				t.Fatal(err)
			}

			c.run("apply", "-auto-approve")
			c.expectMachines(1)
			c.expectAlive(machine)
			c.expectDestroyed()
		})

		if name == "renamed in state" {
			continue
		}

		t.Run(name+", killed before the machine follows", func(t *testing.T) {
			t.Parallel()

			c := begin(t)
			machine := c.recorded()[0]
			arguments := change(c)
			c.killed(ecsemulator.Rule{Action: "TagResources", Parameters: map[string]string{"Tag.1.Key": driver.ReservedTagPrefix + "class-uid"}}, arguments...)
			c.expectAlive(machine)
			c.run("apply", "-auto-approve")
			c.expectMachines(1)
			c.expectAlive(machine)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})

		t.Run(name+", killed before the machine follows, then destroyed", func(t *testing.T) {
			t.Parallel()

			c := begin(t)
			arguments := change(c)
			c.killed(ecsemulator.Rule{Action: "TagResources", Parameters: map[string]string{"Tag.1.Key": driver.ReservedTagPrefix + "class-uid"}}, arguments...)
			c.expectDestroyed()
		})
	}

	t.Run("removed with the allocation forgotten", func(t *testing.T) {
		t.Parallel()

		c := begin(t)
		machine := c.recorded()[0]
		c.run("plan", "-detailed-exitcode")
		c.run("state", "rm", machineA)
		c.configure("")
		c.run("apply", "-auto-approve")

		// A state held it; whether one still does is not for the class to say.
		c.expectAlive(machine)
	})
}
