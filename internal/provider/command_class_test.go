package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandNamesWhatReplaces changes what a running machine cannot follow, one after the
// other.
func commandNamesWhatReplaces(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	first := acctest.Arguments{
		"instance_types": "", "requirements": `{ vcpus = { max = 2 }, families = ["ecs.g7"] }`, "vswitch_ids": `["vsw-a", "vsw-c"]`, "zone_order": `"listed"`,
		"system_disk": `{ category = "cloud_essd", size_gib = 40 }`, "data_disks": `[{ size_gib = 40 }, { size_gib = 50 }]`,
	}
	c.configure(acctest.Class(first) + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	for _, test := range []struct {
		name   string
		change acctest.Arguments
		want   string
	}{
		{"a data disk", acctest.Arguments{"data_disks": `[{ size_gib = 40 }, { size_gib = 60 }]`}, "will be replaced: class.alicloud.data_disks[1].size_gib changes."},
		{"a system disk", acctest.Arguments{"system_disk": `{ category = "cloud_auto", size_gib = 60 }`}, "will be replaced: class.alicloud.system_disk.category changes; class.alicloud.system_disk.size_gib changes; class.alicloud.data_disks[0].category changes; class.alicloud.data_disks[1].category changes."},
		{"a public address", acctest.Arguments{"internet": "{ bandwidth_out_mbps = 5 }"}, "will be replaced: class.alicloud.internet changes."},
		{"metadata", acctest.Arguments{"metadata_options": `{ http_tokens = "required" }`}, "will be replaced: class.alicloud.metadata_options changes."},
		{"a deployment set", acctest.Arguments{"deployment_set_id": `"ds-1"`}, "will be replaced: class.alicloud.deployment_set_id changes."},
		{
			"requirements",
			acctest.Arguments{"requirements": `{ vcpus = { min = 4 }, memory_gib = { min = 16 }, families = ["ecs.g7"] }`},
			"will be replaced: its type ecs.g7.large does not meet class.alicloud.requirements.vcpus; its type ecs.g7.large does not meet class.alicloud.requirements.memory_gib.",
		},
		{"types", acctest.Arguments{"requirements": "", "instance_types": `["ecs.g6.large"]`}, "will be replaced: class.alicloud.instance_types no longer has the machine's own, ecs.g7.large."},
		{"vSwitches", acctest.Arguments{"vswitch_ids": `["vsw-c"]`}, "will be replaced: class.alicloud.vswitch_ids no longer has the machine's own, vsw-a."},
		{"ways to pay", acctest.Arguments{"capacity_types": `["spot"]`}, "will be replaced: class.alicloud.capacity_types no longer has the machine's own, on_demand."},
	} {
		c.configure(acctest.Class(grownWith(first, test.change)) + acctest.Allocation("worker-a"))

		plan := c.run("plan")
		if !acctest.Text("Plan: 1 to add, 1 to change, 1 to destroy.", "Machine will be replaced", test.want).MatchString(plan.Stdout) {
			t.Errorf("%s: the plan does not say %q:\n%s", test.name, test.want, plan.Stdout)
		}
	}

	// Defaults that are written down, orders and what is for launches to come.
	c.configure(acctest.Class(grownWith(first, acctest.Arguments{
		"system_disk": `{ category = "cloud_essd", size_gib = 40, performance_level = "PL1", encrypted = false }`, "metadata_options": `{ http_tokens = "optional" }`,
		"zone_order": `"spread"`, "type_order": `"cheapest"`, "spot": "{ price_limit_per_hour = 0.2 }", "capacity_types": `["on_demand", "spot"]`, "vswitch_ids": `["vsw-c", "vsw-a"]`,
	})) + acctest.Allocation("worker-a"))

	plan := c.run("plan")
	if !acctest.Text("Plan: 0 to add, 1 to change, 0 to destroy.").MatchString(plan.Stdout) || strings.Contains(plan.Stdout, "Warning") {
		t.Errorf("the plan deals with the machine:\n%s", plan.Stdout)
	}

	c.expectMachines(1)
	c.expectDestroyed()
}

// commandWarnsWhenAClassRunsDry is the check of the capacity guide.
func commandWarnsWhenAClassRunsDry(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a") + `
data "machine_class_offerings" "worker" {
  class          = machine_class.worker
  available_only = true
}
check "worker_capacity" {
  assert {
    condition     = length(data.machine_class_offerings.worker.offerings) >= 2
    error_message = "Fewer than two ways are left to get a worker."
  }
}
`)
	c.run("init")

	if applied := c.run("apply", "-auto-approve"); strings.Contains(applied.Stdout, "Check block assertion failed") {
		t.Errorf("the check warns while there is enough:\n%s", applied.Stdout)
	}

	c.run("plan", "-detailed-exitcode")

	if err := c.cloud.SetStock(ecsemulator.Stock{InstanceType: "ecs.g6.large", StatusCategory: "WithoutStock"}); err != nil {
		t.Fatal(err)
	}

	plan := c.run("plan")
	if !acctest.Text("Check block assertion failed", "Fewer than two ways are left to get a worker.").MatchString(plan.Stdout + plan.Stderr) {
		t.Errorf("the check does not warn:\n%s", plan.Stdout)
	}

	c.expectMachines(1)
	c.expectDestroyed()
}

// commandBuysASubscription buys what a destroy then may not release.
func commandBuysASubscription(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class(acctest.Arguments{
		"capacity_types": `["subscription"]`, "subscription": `{ period = 1, unit = "year", auto_renew = true, auto_renew_period = 6 }`,
	}) + acctest.Allocation("worker-a"))
	c.run("init")
	c.fail(acctest.Text("Period that is not sold", "ECS renews no subscription by 6 years; in years it renews by 1, 2, 3, 4 or 5"), "plan")

	c.configure(acctest.Class(acctest.Arguments{
		"capacity_types": `["subscription"]`, "subscription": `{ period = 2, unit = "week", auto_renew = true, auto_renew_period = 3 }`,
	}) + acctest.Allocation("worker-a"))
	c.run("apply", "-auto-approve")
	c.run("plan", "-detailed-exitcode")
	c.expectMachines(1)

	for _, call := range c.cloud.Calls() {
		if call.Action != "RunInstances" {
			continue
		}

		for name, want := range map[string]string{"InstanceChargeType": "PrePaid", "Period": "2", "PeriodUnit": "Week", "AutoRenew": "true", "AutoRenewPeriod": "3", "SpotStrategy": ""} {
			if got := call.Parameters[name]; got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}

	// What is paid ahead is not thrown away.
	c.fail(acctest.Text("subscription"), "destroy", "-auto-approve")
	c.expectMachines(1)
}

// commandTellsOfDisksThatStay releases a machine and one of its two data disks.
func commandTellsOfDisksThatStay(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class(acctest.Arguments{"data_disks": "[{ size_gib = 40, delete_with_instance = false }, { size_gib = 50 }]"}) + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	destroyed := c.run("destroy", "-auto-approve")
	c.expectDisksKept(destroyed, 40)

	if left := c.cloud.Alive(); len(left) != 0 {
		t.Errorf("destroy left %v", left)
	}

	// A class without such disks has nothing to tell.
	c.configure(acctest.Class(acctest.Arguments{"data_disks": "[{ size_gib = 40, delete_with_instance = true }, { size_gib = 50 }]"}) + acctest.Allocation("worker-a"))
	c.run("apply", "-auto-approve")

	if destroyed := c.run("destroy", "-auto-approve"); strings.Contains(destroyed.Stdout, "Data disks") {
		t.Errorf("disks that went are told to stay:\n%s", destroyed.Stdout)
	}
}
