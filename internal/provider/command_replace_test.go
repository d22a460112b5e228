package provider_test

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// Where nothing says that a state holds the machine, the replacement adopts it.
func commandReplaces(t *testing.T, installation *terraformcli.Installation) {
	t.Run("created first", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
		c.run("init")
		c.run("apply", "-auto-approve")
		c.run("apply", "-auto-approve", "-replace="+machineA)
		c.expectMachines(2)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})

	t.Run("created first, without marks, a young machine", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.expectKeptByReplace("A machine of an earlier run was adopted", "The machine was not replaced", "raise user_data_wo_version, or replace it without create_before_destroy")
	})

	t.Run("created first, without marks, an old machine", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.old = true
		c.expectKeptByReplace("A machine of an earlier run was adopted", "The machine was not replaced")
	})

	t.Run("destroyed first", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("init")
		c.run("apply", "-auto-approve")
		c.run("apply", "-auto-approve", "-replace="+machineA)
		c.expectMachines(2)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})
}

// expectKeptByReplace wants a forced replacement to keep the machine, and to say so.
func (c *command) expectKeptByReplace(wants ...string) {
	c.Helper()
	c.provider = "  mark_settled = false\n"
	c.configure(acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
	c.run("init")
	c.run("apply", "-auto-approve")

	if c.old {
		c.later(10 * time.Minute)
	}

	before := c.objects()
	replaced := c.run("apply", "-auto-approve", "-replace="+machineA)
	c.expectMachines(1)

	if after := c.objects(); len(after) != 1 || after[0].Attributes.ID != before[0].Attributes.ID {
		c.Errorf("in state was %+v, and is %+v", before, after)
	}

	for _, want := range wants {
		if !acctest.Text(want).MatchString(replaced.Stdout) {
			c.Errorf("the apply does not say %q:\n%s", want, replaced.Stdout)
		}
	}

	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}

// later moves the cloud's clock forward, and that of the commands that follow.
func (c *command) later(d time.Duration) {
	c.Helper()

	origin, err := time.Parse(time.RFC3339Nano, c.workspace.Variables[originVariable])
	if err != nil {
		c.Fatal(err)
	}

	// A clock that runs fast since an earlier moment is ahead.
	c.workspace.Variables[originVariable] = origin.Add(-d / (acctest.ClockFactor - 1)).Format(time.RFC3339Nano)

	if err := c.cloud.Step(d); err != nil {
		c.Fatal(err)
	}
}

const originVariable = "TF_MACHINE_CLOCK_ORIGIN"
