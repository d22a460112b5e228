package provider_test

import (
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestMain(m *testing.M) { os.Exit(acctest.Main(m)) }

const (
	theClass = "machine_class.worker"
	machineA = "machine_allocation.worker-a"
)

// run runs steps against the cloud and destroys at the end, after which nothing may
// be alive and as many machines as given may ever have been launched.
func run(t *testing.T, cloud *acctest.Cloud, launched int, steps ...resource.TestStep) {
	t.Helper()
	acctest.RequireCLI(t)

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		CheckDestroy:             cloud.CheckNothingLeft(launched),
		Steps:                    steps,
	})
}

// planned wants the plan of a step to do this to the resource.
func planned(address string, action plancheck.ResourceActionType) resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}}
}

// onMachine judges the one machine that is alive.
func onMachine(cloud *acctest.Cloud, judge func(ecsemulator.Instance) error) resource.TestCheckFunc {
	return func(*terraform.State) error {
		alive := cloud.Alive()
		if len(alive) != 1 {
			return fmt.Errorf("alive are %v, want one machine", alive)
		}

		return judge(alive[0])
	}
}

// hasTags wants the one machine that is alive to have exactly these tags beside the
// reserved ones.
func hasTags(cloud *acctest.Cloud, want map[string]string) resource.TestCheckFunc {
	return onMachine(cloud, func(machine ecsemulator.Instance) error {
		got := maps.Clone(machine.Tags)
		maps.DeleteFunc(got, func(key, _ string) bool { return strings.HasPrefix(key, driver.ReservedTagPrefix) })

		if !maps.Equal(got, want) {
			return fmt.Errorf("%s has the tags %v, want %v", machine.ID, got, want)
		}

		return nil
	})
}

// only returns the one machine that is alive.
func only(t *testing.T, cloud *acctest.Cloud) ecsemulator.Instance {
	t.Helper()

	alive := cloud.Alive()
	if len(alive) != 1 {
		t.Fatalf("alive are %v, want one machine", alive)
	}

	return alive[0]
}
