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

// Where ECS answers a spent token with the machine that it once made, each successor
// has to get past all its predecessors (F056).
func TestAccAMachineIsLaunchedAnyNumberOfTimesUnderOneName(t *testing.T) {
	t.Parallel()

	t.Run("taken out of the configuration and put back", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		without := cloud.Provider() + acctest.Class()
		with := without + acctest.Allocation("worker-a")

		var steps []resource.TestStep

		for generation := 1; generation <= 4; generation++ {
			steps = append(steps,
				resource.TestStep{Config: with, Check: cloud.CheckMachines(generation)},
				resource.TestStep{Config: without},
			)
		}

		run(t, cloud, 4, steps...)
	})

	t.Run("replaced again and again", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

		steps := []resource.TestStep{{Config: config, Check: cloud.CheckMachines(1)}}
		for generation := 2; generation <= 5; generation++ {
			steps = append(steps, resource.TestStep{Taint: []string{machineA}, Config: config, Check: cloud.CheckMachines(generation)})
		}

		run(t, cloud, 5, steps...)
	})
}
