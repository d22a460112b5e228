package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestAccDefaultTagsAreOnEveryMachineAndChangeInPlace(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machines := acctest.Class(acctest.Arguments{"tags": `{ team = "class", tier = "class" }`}) +
		acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ tier = "machine" }`})
	with := func(tags string) string {
		return cloud.ProviderWith(acctest.Arguments{"default_tags": tags}) + machines
	}
	empty := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

	step := func(tags string, action plancheck.ResourceActionType, want map[string]string) resource.TestStep {
		checks := empty
		checks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(machineA, action)}

		return resource.TestStep{Config: with(tags), ConfigPlanChecks: checks, Check: hasTags(cloud, want)}
	}

	run(t, cloud, 1,
		step(`{ team = "all", cost = "1", site = "x" }`, plancheck.ResourceActionCreate, map[string]string{"team": "class", "tier": "machine", "cost": "1", "site": "x"}),
		step(`{ team = "all", cost = "2", site = "x" }`, plancheck.ResourceActionUpdate, map[string]string{"team": "class", "tier": "machine", "cost": "2", "site": "x"}),
		// What the class says holds, whatever becomes of the default beneath it.
		step(`{ cost = "2", site = "x" }`, plancheck.ResourceActionNoop, map[string]string{"team": "class", "tier": "machine", "cost": "2", "site": "x"}),
		resource.TestStep{
			Config: with(`{ for i in range(11) : "default-${i}" => "x" }`), ExpectError: acctest.Text("Too many tags", "its class and the provider give 13 tags"),
		},
		resource.TestStep{
			Config: with(`{ "terraform-machine/owner" = "me" }`), ExpectError: acctest.Text("Invalid tag key", "are the provider's own"),
		},
		step("", plancheck.ResourceActionUpdate, map[string]string{"team": "class", "tier": "machine"}),
	)
}

func TestAccDefaultTagsAreWrittenOnAnImportedMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	existing := cloud.Existing(t, ecsemulator.NewInstance{InstanceType: "ecs.g7.large", AgeSeconds: 86400, Tags: map[string]string{"own": "1"}})
	config := cloud.ProviderWith(acctest.Arguments{"default_tags": `{ cost = "1" }`}) + acctest.Class() + acctest.Allocation("worker-a")

	run(t, cloud, 0, resource.TestStep{
		Config: config + fmt.Sprintf("import {\n  to = %s\n  id = \"%s.%s\"\n}\n", machineA, existing.RegionID, existing.ID),
		ConfigPlanChecks: resource.ConfigPlanChecks{
			PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionUpdate)},
			PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
		},
		Check: resource.ComposeTestCheckFunc(hasTags(cloud, map[string]string{"own": "1", "cost": "1"}), func(*terraform.State) error {
			if launches := cloud.Counts()["RunInstances"]; launches != 0 {
				return fmt.Errorf("an import launched %d machines", launches)
			}

			return nil
		}),
	})
}
