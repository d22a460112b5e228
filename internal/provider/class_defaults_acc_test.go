package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// What ECS chose for a machine can be written down: that plans nothing (F072, F075), and
// neither does another order of disks. Only another value replaces.
func TestAccWhatECSChoseCanBeWrittenDown(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	left := acctest.Arguments{"internet": "{ bandwidth_out_mbps = 5 }", "data_disks": `[{ size_gib = 100 }, { snapshot_id = "s-1" }]`}
	step := func(class acctest.Arguments, action plancheck.ResourceActionType, created int) resource.TestStep {
		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(left, class) + acctest.Allocation("worker-a") + acctest.Allocation("worker-b"),
			ConfigPlanChecks: planned(machineA, action),
			Check:            cloud.CheckMachines(created),
		}
	}

	// ecs.g7 takes ESSDs alone, and gets them at PL0 (and data disks at PL1) where nothing is
	// said.
	written := acctest.Arguments{
		"internet":    `{ bandwidth_out_mbps = 5, bandwidth_in_mbps = 10, charge_type = "traffic" }`,
		"system_disk": `{ category = "cloud_essd", performance_level = "PL0", size_gib = 40, encrypted = false }`,
		"data_disks":  `[{ size_gib = 100, category = "cloud_essd", performance_level = "PL1", delete_with_instance = true }, { snapshot_id = "s-1", category = "cloud_essd" }]`,
	}
	turned := grownWith(written, acctest.Arguments{
		"data_disks": `[{ snapshot_id = "s-1", category = "cloud_essd" }, { size_gib = 100, category = "cloud_essd" }]`,
	})
	other := grownWith(written, acctest.Arguments{"system_disk": `{ category = "cloud_auto", size_gib = 40 }`})

	run(t, cloud, 4,
		step(nil, plancheck.ResourceActionCreate, 2),
		step(written, plancheck.ResourceActionNoop, 2),
		step(turned, plancheck.ResourceActionNoop, 2),
		step(other, plancheck.ResourceActionDestroyBeforeCreate, 4),
	)
}
