package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// callsOfAKind bounds how many calls of one kind are made to fail: polls differ in
// nothing but their number.
const callsOfAKind = 3

// faultyCall is one call in the life of a machine, told apart by what it asks.
type faultyCall struct {
	action     string
	parameters map[string]string
	// nth counts the calls of its kind from the launch on, and before is how many there
	// were until then.
	nth, before int
}

func (f faultyCall) kind() string {
	text := f.action
	for _, name := range slices.Sorted(maps.Keys(f.parameters)) {
		text += " " + strings.NewReplacer(driver.ReservedTagPrefix, "", "*", "").Replace(name+"="+f.parameters[name])
	}

	return text
}

// callOf is what tells a call apart from those of other kinds.
func callOf(call ecsemulator.Call) faultyCall {
	fault := faultyCall{action: call.Action, parameters: map[string]string{}}

	for _, name := range []string{"Tag.1.Key", "DryRun"} {
		if value, there := call.Parameters[name]; there {
			fault.parameters[name] = value
		}
	}

	if _, there := call.Parameters["InstanceIds"]; there {
		fault.parameters["InstanceIds"] = "*i-*"
	}

	return fault
}

// live takes a machine from its launch to its release, and wants no plan to replace it
// and the state to be right throughout.
func (c *command) live() {
	c.Helper()

	kept := func(phase string) {
		c.Helper()
		c.expectMachines(1)

		if objects := c.objects(); len(objects) != 1 || objects[0].Status != "" || objects[0].Attributes.Phase != phase || objects[0].Attributes.Claim == "" {
			c.Errorf("in state are %+v, want one machine that is %s and not tainted", objects, phase)
		}

		c.run("plan", "-detailed-exitcode")
	}

	c.run("apply", "-auto-approve")
	kept("Running")
	c.configure(acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ a = "b" }`}))
	c.run("apply", "-auto-approve")
	kept("Running")
	c.expectDestroyed()

	if launches := c.cloud.Created(); launches != 1 {
		c.Errorf("%d machines were launched", launches)
	}
}

// failedAs reports whether a call ended as the rule has it.
func (c *command) failedAs(rule ecsemulator.Rule) bool {
	return slices.ContainsFunc(c.cloud.Calls(), func(call ecsemulator.Call) bool {
		return call.Action == rule.Action && call.Done && call.Status == rule.HTTPStatus && call.Code == rule.Code
	})
}

// oneFault are the ways in which one call fails.
func oneFault() map[string]ecsemulator.Rule {
	return map[string]ecsemulator.Rule{
		"throttled": {Kind: ecsemulator.RuleError, Code: "Throttling.User", HTTPStatus: 400},
		"5xx":       {Kind: ecsemulator.RuleError, Code: "ServiceUnavailable", HTTPStatus: 503},
		"cut":       {Kind: ecsemulator.RuleCut, At: ecsemulator.MomentAfter},
	}
}

// commandMeetsFaultsInAnAdoption makes the calls fail by which an apply takes over what
// a killed one launched.
func commandMeetsFaultsInAnAdoption(t *testing.T, installation *terraformcli.Installation) {
	claim := ecsemulator.Rule{Action: "TagResources", Parameters: map[string]string{"Tag.1.Key": driver.ReservedTagPrefix + "claim"}}
	look := ecsemulator.Rule{Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}}

	for what, call := range map[string]ecsemulator.Rule{"the claim": claim, "a look": look} {
		for name, fault := range oneFault() {
			for nth := 1; nth <= 2 && (nth == 1 || call.Action == look.Action); nth++ {
				t.Run(fmt.Sprintf("%s, call %d, %s", what, nth, name), func(t *testing.T) {
					t.Parallel()

					c := newCommand(t, installation, ecsemulator.Options{})
					c.configure(acctest.Class() + acctest.Allocation("worker-a"))
					c.run("init")
					c.killed(ecsemulator.Rule{Action: "RunInstances", At: ecsemulator.MomentAfter})

					rule := fault
					rule.Action, rule.Parameters, rule.First, rule.Times = call.Action, call.Parameters, nth, 1
					c.cloud.Rule(t, rule)
					c.live()

					if !c.failedAs(rule) {
						t.Errorf("no call failed")
					}
				})
			}
		}
	}
}

// commandMeetsFaults makes each call after the launch fail once, in every way.
func commandMeetsFaults(t *testing.T, installation *terraformcli.Installation) {
	begin := func(t *testing.T) *command {
		t.Helper()

		c := newCommand(t, installation, ecsemulator.Options{})
		c.configure(acctest.Class() + acctest.Allocation("worker-a"))
		c.run("init")

		return c
	}

	// A life without a fault shows which calls there are.
	c := begin(t)
	c.live()

	if t.Failed() {
		return
	}

	seen, before := map[string]int{}, map[string]int{}
	launched := false

	for _, call := range c.cloud.Calls() {
		fault := callOf(call)

		switch {
		case call.Action == "RunInstances":
			launched = true

			continue
		case !launched:
			before[fault.kind()]++

			continue
		}

		seen[fault.kind()]++
		fault.nth, fault.before = seen[fault.kind()], before[fault.kind()]

		if fault.nth > callsOfAKind {
			continue
		}

		for name, rule := range oneFault() {
			t.Run(fmt.Sprintf("%s, call %d, %s", fault.kind(), fault.nth, name), func(t *testing.T) {
				t.Parallel()

				c := begin(t)
				rule.ID = "fault"
				rule.Action, rule.Parameters, rule.First, rule.Times = fault.action, fault.parameters, fault.before+fault.nth, 1
				c.cloud.Rule(t, rule)
				c.live()

				// How often a machine is polled is for the clock to say.
				if fault.nth == 1 && !c.failedAs(rule) {
					t.Errorf("no call failed")
				}
			})
		}
	}

	if len(seen) < 5 {
		t.Errorf("only these kinds of calls were met: %v", seen)
	}
}
