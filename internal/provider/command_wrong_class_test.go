package provider_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandKeepsTheMachinesOfAWrongClass edits a class so that its machine has to be
// replaced by one that cannot be launched: the machine stays, the apply is an error,
// and a destroy goes through all the same.
func commandKeepsTheMachinesOfAWrongClass(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	for _, test := range []struct {
		name  string
		wrong acctest.Arguments
		want  string
	}{
		{"a type", acctest.Arguments{"instance_types": `["ecs.none.large"]`}, `instance_types: there is no instance type "ecs.none.large"`},
		{"a key pair", acctest.Arguments{"key_pair_name": `"none"`}, `key_pair_name: there is no key pair "none" in the region cn-hangzhou`},
		{"a role", acctest.Arguments{"ram_role_name": `"none"`}, "ram_role_name: ECS would refuse a launch with it: RunInstances in cn-hangzhou: InvalidRamRole.NotFound"},
		{"a deployment set", acctest.Arguments{"deployment_set_id": `"ds-none"`}, `deployment_set_id: there is no deployment set "ds-none"`},
		{"a resource group", acctest.Arguments{"resource_group_id": `"rg-none"`}, "resource_group_id: ECS would refuse a launch with it"},
		{"a pool", acctest.Arguments{"private_pool": `{ match_criteria = "target", id = "eap-none" }`}, "private_pool: ECS would refuse a launch from it"},
		{"a key", acctest.Arguments{"system_disk": `{ encrypted = true, kms_key_id = "none" }`}, "kms_key_id: ECS would refuse a launch with it"},
		{"a snapshot", acctest.Arguments{"data_disks": `[{ snapshot_id = "s-none" }]`}, `data_disks[0].snapshot_id: there is no snapshot "s-none"`},
	} {
		c.configure(acctest.Class(acctest.Arguments{"image_id": `"m-acme1"`}, test.wrong) + acctest.Allocation("worker-a"))

		plan := c.run("plan")
		if !acctest.Text("2 to change, 0 to destroy").MatchString(plan.Stdout) || !acctest.Text("Machine cannot be replaced", "would be replaced: class.alicloud.image_id changes", test.want).MatchString(plan.Stdout) {
			t.Errorf("%s: the plan is\n%s", test.name, plan.Stdout)
		}

		c.fail(acctest.Text(`The class "worker" cannot be resolved`, test.want), "apply", "-auto-approve")
		c.expectMachines(1)
	}

	c.expectDestroyed()
}

// commandKeepsAMachineWhoseClassWentWrong has something else replace a machine whose
// class was right once.
func commandKeepsAMachineWhoseClassWentWrong(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	version := func(number string) string {
		return acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"user_data_wo": `"#cloud-config"`, "user_data_wo_version": number})
	}
	gone := ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DescribeImages", Code: "InvalidImageId.NotFound", HTTPStatus: 404}

	c.configure(version("1"))
	c.run("init")
	c.run("apply", "-auto-approve")

	rule := c.cloud.Rule(t, gone)

	c.configure(version("2"))
	c.fail(acctest.Text(`Cannot replace "worker-a"`, "is kept as it is. It has to be replaced: user_data_wo_version changes", "No machine of its class can be launched", "InvalidImageId.NotFound"), "apply", "-auto-approve")
	c.expectMachines(1)

	if err := c.cloud.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}

	c.run("apply", "-auto-approve")
	c.expectMachines(2)
	c.expectDestroyed()
}

// commandReplacesWhatWasHeldWithTheNextApply has a class become right while it is
// applied, as a key pair does that is made in the same apply.
func commandReplacesWhatWasHeldWithTheNextApply(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class() + acctest.Allocation("worker-a"))
	c.run("init")
	c.run("apply", "-auto-approve")

	rule := c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DescribeKeyPairs", Code: "InvalidKeyPairName.NotFound", HTTPStatus: 404})

	c.configure(acctest.Class(acctest.Arguments{"image_id": `"m-acme1"`, "key_pair_name": `"acme-key"`}) + acctest.Allocation("worker-a"))
	c.run("plan", "-out", "held.tfplan")

	if err := c.cloud.RemoveRule(rule.ID); err != nil {
		t.Fatal(err)
	}

	c.fail(acctest.Text(`Cannot replace "worker-a"`, "It has to be replaced: class.alicloud.image_id changes", "now one can", "Apply again to replace it."), "apply", "held.tfplan")
	c.expectMachines(1)

	c.run("apply", "-auto-approve")
	c.run("plan", "-detailed-exitcode")
	c.expectMachines(2)
	c.expectDestroyed()
}

// commandDoubtsWhatAClassLeavesOut has a misspelled exclusion told, once, when it is
// written.
func commandDoubtsWhatAClassLeavesOut(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.configure(acctest.Class(requiring(`{ vcpus = { max = 2 }, exclude_families = ["ecs.gg6"], exclude_instance_types = ["ecs.g7.larg"] }`)))
	c.run("init")

	want := acctest.Text(`The class "worker" leaves out what there is not`, `In cn-hangzhou there is no requirements.exclude_families "ecs.gg6", no requirements.exclude_instance_types "ecs.g7.larg"`)
	if applied := c.run("apply", "-auto-approve"); !want.MatchString(applied.Stdout) {
		t.Errorf("the apply does not say so:\n%s", applied.Stdout)
	}

	if plan := c.run("plan", "-detailed-exitcode"); strings.Contains(plan.Stdout, "Warning") {
		t.Errorf("the next plan says it again:\n%s", plan.Stdout)
	}

	c.expectDestroyed()
}
