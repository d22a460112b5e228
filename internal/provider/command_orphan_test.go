package provider_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// orphaned runs an apply that is killed alone while a call of its provider is held. The
// provider lives on, and the call with it.
func (c *command) orphaned(rule ecsemulator.Rule, arguments ...string) ecsemulator.Hold {
	c.Helper()

	process, hold := c.held(rule, arguments...)

	if err := process.Signal(syscall.SIGKILL); err != nil {
		c.Fatal(err)
	}

	// That it was killed is what was asked for.
	_, _ = process.Wait()

	return hold
}

// awaitCalls returns when an action was called as often as given.
func (c *command) awaitCalls(action string, calls int) {
	c.Helper()

	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()

	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()

	for c.cloud.Counts()[action] < calls {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			c.Fatalf("%s was called %d times, want %d", action, c.cloud.Counts()[action], calls)
		}
	}
}

// A provider that lives on without its command works at the same time as the next
// apply, which knows nothing of it.
func commandMeetsAnOrphan(t *testing.T, installation *terraformcli.Installation) {
	for name, test := range map[string]struct {
		at ecsemulator.Moment
		// launches are how many the orphan's launch outlasts.
		launches int
	}{
		"before its launch": {ecsemulator.MomentBefore, 2},
		"during its launch": {ecsemulator.MomentDuring, 2},
		// The machine is listed by then, and taken over.
		"after its launch": {ecsemulator.MomentAfter, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{NewVisibilityDelay: 20 * time.Second})
			c.configure(acctest.Class() + acctest.Allocation("worker-a"))
			c.run("init")
			hold := c.orphaned(ecsemulator.Rule{Action: "RunInstances", At: test.at})

			process, err := c.workspace.Start(t.Context(), "apply", "-auto-approve")
			if err != nil {
				t.Fatal(err)
			}

			c.awaitCalls("RunInstances", test.launches)
			c.proceed(hold)

			if _, err := process.Wait(); err != nil {
				t.Fatal(err)
			}

			// Both asked for the same machine.
			c.expectMachines(1)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})
	}

	t.Run("in an adoption", func(t *testing.T) {
		t.Parallel()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("init")
		c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter})
		hold := c.orphaned(ecsemulator.Rule{Action: "TagResources"})
		c.run("apply", "-auto-approve")
		c.expectMachines(1)

		// The orphan's claim comes after that of the apply whose state holds the machine.
		c.proceed(hold)
		c.awaitDone("TagResources")

		if plan := c.run("plan"); !acctest.Text("Plan: 0 to add, 1 to change, 0 to destroy.", "Applying writes this state's claim back").MatchString(plan.Stdout) {
			t.Errorf("the plan does not take the machine back:\n%s", plan.Stdout)
		}

		c.run("apply", "-auto-approve")
		c.expectMachines(1)
		c.run("plan", "-detailed-exitcode")
		c.expectDestroyed()
	})

	for _, action := range []string{"TagResources", "DeleteInstances"} {
		t.Run("in a release, before "+action, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			c.configure(acctest.Class() + acctest.Allocation("worker-a"))
			c.run("init")
			c.run("apply", "-auto-approve")
			c.run("plan", "-detailed-exitcode")
			hold := c.orphaned(ecsemulator.Rule{Action: action}, "-destroy")

			// The next apply wants to keep the machine.
			process, err := c.workspace.Start(t.Context(), "apply", "-auto-approve")
			if err != nil {
				t.Fatal(err)
			}

			c.proceed(hold)
			c.awaitDone(action)

			if _, err := process.Wait(); err != nil {
				t.Fatal(err)
			}

			c.run("apply", "-auto-approve")

			created := c.cloud.Created()
			if created > 2 {
				t.Errorf("%d machines were launched", created)
			}

			c.expectMachines(created)
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})
	}
}

// awaitDone returns when no call of the action is under way.
func (c *command) awaitDone(action string) {
	c.Helper()

	ctx, cancel := context.WithTimeout(c.Context(), patience)
	defer cancel()

	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()

	for {
		running := false

		for _, call := range c.cloud.Calls() {
			running = running || call.Action == action && !call.Done
		}

		if !running {
			return
		}

		select {
		case <-ticker.C:
		case <-ctx.Done():
			c.Fatalf("a call of %s does not end", action)
		}
	}
}
