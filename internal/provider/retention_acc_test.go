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

// keptDisks wants so many data disks to have outlived their machines.
func keptDisks(cloud *acctest.Cloud, count int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if left := detached(cloud); len(left) != count {
			return fmt.Errorf("left are %+v, want %d data disks", left, count)
		}

		return nil
	}
}

// What is not asked for costs no call, and no disk stays.
func TestAccDisksThatAreNotKeptCostNothing(t *testing.T) {
	t.Parallel()

	for _, setting := range []string{"", "false"} {
		t.Run("retain_disks_on_release="+setting, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			run(t, cloud, 1, resource.TestStep{
				Config: cloud.Provider() + acctest.Class(acctest.Arguments{"data_disks": "[{ size_gib = 40 }]"}) +
					acctest.Allocation("worker-a", acctest.Arguments{"retain_disks_on_release": setting}),
				Check: cloud.CheckMachines(1),
			})

			if counts := cloud.Counts(); counts["DescribeDisks"] != 0 || counts["ModifyDiskAttribute"] != 0 {
				t.Errorf("calls: %v", counts)
			}

			if left := cloud.Disks(); len(left) != 0 {
				t.Errorf("left are %+v", left)
			}
		})
	}
}

// The state tells what a release does, so that an edit is in place and counts from its
// apply on, back and forth.
func TestAccKeepingDisksIsEditedInPlace(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(image, setting string, action plancheck.ResourceActionType, launched, kept int) resource.TestStep {
		return resource.TestStep{
			Config: cloud.Provider() + acctest.Class(acctest.Arguments{"data_disks": "[{ size_gib = 40 }]", "image_id": image}) +
				acctest.Allocation("worker-a", acctest.Arguments{"retain_disks_on_release": setting}),
			ConfigPlanChecks: planned(machineA, action), Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(launched), keptDisks(cloud, kept)),
		}
	}

	run(t, cloud, 3,
		step(`"m-acme2"`, "", plancheck.ResourceActionCreate, 1, 0),
		step(`"m-acme2"`, "true", plancheck.ResourceActionUpdate, 1, 0),
		step(`"m-acme1"`, "true", plancheck.ResourceActionDestroyBeforeCreate, 2, 1),
		step(`"m-acme1"`, "false", plancheck.ResourceActionUpdate, 2, 1),
		step(`"m-acme2"`, "false", plancheck.ResourceActionDestroyBeforeCreate, 3, 1),
	)

	if err := keptDisks(cloud, 1)(nil); err != nil {
		t.Error(err)
	}
}

// Disks that cannot outlive a machine are not promised to.
func TestAccEphemeralDisksCannotBeKept(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := func(setting string) string {
		return cloud.Provider() + acctest.Class(acctest.Arguments{"data_disks": `[{ size_gib = 40 }, { category = "elastic_ephemeral_disk_premium", size_gib = 64 }]`}) +
			acctest.Allocation("worker-a", acctest.Arguments{"retain_disks_on_release": setting})
	}
	refused := acctest.Text("Disks that cannot stay", "always go with their machine: class.alicloud.data_disks[1] (elastic_ephemeral_disk_premium)", "Nothing was changed")

	run(t, cloud, 1,
		resource.TestStep{Config: config("true"), ExpectError: refused},
		resource.TestStep{Config: config(""), Check: cloud.CheckMachines(1)},
		resource.TestStep{Config: config("true"), ExpectError: refused},
	)

	if left := cloud.Disks(); len(left) != 0 {
		t.Errorf("left are %+v", left)
	}
}

// Whatever was attached to a machine by others is kept with the rest.
func TestAccDisksThatOthersAttachedAreKept(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		setting string
		goes    bool
		kept    int
	}{
		"all of them where that is asked for": {"true", true, 1},
		"by what was said of them, otherwise": {"", false, 1},
		"and go where that was said":          {"", true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			run(t, cloud, 1, resource.TestStep{
				Config: cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"retain_disks_on_release": test.setting}),
				Check: onMachine(cloud, func(machine ecsemulator.Instance) error {
					_, err := cloud.AddDisk(ecsemulator.NewDisk{InstanceID: machine.ID, DeleteWithInstance: test.goes})

					return err
				}),
			})

			if err := keptDisks(cloud, test.kept)(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

// ECS deletes the disks of a machine that is locked for security, so that the machine is
// not released before somebody has said what is to become of them.
func TestAccALockedMachineIsNotReleasedWithDisksToKeep(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class(acctest.Arguments{"data_disks": "[{ size_gib = 40 }]"}) + acctest.Allocation("worker-a", acctest.Arguments{"retain_disks_on_release": "true"})
	befall := func(kind ecsemulator.IncidentKind) func() {
		return func() {
			if _, err := cloud.AddIncident(cloud.Alive()[0].ID, ecsemulator.Incident{Kind: kind, Reason: "security"}); err != nil {
				t.Error(err)
			}
		}
	}

	run(t, cloud, 1,
		resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
		resource.TestStep{
			PreConfig: befall(ecsemulator.IncidentLock), Config: config, Destroy: true,
			ExpectError: acctest.Text(`Cannot release "worker-a" (cn-hangzhou.i-`, "locked for security reasons", "Nothing was released", "The machine stays in state"),
		},
		resource.TestStep{PreConfig: befall(ecsemulator.IncidentUnlock), Config: config, Check: cloud.CheckMachines(1)},
	)

	if err := keptDisks(cloud, 1)(nil); err != nil {
		t.Error(err)
	}
}
