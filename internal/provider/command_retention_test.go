package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// retained is an allocation whose data disks stay when it is released.
func retained() string {
	return acctest.Allocation("worker-a", acctest.Arguments{"retain_disks_on_release": "true"})
}

// detached are the data disks that no machine has.
func detached(cloud *acctest.Cloud) []ecsemulator.Disk {
	var found []ecsemulator.Disk

	for _, disk := range cloud.Disks() {
		if disk.InstanceID == "" && !disk.System {
			found = append(found, disk)
		}
	}

	return found
}

// expectDisksKept wants data disks of these sizes to have outlived their machines, and
// the command to name those of the machine that it released, which is the last.
func (c *command) expectDisksKept(released terraformcli.Result, sizes ...int) {
	c.Helper()

	left := detached(c.cloud)
	if len(left) != len(sizes) {
		c.Fatalf("left are %+v, want disks of %v GiB", left, sizes)
	}

	for i, disk := range left {
		if disk.SizeGiB != sizes[i] || disk.Status != "Available" || disk.Tags["terraform-machine/name"] != "worker-a" {
			c.Errorf("left is %+v, want a disk of %d GiB", disk, sizes[i])
		}
	}

	c.expectPrinted(released, "Warning", `Data disks of "worker-a" after its release`, "was released", "These data disks stay: "+left[len(left)-1].ID+" (", "no state holds it",
		"terraform-machine/name = worker-a", "Delete them when they are no longer needed")
}

// commandKeepsDataDisks releases machines in every way that Terraform has. The system
// disk goes with each of them.
func commandKeepsDataDisks(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	disks := acctest.Arguments{"data_disks": "[{ size_gib = 40 }]"}
	c.configure(acctest.Class(disks) + retained())
	c.run("init")
	c.run("apply", "-auto-approve")

	// Terraform hands the deletion of a tainted object no private state.
	c.run("taint", "machine_allocation.worker-a")
	c.expectDisksKept(c.run("apply", "-auto-approve"), 40)

	c.expectDisksKept(c.run("apply", "-auto-approve", "-replace=machine_allocation.worker-a"), 40, 40)

	c.configure(acctest.Class(disks, acctest.Arguments{"image_id": `"m-acme1"`}) + acctest.CreateBeforeDestroy(retained()))
	c.expectDisksKept(c.run("apply", "-auto-approve"), 40, 40, 40)
	c.run("plan", "-detailed-exitcode")

	// Who may not change disks may not release the machine either.
	denied := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "ModifyDiskAttribute"})
	c.fail(acctest.Text(`Cannot release "worker-a" (cn-hangzhou.i-`, "keeping the data disks d-", "which was not released", "ModifyDiskAttribute", "Forbidden.RAM",
		"Grant the RAM user or role the permission for the action named above", "The machine stays in state"), "destroy", "-auto-approve")

	if machines := c.cloud.Alive(); len(machines) != 1 {
		t.Fatalf("alive are %v, want the machine that could not be released", machines)
	}

	if err := c.cloud.RemoveRule(denied.ID); err != nil {
		t.Fatal(err)
	}

	c.run("plan", "-detailed-exitcode")
	c.expectDisksKept(c.run("destroy", "-auto-approve"), 40, 40, 40, 40)

	if alive := c.cloud.Alive(); len(alive) > 0 || len(c.cloud.Disks()) != 4 {
		t.Errorf("left are %v with %v", alive, c.cloud.Disks())
	}
}

// commandRefusesToKeepDisksTooLate has disks stay with the very command that releases
// their machine, which goes by the state.
func commandRefusesToKeepDisksTooLate(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	disks := acctest.Arguments{"data_disks": "[{ size_gib = 40 }]"}
	c.configure(acctest.Class(disks) + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	c.configure(acctest.Class(disks, acctest.Arguments{"image_id": `"m-acme1"`}) + retained())
	c.fail(acctest.Text("Data disks would be lost", "The machine worker-a (cn-hangzhou.i-", "was to be replaced: class.alicloud.image_id changes", "Nothing was changed",
		"Apply retain_disks_on_release = true by itself first"), "apply", "-auto-approve")

	c.configure(acctest.Class(disks) + retained())

	c.fail(acctest.Text("Data disks would be lost", "The machine worker-a (cn-hangzhou.i-", "a replacement is asked for (-replace)"), "plan", "-replace=machine_allocation.worker-a")

	// What made Terraform taint a machine may as well have kept it from ever running.
	c.run("taint", "machine_allocation.worker-a")
	c.expectPrinted(c.run("plan"), "Warning", "Data disks will be lost", `The machine "worker-a" that there is now was applied without retain_disks_on_release`, "terraform untaint ADDRESS")
	c.run("untaint", "machine_allocation.worker-a")

	c.cloud.ResetCalls()

	if applied := c.run("apply", "-auto-approve"); !strings.Contains(applied.Stdout, "0 added, 1 changed, 0 destroyed") {
		t.Errorf("%s", applied.Stdout)
	}

	for action, calls := range c.cloud.Counts() {
		if !strings.HasPrefix(action, "Describe") && action != "GetCallerIdentity" {
			t.Errorf("%s was called %d times, to change what is done later", action, calls)
		}
	}

	c.expectDisksKept(c.run("destroy", "-auto-approve"), 40)
}
