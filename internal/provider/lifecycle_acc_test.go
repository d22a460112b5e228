package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/compare"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func value(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(machineA, tfjsonpath.New(attribute), check)
}

// After every step the framework of the tests plans twice and wants no changes.
func TestAccAMachineLivesFromCreateToDestroy(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	base := cloud.Provider() + acctest.Class(acctest.Arguments{"tags": `{ team = "core", tier = "1" }`})
	same := statecheck.CompareValue(compare.ValuesSame())
	sameID := func() statecheck.StateCheck { return same.AddStateValue(machineA, tfjsonpath.New("id")) }

	run(t, cloud, 1,
		resource.TestStep{
			Config: base + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ tier = "2" }`}),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(theClass, plancheck.ResourceActionCreate),
				plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionCreate),
				plancheck.ExpectUnknownValue(machineA, tfjsonpath.New("instance_type")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				sameID(),
				value("phase", knownvalue.StringExact("Running")),
				value("instance_type", knownvalue.StringExact("ecs.g7.large")),
				value("zone", knownvalue.StringExact("cn-hangzhou-h")),
				value("image", knownvalue.StringExact("m-acme2")),
				value("charge", knownvalue.StringExact("on_demand")),
				value("offering", knownvalue.StringExact("ecs.g7.large/vsw-a/on_demand")),
				value("provider_id", knownvalue.StringRegexp(acctest.Text("cn-hangzhou.i-"))),
				value("locator", knownvalue.NotNull()),
				value("claim", knownvalue.NotNull()),
				value("created_at", knownvalue.NotNull()),
				value("public_ip", knownvalue.Null()),
				value("lock_reasons", knownvalue.ListSizeExact(0)),
				value("private_ips", knownvalue.ListSizeExact(1)),
				value("owned_resources", knownvalue.ListPartial(map[int]knownvalue.Check{
					0: knownvalue.ObjectPartial(map[string]knownvalue.Check{"kind": knownvalue.StringExact("Instance")}),
				})),
			},
			Check: resource.ComposeTestCheckFunc(
				cloud.CheckMachines(1),
				hasTags(cloud, map[string]string{"team": "core", "tier": "2"}),
				onMachine(cloud, func(machine ecsemulator.Instance) error {
					if machine.Name != "worker-a" || machine.Tags[driver.ReservedTagPrefix+"owner"] != acctest.Owner {
						return fmt.Errorf("the machine is %+v", machine)
					}

					return nil
				}),
			),
		},
		resource.TestStep{
			// Somebody else's tag stays, and is no difference.
			PreConfig:         func() { cloud.Tag(t, only(t, cloud), map[string]string{"foreign": "stays"}) },
			Config:            base + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ added = "yes" }`}),
			ConfigPlanChecks:  planned(machineA, plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{sameID()},
			Check: resource.ComposeTestCheckFunc(
				cloud.CheckMachines(1),
				hasTags(cloud, map[string]string{"team": "core", "tier": "1", "added": "yes", "foreign": "stays"}),
			),
		},
		resource.TestStep{
			// A tag that somebody took or changed is put right.
			PreConfig:        func() { cloud.Tag(t, only(t, cloud), map[string]string{"added": "no"}) },
			Config:           base + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ added = "yes" }`}),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check:            hasTags(cloud, map[string]string{"team": "core", "tier": "1", "added": "yes", "foreign": "stays"}),
		},
		resource.TestStep{
			// The class's tags change in place, too, and a name does.
			Config: cloud.Provider() + acctest.Class(acctest.Arguments{"tags": `{ tier = "3" }`}) +
				acctest.Allocation("worker-a", acctest.Arguments{"name": `"renamed"`}),
			ConfigPlanChecks:  planned(machineA, plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{sameID(), value("name", knownvalue.StringExact("renamed"))},
			Check: resource.ComposeTestCheckFunc(
				cloud.CheckMachines(1),
				hasTags(cloud, map[string]string{"tier": "3", "foreign": "stays"}),
				onMachine(cloud, func(machine ecsemulator.Instance) error {
					if got := machine.Tags[driver.ReservedTagPrefix+"name"]; got != "renamed" {
						return fmt.Errorf("the name tag is %q; all tags are %v", got, machine.Tags)
					}

					return nil
				}),
			),
		},
		resource.TestStep{
			// Longer patience is no call at all.
			PreConfig: cloud.ResetCalls,
			Config: cloud.Provider() + acctest.Class(acctest.Arguments{"tags": `{ tier = "3" }`}) +
				acctest.Allocation("worker-a", acctest.Arguments{"name": `"renamed"`, "timeouts": `{ delete = "15m" }`}),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check: func(*terraform.State) error {
				if got := cloud.Counts()["TagResources"]; got != 0 {
					return fmt.Errorf("TagResources was called %d times for a change of timeouts", got)
				}

				return nil
			},
		},
	)

	if got := cloud.Counts()["RunInstances"]; got != 0 {
		t.Errorf("RunInstances was called %d times after the create", got)
	}
}

func TestAccThreeMachinesTakeThreeLaunches(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() +
		acctest.Class(acctest.Arguments{"image_id": "", "image_family": `"acme-node"`, "vswitch_ids": `["vsw-a", "vsw-b"]`, "system_disk": `{ size_gib = 60 }`}) +
		acctest.Allocation("fleet", acctest.Arguments{"count": "3", "name": `"worker-${count.index}"`})

	run(t, cloud, 3,
		resource.TestStep{Config: config, Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(3), func(*terraform.State) error {
			counts := cloud.Counts()
			if counts["RunInstances"] != 3 {
				return fmt.Errorf("RunInstances was called %d times for 3 machines", counts["RunInstances"])
			}

			// Plan and apply are two processes; in each of them one resolution of the
			// class serves the class and its machines. A call describes one vSwitch.
			for action, want := range map[string]int{
				"DescribeInstanceTypes": 2, "DescribeImageFromFamily": 2, "DescribeVSwitches": 4, "DescribeSecurityGroups": 2, "DescribeAvailableResource": 2,
			} {
				if counts[action] != want {
					return fmt.Errorf("%s was called %d times, want %d; calls: %v", action, counts[action], want, counts)
				}
			}

			return nil
		})},
		resource.TestStep{
			PreConfig: cloud.ResetCalls,
			Config:    config,
			PlanOnly:  true,
		},
	)
}
