package provider_test

import (
	"maps"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

func commandWarnsOfKeptInputs(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	c.configure(acctest.Class(acctest.Arguments{"resource_group_id": `"rg-acme"`, "security_enhancement": "true"}) + acctest.Allocation("worker-a"))

	plan := c.run("plan")
	for _, want := range []string{"Plan: 0 to add, 1 to change, 0 to destroy.", "keeps its resource_group_id, security_enhancement", "replace this one (-replace) to give it the new value"} {
		if !acctest.Text(want).MatchString(plan.Stdout) {
			t.Errorf("the plan does not say %q:\n%s", want, plan.Stdout)
		}
	}

	// The same is said where something else changes in place.
	c.configure(acctest.Class(acctest.Arguments{"resource_group_id": `"rg-acme"`}) + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ a = "b" }`}))

	plan = c.run("plan")
	if !acctest.Text("Plan: 0 to add, 2 to change, 0 to destroy.", "keeps its resource_group_id").MatchString(plan.Stdout) {
		t.Errorf("the plan does not say what the machine keeps:\n%s", plan.Stdout)
	}

	c.configure(acctest.Class(acctest.Arguments{"image_id": `"m-acme1"`}) + acctest.Allocation("worker-a"))

	plan = c.run("plan")
	if !acctest.Text("Machine will be replaced", "class.alicloud.image_id changes").MatchString(plan.Stdout) {
		t.Errorf("the plan does not say why it replaces:\n%s", plan.Stdout)
	}

	c.expectDestroyed()
}

// commandRefreshesTogether runs one plan at the pace of the real clock, at which
// reads that meet share a call.
func commandRefreshesTogether(t *testing.T, installation *terraformcli.Installation) {
	const machines = 20

	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class() + acctest.Allocation("fleet", acctest.Arguments{"count": "20", "name": `"worker-${count.index}"`}))
	c.run("init")
	c.run("apply", "-auto-approve")
	c.expectMachines(machines)

	if launches := c.cloud.Counts()["RunInstances"]; launches != machines {
		t.Errorf("RunInstances was called %d times for %d machines", launches, machines)
	}

	c.cloud.ResetCalls()
	delete(c.workspace.Variables, "TF_MACHINE_CLOCK_FACTOR")
	c.run("plan", "-detailed-exitcode")

	// One list shows them all, and one call marks them as held by a state.
	if counts := c.cloud.Counts(); !maps.Equal(counts, map[string]int{"DescribeInstances": 1, "TagResources": 1}) {
		t.Errorf("the first refresh of %d machines took the calls %v", machines, counts)
	}

	c.cloud.ResetCalls()
	c.run("plan", "-detailed-exitcode")

	if counts := c.cloud.Counts(); !maps.Equal(counts, map[string]int{"DescribeInstances": 1}) {
		t.Errorf("a later refresh took the calls %v", counts)
	}

	c.workspace.Variables["TF_MACHINE_CLOCK_FACTOR"] = "100"
	c.expectDestroyed()
}
