package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A machine is looked for in its own region, whatever the provider's is by now.
func TestAccAnotherRegionOfTheProviderMovesNoMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	inHangzhou := acctest.Class(acctest.Arguments{"region": `"cn-hangzhou"`}) + acctest.Allocation("worker-a")
	elsewhere := cloud.Provider(acctest.Arguments{"region": `"cn-shanghai"`})

	run(t, cloud, 1,
		resource.TestStep{Config: cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")},
		resource.TestStep{
			// The class would follow, and what it names is in the other region only.
			Config:      elsewhere + acctest.Class() + acctest.Allocation("worker-a"),
			ExpectError: acctest.Text(`The class "worker" cannot be resolved`, `there is no vSwitch "vsw-a" in the region cn-shanghai`),
		},
		resource.TestStep{
			Config:           elsewhere + inHangzhou,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionNoop),
			Check:            cloud.CheckMachines(1),
		},
		resource.TestStep{
			Config:           elsewhere + inHangzhou,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			Check:            cloud.CheckMachines(1),
		},
	)
}
