package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Another region is thought of where none is written, be the machine missed by the plan or
// by the apply alone.
func TestAccAMachineThatIsNotThereIsLookedForInTheRegionThatIsWritten(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	const elsewhere = "If the machine is in another region, write <region>.<instance-id>."

	for name, test := range map[string]struct {
		id        string
		elsewhere bool
	}{
		"no region":              {"i-absent", true},
		"no region, a scheme":    {"alicloud://i-absent", true},
		"the region":             {"cn-hangzhou.i-absent", false},
		"the region, a scheme":   {"alicloud://cn-hangzhou.i-absent", false},
		"another region than is": {"cn-beijing.i-absent", false},
	} {
		for when, planned := range map[string]bool{"plan": true, "apply": false} {
			t.Run(name+", "+when, func(t *testing.T) {
				t.Parallel()

				cloud := acctest.Start(t, ecsemulator.Options{})
				_, there := existing(t, cloud)
				id := fmt.Sprintf("%q", test.id)
				config := cloud.Provider()

				if !planned {
					id = "terraform_data.id.output"
					config += acctest.Operation("op-b", "HostPowerOn", there) + fmt.Sprintf("resource \"terraform_data\" \"id\" {\n  input      = %q\n  depends_on = [machine_operation.op-b]\n}\n", test.id)
				}

				var said string

				resource.UnitTest(t, resource.TestCase{
					ProtoV6ProviderFactories: acctest.Factories(),
					ErrorCheck: func(err error) error {
						said = strings.Join(strings.Fields(strings.ReplaceAll(err.Error(), "│", " ")), " ")

						return nil
					},
					Steps: []resource.TestStep{{Config: config + acctest.Operation("op-a", "HostReboot", id), PlanOnly: planned}},
				})

				if want := "i-absent does not exist in the region"; !strings.Contains(said, want) || !strings.Contains(said, "Check provider_id and the account") {
					t.Errorf("it is not said %q in\n%s", want, said)
				}

				if strings.Contains(said, elsewhere) != test.elsewhere {
					t.Errorf("another region is thought of: %t, want %t, in\n%s", !test.elsewhere, test.elsewhere, said)
				}
			})
		}
	}
}
