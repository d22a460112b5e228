package provider_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// interruptions are what befalls the launch of a machine.
var interruptions = map[string]func(*command){
	"nothing happens": func(*command) {},
	"its answer is lost": func(c *command) {
		c.cloud.Rule(c, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter, Times: 1})
	},
	"the apply is killed after it": func(c *command) {
		c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter})
	},
}

// commandLaunchesUnseen launches machines that are listed late.
func commandLaunchesUnseen(t *testing.T, installation *terraformcli.Installation) {
	for what, happens := range interruptions {
		t.Run("20 s, "+what, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{NewVisibilityDelay: 20 * time.Second})
			c.configure(acctest.Class() + acctest.Allocation("worker-a"))
			c.run("init")
			happens(c)
			c.run("apply", "-auto-approve")

			// No twin was ever launched.
			c.expectMachines(1)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})

		// A token that is forgotten at once leads back to nothing.
		for _, lifetime := range []float64{0, 1} {
			t.Run(fmt.Sprintf("60 s, %s, tokens kept for %v s", what, lifetime), func(t *testing.T) {
				t.Parallel()

				c := newCommand(t, installation, ecsemulator.Options{
					NewVisibilityDelay: 60 * time.Second, Behavior: ecsemulator.Behavior{TokenLifetimeSeconds: lifetime},
				})
				c.configure(acctest.Class() + acctest.Allocation("worker-a"))
				c.run("init")
				happens(c)
				c.run("apply", "-auto-approve")
				c.expectTwinReleasedOrNamed()
				c.expectDestroyed()
			})
		}
	}
}

// commandMeetsALateTwin lets a machine come up that was launched by a killed apply and
// that was not listed when the next one was over. The first plan that can see it names
// it.
func commandMeetsALateTwin(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{Behavior: ecsemulator.Behavior{TokenLifetimeSeconds: 1}})
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleConceal, Action: "RunInstances", Seconds: 7200, Times: 1})
	c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter})
	c.run("apply", "-auto-approve")

	if alive := len(c.cloud.Alive()); alive != 2 {
		t.Fatalf("%d machines are alive, want a twin", alive)
	}

	c.later(2 * time.Hour)
	c.expectTwinReleasedOrNamed()
	c.expectDestroyed()
}

// expectTwinReleasedOrNamed wants at most one machine more to have been launched than
// the one in state. It is gone again, or named by the next plan, whose apply releases
// it.
func (c *command) expectTwinReleasedOrNamed() {
	c.Helper()

	if created := c.cloud.Created(); created > 2 {
		c.Errorf("%d machines were launched", created)
	}

	plan := c.run("plan").Stdout

	var recorded []string
	for _, object := range c.objects() {
		recorded = append(recorded, object.Attributes.ProviderResourceID)
	}

	for _, machine := range c.cloud.Alive() {
		if !slices.Contains(recorded, machine.ID) && !strings.Contains(plan, machine.ID) {
			c.Errorf("%s is alive, and neither in state (%v) nor named by the plan:\n%s", machine.ID, recorded, plan)
		}
	}

	c.run("apply", "-auto-approve")
	c.expectMachines(c.cloud.Created())
	c.run("plan", "-detailed-exitcode")
}
