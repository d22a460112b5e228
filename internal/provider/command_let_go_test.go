package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandLetsGoOfMachines takes a machine out of the state, by the command or by a
// removed block. One that a plan has seen in state since its launch stays when its class
// is destroyed. One that none has is named by the plan that releases it.
func commandLetsGoOfMachines(t *testing.T, installation *terraformcli.Installation) {
	const removedBlock = "a removed block"

	kept := acctest.Class() + acctest.Allocation("worker-a")

	for name, planned := range map[string]bool{"seen by a plan": true, "not seen by a plan": false} {
		for by, letGo := range map[string]func(c *command){
			"state rm": func(c *command) { c.run("state", "rm", "machine_allocation.worker-b") },
			removedBlock: func(c *command) {
				c.configure(kept + "removed {\n  from = machine_allocation.worker-b\n  lifecycle {\n    destroy = false\n  }\n}\n")
				c.run("apply", "-auto-approve")
			},
		} {
			t.Run(name+", by "+by, func(t *testing.T) {
				t.Parallel()

				c := newCommand(t, installation, ecsemulator.Options{})
				c.configure(kept + acctest.Allocation("worker-b"))
				c.run("init")
				c.run("apply", "-auto-approve")

				if planned {
					c.run("plan", "-detailed-exitcode")
				}

				// OpenTofu refreshes what it takes out of the state, which is a plan as any other.
				seen := planned || by == removedBlock && c.workspace.CLI.Product == terraformcli.OpenTofu

				before := c.recorded()
				letGo(c)
				c.configure(kept)

				var gone []string

				for _, machine := range before {
					if after := c.recorded(); len(after) == 1 && after[0] != machine {
						gone = append(gone, machine)
					}
				}

				if len(gone) != 1 {
					t.Fatalf("the state held %v, and %v was taken out of it", before, gone)
				}

				plan := c.run("plan", "-destroy")
				if named := strings.Contains(plan.Stdout, "released with the class") && strings.Contains(plan.Stdout, gone[0]); named == seen {
					t.Errorf("that %s goes as well is told: %t, in\n%s", gone[0], named, plan.Stdout)
				}

				c.run("destroy", "-auto-approve")

				if alive := c.cloud.Alive(); (len(alive) == 1) != seen || (seen && alive[0].ID != gone[0]) {
					t.Errorf("%d machines are alive, and it was %s", len(alive), name)
				}
			})
		}
	}
}
