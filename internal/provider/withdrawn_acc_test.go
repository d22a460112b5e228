package provider_test

import (
	"fmt"
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

// A launch that was accepted and is withdrawn later is a refusal for capacity: the next
// offering is tried.
func TestAccAWithdrawnLaunchGivesWayToTheNextOffering(t *testing.T) {
	t.Parallel()

	for name, options := range map[string]ecsemulator.Options{
		"seen before":                          {BootDuration: 60 * time.Second},
		"never seen":                           {BootDuration: 60 * time.Second, NewVisibilityDelay: 30 * time.Second},
		"and a used token answers an error":    {BootDuration: 60 * time.Second, Behavior: ecsemulator.Behavior{ReplayAfterRelease: ecsemulator.ReplayFails}},
		"never seen, and a used token refuses": {BootDuration: 60 * time.Second, NewVisibilityDelay: 30 * time.Second, Behavior: ecsemulator.Behavior{ReplayAfterRelease: ecsemulator.ReplayFails}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, options)
			cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleWithdraw, Action: "RunInstances", Seconds: 20, Times: 1})

			// One that was never seen may as well be an old answer, so its offering is asked again.
			want := `ecs.g6.large`
			if options.NewVisibilityDelay > 0 {
				want = `ecs.g7.large`
			}

			run(t, cloud, 2, resource.TestStep{
				Config: cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a"),
				ConfigStateChecks: []statecheck.StateCheck{
					value("instance_type", knownvalue.StringExact(want)),
					value("phase", knownvalue.StringExact("Running")),
				},
				Check: cloud.CheckMachines(2),
			})
		})
	}
}

// One that is withdrawn before it was ever listed looks like an old answer, so that its
// offering is asked for once more, and then left for the next one.
func TestAccAnOfferingWhoseMachinesAreNeverSeenGivesWayToTheNext(t *testing.T) {
	t.Parallel()

	for _, replay := range []ecsemulator.Replay{ecsemulator.ReplaySameIDs, ecsemulator.ReplayFails} {
		t.Run(fmt.Sprintf("used tokens answer %s", replay), func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{
				BootDuration: 60 * time.Second, NewVisibilityDelay: 30 * time.Second, Behavior: ecsemulator.Behavior{ReplayAfterRelease: replay},
			})
			cloud.Rule(t, ecsemulator.Rule{
				Kind: ecsemulator.RuleWithdraw, Action: "RunInstances", Parameters: map[string]string{"InstanceType": "ecs.g7.large"}, Seconds: 20,
			})

			run(t, cloud, 3, resource.TestStep{
				Config:            cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a"),
				ConfigStateChecks: []statecheck.StateCheck{value("instance_type", knownvalue.StringExact("ecs.g6.large"))},
				Check:             cloud.CheckMachines(3),
			})
		})
	}
}

func TestAccAWithdrawnLaunchOfTheOnlyOfferingIsNoCapacity(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{BootDuration: 60 * time.Second})
	cloud.Rule(t, ecsemulator.Rule{ID: "none", Kind: ecsemulator.RuleWithdraw, Action: "RunInstances", Seconds: 20})

	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

	run(t, cloud, 2,
		resource.TestStep{
			Config:      config,
			ExpectError: acctest.Text(`No capacity for "worker-a"`, "Nothing was launched", "ecs.g7.large in cn-hangzhou-h", "was accepted, and withdrawn before it ran: no capacity"),
		},
		resource.TestStep{
			PreConfig:        func() { removeRule(t, cloud, "none") },
			Config:           config,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionCreate),
			Check:            cloud.CheckMachines(2),
		},
	)
}

// A refusal for capacity may use up the token of the launch. What was refused is asked
// for again by a later apply, whatever became of the token.
func TestAccARefusedLaunchIsAskedForAgainLater(t *testing.T) {
	t.Parallel()

	for _, burn := range []ecsemulator.TokenBurn{ecsemulator.BurnNoStock, ecsemulator.BurnNever, ecsemulator.BurnAlways} {
		for _, replay := range []ecsemulator.Replay{ecsemulator.ReplaySameIDs, ecsemulator.ReplayFails} {
			t.Run(fmt.Sprintf("tokens burn %s, and answer %s", burn, replay), func(t *testing.T) {
				t.Parallel()

				cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{TokenBurn: burn, ReplayAfterRelease: replay}})
				cloud.Rule(t, ecsemulator.Rule{ID: "none", Kind: ecsemulator.RuleSoldOut, Action: "RunInstances"})

				config := cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a")

				run(t, cloud, 1,
					resource.TestStep{Config: config, ExpectError: acctest.Text(`No capacity for "worker-a"`, "OperationDenied.NoStock")},
					resource.TestStep{
						PreConfig:         func() { removeRule(t, cloud, "none"); cloud.ResetCalls() },
						Config:            config,
						ConfigStateChecks: []statecheck.StateCheck{value("instance_type", knownvalue.StringExact("ecs.g7.large"))},
						Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), func(*terraform.State) error {
							// Old tokens may answer for both, before a new one is asked.
							if launches := cloud.Counts()["RunInstances"]; launches > 3 {
								return fmt.Errorf("RunInstances was called %d times", launches)
							}

							return nil
						}),
					},
				)
			})
		}
	}
}

func removeRule(t *testing.T, cloud *acctest.Cloud, id string) {
	t.Helper()

	if err := cloud.RemoveRule(id); err != nil {
		t.Fatal(err)
	}
}
