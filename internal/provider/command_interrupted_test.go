package provider_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// interrupted runs a command that is interrupted while a call is held, and returns what
// the command wrote. A read is given up, and goes on when nobody waits for it any more;
// a change is waited for.
func (c *command) interrupted(rule ecsemulator.Rule, arguments ...string) string {
	c.Helper()

	process, hold := c.heldIn(rule, arguments...)

	if err := process.SignalGroup(os.Interrupt); err != nil {
		c.Fatal(err)
	}

	if !strings.HasPrefix(rule.Action, "Describe") {
		c.proceed(hold)
	}

	result, err := process.Wait()

	if strings.HasPrefix(rule.Action, "Describe") {
		c.proceed(hold)
	}

	var exit *terraformcli.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.Fatal(err)
	}

	return result.Stdout + result.Stderr
}

// commandIsInterrupted interrupts commands at work on a machine: each says what became
// of it and what comes next, and the next one goes on.
func commandIsInterrupted(t *testing.T, installation *terraformcli.Installation) {
	begin := func(t *testing.T, options ecsemulator.Options) *command {
		t.Helper()

		c := newCommand(t, installation, options)
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("init")

		return c
	}

	t.Run("before the launch", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{})
		printed := c.interrupted(ecsemulator.Rule{Action: "DescribeInstances"}, "apply", "-auto-approve")

		if !acctest.Text(`The launch of "worker-a" was interrupted`, "Nothing is kept in state").MatchString(printed) {
			t.Errorf("the apply says\n%s", printed)
		}

		if launches := c.cloud.Counts()["RunInstances"]; launches != 0 {
			t.Errorf("%d machines were asked for after the interrupt", launches)
		}

		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.expectDestroyed()
	})

	t.Run("in the launch", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{})
		printed := c.interrupted(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter}, "apply", "-auto-approve")

		if !acctest.Text(`The launch of "worker-a" was interrupted`, "the launch of cn-hangzhou.i-", "was accepted", "the next apply finds it and takes it over").MatchString(printed) &&
			!acctest.Text(`"worker-a" is still being allocated`, "the next apply goes on waiting").MatchString(printed) {
			t.Errorf("the apply says\n%s", printed)
		}

		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})

	t.Run("in an update", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{})
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")
		c.configure(acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ a = "b" }`}))
		c.interrupted(ecsemulator.Rule{Action: "TagResources", Parameters: map[string]string{"Tag.1.Key": "a"}, At: ecsemulator.MomentAfter}, "apply", "-auto-approve")
		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})

	t.Run("in a release", func(t *testing.T) {
		t.Parallel()

		options := tooSlow()
		options.ReleaseDuration, options.BootDuration = options.BootDuration, 0
		c := begin(t, options)
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")
		printed := c.interrupted(ecsemulator.Rule{Action: "DeleteInstances", At: ecsemulator.MomentAfter}, "destroy", "-auto-approve")

		if !acctest.Text("The release was not seen to its end", `"worker-a" (cn-hangzhou.i-`, "The machine stays in state", "a release that is under way is waited for").MatchString(printed) {
			t.Errorf("the destroy says\n%s", printed)
		}

		boot(t, c.cloud)
		c.expectDestroyed()
	})

	t.Run("in a refresh", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{})
		c.run("apply", "-auto-approve")

		before := c.objects()
		// Terraform forwards an interrupt of a plan; that of the plan of an apply waits.
		printed := c.interrupted(ecsemulator.Rule{Action: "DescribeInstances"}, "plan")

		// An interrupt is no fault of the cloud, nor of the credentials.
		if acctest.Text("look at the code and the request ID").MatchString(printed) {
			t.Errorf("the apply blames somebody for an interrupt:\n%s", printed)
		}

		if after := c.objects(); len(after) != 1 || after[0] != before[0] {
			t.Errorf("in state was %+v, and is %+v", before, after)
		}

		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})
}
