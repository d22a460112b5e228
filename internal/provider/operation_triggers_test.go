package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A trigger that is null is one that is left out: the operation is the same, and is
// neither replaced nor carried out again.
func TestAccANullTriggerIsNone(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, test := range map[string]struct {
		before, after string
		action        plancheck.ResourceActionType
		reboots       int
	}{
		"a null goes":            {`{ a = null }`, `null`, plancheck.ResourceActionUpdate, 1},
		"a null comes":           {`{ b = "1" }`, `{ a = null, b = "1" }`, plancheck.ResourceActionUpdate, 1},
		"an empty map goes":      {`{}`, `null`, plancheck.ResourceActionUpdate, 1},
		"a null stays":           {`{ a = null }`, `{ a = null }`, plancheck.ResourceActionNoop, 1},
		"a value becomes null":   {`{ a = "1" }`, `{ a = null }`, plancheck.ResourceActionReplace, 2},
		"a null becomes a value": {`{ a = null }`, `{ a = "1" }`, plancheck.ResourceActionReplace, 2},
		"a null becomes empty":   {`{ a = null }`, `{ a = "" }`, plancheck.ResourceActionReplace, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			_, id := existing(t, cloud)
			reboot := func(triggers string) string {
				return cloud.Provider() + acctest.Operation("op-a", "HostReboot", id, acctest.Arguments{"triggers": triggers})
			}

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{
					{Config: reboot(test.before)},
					{
						Config: reboot(test.after),
						ConfigPlanChecks: resource.ConfigPlanChecks{
							PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(operationA, test.action)},
							PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
						},
					},
				},
			})

			if got := operated(cloud)["rebooted"]; got != test.reboots {
				t.Errorf("it was rebooted %d times, want %d", got, test.reboots)
			}
		})
	}
}
