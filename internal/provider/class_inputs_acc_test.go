package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// launchedWith wants the one launch that was accepted to carry these parameters.
func launchedWith(cloud *acctest.Cloud, want map[string]string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		var accepted []map[string]string

		for _, call := range cloud.Calls() {
			if call.Action == "RunInstances" && call.Code == "" {
				accepted = append(accepted, call.Parameters)
			}
		}

		if len(accepted) != 1 {
			return fmt.Errorf("%d launches were accepted, want 1", len(accepted))
		}

		var wrong []string

		for _, name := range slices.Sorted(maps.Keys(want)) {
			got, sent := accepted[0][name]

			if want[name] == "" && sent {
				wrong = append(wrong, fmt.Sprintf("%s is %q and should not be sent", name, got))
			} else if got != want[name] {
				wrong = append(wrong, fmt.Sprintf("%s is %q, want %q", name, got, want[name]))
			}
		}

		if len(wrong) > 0 {
			return fmt.Errorf("the launch: %s", strings.Join(wrong, "; "))
		}

		return nil
	}
}

// What a class says reaches the launch as ECS knows it, and plans nothing afterwards.
func TestAccEveryInputOfAClassReachesTheLaunch(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		class  acctest.Arguments
		charge string
		want   map[string]string
	}{
		"the least": {
			nil, "on_demand",
			map[string]string{
				"ImageId": "m-acme2", "InstanceType": "ecs.g7.large", "VSwitchId": "vsw-a", "SecurityGroupIds.1": "sg-1", "ImageFamily": "", "SystemDisk.Size": "", "SystemDisk.Category": "",
				"DataDisk.1.Size": "", "SpotStrategy": "", "InternetMaxBandwidthOut": "", "Ipv6AddressCount": "", "HttpTokens": "", "KeyPairName": "", "CreditSpecification": "", "Period": "",
			},
		},
		"disks": {
			acctest.Arguments{
				"system_disk": `{ category = "cloud_auto", size_gib = 60, provisioned_iops = 1000, burst_enabled = true, encrypted = true }`,
				"data_disks": `[
					{ category = "cloud_essd", size_gib = 461, performance_level = "PL2", delete_with_instance = false, burst_enabled = false, provisioned_iops = 0 },
					{ size_gib = 100 },
				]`,
			},
			"on_demand",
			map[string]string{
				"SystemDisk.Category": "cloud_auto", "SystemDisk.Size": "60", "SystemDisk.ProvisionedIops": "1000", "SystemDisk.BurstingEnabled": "true", "SystemDisk.Encrypted": "true",
				"DataDisk.1.Category": "cloud_essd", "DataDisk.1.Size": "461", "DataDisk.1.PerformanceLevel": "PL2", "DataDisk.1.DeleteWithInstance": "false",
				"DataDisk.1.ProvisionedIops": "", "DataDisk.1.BurstingEnabled": "", "DataDisk.2.Size": "100", "DataDisk.2.Category": "cloud_auto",
			},
		},
		"network": {
			acctest.Arguments{
				"vswitch_ids": `["vsw-c"]`, "security_group_ids": `["sg-1", "sg-2"]`, "internet": `{ bandwidth_out_mbps = 20, charge_type = "bandwidth", bandwidth_in_mbps = 15 }`,
				"ipv6": "{ address_count = 2 }", "metadata_options": `{ http_tokens = "required", http_endpoint = "enabled" }`,
			},
			"on_demand",
			map[string]string{
				"InternetMaxBandwidthOut": "20", "InternetMaxBandwidthIn": "15", "InternetChargeType": "PayByBandwidth", "Ipv6AddressCount": "2",
				"HttpTokens": "required", "HttpEndpoint": "enabled", "SecurityGroupIds.2": "sg-2",
			},
		},
		"access and placement": {
			acctest.Arguments{
				"key_pair_name": `"acme-key"`, "ram_role_name": `"acme-node-role"`, "resource_group_id": `"rg-acme"`, "deployment_set_id": `"ds-1"`,
				"private_pool": `{ match_criteria = "target", id = "eap-1" }`, "security_enhancement": "false", "tags": `{ team = "platform" }`,
			},
			"on_demand",
			map[string]string{
				"KeyPairName": "acme-key", "RamRoleName": "acme-node-role", "ResourceGroupId": "rg-acme", "DeploymentSetId": "ds-1",
				"PrivatePoolOptions.MatchCriteria": "Target", "PrivatePoolOptions.Id": "eap-1", "SecurityEnhancementStrategy": "Deactive",
			},
		},
		"credits of burstable types": {
			acctest.Arguments{"instance_types": `["ecs.t6-c1m4.large"]`, "credit_specification": `"unlimited"`},
			"on_demand",
			map[string]string{"CreditSpecification": "Unlimited", "InstanceType": "ecs.t6-c1m4.large"},
		},
		"spot at the market price": {
			acctest.Arguments{"capacity_types": `["spot"]`},
			"spot",
			map[string]string{"SpotStrategy": "SpotAsPriceGo", "SpotPriceLimit": ""},
		},
		"spot with a bid": {
			acctest.Arguments{"capacity_types": `["spot"]`, "spot": `{ price_limit_per_hour = 0.5, protection_hours = 0, interruption = "stop" }`, "private_pool": `{ match_criteria = "open" }`},
			"spot",
			map[string]string{
				"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "0.500", "SpotDuration": "0", "SpotInterruptionBehavior": "Stop", "PrivatePoolOptions.MatchCriteria": "",
			},
		},
		"lists that came out empty": {
			grownWith(requiring(`{ vcpus = { max = 2 }, families = ["ecs.g7"], exclude_families = [], exclude_instance_types = [] }`),
				acctest.Arguments{"data_disks": "[]", "tags": "{}", "system_disk": "{}"}), "on_demand",
			map[string]string{"DataDisk.1.Size": "", "SystemDisk.Size": ""},
		},
		"the newest image of a family": {
			acctest.Arguments{"image_id": "", "image_family": `"acme-node"`},
			"on_demand",
			map[string]string{"ImageFamily": "acme-node", "ImageId": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			run(t, cloud, 1, resource.TestStep{
				Config:            cloud.Provider() + acctest.Class(test.class) + acctest.Allocation("worker-a"),
				ConfigStateChecks: []statecheck.StateCheck{value("charge", knownvalue.StringExact(test.charge)), value("image", knownvalue.StringExact("m-acme2"))},
				Check:             resource.ComposeTestCheckFunc(cloud.CheckMachines(1), launchedWith(cloud, test.want)),
			})
		})
	}
}

// Types that some zone does not sell leave the rest of the class as it is (F047).
func TestAccHolesInTheProductOfTypesAndZonesAreNoError(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	holes := acctest.Arguments{"instance_types": `["ecs.gn6v-c8g1.2xlarge", "ecs.g7.large"]`, "vswitch_ids": `["vsw-c", "vsw-a"]`}

	run(t, cloud, 4, resource.TestStep{
		Config: cloud.Provider() + acctest.Class(holes) + fleet(4),
		Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(4), func(*terraform.State) error {
			for _, machine := range cloud.Alive() {
				if machine.InstanceType != "ecs.gn6v-c8g1.2xlarge" || machine.ZoneID != "cn-hangzhou-h" {
					return fmt.Errorf("%s is %s in %s", machine.Name, machine.InstanceType, machine.ZoneID)
				}
			}

			if launches := cloud.Counts()["RunInstances"]; launches != 4 {
				return fmt.Errorf("RunInstances was called %d times for 4 machines", launches)
			}

			return nil
		}),
	})
}

// An accepted launch that is taken back is a refusal that came late (F033, F052).
func TestAccALaunchThatIsWithdrawnGivesWayToTheNext(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleWithdraw, Action: "RunInstances", Parameters: map[string]string{"InstanceType": "ecs.g7.large"}, Seconds: 8})

	run(t, cloud, 2, resource.TestStep{
		Config:            cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`}) + acctest.Allocation("worker-a"),
		ConfigStateChecks: []statecheck.StateCheck{value("instance_type", knownvalue.StringExact("ecs.g6.large"))},
	})
}

// Each candidate is asked for under a token of its own: one token with other parameters
// is refused (F054).
func TestAccEachCandidateIsAskedForUnderATokenOfItsOwn(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	soldOut(t, cloud, "ecs.g7.*")

	run(t, cloud, 1, resource.TestStep{
		Config: cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g7.xlarge", "ecs.g6.large"]`}) + acctest.Allocation("worker-a"),
		Check: func(*terraform.State) error {
			tokens := map[string]bool{}

			for _, call := range cloud.Calls() {
				if call.Action == "RunInstances" {
					tokens[call.Parameters["ClientToken"]] = true
				}
			}

			if len(tokens) != 3 {
				return fmt.Errorf("3 candidates were asked for under the tokens %v", tokens)
			}

			return nil
		},
	})
}

// What is known only when it is applied is checked then, before anything is launched.
func TestAccAMistakeThatPlanCannotSeeIsFoundBeforeALaunch(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		// input is what becomes known in the apply, as terraform_data.late.output.
		input string
		class acctest.Arguments
		want  []string
	}{
		"a disk size": {"2049", acctest.Arguments{"system_disk": "{ size_gib = terraform_data.late.output }"}, []string{"Disk size out of bounds", "1 to 2048 GiB, not 2049"}},
		"a bid":       {"0.1234", acctest.Arguments{"capacity_types": `["spot"]`, "spot": "{ price_limit_per_hour = terraform_data.late.output }"}, []string{"Invalid price", "0.1234 is none"}},
		"a bound":     {"1", requiring("{ vcpus = { min = 2, max = terraform_data.late.output } }"), []string{"Empty range", "min is 2 and max is 1"}},
		"a tag":       {`"terraform-machine/owner"`, acctest.Arguments{"tags": `{ (terraform_data.late.output) = "me" }`}, []string{"Invalid tag key", "are the provider's own"}},
		"a type":      {`"ecs.none.large"`, acctest.Arguments{"instance_types": "[terraform_data.late.output]"}, []string{`The class "worker" cannot be resolved`, `instance_types: there is no instance type "ecs.none.large"`}},
		"a period":    {"10", acctest.Arguments{"capacity_types": `["subscription"]`, "subscription": "{ period = terraform_data.late.output }"}, []string{"Period that is not sold", "no subscription of 10 months"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			run(t, cloud, 0, resource.TestStep{
				Config: cloud.Provider() + "resource \"terraform_data\" \"late\" {\n  input = " + test.input + "\n}\n" +
					acctest.Class(test.class) + acctest.Allocation("worker-a"),
				ExpectError: acctest.Text(test.want...),
			})

			if err := cloud.CheckNothingLaunched()(nil); err != nil {
				t.Error(err)
			}
		})
	}
}
