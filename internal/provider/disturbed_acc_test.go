package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Many machines, of which each is listed late and half lose the answer to their launch.
func TestAccAFleetIsLaunchedOnceWhateverIsLost(t *testing.T) {
	t.Parallel()

	const machines = 12

	cloud := acctest.Start(t, ecsemulator.Options{NewVisibilityDelay: 20 * time.Second})
	cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter, Times: machines / 2})

	run(t, cloud, machines, resource.TestStep{
		Config: cloud.Provider() + acctest.Class() + acctest.Allocation("fleet", acctest.Arguments{"count": "12", "name": `"worker-${count.index}"`}),
		Check:  cloud.CheckMachines(machines),
	})
}

// A refusal for capacity is told by its code, whatever status it comes with (F059).
func TestAccARefusalForCapacityWithAServerErrorIsNoFault(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	cloud.Rule(t, ecsemulator.Rule{
		Kind: ecsemulator.RuleError, Action: "RunInstances", Parameters: map[string]string{"InstanceType": "ecs.g7.large"},
		Code: "OperationDenied.NoStock", HTTPStatus: 500, Message: "The requested resource is sold out.",
	})

	run(t, cloud, 1, resource.TestStep{
		Config:            cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a"),
		ConfigStateChecks: []statecheck.StateCheck{value("instance_type", knownvalue.StringExact("ecs.g6.large"))},
		Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), func(*terraform.State) error {
			if launches := cloud.Counts()["RunInstances"]; launches > 2 {
				return fmt.Errorf("RunInstances was called %d times", launches)
			}

			return nil
		}),
	})
}

func TestAccADestroyObeysItsTimeout(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{ReleaseDuration: tooSlow().BootDuration})
	config := cloud.Provider() + acctest.Class()

	run(t, cloud, 1,
		resource.TestStep{Config: config + acctest.Allocation("worker-a", acctest.Arguments{"timeouts": `{ delete = "1s" }`})},
		resource.TestStep{
			Config: config, Destroy: true,
			ExpectError: acctest.Text("The release was not seen to its end", `"worker-a" (cn-hangzhou.i-`, "The machine stays in state"),
		},
		resource.TestStep{
			// A release that is under way is waited for, not refused.
			PreConfig: func() { boot(t, cloud) },
			Config:    config,
			Check:     cloud.CheckMachines(1),
		},
	)
}

// A machine that was given another type by other means keeps it (F086).
func TestAccAResizedMachineIsNotReplaced(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{StopDuration: -1, BootDuration: -1, PendingDuration: -1})
	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

	run(t, cloud, 1,
		resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
		resource.TestStep{
			PreConfig: func() {
				id := only(t, cloud).ID
				cloud.Call(t, "StopInstance", map[string]string{"InstanceId": id})
				cloud.Call(t, "ModifyInstanceSpec", map[string]string{"InstanceId": id, "InstanceType": "ecs.c7.large"})
				cloud.Call(t, "StartInstance", map[string]string{"InstanceId": id})
			},
			Config:            config,
			ConfigPlanChecks:  resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionNoop)}},
			ConfigStateChecks: []statecheck.StateCheck{value("instance_type", knownvalue.StringExact("ecs.c7.large"))},
			Check:             cloud.CheckMachines(1),
		},
	)
}

func TestAccAProtectedMachineIsNotReleased(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class()
	protect := func(protected string) func() {
		return func() {
			cloud.Call(t, "ModifyInstanceAttribute", map[string]string{"InstanceId": only(t, cloud).ID, "DeletionProtection": protected})
		}
	}

	run(t, cloud, 1,
		resource.TestStep{Config: config + acctest.Allocation("worker-a")},
		resource.TestStep{
			PreConfig: protect("true"), Config: config, Destroy: true,
			ExpectError: acctest.Text(`Cannot release "worker-a" (cn-hangzhou.i-`, "is protected against deletion", "switch its deletion protection off, then destroy again"),
		},
		resource.TestStep{
			// Nothing was begun.
			Config:           config + acctest.Allocation("worker-a"),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionNoop),
			Check:            cloud.CheckMachines(1),
		},
		resource.TestStep{PreConfig: protect("false"), Config: config, Check: func(*terraform.State) error {
			if alive := cloud.Alive(); len(alive) != 0 {
				return fmt.Errorf("alive are %v", alive)
			}

			return nil
		}},
	)
}

// A spot machine that ECS takes back is shown so until it is gone, and created again
// then.
func TestAccAReclaimedMachineIsCreatedAgain(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class(acctest.Arguments{"capacity_types": `["spot"]`}) + acctest.Allocation("worker-a")

	run(t, cloud, 2,
		resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
		resource.TestStep{
			PreConfig: func() {
				if _, err := cloud.AddIncident(only(t, cloud).ID, ecsemulator.Incident{Kind: ecsemulator.IncidentReclaim}); err != nil {
					t.Fatal(err)
				}

				if err := cloud.Step(time.Hour); err != nil {
					t.Fatal(err)
				}
			},
			Config:           config,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionCreate),
			Check:            cloud.CheckMachines(2),
		},
	)
}

// Nothing and an empty list or map are the same machine (F082, F120).
func TestAccWhatIsEmptyIsNoDifference(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(class, machine acctest.Arguments, action plancheck.ResourceActionType) resource.TestStep {
		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(class) + acctest.Allocation("worker-a", machine),
			ConfigPlanChecks: planned(machineA, action),
			Check:            cloud.CheckMachines(1),
		}
	}

	run(t, cloud, 1,
		step(acctest.Arguments{"tags": "{}", "system_disk": "{}"}, acctest.Arguments{"tags": "{}"}, plancheck.ResourceActionCreate),
		step(acctest.Arguments{"tags": "null", "system_disk": "{}", "capacity_types": "null"}, acctest.Arguments{"tags": "{}"}, plancheck.ResourceActionNoop),
		step(acctest.Arguments{"capacity_types": `["on_demand"]`, "system_disk": "{}"}, acctest.Arguments{"tags": "{}"}, plancheck.ResourceActionNoop),
	)
}

// Letters of more than a byte reach the machine and break nothing on the way.
func TestAccTextOfAnyAlphabetIsHandedOn(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	data := "#!/bin/sh\necho grüße 🚀 云\n"

	run(t, cloud, 1, resource.TestStep{
		Config: cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{
			"user_data_wo": `"` + strings.ReplaceAll(data, "\n", `\n`) + `"`, "user_data_wo_version": "1", "tags": `{ "größe" = "云 🚀" }`,
		}),
		Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), hasTags(cloud, map[string]string{"größe": "云 🚀"})),
	})
}
