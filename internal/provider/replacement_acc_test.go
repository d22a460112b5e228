package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// replacing creates a machine of one image and then changes the image.
func replacing(cloud *acctest.Cloud, allocation string, action plancheck.ResourceActionType) []resource.TestStep {
	return []resource.TestStep{
		{
			Config: cloud.Provider() + acctest.Class() + allocation,
			Check:  cloud.CheckMachines(1),
		},
		{
			Config:           cloud.Provider() + acctest.Class(acctest.Arguments{"image_id": `"m-acme1"`}) + allocation,
			ConfigPlanChecks: planned(machineA, action),
			Check:            cloud.CheckMachines(2),
		},
	}
}

func TestAccAReplacementLeavesOneMachine(t *testing.T) {
	t.Parallel()

	t.Run("destroyed before it is created", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		run(t, cloud, 2, replacing(cloud, acctest.Allocation("worker-a"), plancheck.ResourceActionDestroyBeforeCreate)...)
	})

	t.Run("created before it is destroyed", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		run(t, cloud, 2, replacing(cloud, acctest.CreateBeforeDestroy(acctest.Allocation("worker-a")), plancheck.ResourceActionCreateBeforeDestroy)...)
	})

	t.Run("tainted", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

		run(t, cloud, 2,
			resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
			resource.TestStep{
				Taint:            []string{machineA},
				Config:           config,
				ConfigPlanChecks: planned(machineA, plancheck.ResourceActionDestroyBeforeCreate),
				Check:            cloud.CheckMachines(2),
			},
		)
	})

	t.Run("tainted and created before it is destroyed", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		config := cloud.Provider() + acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a"))

		run(t, cloud, 2,
			resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
			resource.TestStep{
				Taint:            []string{machineA},
				Config:           config,
				ConfigPlanChecks: planned(machineA, plancheck.ResourceActionCreateBeforeDestroy),
				Check:            cloud.CheckMachines(2),
			},
		)
	})

	t.Run("tainted and created before it is destroyed, without marks", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		config := cloud.ProviderWith(acctest.Arguments{"mark_settled": "false"}) + acctest.Class() + acctest.CreateBeforeDestroy(acctest.Allocation("worker-a"))

		run(t, cloud, 1,
			resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
			resource.TestStep{
				Taint:            []string{machineA},
				Config:           config,
				ConfigPlanChecks: planned(machineA, plancheck.ResourceActionCreateBeforeDestroy),
				// Nothing says that a state holds the machine, so it is adopted.
				Check: cloud.CheckMachines(1),
			},
		)
	})
}

func TestAccAMovedResourceKeepsItsMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class()

	run(t, cloud, 1,
		resource.TestStep{Config: config + acctest.Allocation("worker-a")},
		resource.TestStep{
			Config: config + acctest.Allocation("other", acctest.Arguments{"name": `"worker-a"`}) +
				"moved {\n  from = machine_allocation.worker-a\n  to = machine_allocation.other\n}\n",
			ConfigPlanChecks: planned("machine_allocation.other", plancheck.ResourceActionNoop),
			Check:            cloud.CheckMachines(1),
		},
	)
}
