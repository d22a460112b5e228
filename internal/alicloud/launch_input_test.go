package alicloud_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// launchedWith launches a machine of the edited class, and returns what went out.
func (b *bench) launchedWith(t *testing.T, edit func(map[string]any), capacityType v1alpha3.CapacityType) map[string]string {
	t.Helper()

	request := b.allocation(t, "worker-a")
	request.Allocation.ProviderConfig = class(t, edit)
	request.Allocation.Offering.CapacityType = capacityType

	if _, err := b.begin(t.Context(), t, request); err != nil {
		t.Fatal(err)
	}

	for _, call := range b.Calls() {
		if call.Action == "RunInstances" {
			return call.Parameters
		}
	}

	t.Fatal("nothing was launched")

	return nil
}

func TestALaunchCarriesEveryInputOfItsClass(t *testing.T) {
	t.Parallel()

	everything := all(
		set("vswitch_ids", []string{"vsw-a"}),
		set("system_disk", object{"category": "cloud_auto", "size_gib": 60, "provisioned_iops": 1000, "burst_enabled": false, "encrypted": true, "kms_key_id": "key-1"}),
		set("data_disks", []object{
			{"category": "cloud_essd", "size_gib": 500, "performance_level": "PL2", "delete_with_instance": false, "encrypted": true}, {"size_gib": 20},
		}),
		set("internet", object{"bandwidth_out_mbps": 5, "charge_type": "bandwidth", "bandwidth_in_mbps": 10}),
		set("metadata_options", object{"http_tokens": "required", "http_endpoint": "enabled"}),
		set("deployment_set_id", "ds-1"), set("resource_group_id", "rg-acme"), set("security_enhancement", true), set("private_pool", object{"match_criteria": "open"}),
	)
	common := map[string]string{
		"SystemDisk.Category": "cloud_auto", "SystemDisk.Size": "60", "SystemDisk.ProvisionedIops": "1000", "SystemDisk.BurstingEnabled": "false",
		"SystemDisk.Encrypted": "true", "SystemDisk.KMSKeyId": "key-1",
		"DataDisk.1.Category": "cloud_essd", "DataDisk.1.Size": "500", "DataDisk.1.PerformanceLevel": "PL2", "DataDisk.1.DeleteWithInstance": "false",
		"DataDisk.1.Encrypted": "true", "DataDisk.2.Category": "cloud_auto", "DataDisk.2.Size": "20", "DataDisk.2.DeleteWithInstance": "",
		"InternetMaxBandwidthOut": "5", "InternetChargeType": "PayByBandwidth", "InternetMaxBandwidthIn": "10",
		"HttpTokens": "required", "HttpEndpoint": "enabled", "DeploymentSetId": "ds-1", "ResourceGroupId": "rg-acme", "SecurityEnhancementStrategy": "Active",
	}

	for name, test := range map[string]struct {
		edit         func(map[string]any)
		capacityType v1alpha3.CapacityType
		want         map[string]string
	}{
		"on demand": {nil, v1alpha3.CapacityTypeOnDemand, map[string]string{
			"InstanceChargeType": "PostPaid", "SpotStrategy": "", "PrivatePoolOptions.MatchCriteria": "Open", "Period": "",
		}},
		"spot at a limit": {
			all(set("capacity_types", []string{"spot"}), set("spot", object{"price_limit_per_hour": 1.5, "protection_hours": 0, "interruption": "stop"})),
			v1alpha3.CapacityTypeSpot,
			map[string]string{
				"InstanceChargeType": "PostPaid", "SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "1.500", "SpotDuration": "0", "SpotInterruptionBehavior": "Stop",
				"PrivatePoolOptions.MatchCriteria": "",
			},
		},
		"spot at the market's price": {
			set("capacity_types", []string{"spot"}), v1alpha3.CapacityTypeSpot, map[string]string{"SpotStrategy": "SpotAsPriceGo", "SpotPriceLimit": "", "SpotDuration": ""},
		},
		"a subscription by the week": {
			all(set("capacity_types", []string{"subscription"}), set("subscription", object{"period": 2, "unit": "week", "auto_renew": true, "auto_renew_period": 3})),
			v1alpha3.CapacityTypeSubscription,
			map[string]string{
				"InstanceChargeType": "PrePaid", "Period": "2", "PeriodUnit": "Week", "AutoRenew": "true", "AutoRenewPeriod": "3", "AutoPay": "true", "SpotStrategy": "",
			},
		},
		"a subscription by the year": {
			all(set("capacity_types", []string{"subscription"}), set("subscription", object{"period": 3, "unit": "year", "auto_renew": true})),
			v1alpha3.CapacityTypeSubscription,
			map[string]string{"Period": "36", "PeriodUnit": "Month", "AutoRenew": "true", "AutoRenewPeriod": "12"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			edit := everything
			if test.edit != nil {
				edit = all(everything, test.edit)
			}

			sent, want := newBench(t, settled()).launchedWith(t, edit, test.capacityType), maps.Clone(common)
			maps.Copy(want, test.want)

			for parameter, value := range want {
				if sent[parameter] != value {
					t.Errorf("%s is %q, want %q", parameter, sent[parameter], value)
				}
			}
		})
	}
}

// A password travels with the context, reaches ECS alone, and a refusal that quotes it
// does not tell it.
func TestAPasswordReachesTheLaunchAndNothingElse(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.allocation(t, "worker-a")
	rule := b.rule(t, ecsemulator.Rule{
		Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "InvalidParameter", HTTPStatus: 400, Message: "what about " + secretMarker + "A",
	})
	ctx := machineops.WithPassword(t.Context(), secretMarker+"A")

	_, err := b.begin(ctx, t, request)
	if err == nil || strings.Contains(err.Error(), secretMarker) {
		t.Fatalf("the refusal is told as %v", err)
	}

	if err := b.RemoveRule(rule); err != nil {
		t.Fatal(err)
	}

	request.OperationUID = "another"

	if _, err := b.begin(ctx, t, request); err != nil {
		t.Fatal(err)
	}

	given := 0

	for _, call := range b.Calls() {
		if _, there := call.Parameters["Password"]; there {
			given++
		}
	}

	if given != 2 {
		t.Errorf("%d launches had a password, want both", given)
	}

	if strings.Contains(b.log.String(), secretMarker) {
		t.Error("the log holds the password")
	}
}
