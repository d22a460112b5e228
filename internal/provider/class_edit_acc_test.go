package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Another key pair is none of what replaces (F085).
func TestAccAnEditOfTheClassReplacesOnlyWhatNoLongerFits(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	// edited is one step: the class has these arguments besides the first ones, and
	// the machine is then dealt with so. After the step no change is planned.
	edited := func(class, allocation acctest.Arguments, action plancheck.ResourceActionType, created int) resource.TestStep {
		first := acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`, "vswitch_ids": `["vsw-a", "vsw-b"]`}

		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(first, class) + acctest.Allocation("worker-a", allocation),
			ConfigPlanChecks: planned(machineA, action),
			Check:            cloud.CheckMachines(created),
		}
	}

	grown := acctest.Arguments{
		"instance_types": `["ecs.c7.large", "ecs.g6.large", "ecs.g7.large"]`, "vswitch_ids": `["vsw-c", "vsw-b", "vsw-a"]`,
		"capacity_types": `["spot", "on_demand"]`,
	}
	groups := grownWith(grown, acctest.Arguments{"security_group_ids": `["sg-1", "sg-2"]`, "key_pair_name": `"acme-key"`})
	without := grownWith(groups, acctest.Arguments{"instance_types": `["ecs.c7.large", "ecs.g6.large"]`})
	image := grownWith(without, acctest.Arguments{"image_id": "", "image_family": `"acme-node"`})
	version := acctest.Arguments{"user_data_wo": `"#cloud-config"`, "user_data_wo_version": "1"}

	run(t, cloud, 4,
		edited(nil, nil, plancheck.ResourceActionCreate, 1),
		edited(grown, nil, plancheck.ResourceActionNoop, 1),
		edited(groups, nil, plancheck.ResourceActionUpdate, 1),
		edited(without, nil, plancheck.ResourceActionDestroyBeforeCreate, 2),
		edited(image, nil, plancheck.ResourceActionDestroyBeforeCreate, 3),
		edited(image, version, plancheck.ResourceActionDestroyBeforeCreate, 4),
	)
}

func grownWith(arguments, changes acctest.Arguments) acctest.Arguments {
	merged := acctest.Arguments{}

	for _, part := range []acctest.Arguments{arguments, changes} {
		for name, expression := range part {
			merged[name] = expression
		}
	}

	return merged
}

// An apply destroys what a changed class replaces before it launches the successor.
// A class that can have none is found at plan.
func TestAccAMistakeInAClassCostsNoMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	right := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")
	wrong := cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.zzz"]`}) + acctest.Allocation("worker-a")

	run(t, cloud, 1,
		resource.TestStep{Config: right, Check: cloud.CheckMachines(1)},
		resource.TestStep{Config: wrong, ExpectError: acctest.Text(`there is no instance type "ecs.zzz"`)},
		resource.TestStep{Config: right, Check: cloud.CheckMachines(1)},
	)
}
