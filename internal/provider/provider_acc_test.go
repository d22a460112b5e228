package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestAccProviderArgumentsMayBeUnknownAtPlan(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 1, resource.TestStep{
		Config: `
resource "terraform_data" "later" {
  input = { owner = "acceptance/later", region = "cn-hangzhou" }
}
` + cloud.ProviderWith(acctest.Arguments{"owner": "terraform_data.later.output.owner"}, acctest.Arguments{"region": "terraform_data.later.output.region"}) +
			acctest.Class() + acctest.Allocation("worker-a"),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectUnknownValue(theClass, tfjsonpath.New("alicloud").AtMapKey("region")),
			plancheck.ExpectUnknownValue(machineA, tfjsonpath.New("locator")),
		}},
		Check: resource.ComposeTestCheckFunc(
			cloud.CheckMachines(1),
			resource.TestCheckResourceAttr(theClass, "alicloud.region", "cn-hangzhou"),
		),
	})
}
