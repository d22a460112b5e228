package provider_test

import (
	"cmp"
	"fmt"
	"strconv"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// ofTypes is a machine that follows its class's types in place.
func ofTypes(types string) string {
	return acctest.Class(acctest.Arguments{"instance_types": types}) + acctest.Allocation("worker-a", acctest.Arguments{"instance_type_on_change": `"resize"`})
}

// ofData is a machine that is reinstalled for new first-boot data.
func ofData(version string, more ...acctest.Arguments) string {
	arguments := acctest.Arguments{
		"user_data_on_change": `"reinstall"`, "user_data_wo_version": version, "user_data_wo": strconv.Quote("#cloud-config\n# " + version + "\n"),
	}

	return acctest.Class() + acctest.Allocation("worker-a", append([]acctest.Arguments{arguments}, more...)...)
}

// ofPower is a machine of a power state.
func ofPower(state string) string {
	return acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"power_state": strconv.Quote(state)})
}

// launched launches the machine of a configuration, and returns its ID.
func (c *command) launched(configuration string) string {
	c.Helper()
	c.configure(configuration)
	c.run("init")
	c.run("apply", "-auto-approve")

	return c.recorded()[0]
}

// cutOff launches a machine, and kills the apply of a change of it.
func (c *command) cutOff(before, after string, rule ecsemulator.Rule) string {
	c.Helper()

	machine := c.launched(before)

	c.configure(after)
	c.killed(rule)

	return machine
}

// cutOffReshape is a change in place that is cut off, and what is asked for instead of it
// then.
type cutOffReshape struct {
	from, to, instead string
	call              string
	at                ecsemulator.Moment
	// changes are how many changes the plan of what is asked for instead counts, and told
	// is what else it says, one after the other.
	changes int
	told    []string
	effects map[string]int
	// status is Running where it is empty.
	status string
	want   func(ecsemulator.Instance) error
}

// settle cuts the change off and applies what is asked for instead, after which nothing is
// left to do.
func (r cutOffReshape) settle(c *command) {
	c.Helper()

	machine := c.cutOff(r.from, r.to, ecsemulator.Rule{Action: r.call, At: r.at})

	c.configure(r.instead)
	planned := c.run("plan")
	c.expectPrinted(planned, fmt.Sprintf("%d to change, 0 to destroy", r.changes))
	c.expectPrinted(planned, r.told...)
	c.run("apply", "-auto-approve")
	c.expectEnded(machine, operationKill{effects: r.effects, status: cmp.Or(r.status, "Running")}, r.want)
}

// expectEnded wants one machine, as it is described, of which nothing is left to do, and
// nothing else.
func (c *command) expectEnded(machine string, want operationKill, check func(ecsemulator.Instance) error) {
	c.Helper()
	c.expectMachines(1)
	c.expectAlive(machine)
	c.expectOperated(machine, want)

	if err := check(instanceOf(c.T, c.cloud, machine)); err != nil {
		c.Error(err)
	}

	c.run("plan", "-detailed-exitcode")
	c.run("plan", "-detailed-exitcode")
	c.expectNoTrace(machine)
	c.expectDestroyed()
}

// expectNoTrace wants the machine to carry no tag of an operation.
func (c *command) expectNoTrace(machine string) {
	c.Helper()

	if tag, there := instanceOf(c.T, c.cloud, machine).Tags[operationTag]; there {
		c.Errorf("it left its trace: %s", tag)
	}
}

func hasData(version string) func(ecsemulator.Instance) error {
	return func(machine ecsemulator.Instance) error {
		if machine.UserDataSHA256 != hashOf("#cloud-config\n# "+version+"\n") {
			return fmt.Errorf("%s has other first-boot data", machine.ID)
		}

		return nil
	}
}

func hasType(want string) func(ecsemulator.Instance) error {
	return func(machine ecsemulator.Instance) error {
		if machine.InstanceType != want {
			return fmt.Errorf("the machine is %s", machine.InstanceType)
		}

		return nil
	}
}

// commandGivesUpAReshape kills applies that change a machine in place, after which the
// user takes the change back: the plan says what one plain apply then does, which leaves
// the machine as it was, and is told of no more.
func commandGivesUpAReshape(t *testing.T, installation *terraformcli.Installation) {
	large, xlarge := ofTypes(`["ecs.g7.large"]`), ofTypes(`["ecs.g7.xlarge"]`)
	first, second := ofData("1"), ofData("2")
	before, after := ecsemulator.MomentBefore, ecsemulator.MomentAfter
	once := map[string]int{"stopped": 1, "started": 1}
	itsDisk, another := "Its system disk is still the one that it had", "Its system disk is a new one, made from m-acme2, and what was on the former one is gone"
	reinstalling, resizing := "An interrupted run was reinstalling the machine", "An interrupted run was resizing the machine"

	for _, test := range []cutOffReshape{
		// A machine that has its disk keeps it.
		{first, second, first, "StopInstance", before, 1, []string{reinstalling, itsDisk}, once, "", hasData("1")},
		{first, second, first, "StopInstance", after, 1, []string{reinstalling, itsDisk}, once, "", hasData("1")},
		{first, second, first, "ModifyInstanceAttribute", after, 1, []string{reinstalling, itsDisk}, once, "", hasData("1")},
		// The call that was held has its effect later.
		{first, second, first, "ReplaceSystemDisk", before, 1, []string{reinstalling, another}, map[string]int{"stopped": 1, "started": 1, "reinstalled": 2}, "", hasData("1")},
		{first, second, first, "ReplaceSystemDisk", after, 1, []string{reinstalling, another}, map[string]int{"stopped": 1, "started": 1, "reinstalled": 2}, "", hasData("1")},
		{first, second, first, "StartInstance", after, 1, []string{reinstalling, another}, map[string]int{"stopped": 2, "started": 2, "reinstalled": 2}, "", hasData("1")},
		{large, xlarge, large, "StopInstance", after, 2, []string{resizing, "It is still of the type ecs.g7.large"}, once, "", hasType("ecs.g7.large")},
		{large, xlarge, large, "ModifyInstanceSpec", after, 2, []string{resizing, "It is of the type ecs.g7.xlarge already"}, once, "", hasType("ecs.g7.large")},
	} {
		t.Run(fmt.Sprintf("killed %s %s", test.at, test.call), func(t *testing.T) {
			t.Parallel()
			test.settle(newCommand(t, installation, ecsemulator.Options{}))
		})
	}
}

// commandReshapesAnew kills applies that change a machine in place, after which the user
// asks for another change: it takes the place of the one that was cut off.
func commandReshapesAnew(t *testing.T, installation *terraformcli.Installation) {
	before, after := ecsemulator.MomentBefore, ecsemulator.MomentAfter

	first, second, third := ofData("1"), ofData("2"), ofData("3")
	on, off := ofPower("running"), ofPower("stopped")
	once, twice := map[string]int{"stopped": 1, "started": 1}, map[string]int{"stopped": 2, "started": 2, "reinstalled": 2}

	for _, test := range []struct {
		name string
		cutOffReshape
	}{
		{"another disk", cutOffReshape{first, second, third, "StopInstance", after, 1, []string{"Machine will be reinstalled"}, map[string]int{"stopped": 1, "started": 1, "reinstalled": 1}, "", hasData("3")}},
		{"another disk", cutOffReshape{first, second, third, "ReplaceSystemDisk", before, 1, []string{"Machine will be reinstalled"}, map[string]int{"stopped": 1, "started": 1, "reinstalled": 2}, "", hasData("3")}},
		{"another disk", cutOffReshape{first, second, third, "StartInstance", before, 1, []string{"Machine will be reinstalled"}, twice, "", hasData("3")}},
		{"on again", cutOffReshape{on, off, on, "StopInstance", before, 1, []string{"power_state"}, once, "", hasType("ecs.g7.large")}},
		{"off after all", cutOffReshape{on, off, off, "StopInstance", after, 1, []string{"An interrupted run was switching the machine on or off"}, map[string]int{"stopped": 1}, "Stopped", hasType("ecs.g7.large")}},
	} {
		t.Run(fmt.Sprintf("%s, killed %s %s", test.name, test.at, test.call), func(t *testing.T) {
			t.Parallel()
			test.settle(newCommand(t, installation, ecsemulator.Options{}))
		})
	}
}

// commandGivesUpAnEndedReinstall kills an apply once it has noted the end of a
// reinstallation, which no state has recorded then: the plan of who gives that up says
// what the machine runs from, and both ways on are open.
func commandGivesUpAnEndedReinstall(t *testing.T, installation *terraformcli.Installation) {
	const told = "An interrupted run has reinstalled the machine"

	for name, test := range map[string]struct {
		next    string
		effects map[string]int
	}{
		"what it has is kept": {"2", map[string]int{"stopped": 1, "started": 1, "reinstalled": 1}},
		"another version":     {"3", map[string]int{"stopped": 2, "started": 2, "reinstalled": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			machine := c.cutOff(ofData("1"), ofData("2"), ecsemulator.Rule{
				Action: "TagResources", Parameters: map[string]string{"Tag.1.Key": operationTag}, First: 2, At: ecsemulator.MomentAfter,
			})

			c.configure(ofData("1"))
			c.expectPrinted(c.run("plan", "-detailed-exitcode"), told, "than 1", "raise user_data_wo_version")
			c.configure(ofData(test.next))

			if planned := c.run("plan"); acctest.Text(told).MatchString(planned.Stdout) {
				t.Errorf("it is told of what the plan does something about:\n%s", planned.Stdout)
			}

			c.run("apply", "-auto-approve")

			if planned := c.run("plan", "-detailed-exitcode"); acctest.Text(told).MatchString(planned.Stdout) {
				t.Errorf("it is told of what is in state:\n%s", planned.Stdout)
			}

			c.expectEnded(machine, operationKill{effects: test.effects, status: "Running"}, hasData(test.next))
		})
	}
}

// commandGivesUpAnEndedResize kills an apply once it has noted the end of a resizing, which
// no state has recorded then: the plan of who gives that up says what the machine was made,
// and applying makes it what the configuration says; that of who does not says nothing.
func commandGivesUpAnEndedResize(t *testing.T, installation *terraformcli.Installation) {
	const told = "An interrupted run has resized the machine"

	large, xlarge := ofTypes(`["ecs.g7.large"]`), ofTypes(`["ecs.g7.xlarge"]`)

	for name, test := range map[string]struct {
		next    string
		told    bool
		effects map[string]int
		want    string
	}{
		"what it was is wanted": {large, true, map[string]int{"stopped": 2, "started": 2}, "ecs.g7.large"},
		"what it is is wanted":  {xlarge, false, map[string]int{"stopped": 1, "started": 1}, "ecs.g7.xlarge"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			machine := c.cutOff(large, xlarge, ecsemulator.Rule{
				Action: "TagResources", Parameters: map[string]string{"Tag.1.Key": operationTag}, First: 2, At: ecsemulator.MomentAfter,
			})

			c.configure(test.next)

			// However often it is looked at first.
			c.run("apply", "-refresh-only", "-auto-approve")

			planned := c.run("plan")
			if got := acctest.Text(told, "is of the type ecs.g7.xlarge", "its class names ecs.g7.large").MatchString(planned.Stdout); got != test.told {
				t.Errorf("it is told: %t, want %t:\n%s", got, test.told, planned.Stdout)
			}

			c.run("apply", "-auto-approve")

			if planned := c.run("plan", "-detailed-exitcode"); acctest.Text(told).MatchString(planned.Stdout) {
				t.Errorf("it is told of what is in state:\n%s", planned.Stdout)
			}

			c.expectEnded(machine, operationKill{effects: test.effects, status: "Running"}, hasType(test.want))
		})
	}
}
