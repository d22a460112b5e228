package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandMayNotStartWhatItChanged takes the permission to start machines away: a machine
// that was changed in place is left stopped, the error says so at once and what to do,
// and the apply after that only starts it.
func commandMayNotStartWhatItChanged(t *testing.T, installation *terraformcli.Installation) {
	operation := acctest.Operation("disk", "HostReplace", machineA+".provider_id",
		acctest.Arguments{"keep_user_data": "true", "parameters": `{ image_id = "m-acme2" }`})
	machine := acctest.Class() + acctest.Allocation("worker-a")

	for name, test := range map[string]struct {
		before, after string
		told          string
		effects       map[string]int
		want          func(ecsemulator.Instance) error
	}{
		"an operation": {
			machine, machine + operation, "was not seen to its end",
			map[string]int{"stopped": 1, "reinstalled": 1, "started": 1},
			hasType("ecs.g7.large"),
		},
		"another type": {
			ofTypes(`["ecs.g7.large"]`), ofTypes(`["ecs.g7.xlarge"]`), "is of the type ecs.g7.xlarge, and is stopped",
			map[string]int{"stopped": 1, "started": 1},
			hasType("ecs.g7.xlarge"),
		},
		"first-boot data": {
			ofData("1"), ofData("2"), "has its new system disk, and is stopped",
			map[string]int{"stopped": 1, "reinstalled": 1, "started": 1},
			hasData("2"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			c.configure(test.before)
			c.run("init")
			c.run("apply", "-auto-approve")

			created := c.recorded()[0]

			c.configure(test.after)
			denied := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})
			c.fail(acctest.Text(test.told, "its start was refused", "StartInstance", "Forbidden.RAM", "does nothing twice", "Grant the RAM user or role"), "apply", "-auto-approve")

			if count := c.cloud.Counts()["StartInstance"]; count != 1 {
				t.Errorf("what is denied was asked %d times", count)
			}

			if now := instanceOf(t, c.cloud, created); now.Status != "Stopped" {
				t.Errorf("the machine is %s", now.Status)
			}

			if err := c.cloud.RemoveRule(denied.ID); err != nil {
				t.Fatal(err)
			}

			c.run("apply", "-auto-approve")
			c.expectEnded(created, operationKill{effects: test.effects, status: "Running"}, test.want)
		})
	}
}
