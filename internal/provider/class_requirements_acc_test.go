package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// requiring is a class that has requirements in place of types.
func requiring(requirements string) acctest.Arguments {
	return acctest.Arguments{"instance_types": "", "requirements": requirements}
}

func TestAccRequirementsFindTypesAndKeepMachinesThatMeetThem(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(class acctest.Arguments, action plancheck.ResourceActionType, instanceType string, created int) resource.TestStep {
		return resource.TestStep{
			Config:            cloud.Provider() + acctest.Class(class) + acctest.Allocation("worker-a"),
			ConfigPlanChecks:  planned(machineA, action),
			ConfigStateChecks: []statecheck.StateCheck{value("instance_type", knownvalue.StringExact(instanceType))},
			Check:             cloud.CheckMachines(created),
		}
	}

	const replaced = plancheck.ResourceActionDestroyBeforeCreate

	run(t, cloud, 4,
		// The smallest that will do, and of one size the first family.
		step(requiring(`{ vcpus = { min = 2 }, memory_gib = { min = 8 }, families = ["ecs.g7", "ecs.g6"] }`), plancheck.ResourceActionCreate, "ecs.g7.large", 1),
		// It still meets all of these.
		step(requiring(`{ vcpus = { min = 2, max = 4 }, memory_gib_per_vcpu = { min = 4, max = 4 }, exclude_families = ["ecs.g6"] }`), plancheck.ResourceActionNoop, "ecs.g7.large", 1),
		step(acctest.Arguments{"instance_types": `["ecs.g6.large", "ecs.g7.large"]`}, plancheck.ResourceActionNoop, "ecs.g7.large", 1),
		step(requiring(`{ vcpus = { min = 2 }, network_bandwidth_gbps = { min = 1 } }`), plancheck.ResourceActionNoop, "ecs.g7.large", 1),
		// And not these.
		step(requiring(`{ vcpus = { min = 4 }, families = ["ecs.g7"] }`), replaced, "ecs.g7.xlarge", 2),
		step(requiring(`{ vcpus = { min = 4 }, exclude_instance_types = ["ecs.g7.xlarge"], families = ["ecs.g7"] }`), replaced, "ecs.g7.2xlarge", 3),
		step(acctest.Arguments{"instance_types": `["ecs.g6.large"]`}, replaced, "ecs.g6.large", 4),
	)
}

// Whether a machine meets requirements is a question of what its type is. That it is
// no longer sold does not replace it.
func TestAccAMachineWhoseTypeIsSoldOutMeetsRequirementsAllTheSame(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := func(requirements string) string {
		return cloud.Provider() + acctest.Class(requiring(requirements)) + acctest.Allocation("worker-a")
	}

	run(t, cloud, 1,
		resource.TestStep{Config: config(`{ vcpus = { max = 2 }, families = ["ecs.g7"] }`), Check: cloud.CheckMachines(1)},
		resource.TestStep{
			PreConfig: func() {
				if err := cloud.SetStock(ecsemulator.Stock{InstanceType: "ecs.g7.large", StatusCategory: "ClosedWithoutStock"}); err != nil {
					t.Fatal(err)
				}
			},
			Config:           config(`{ vcpus = { max = 4 }, families = ["ecs.g7"] }`),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionNoop),
			Check:            cloud.CheckMachines(1),
		},
	)
}

func TestAccOnlyWhatTheListLosesIsReplaced(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	one := 1

	for _, instanceType := range []string{"ecs.g7.large", "ecs.c7.large"} {
		if err := cloud.SetStock(ecsemulator.Stock{InstanceType: instanceType, StatusCategory: "WithStock", Left: &one, Hidden: true}); err != nil {
			t.Fatal(err)
		}
	}

	// One of each type: the second machine waits for the first, the third for it.
	machines := acctest.Allocation("worker-a") +
		acctest.Allocation("worker-b", acctest.Arguments{"depends_on": "[machine_allocation.worker-a]"}) +
		acctest.Allocation("worker-c", acctest.Arguments{"depends_on": "[machine_allocation.worker-b]"})

	step := func(types string, created int, actions ...plancheck.ResourceActionType) resource.TestStep {
		var checks []plancheck.PlanCheck

		for i, action := range actions {
			checks = append(checks, plancheck.ExpectResourceAction("machine_allocation.worker-"+string(rune('a'+i)), action))
		}

		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": types}) + machines,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks},
			Check:            cloud.CheckMachines(created),
		}
	}

	const (
		create = plancheck.ResourceActionCreate
		keep   = plancheck.ResourceActionNoop
		again  = plancheck.ResourceActionDestroyBeforeCreate
	)

	run(t, cloud, 4,
		step(`["ecs.g7.large", "ecs.c7.large", "ecs.g6.large"]`, 3, create, create, create),
		step(`["ecs.g6.large", "ecs.c7.large", "ecs.g7.large"]`, 3, keep, keep, keep),
		step(`["ecs.r6.large", "ecs.g6.large", "ecs.c7.large", "ecs.g7.large", "ecs.r7.large"]`, 3, keep, keep, keep),
		step(`["ecs.r6.large", "ecs.g6.large", "ecs.g7.large"]`, 4, keep, again, keep),
	)
}
