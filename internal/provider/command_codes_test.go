package provider_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// refuse answers launches of the machine code-<index> with the code, so many times; 0
// is always.
func refuse(c *command, index int, answer answerCode, times int) {
	c.Helper()
	c.cloud.Rule(c, ecsemulator.Rule{
		Kind: ecsemulator.RuleError, Action: "RunInstances", Parameters: map[string]string{"InstanceName": codeMachine(index)},
		Code: answer.code, HTTPStatus: answer.status, Message: answer.message, Times: times,
	})
}

func codeMachine(index int) string { return fmt.Sprintf("code-%d", index) }

// launchesOf counts the launches that were asked for, by the machine's name.
func launchesOf(cloud *acctest.Cloud) map[string]int {
	launches := map[string]int{}

	for _, call := range cloud.Calls() {
		if call.Action == "RunInstances" {
			launches[call.Parameters["InstanceName"]]++
		}
	}

	return launches
}

// typesApart are instance types that no two machines of a test share, so that what one
// is refused says nothing of another.
func typesApart(t *testing.T, count int) []string {
	t.Helper()

	catalogue, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}

	var ids []string

	for _, instanceType := range catalogue.InstanceTypes {
		if instanceType.Architecture == "X86" && len(instanceType.Zones) == 0 {
			ids = append(ids, instanceType.ID)
		}
	}

	if len(ids) < count {
		t.Fatalf("the catalogue has %d types that fit, want %d", len(ids), count)
	}

	return ids[:count]
}

// manyClasses are a class and a machine for each of the types.
func manyClasses(types []string, vswitches string) string {
	return fmt.Sprintf(`
locals {
  types = %s
}
resource "machine_class" "worker" {
  count = length(local.types)
  name  = "class-${count.index}"
  alicloud = {
    image_id           = "m-acme2"
    instance_types     = [local.types[count.index]]
    vswitch_ids        = %s
    security_group_ids = ["sg-1"]
    zone_order         = "listed"
  }
}
resource "machine_allocation" "worker" {
  count = length(local.types)
  name  = "code-${count.index}"
  class = machine_class.worker[count.index]
}
`, listOf(types), vswitches)
}

// commandGetsPastCapacityCodes has each machine refused in its first two zones, each
// for another reason.
func commandGetsPastCapacityCodes(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	codes := capacityCodes()

	c.configure(manyClasses(typesApart(t, len(codes)), `["vsw-a", "vsw-b", "vsw-c"]`))

	for i, answer := range codes {
		refuse(c, i, answer, 2)
	}

	c.run("init")
	c.run("apply", "-auto-approve")
	c.expectMachines(len(codes))

	launches := launchesOf(c.cloud)
	for i, answer := range codes {
		if got := launches[codeMachine(i)]; got != 3 {
			t.Errorf("%s (%d): RunInstances was called %d times", answer.code, answer.status, got)
		}
	}

	for _, machine := range c.cloud.Alive() {
		if machine.ZoneID != "cn-hangzhou-k" {
			t.Errorf("%s is in %s", machine.Name, machine.ZoneID)
		}
	}

	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}

// commandGetsPastFullNetworks has a vSwitch full for every reason there is. What is
// full for one type is full for all.
func commandGetsPastFullNetworks(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	vswitches, codes := []string{"vsw-small", "vsw-a", "vsw-b"}, fullNetworkCodes()

	for i, answer := range codes {
		c.cloud.Rule(t, ecsemulator.Rule{
			Kind: ecsemulator.RuleError, Action: "RunInstances", Parameters: map[string]string{"VSwitchId": vswitches[i]}, Code: answer.code, HTTPStatus: answer.status,
		})
	}

	const machines = 3

	c.configure(manyClasses(typesApart(t, machines), listOf(append(vswitches, "vsw-c"))))
	c.run("init")
	c.run("apply", "-auto-approve", "-parallelism=1")
	c.expectMachines(machines)

	if got, want := c.cloud.Counts()["RunInstances"], machines+len(codes); got != want {
		t.Errorf("RunInstances was called %d times, want %d", got, want)
	}

	c.run("plan", "-detailed-exitcode")
	c.expectDestroyed()
}

// commandStopsAtOtherCodes has each machine refused for a reason for which no other
// offering helps (F053).
func commandStopsAtOtherCodes(t *testing.T, installation *terraformcli.Installation) {
	kinds := []struct {
		codes []answerCode
		// remedy is the next step that the error has to name.
		remedy string
	}{
		{quotaCodes(), "Free what is no longer needed or ask for a higher quota in the Quota Center"},
		{accountCodes(), "Alibaba Cloud refuses this until somebody acts on the account"},
		{permissionCodes(), "Grant the RAM user or role the permission for the action named above"},
		{configurationCodes(), "Correct the configuration, then apply again."},
	}

	c := newCommand(t, installation, ecsemulator.Options{})

	type expected struct {
		answerCode

		remedy string
	}

	var all []expected

	for _, kind := range kinds {
		for _, answer := range kind.codes {
			refuse(c, len(all), answer, 0)
			all = append(all, expected{answer, kind.remedy})
		}
	}

	c.configure(acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`, "vswitch_ids": `["vsw-a", "vsw-b"]`}) +
		acctest.Allocation("worker", acctest.Arguments{"count": fmt.Sprint(len(all)), "name": `"code-${count.index}"`}))
	c.run("init")

	errorsOf := c.failures("apply", "-auto-approve", "-json")
	launches := launchesOf(c.cloud)

	for i, want := range all {
		text := errorsOf[fmt.Sprintf("machine_allocation.worker[%d]", i)]

		for _, part := range []string{fmt.Sprintf("Cannot launch %q", codeMachine(i)), want.code, "request", want.remedy} {
			if !strings.Contains(text, part) {
				t.Errorf("%s (%d): the error does not say %q:\n%s", want.code, want.status, part, text)
			}
		}

		if got := launches[codeMachine(i)]; got != 1 {
			t.Errorf("%s (%d): RunInstances was called %d times", want.code, want.status, got)
		}
	}

	c.expectMachines(0)
	c.expectDestroyed()
}

// failures runs a command that has to fail, with -json, and returns the errors by the
// address of what they are of.
func (c *command) failures(arguments ...string) map[string]string {
	c.Helper()

	result, err := c.workspace.Run(c.Context(), arguments...)
	c.keep(result)

	var exit *terraformcli.ExitError
	if !errors.As(err, &exit) {
		c.Fatalf("%v: %v", arguments, err)
	}

	texts := map[string]string{}

	for line := range bytes.Lines([]byte(result.Stdout)) {
		var message struct {
			Diagnostic *struct {
				Severity, Summary, Detail, Address string
			}
		}

		if err := json.Unmarshal(line, &message); err != nil || message.Diagnostic == nil || message.Diagnostic.Severity != "error" {
			continue
		}

		texts[message.Diagnostic.Address] += message.Diagnostic.Summary + "\n" + message.Diagnostic.Detail + "\n"
	}

	return texts
}

// listOf writes strings as an HCL list.
func listOf(values []string) string {
	quoted := make([]string, 0, len(values))
	for _, value := range values {
		quoted = append(quoted, fmt.Sprintf("%q", value))
	}

	return "[" + strings.Join(slices.Clip(quoted), ", ") + "]"
}
