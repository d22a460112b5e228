package provider_test

import (
	"os"
	"testing"

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
		c.expectPrinted(c.run("plan"), "Machine is under an operation", `HostReplace "disk"`, "its phase is Stopped", "terraform-machine/operation")

		// Another change of the machine waits for it, which its plan tells.
		c.configure(machine + acctest.Operation("on", "HostPowerOn", "machine_allocation.worker-a.provider_id"))
		c.expectPrinted(c.run("plan"), "Machine is under an operation")

		// The configuration that was cut off ends it, and nothing is told any more.
		c.configure(machine + operation)
		c.run("apply", "-auto-approve")

		if plan := c.run("plan", "-detailed-exitcode"); acctest.Text("under an operation").MatchString(plan.Stdout) {
			t.Errorf("it is told of an operation that has ended:\n%s", plan.Stdout)
		}
	})

	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()

		c := begin(t)

		process, hold := c.held(rule)
		if err := process.SignalGroup(os.Interrupt); err != nil {
			t.Fatal(err)
		}

		c.proceed(hold)

		// That it was interrupted is what was asked for.
		_, _ = process.Wait()

		c.configure(machine)
		c.expectPrinted(c.run("plan"), "1 to destroy", "Machine is under an operation")
		c.expectPrinted(c.run("apply", "-auto-approve"), `HostReplace "disk" was given up before its end`, "is Stopped", "power_state")
	})
}
