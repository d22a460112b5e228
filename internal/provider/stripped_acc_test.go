package provider_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// identityTags are those by which a machine is found again.
func identityTags() []string {
	return []string{
		driver.ReservedTagPrefix + "owner", driver.ReservedTagPrefix + "class-uid", driver.ReservedTagPrefix + "name",
		driver.ReservedTagPrefix + "fingerprint", driver.ReservedTagPrefix + "claim",
	}
}

// A tag of the provider's that somebody took off is missing, which makes the machine
// nobody else's: the next apply writes it again, and a release goes by the ID.
func TestAccStrippedTagsAreWrittenAgain(t *testing.T) {
	t.Parallel()

	strips := map[string][]string{"all of them": identityTags()}
	for _, key := range identityTags() {
		strips[key] = []string{key}
	}

	for name, keys := range strips {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			config := cloud.ProviderWith(acctest.Arguments{"mark_settled": "false"}) + classOf(nil) + acctest.Allocation("worker-a")

			var before ecsemulator.Instance

			run(t, cloud, 1,
				resource.TestStep{Config: config, Check: func(*terraform.State) error {
					before = cloud.Alive()[0]

					return nil
				}},
				resource.TestStep{
					PreConfig:        func() { cloud.Strip(t, before, keys...) },
					Config:           config,
					ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
					Check: onMachine(cloud, func(after ecsemulator.Instance) error {
						if after.ID != before.ID || !maps.Equal(after.Tags, before.Tags) {
							return fmt.Errorf("the tags are %v, and were %v", after.Tags, before.Tags)
						}

						return nil
					}),
				},
			)
		})
	}
}

func TestAccAMachineWithoutTagsIsReleased(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 1, resource.TestStep{
		Config: cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a"),
		Check: func(*terraform.State) error {
			cloud.Strip(t, cloud.Alive()[0], identityTags()...)

			return nil
		},
		ExpectNonEmptyPlan: true,
	})
}
