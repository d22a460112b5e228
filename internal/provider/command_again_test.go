package provider_test

import (
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandLaunchesAgain destroys and creates under one name, each time in commands that
// know nothing of the former ones, where tokens are kept for ever.
func commandLaunchesAgain(t *testing.T, installation *terraformcli.Installation) {
	for _, test := range []struct {
		replay ecsemulator.Replay
		cycles int
	}{{ecsemulator.ReplaySameIDs, 20}, {ecsemulator.ReplayFails, 4}} {
		t.Run(fmt.Sprintf("%d times, and a used token answers %s", test.cycles, test.replay), func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{Behavior: ecsemulator.Behavior{ReplayAfterRelease: test.replay}})
			c.configure(acctest.Class())
			c.run("init")
			c.run("apply", "-auto-approve")

			for cycle := 1; cycle <= test.cycles; cycle++ {
				asked := c.cloud.Counts()["RunInstances"]

				c.configure(acctest.Class() + acctest.Allocation("worker-a"))
				c.run("apply", "-auto-approve")
				c.expectMachines(cycle)

				// One old answer, and then one that is new. Cycles of one minute see each other.
				if asked = c.cloud.Counts()["RunInstances"] - asked; asked > 3 {
					t.Errorf("cycle %d asked for %d machines", cycle, asked)
				}

				c.configure(acctest.Class())
				c.run("apply", "-auto-approve")
				c.expectAlive()
			}
		})
	}
}
