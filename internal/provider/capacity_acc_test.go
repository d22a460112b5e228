package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// soldOut takes a type out of stock in a way that only a launch tells.
func soldOut(t *testing.T, cloud *acctest.Cloud, instanceType string) {
	t.Helper()

	if err := cloud.SetStock(ecsemulator.Stock{InstanceType: instanceType, StatusCategory: "WithoutStock", Hidden: true}); err != nil {
		t.Fatal(err)
	}
}

// The first choice is sold out, and nobody edits anything (F043, F044).
func TestAccASoldOutOfferingGivesWayToTheNext(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	soldOut(t, cloud, "ecs.g7.large")

	run(t, cloud, 1, resource.TestStep{
		Config: cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a"),
		ConfigStateChecks: []statecheck.StateCheck{
			value("instance_type", knownvalue.StringExact("ecs.g6.large")),
			value("offering", knownvalue.StringExact("ecs.g6.large/vsw-a/on_demand")),
		},
		Check: cloud.CheckMachines(1),
	})
}

// What was tried is told, all of it (F050).
func TestAccWhenAllIsSoldOutTheErrorNamesEveryCandidate(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	soldOut(t, cloud, "*")

	config := cloud.Provider() +
		acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`, "vswitch_ids": `["vsw-a", "vsw-b"]`, "capacity_types": `["spot", "on_demand"]`}) +
		acctest.Allocation("worker-a")

	run(t, cloud, 0, resource.TestStep{
		Config: config,
		ExpectError: acctest.Text(
			`No capacity for "worker-a"`, "Nothing was launched", "or apply again later", `every offering of the class "worker" was refused (8 in all)`, "OperationDenied.NoStock (HTTP 403)",
			"- ecs.g7.large in cn-hangzhou-", "(spot)", "request",
			"- ecs.g7.large in cn-hangzhou-", "(spot)", "request",
			"- ecs.g7.large in cn-hangzhou-", "(on_demand)", "request",
			"- ecs.g7.large in cn-hangzhou-", "(on_demand)", "request",
			"- ecs.g6.large in cn-hangzhou-", "(spot)", "request",
			"- ecs.g6.large in cn-hangzhou-", "(spot)", "request",
			"- ecs.g6.large in cn-hangzhou-", "(on_demand)", "request",
			"- ecs.g6.large in cn-hangzhou-", "(on_demand)", "request",
		),
	})
}
