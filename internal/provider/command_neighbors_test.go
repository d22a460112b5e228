package provider_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// beside returns another configuration that uses the same cloud.
func (c *command) beside(installation *terraformcli.Installation) *command {
	c.Helper()

	return &command{T: c.T, cloud: c.cloud, workspace: installation.Workspace(c.TempDir(), c.cloud.Variables())}
}

// recorded are the machines in state.
func (c *command) recorded() []string {
	c.Helper()

	var recorded []string
	for _, object := range c.objects() {
		recorded = append(recorded, object.Attributes.ProviderResourceID)
	}

	return recorded
}

// expectAlive wants exactly these machines to be alive.
func (c *command) expectAlive(want ...string) {
	c.Helper()

	var alive []string
	for _, machine := range c.cloud.Alive() {
		alive = append(alive, machine.ID)
	}

	slices.Sort(alive)
	slices.Sort(want)

	if !slices.Equal(alive, want) {
		c.Errorf("alive are %v, want %v", alive, want)
	}
}

// Two configurations that share an owner and a name by mistake are told apart by the
// uid of their classes.
func commandMeetsANeighbor(t *testing.T, installation *terraformcli.Installation) {
	both := func(t *testing.T) (*command, *command) {
		t.Helper()

		first := newCommand(t, installation, ecsemulator.Options{})
		second := first.beside(installation)

		for _, c := range []*command{first, second} {
			c.configure(acctest.Class() + acctest.Allocation("worker-a"))
			c.run("init")
		}

		return first, second
	}

	// apart wants each to keep its machine through everything that the other does.
	apart := func(t *testing.T, first, second *command) {
		t.Helper()

		of, other := first.recorded(), second.recorded()
		if len(of) != 1 || len(other) != 1 || of[0] == other[0] {
			t.Fatalf("in state are %v and %v", of, other)
		}

		first.expectAlive(of[0], other[0])
		first.run("plan", "-detailed-exitcode")
		second.run("plan", "-detailed-exitcode")
		first.run("apply", "-auto-approve", "-replace="+machineA)

		replaced := first.recorded()
		if len(replaced) != 1 || replaced[0] == of[0] {
			t.Fatalf("in state is %v, and was %v", replaced, of)
		}

		first.expectAlive(replaced[0], other[0])
		first.run("destroy", "-auto-approve")
		first.expectAlive(other[0])
		second.run("plan", "-detailed-exitcode")
		second.expectDestroyed()
	}

	t.Run("that applies at the same time", func(t *testing.T) {
		t.Parallel()

		first, second := both(t)

		// Neither has launched before both have looked.
		processes := [2]*terraformcli.Process{}
		holds := [2]ecsemulator.Hold{}

		for i, c := range []*command{first, second} {
			processes[i], holds[i] = c.held(ecsemulator.Rule{Action: "RunInstances"})
		}

		first.proceed(holds[0])
		first.proceed(holds[1])

		var wait sync.WaitGroup

		results := [2]terraformcli.Result{}
		failures := [2]error{}

		for i, process := range processes {
			wait.Go(func() { results[i], failures[i] = process.Wait() })
		}

		wait.Wait()

		for i, err := range failures {
			if err != nil {
				t.Fatal(err)
			}

			if !acctest.Text(`Another machine is named "worker-a"`, "was launched for a class with another uid", "It was left alone").MatchString(results[i].Stdout) {
				t.Errorf("an apply does not name the other's machine:\n%s", results[i].Stdout)
			}
		}

		apart(t, first, second)
	})

	t.Run("that has applied before", func(t *testing.T) {
		t.Parallel()

		first, second := both(t)
		first.run("apply", "-auto-approve")
		second.fail(acctest.Text(`Another machine is named "worker-a"`, "Nothing was launched beside it", "give this provider another owner"), "apply", "-auto-approve")
		first.expectMachines(1)

		// From the next plan on it is known that a state holds the machine.
		first.run("plan", "-detailed-exitcode")

		if applied := second.run("apply", "-auto-approve"); !acctest.Text(`Another machine is named "worker-a"`, "belongs to a state", "It was left alone").MatchString(applied.Stdout) {
			t.Errorf("the apply does not name the other's machine:\n%s", applied.Stdout)
		}

		apart(t, first, second)
	})

	t.Run("that is destroyed before its machine is known to be in a state", func(t *testing.T) {
		t.Parallel()

		first, second := both(t)
		first.run("apply", "-auto-approve")
		second.fail(acctest.Text(`Another machine is named "worker-a"`), "apply", "-auto-approve")
		second.run("destroy", "-auto-approve")
		first.expectMachines(1)
		first.run("plan", "-detailed-exitcode")
		first.expectDestroyed()
	})
}
