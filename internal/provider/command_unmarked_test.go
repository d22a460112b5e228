package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// Where no machine is marked as held by a state, a replacement that is created first
// adopts the machine that it is to replace. Killed right after that, the machine
// carries a claim that no state knows.
func commandIsKilledUnmarked(t *testing.T, installation *terraformcli.Installation) {
	tainted := func(c *command) []string {
		c.run("taint", machineA)

		return nil
	}
	forced := func(*command) []string { return []string{"-replace=" + machineA} }
	moments := map[string]ecsemulator.Moment{"before": ecsemulator.MomentBefore, "after": ecsemulator.MomentAfter}

	for how, replace := range map[string]func(*command) []string{"tainted": tainted, "replaced": forced} {
		for when, at := range moments {
			begin := func(t *testing.T) *command {
				t.Helper()

				c := newCommand(t, installation, ecsemulator.Options{})
				c.provider = "  mark_settled = false\n"
				c.configure(acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
				c.run("init")
				c.run("apply", "-auto-approve")

				arguments := replace(c)
				c.killed(ecsemulator.Rule{Action: "TagResources", At: at}, arguments...)
				c.expectAlive(c.recorded()...)

				return c
			}

			t.Run(how+", "+when+" the claim, then applied", func(t *testing.T) {
				t.Parallel()

				c := begin(t)
				c.run("plan")
				c.run("apply", "-auto-approve")
				c.expectMachines(1)
				c.run("plan", "-detailed-exitcode")
				c.run("apply", "-auto-approve", "-replace="+machineA)
				c.expectMachines(1)
				c.expectDestroyed()
			})

			t.Run(how+", "+when+" the claim, then destroyed", func(t *testing.T) {
				t.Parallel()

				c := begin(t)
				machine := c.recorded()[0]
				destroyed := c.run("destroy", "-auto-approve")

				// The fence left the machine to whoever claimed it, and says so.
				if len(c.cloud.Alive()) != 0 && !acctest.Text("are still there", machine, "mark_settled is false").MatchString(destroyed.Stdout) {
					t.Errorf("%v is alive, and not named by the destroy:\n%s", machine, destroyed.Stdout)
				}
			})

			t.Run(how+", "+when+" the claim, then destroyed with marks", func(t *testing.T) {
				t.Parallel()

				c := begin(t)
				c.provider = ""
				c.configure(acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
				c.expectDestroyed()
			})

			t.Run(how+", "+when+" the claim, twice", func(t *testing.T) {
				t.Parallel()

				c := begin(t)
				c.killed(ecsemulator.Rule{Action: "TagResources", At: at}, replace(c)...)
				c.run("apply", "-auto-approve")
				c.expectMachines(1)
				c.run("plan", "-detailed-exitcode")
				c.expectDestroyed()
			})
		}
	}
}

// Who may not write tags at all can neither mark nor adopt: the replacement ends in an
// error that names the machine's way out, and the machine is kept.
func commandMayNotTag(t *testing.T, installation *terraformcli.Installation) {
	t.Run("a replacement that is created first", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
		c.run("init")
		c.run("apply", "-auto-approve")

		deny := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "TagResources"})
		machine := c.recorded()[0]

		for range 2 {
			c.fail(acctest.Text("Forbidden.RAM"), "apply", "-auto-approve", "-replace="+machineA)
			c.expectMachines(1)
			c.run("plan", "-detailed-exitcode")
		}

		if err := c.cloud.RemoveRule(deny.ID); err != nil {
			t.Fatal(err)
		}

		c.run("apply", "-auto-approve", "-replace="+machineA)
		c.expectMachines(2)

		if c.recorded()[0] == machine {
			t.Errorf("%s was not replaced", machine)
		}

		c.expectDestroyed()
	})

	t.Run("a plan, and an apply of it by who may", func(t *testing.T) {
		t.Parallel()

		for _, createFirst := range []bool{false, true} {
			c := newCommand(t, installation, ecsemulator.Options{})
			machine := acctest.Allocation("worker-a")

			if createFirst {
				machine = acctest.CreateBeforeDestroy(machine)
			}

			c.configure(acctest.Class() + machine)
			c.run("init")

			planned := func(arguments ...string) {
				deny := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "TagResources"})
				c.run(append([]string{"plan", "-out=planned"}, arguments...)...)

				if err := c.cloud.RemoveRule(deny.ID); err != nil {
					t.Fatal(err)
				}
			}

			planned()
			c.run("apply", "planned")
			c.expectMachines(1)

			// Its refresh could not mark the machine; the apply has none.
			planned("-replace=" + machineA)
			c.run("apply", "planned")
			c.expectAlive(c.recorded()...)
			c.run("plan", "-detailed-exitcode")

			c.configure(acctest.Class(acctest.Arguments{"tags": `{ a = "b" }`}) + machine)
			planned()
			c.run("apply", "planned")
			c.expectAlive(c.recorded()...)

			planned("-destroy")
			c.run("apply", "planned")
			c.expectAlive()
		}
	})
}
