package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// A release that is killed while its machine shuts down is gone on with: the machine
// is given its time to shut down anew, and is not asked again.
func commandIsKilledInAGracefulRelease(t *testing.T, installation *terraformcli.Installation) {
	for name, at := range map[string]ecsemulator.Moment{"before the stop": ecsemulator.MomentBefore, "after the stop": ecsemulator.MomentAfter} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			// It shuts down when the clock is stepped, and not before.
			options := tooSlow()
			options.StopDuration, options.BootDuration = options.BootDuration, 0

			c := newCommand(t, installation, options)
			c.configure(acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"graceful_release": `"30m"`, "timeouts": `{ delete = "3h" }`}))
			c.run("init")
			c.run("apply", "-auto-approve")
			c.run("plan", "-detailed-exitcode")
			c.killed(ecsemulator.Rule{Action: "StopInstance", At: at}, "-destroy")

			looks := c.cloud.Rule(t, ecsemulator.Rule{
				Kind: ecsemulator.RuleHold, Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}, First: 6, Times: 1,
			})

			// A refresh would look at the machine as well.
			process, err := c.workspace.Start(t.Context(), "destroy", "-auto-approve", "-refresh=false")
			if err != nil {
				t.Fatal(err)
			}

			hold, err := c.cloud.WaitHold(t.Context(), looks.ID)
			if err != nil {
				t.Fatal(err)
			}

			if deletes := c.cloud.Counts()["DeleteInstances"]; deletes != 0 {
				t.Errorf("the machine was released before it had shut down")
			}

			if err := c.cloud.Step(options.StopDuration); err != nil {
				t.Fatal(err)
			}

			c.proceed(hold)

			if _, err := process.Wait(); err != nil {
				t.Fatal(err)
			}

			c.expectAlive()

			if stops := c.cloud.Counts()["StopInstance"]; stops != 1 {
				t.Errorf("the machine was asked to stop %d times", stops)
			}
		})
	}
}
