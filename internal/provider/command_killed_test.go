package provider_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// patience is how long a test waits for what a command is certain to do, on a machine
// that has much else to do.
const patience = 5 * time.Minute

// held runs an apply up to a call that is held there.
func (c *command) held(rule ecsemulator.Rule, arguments ...string) (*terraformcli.Process, ecsemulator.Hold) {
	c.Helper()

	return c.heldIn(rule, append([]string{"apply", "-auto-approve"}, arguments...)...)
}

// heldIn is held for any command.
func (c *command) heldIn(rule ecsemulator.Rule, arguments ...string) (*terraformcli.Process, ecsemulator.Hold) {
	c.Helper()

	c.saveClass()

	rule.Kind, rule.Times = ecsemulator.RuleHold, 1
	added := c.cloud.Rule(c, rule)

	process, err := c.workspace.Start(c.Context(), arguments...)
	if err != nil {
		c.Fatal(err)
	}

	// A command that ends without the call would be waited for without end.
	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()

	hold, err := c.cloud.WaitHold(ctx, added.ID)
	if err != nil {
		c.Fatalf("the call to be held was not made: %v", err)
	}

	return process, hold
}

// saveClass puts the class of a first apply into state before that is killed, where the
// command would have lost it: OpenTofu writes a local state file as others write a
// remote state, some time after a change. What a lost class leads to has tests of its own.
func (c *command) saveClass() {
	c.Helper()

	if c.workspace.CLI.Product != terraformcli.OpenTofu {
		return
	}

	if _, err := os.Stat(filepath.Join(c.workspace.Directory, "terraform.tfstate")); errors.Is(err, fs.ErrNotExist) {
		c.run("apply", "-auto-approve", "-target=machine_class.worker")
	}
}

// proceed lets a call that is held go on.
func (c *command) proceed(hold ecsemulator.Hold) {
	c.Helper()

	if err := c.cloud.Release(hold.ID, ecsemulator.Proceed); err != nil {
		c.Fatal(err)
	}
}

// killed runs an apply that is killed, together with its provider, while a call is
// held, which then goes on.
func (c *command) killed(rule ecsemulator.Rule, arguments ...string) {
	c.Helper()

	process, hold := c.held(rule, arguments...)

	if err := process.SignalGroup(syscall.SIGKILL); err != nil {
		c.Fatal(err)
	}

	// That it was killed is what was asked for.
	_, _ = process.Wait()

	c.proceed(hold)
}

func commandIsKilled(t *testing.T, installation *terraformcli.Installation) {
	launch := func(at ecsemulator.Moment) ecsemulator.Rule { return ecsemulator.Rule{Action: "RunInstances", At: at} }
	begin := func(t *testing.T, options ecsemulator.Options, text string) *command {
		t.Helper()

		c := newCommand(t, installation, options)
		c.configure(text)
		c.run("init")

		return c
	}

	for name, at := range map[string]ecsemulator.Moment{"before the launch": ecsemulator.MomentBefore, "after the launch": ecsemulator.MomentAfter} {
		t.Run("re-apply, killed "+name, func(t *testing.T) {
			t.Parallel()

			c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
			c.killed(launch(at))
			c.run("apply", "-auto-approve")
			c.expectMachines(1)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})

		t.Run("destroy, killed "+name, func(t *testing.T) {
			t.Parallel()

			c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
			c.killed(launch(at))
			c.expectDestroyed()
		})
	}

	t.Run("re-apply while the machine is not listed for 20 s", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{NewVisibilityDelay: 20 * time.Second}, acctest.Class()+acctest.Allocation("worker-a"))
		c.killed(launch(ecsemulator.MomentAfter))
		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.expectDestroyed()
	})

	t.Run("the inputs change between kill and re-apply", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
		c.killed(launch(ecsemulator.MomentAfter))
		c.configure(acctest.Class(acctest.Arguments{"image_id": `"m-acme1"`}) + acctest.Allocation("worker-a"))
		c.fail(acctest.Text("A machine of other inputs is there", "restore the former inputs"), "apply", "-auto-approve")
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.expectDestroyed()
	})

	t.Run("a replacement that is created first, and no longer wanted", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")))
		c.run("apply", "-auto-approve")
		c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter}, "-replace="+machineA)
		c.run("apply", "-auto-approve")
		c.expectMachines(2)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})

	t.Run("in a release, before and after the mark", func(t *testing.T) {
		t.Parallel()

		for _, action := range []string{"TagResources", "DeleteInstances"} {
			c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
			c.run("apply", "-auto-approve")
			c.run("plan", "-detailed-exitcode")
			c.killed(ecsemulator.Rule{Action: action}, "-destroy")
			c.expectDestroyed()
		}
	})

	t.Run("in a replacement that destroys first", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
		c.run("apply", "-auto-approve")
		c.run("plan", "-detailed-exitcode")
		c.killed(ecsemulator.Rule{Action: "DeleteInstances", At: ecsemulator.MomentAfter}, "-replace="+machineA)
		c.run("apply", "-auto-approve")
		c.expectMachines(2)
		c.expectDestroyed()
	})

	t.Run("an answer to the launch is lost", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
		c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter, Times: 1})
		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.expectDestroyed()
	})

	t.Run("again and again", func(t *testing.T) {
		t.Parallel()

		c := begin(t, ecsemulator.Options{NewVisibilityDelay: 20 * time.Second}, acctest.Class()+acctest.Allocation("worker-a"))

		// Later ones take the machine over and are killed in that.
		c.killed(launch(ecsemulator.MomentAfter))
		c.killed(ecsemulator.Rule{Action: "TagResources"})
		c.killed(ecsemulator.Rule{Action: "TagResources", At: ecsemulator.MomentAfter})
		c.killed(ecsemulator.Rule{Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}})
		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})

	t.Run("and the machine is gone by the time it is destroyed", func(t *testing.T) {
		t.Parallel()

		for _, arguments := range [][]string{nil, {"-refresh=false"}} {
			c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
			c.run("apply", "-auto-approve")

			if err := c.cloud.RemoveInstance(c.recorded()[0]); err != nil {
				t.Fatal(err)
			}

			c.run(append([]string{"destroy", "-auto-approve"}, arguments...)...)

			if left := c.objects(); len(left) != 0 {
				t.Errorf("in state is still %+v", left)
			}
		}
	})

	for name, keys := range map[string][]string{"the owner": identityTags()[:1], "all": identityTags()} {
		t.Run("and somebody takes tags off, "+name, func(t *testing.T) {
			t.Parallel()

			c := begin(t, ecsemulator.Options{}, acctest.Class()+acctest.Allocation("worker-a"))
			c.killed(launch(ecsemulator.MomentAfter))
			c.cloud.Strip(t, c.cloud.Alive()[0], keys...)

			// No list shows it as ours any more; the token of its launch leads to it.
			c.run("apply", "-auto-approve")
			c.expectMachines(1)
			c.run("apply", "-auto-approve")
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})
	}
}
