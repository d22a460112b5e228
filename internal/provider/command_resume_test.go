package provider_test

import (
	"errors"
	"os"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

func commandResumesAfterUntaint(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, tooSlow())
	c.configure(acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"timeouts": `{ create = "1s" }`}))
	c.run("init")
	c.fail(acctest.Text("did not run in time", "terraform untaint"), "apply", "-auto-approve")

	if objects := c.objects(); len(objects) != 1 || objects[0].Status != "tainted" || objects[0].Attributes.Phase != "Allocating" {
		t.Fatalf("in state are %+v, want one tainted machine that is Allocating", objects)
	}

	c.run("untaint", machineA)

	boot(t, c.cloud)

	if plan := c.run("plan"); !acctest.Text("Plan: 0 to add, 1 to change, 0 to destroy.").MatchString(plan.Stdout) {
		t.Errorf("a resume is an in-place update, and the plan is\n%s", plan.Stdout)
	}

	c.expectResumed()
}

func commandResumesAfterInterrupt(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, tooSlow())
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")

	// The first look finds the machine; the second is on the wire when the interrupt comes.
	rule := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}, First: 2, Times: 1})

	process, err := c.workspace.Start(t.Context(), "apply", "-auto-approve")
	if err != nil {
		t.Fatal(err)
	}

	hold, err := c.cloud.WaitHold(t.Context(), rule.ID)
	if err != nil {
		t.Fatal(err)
	}

	if err := process.SignalGroup(os.Interrupt); err != nil {
		t.Fatal(err)
	}

	result, err := process.Wait()

	var exit *terraformcli.ExitError
	if !errors.As(err, &exit) || !acctest.Text(`"worker-a" is still being allocated`, "The machine is kept in state as Allocating", "the next apply goes on waiting").
		MatchString(result.Stdout+result.Stderr) {
		t.Errorf("the interrupted apply ended with %v\n%s%s", err, result.Stdout, result.Stderr)
	}

	if err := c.cloud.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Error(err)
	}

	if objects := c.objects(); len(objects) != 1 || objects[0].Status != "" || objects[0].Attributes.Phase != "Allocating" {
		t.Fatalf("in state are %+v, want one machine that is Allocating and not tainted", objects)
	}

	if plan := c.run("plan"); !acctest.Text("Plan: 0 to add, 1 to change, 0 to destroy.").MatchString(plan.Stdout) {
		t.Errorf("a resume is an in-place update, and the plan is\n%s", plan.Stdout)
	}

	boot(t, c.cloud)

	c.expectResumed()
}

// expectResumed applies, and wants the one machine to run, nothing more to do, and
// destroy to leave nothing.
func (c *command) expectResumed() {
	c.Helper()
	c.run("apply", "-auto-approve")
	c.expectMachines(1)

	if objects := c.objects(); len(objects) != 1 || objects[0].Attributes.Phase != "Running" || objects[0].Status != "" {
		c.Errorf("in state are %+v, want one machine that is Running", objects)
	}

	if launches := c.cloud.Counts()["RunInstances"]; launches != 1 {
		c.Errorf("RunInstances was called %d times", launches)
	}

	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}
