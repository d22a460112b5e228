package provider_test

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// reinstalling are the arguments of a HostReplace.
func reinstalling(parameters string) acctest.Arguments {
	return acctest.Arguments{"keep_user_data": "true", "parameters": parameters}
}

// The plan finds what the replacement could never be, and nothing is touched.
func TestAccAReplacementThatCannotBeIsFoundAtPlan(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, test := range map[string]struct{ parameters, want string }{
		"no such image":            {`{ image_id = "m-none" }`, "the image m-none does not exist in the region cn-hangzhou"},
		"no such family":           {`{ image_family = "acme-none" }`, "the image of the family acme-none does not exist"},
		"an image for other chips": {`{ image_id = "m-acme-arm" }`, "is of the architecture arm64, and the machine is of the type ecs.g7.large (amd64)"},
		"a disk that is too small": {`{ image_id = "m-acme2", system_disk_size_gib = "20" }`, "needs a system disk of 40 GiB, and system_disk_size_gib asks for 20"},
		"a disk that is too large": {`{ image_id = "m-acme2", system_disk_size_gib = "4000" }`, "of at most 2048"},
		"image and family":         {`{ image_id = "m-acme2", image_family = "acme-node" }`, "exclude each other"},
		"neither":                  {`{ force = "true" }`, "needs the parameter image_id"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			_, id := existing(t, cloud)

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config:   cloud.Provider() + acctest.Operation("op-a", "HostReplace", id, reinstalling(test.parameters)),
					PlanOnly: true, ExpectError: acctest.Text("The operation cannot be carried out", test.want),
				}},
			})

			for action, count := range cloud.Counts() {
				if !strings.HasPrefix(action, "Describe") && count > 0 {
					t.Errorf("%s was called", action)
				}
			}
		})
	}
}

// What is the same for many machines is asked once, and the machines are looked for in
// the list that the plan has anyway.
func TestAccAPlanOfManyReplacementsAsksOnce(t *testing.T) {
	t.Parallel()

	const machines = 20

	var counts map[string]int

	cloud := acctest.Start(t, ecsemulator.Options{})
	// Without the marks, for which a plan without a refresh looks at each machine.
	base := cloud.ProviderWith(acctest.Arguments{"mark_settled": "false"}) + acctest.Class() + fmt.Sprintf(`
resource "machine_allocation" "worker-a" {
  count = %d
  name  = "worker-${count.index}"
  class = machine_class.worker
}
`, machines)
	reinstall := fmt.Sprintf(`
resource "machine_operation" "op-a" {
  count          = %d
  name           = "reinstall"
  kind           = "HostReplace"
  provider_id    = machine_allocation.worker-a[count.index].provider_id
  keep_user_data = true
  parameters     = { image_family = "acme-node" }
}
`, machines)

	run(t, cloud, machines,
		resource.TestStep{Config: base},
		resource.TestStep{PreConfig: cloud.ResetCalls, Config: base + reinstall, PlanOnly: true, ExpectNonEmptyPlan: true},
		resource.TestStep{PreConfig: func() { counts = cloud.Counts() }, Config: base, PlanOnly: true},
	)

	// The framework of the tests plans twice, each in a process of its own.
	want := map[string]int{"DescribeImageFromFamily": 2, "DescribeInstanceTypes": 2, "DescribeInstances": 2}
	if !maps.Equal(counts, want) {
		t.Errorf("the plan asked for %v, want %v", counts, want)
	}
}

// An image family is resolved when the operation is carried out. That its newest image
// is another one later is no other operation.
func TestAccAReplacementFromAFamilyTellsWhichImage(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine, id := existing(t, cloud)
	config := cloud.Provider() + acctest.Operation("op-a", "HostReplace", id, reinstalling(`{ image_family = "acme-node" }`))

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: config,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(operationA, tfjsonpath.New("message"), knownvalue.StringRegexp(acctest.Text("made from m-acme2, of the family acme-node"))),
			},
			Check: wasOperated(cloud, map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}),
		}, {
			Config:           cloud.Provider() + acctest.Operation("op-a", "HostReplace", id, reinstalling(`{ image_id = "m-acme2" }`)),
			ConfigPlanChecks: planned(operationA, plancheck.ResourceActionDestroyBeforeCreate),
			Check:            wasOperated(cloud, map[string]int{"stopped": 2, "reinstalled": 2, "started": 2}),
		}},
	})

	if now := instanceOf(t, cloud, machine.ID); now.ImageID != "m-acme2" {
		t.Errorf("the machine is from %s", now.ImageID)
	}
}

// The plan that goes on with a launch does not know the machine's ID. An operation that
// was carried out on it meanwhile is not carried out again.
func TestAccGoingOnWithALaunchRepeatsNoOperation(t *testing.T) {
	t.Parallel()

	// The machine runs once nobody waits for its launch any more.
	const timeout = 3 * time.Second

	cloud := acctest.Start(t, ecsemulator.Options{BootDuration: 3 * timeout * acctest.ClockFactor})
	config := cloud.Provider() + acctest.Class() +
		acctest.Allocation("worker-a", acctest.Arguments{"on_timeout": `"continue"`, "timeouts": fmt.Sprintf(`{ create = %q }`, timeout)}) +
		acctest.Operation("op-a", "HostReboot", machineA+".provider_id")

	run(t, cloud, 1,
		resource.TestStep{
			Config: config, ExpectNonEmptyPlan: true,
			Check: wasOperated(cloud, map[string]int{"rebooted": 1}),
		},
		resource.TestStep{
			Config: config,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(machineA, tfjsonpath.New("provider_id")),
				plancheck.ExpectResourceAction(operationA, plancheck.ResourceActionUpdate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(operationA, tfjsonpath.New("phase"), knownvalue.StringExact("Complete")),
				statecheck.ExpectKnownValue(operationA, tfjsonpath.New("completed_at"), knownvalue.NotNull()),
			},
			Check: wasOperated(cloud, map[string]int{"rebooted": 1}),
		},
	)
}

// The same machine under another form of its ID is no other machine.
func TestAccAnotherFormOfAProviderIDIsNoOtherOperation(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine, _ := existing(t, cloud)
	step := func(id string, action plancheck.ResourceActionType) resource.TestStep {
		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Operation("op-a", "HostReboot", strconv.Quote(id)),
			ConfigPlanChecks: planned(operationA, action), Check: wasOperated(cloud, map[string]int{"rebooted": 1}),
		}
	}

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			step(machine.ID, plancheck.ResourceActionCreate),
			step(machine.RegionID+"."+machine.ID, plancheck.ResourceActionUpdate),
			step("alicloud://"+machine.RegionID+"."+machine.ID, plancheck.ResourceActionUpdate),
		},
	})
}

// An operation on a machine that is replaced is carried out on its successor.
func TestAccAnOperationFollowsItsMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := func(image string) string {
		return cloud.Provider() + acctest.Class(acctest.Arguments{"image_id": strconv.Quote(image)}) + acctest.Allocation("worker-a") +
			acctest.Operation("op-a", "HostReboot", machineA+".provider_id")
	}

	run(t, cloud, 2,
		resource.TestStep{Config: config("m-acme1"), Check: wasOperated(cloud, map[string]int{"rebooted": 1})},
		resource.TestStep{
			Config: config("m-acme2"),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionDestroyBeforeCreate),
				plancheck.ExpectResourceAction(operationA, plancheck.ResourceActionUpdate),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(operationA, tfjsonpath.New("phase"), knownvalue.StringExact("Complete")),
			},
			Check: wasOperated(cloud, map[string]int{"rebooted": 2}),
		},
	)
}
