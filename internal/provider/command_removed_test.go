package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// An allocation is taken out of the configuration after its replacement was killed: the
// second machine is named, and the class releases it.
func commandRemovesWhatWasKilled(t *testing.T, installation *terraformcli.Installation) {
	for name, how := range map[string]string{"forced": "-replace=" + machineA, "tainted": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			c.configure(acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
			c.run("init")
			c.run("apply", "-auto-approve")
			c.run("plan", "-detailed-exitcode")

			arguments := []string{how}
			if how == "" {
				c.run("taint", machineA)

				arguments = nil
			}

			c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter}, arguments...)
			c.configure(acctest.Class())
			applied := c.run("apply", "-auto-approve")

			left := c.cloud.Alive()
			if len(left) != 1 {
				t.Fatalf("alive are %v, want the machine of the killed apply", left)
			}

			if !acctest.Text(`Other machines of "worker-a" are still there`, left[0].ID, "Destroying the machine_class releases them").MatchString(applied.Stdout) {
				t.Errorf("the apply does not name %s:\n%s", left[0].ID, applied.Stdout)
			}

			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})
	}

	t.Run("and put back", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		with := acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a"))
		c.configure(with)
		c.run("init")
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")
		c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter}, "-replace="+machineA)
		c.configure(acctest.Class())
		c.run("apply", "-auto-approve")

		// What was left is taken over, and nothing is launched.
		c.configure(with)
		c.run("apply", "-auto-approve")
		c.expectMachines(2)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})
}
