package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandSharesAMachine gets one machine into two resources, as an import by mistake
// does, and out of it again.
func commandSharesAMachine(t *testing.T, installation *terraformcli.Installation) {
	for name, kept := range map[string]string{"the first is kept": "worker-a", "the second is kept": "worker-b"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			both := acctest.Class() + acctest.Allocation("worker-a") + acctest.Allocation("worker-b")
			c.configure(acctest.Class() + acctest.Allocation("worker-a"))
			c.run("init")
			c.run("apply", "-auto-approve")

			machine := c.objects()[0].Attributes

			c.configure(both)
			c.run("import", "machine_allocation.worker-b", machine.ID)
			c.fail(acctest.Text("One machine, two resources", machine.ID, "terraform state rm ADDRESS"), "plan")

			dropped := map[string]string{"worker-a": "worker-b", "worker-b": "worker-a"}[kept]
			c.run("state", "rm", "machine_allocation."+dropped)
			c.configure(acctest.Class() + acctest.Allocation(kept))
			c.run("apply", "-auto-approve")
			c.expectMachines(1)
			c.expectAlive(machine.ProviderResourceID)

			if got := c.cloud.Alive()[0].Tags[driver.ReservedTagPrefix+"name"]; got != kept {
				t.Errorf("the machine is tagged with the name %q, want %q", got, kept)
			}

			c.run("plan", "-detailed-exitcode")

			// The name of the other is free again.
			c.configure(both)
			c.run("apply", "-auto-approve")
			c.expectMachines(2)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})
	}

	t.Run("and one of them has written its name", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("init")
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")

		// Somebody's name is on the machine of the state: it is written again.
		reserved(t, c.cloud, c.cloud.Alive()[0], driver.MachineIdentity{Allocation: "worker-b"})
		c.run("apply", "-auto-approve")
		c.expectMachines(1)

		if got := c.cloud.Alive()[0].Tags[driver.ReservedTagPrefix+"name"]; got != "worker-a" {
			t.Errorf("the machine is tagged with the name %q", got)
		}

		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})
}
