package provider_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// offeringsOf is the data source "worker" with these arguments, and the output "ids"
// of what it shows.
func offeringsOf(arguments string) string {
	return "data \"machine_class_offerings\" \"worker\" {\n" + arguments + "\n}\n" +
		"output \"ids\" {\n  value = data.machine_class_offerings.worker.offerings[*].id\n}\n"
}

// inline is the class of acctest.Class, written into a data source.
func inline(changes acctest.Arguments) string {
	arguments := grownWith(acctest.Arguments{
		"image_id": `"m-acme2"`, "instance_types": `["ecs.g7.large"]`, "vswitch_ids": `["vsw-a"]`, "security_group_ids": `["sg-1"]`,
	}, changes)

	text := "alicloud = {\n"

	for name, expression := range arguments {
		if expression != "" {
			text += name + " = " + expression + "\n"
		}
	}

	return text + "}\n"
}

// shows wants the output of offeringsOf to be exactly these, in this order.
func shows(ids ...string) statecheck.StateCheck {
	values := make([]knownvalue.Check, 0, len(ids))
	for _, id := range ids {
		values = append(values, knownvalue.StringExact(id))
	}

	return statecheck.ExpectKnownOutputValue("ids", knownvalue.ListExact(values))
}

func TestAccOfferingsTellWhatAClassCanGet(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	for _, stock := range []ecsemulator.Stock{
		{InstanceType: "ecs.g7.large", ChargeMode: string(ecsemulator.ChargeSpot), StatusCategory: "WithoutStock"},
		{InstanceType: "ecs.g7.large", Zone: "cn-hangzhou-i", ChargeMode: string(ecsemulator.ChargePostPaid), StatusCategory: "ClosedWithStock"},
		{InstanceType: "ecs.gn6v-c8g1.2xlarge", ChargeMode: string(ecsemulator.ChargeSpot), StatusCategory: "ClosedWithoutStock"},
	} {
		if err := cloud.SetStock(stock); err != nil {
			t.Fatal(err)
		}
	}

	class := acctest.Class(acctest.Arguments{
		"instance_types": `["ecs.g7.large", "ecs.gn6v-c8g1.2xlarge"]`, "vswitch_ids": `["vsw-b", "vsw-c"]`, "capacity_types": `["spot", "on_demand"]`,
	})

	exact := func(path tfjsonpath.Path, value knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.machine_class_offerings.worker", path, value)
	}
	offering := func(index int) tfjsonpath.Path { return tfjsonpath.New("offerings").AtSliceIndex(index) }

	run(t, cloud, 0, resource.TestStep{
		Config: cloud.Provider() + class + offeringsOf("class = machine_class.worker"),
		ConfigStateChecks: []statecheck.StateCheck{
			shows("ecs.g7.large/vsw-b/spot", "ecs.g7.large/vsw-c/spot", "ecs.g7.large/vsw-b/on_demand", "ecs.g7.large/vsw-c/on_demand",
				"ecs.gn6v-c8g1.2xlarge/vsw-b/spot", "ecs.gn6v-c8g1.2xlarge/vsw-b/on_demand"),
			exact(offering(0), knownvalue.ObjectExact(map[string]knownvalue.Check{
				"id": knownvalue.StringExact("ecs.g7.large/vsw-b/spot"), "instance_type": knownvalue.StringExact("ecs.g7.large"),
				"zone": knownvalue.StringExact("cn-hangzhou-i"), "vswitch_id": knownvalue.StringExact("vsw-b"), "capacity_type": knownvalue.StringExact("spot"),
				"availability": knownvalue.StringExact("SoldOut"), "vcpus": knownvalue.Int64Exact(2), "memory_gib": knownvalue.Float64Exact(8),
				"gpus": knownvalue.Int64Exact(0), "gpu_model": knownvalue.Null(), "gpu_memory_gib": knownvalue.Null(), "architecture": knownvalue.StringExact("amd64"),
				"price_per_hour": knownvalue.NotNull(), "currency": knownvalue.StringExact("CNY"),
				"valid_until": knownvalue.StringRegexp(regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)),
			})),
			exact(offering(2).AtMapKey("availability"), knownvalue.StringExact("Low")),
			exact(offering(2).AtMapKey("price_per_hour"), knownvalue.Float64Exact(0.52)),
			exact(offering(3).AtMapKey("availability"), knownvalue.StringExact("Available")),
			exact(offering(4).AtMapKey("availability"), knownvalue.StringExact("Discontinued")),
			exact(offering(4).AtMapKey("gpus"), knownvalue.Int64Exact(1)),
			exact(offering(4).AtMapKey("gpu_model"), knownvalue.StringExact("NVIDIA V100")),
			exact(tfjsonpath.New("excluded").AtSliceIndex(0), knownvalue.ObjectExact(map[string]knownvalue.Check{
				"reason": knownvalue.StringExact("not sold in cn-hangzhou-k as spot"),
				"names":  knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact("ecs.gn6v-c8g1.2xlarge")}),
			})),
		},
	})

	if launches := cloud.Counts()["RunInstances"]; launches != 0 {
		t.Errorf("RunInstances was called %d times", launches)
	}
}

func TestAccOfferingsAreFiltered(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	if err := cloud.SetStock(ecsemulator.Stock{InstanceType: "ecs.g7.large", StatusCategory: "WithoutStock"}); err != nil {
		t.Fatal(err)
	}

	three := acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large", "ecs.g6.xlarge"]`, "capacity_types": `["on_demand", "spot"]`}

	var steps []resource.TestStep

	for _, test := range []struct {
		filter string
		want   []string
	}{
		{"", []string{"ecs.g7.large/vsw-a/on_demand", "ecs.g7.large/vsw-a/spot", "ecs.g6.large/vsw-a/on_demand", "ecs.g6.large/vsw-a/spot", "ecs.g6.xlarge/vsw-a/on_demand", "ecs.g6.xlarge/vsw-a/spot"}},
		{"available_only = true", []string{"ecs.g6.large/vsw-a/on_demand", "ecs.g6.large/vsw-a/spot", "ecs.g6.xlarge/vsw-a/on_demand", "ecs.g6.xlarge/vsw-a/spot"}},
		{`capacity_type = "spot"`, []string{"ecs.g7.large/vsw-a/spot", "ecs.g6.large/vsw-a/spot", "ecs.g6.xlarge/vsw-a/spot"}},
		{`capacity_type = "subscription"`, nil},
		{"max_price_per_hour = 0.5\n include_prices = false", []string{"ecs.g7.large/vsw-a/spot", "ecs.g6.large/vsw-a/on_demand", "ecs.g6.large/vsw-a/spot", "ecs.g6.xlarge/vsw-a/spot"}},
		{"max_price_per_hour = 0.5\n available_only = true\n capacity_type = \"on_demand\"", []string{"ecs.g6.large/vsw-a/on_demand"}},
	} {
		steps = append(steps, resource.TestStep{
			Config:            cloud.Provider() + offeringsOf(inline(three)+test.filter),
			ConfigStateChecks: []statecheck.StateCheck{shows(test.want...)},
		})
	}

	run(t, cloud, 0, steps...)
}

func TestAccPricesAreAskedForOnlyWhereTheyAreShown(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	both := acctest.Arguments{"capacity_types": `["on_demand", "spot"]`}
	price := tfjsonpath.New("offerings").AtSliceIndex(0).AtMapKey("price_per_hour")

	run(t, cloud, 0, resource.TestStep{
		Config:            cloud.Provider() + offeringsOf(inline(both)+"include_prices = false"),
		ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue("data.machine_class_offerings.worker", price, knownvalue.Null())},
	})

	if counts := cloud.Counts(); counts["DescribePrice"]+counts["DescribeSpotPriceHistory"] != 0 {
		t.Errorf("prices were asked for: %v", counts)
	}
}

// Who may not ask for prices learns everything else all the same.
func TestAccAPriceThatIsDeniedIsNullAndNoError(t *testing.T) {
	t.Parallel()

	for _, action := range []string{"DescribePrice", "DescribeSpotPriceHistory"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: action})

			charge := map[string]string{"DescribePrice": "on_demand", "DescribeSpotPriceHistory": "spot"}[action]
			first := tfjsonpath.New("offerings").AtSliceIndex(0)

			run(t, cloud, 0, resource.TestStep{
				Config: cloud.Provider() + offeringsOf(inline(acctest.Arguments{"capacity_types": fmt.Sprintf("[%q]", charge)})),
				ConfigStateChecks: []statecheck.StateCheck{
					shows("ecs.g7.large/vsw-a/" + charge),
					statecheck.ExpectKnownValue("data.machine_class_offerings.worker", first.AtMapKey("price_per_hour"), knownvalue.Null()),
					statecheck.ExpectKnownValue("data.machine_class_offerings.worker", first.AtMapKey("currency"), knownvalue.Null()),
				},
			})
		})
	}
}

func TestAccMistakesInTheOfferingsDataSourceAreNamed(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		arguments string
		alicloud  acctest.Arguments
		want      []string
	}{
		"neither a class nor an inline one": {"", nil, []string{"Missing Attribute Configuration", "[class,alicloud]"}},
		"both":                              {"class = machine_class.worker\n" + inline(nil), nil, []string{"Invalid Attribute Combination", "[class,alicloud]"}},
		"a mistake in the inline class":     {inline(acctest.Arguments{"system_disk": "{ performance_level = \"PL1\" }"}), nil, []string{"Performance level without a use"}},
		"a type that is not there":          {inline(acctest.Arguments{"instance_types": `["ecs.none.large"]`}), nil, []string{`The class "(inline)" cannot be resolved`, `instance_types: there is no instance type "ecs.none.large"`}},
		"a capacity type that is none":      {inline(nil) + `capacity_type = "reserved"`, nil, []string{`"on_demand" "spot" "subscription"`}},
		"a negative price":                  {inline(nil) + `max_price_per_hour = -1`, nil, []string{"must be at least 0"}},
		"no region anywhere":                {inline(nil), acctest.Arguments{"region": ""}, []string{"No region", "Set alicloud.region here or in the provider block"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			class := ""

			if test.alicloud == nil {
				class = acctest.Class()
			}

			run(t, cloud, 0, resource.TestStep{
				Config:      cloud.Provider(test.alicloud) + class + offeringsOf(test.arguments),
				ExpectError: acctest.Text(test.want...),
			})
		})
	}
}

// A class with pending changes defers the data source: what depends on it is not
// known at plan. One local that feeds both does not.
func TestAccOfferingsOfAClassWithPendingChangesAreDeferred(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := func(types string) string {
		return cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": types}) + offeringsOf("class = machine_class.worker")
	}

	run(t, cloud, 0,
		resource.TestStep{Config: config(`["ecs.g7.large"]`)},
		resource.TestStep{Config: config(`["ecs.g7.large"]`), PlanOnly: true},
		resource.TestStep{
			Config:           config(`["ecs.g6.large"]`),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectUnknownOutputValue("ids")}},
			ConfigStateChecks: []statecheck.StateCheck{
				shows("ecs.g6.large/vsw-a/on_demand"),
			},
		},
	)
}

func TestAccOneLocalFeedsTheClassAndTheOfferings(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	if err := cloud.SetStock(ecsemulator.Stock{Zone: "cn-hangzhou-i", StatusCategory: "WithoutStock"}); err != nil {
		t.Fatal(err)
	}

	// One machine for each zone that has something available, from the first apply on.
	config := cloud.Provider() + `
locals {
  worker = {
    image_id = "m-acme2"
    instance_types = ["ecs.g7.large"]
    vswitch_ids = ["vsw-a", "vsw-b", "vsw-c"]
    security_group_ids = ["sg-1"]
  }
}
resource "machine_class" "worker" {
  name = "worker"
  alicloud = local.worker
}
` + offeringsOf("alicloud = local.worker\navailable_only = true") + `
resource "machine_allocation" "worker" {
  count = length(data.machine_class_offerings.worker.offerings)
  name = "worker-${data.machine_class_offerings.worker.offerings[count.index].zone}"
  class = machine_class.worker
}
`

	run(t, cloud, 2, resource.TestStep{Config: config, Check: cloud.CheckMachines(2)})
}
