package ecsemulator_test

import "time"

// readScenarios are about what there is to rent, and what became of a launch.
func readScenarios() map[string][]conformanceStep {
	return map[string][]conformanceStep{
		"a launch that is withdrawn": {
			{action: "withdraw the next launch"},
			launched(nil),
			became("Starting", 5*time.Second),
			{action: "DescribeInstanceHistoryEvents", request: object{}, want: map[string]any{"TotalCount": 0}},
			{action: "DescribeInstances", request: listed(nil), after: 10 * time.Second, want: map[string]any{"TotalCount": 0}},
			{action: "DescribeInstanceHistoryEvents", request: named(nil), want: map[string]any{
				"TotalCount": 1, "InstanceSystemEventSet.InstanceSystemEventType.0.EventType.Name": "SystemFailure.Delete",
				"InstanceSystemEventSet.InstanceSystemEventType.0.EventCycleStatus.Name": "Executed",
				"InstanceSystemEventSet.InstanceSystemEventType.0.InstanceId":            "{id}",
			}},
			{action: "DescribeInstanceHistoryEvents", request: object{"InstanceEventType": []any{"SystemMaintenance.Reboot"}}, want: map[string]any{"TotalCount": 0}},
		},
		"prices": {
			{action: "DescribePrice", request: object{"InstanceType": "ecs.g7.large", "SystemDisk": object{"Category": "cloud_essd", "Size": 40}}, want: map[string]any{
				"PriceInfo.Price.Currency": "CNY", "PriceInfo.Price.OriginalPrice": 0.604, "PriceInfo.Price.TradePrice": 0.604,
			}},
			{action: "DescribePrice", request: object{"InstanceType": "ecs.g7.large", "PriceUnit": "Month", "Period": 1, "SystemDisk": object{"Category": "cloud_essd", "Size": 40}}, want: map[string]any{
				"PriceInfo.Price.TradePrice": 217.44,
			}},
			{action: "DescribeSpotPriceHistory", request: object{"InstanceType": "ecs.g7.large", "NetworkType": "vpc", "ZoneId": "cn-hangzhou-h"}, want: map[string]any{
				"SpotPrices.SpotPriceType.#": 3, "SpotPrices.SpotPriceType.0.OriginPrice": 0.52,
			}},
			denied("DescribePrice", object{"InstanceType": "ecs.none"}, "InvalidInstanceType.ValueNotSupported", 400),
			denied("DescribeSpotPriceHistory", object{"InstanceType": "ecs.none", "NetworkType": "vpc"}, "InvalidInstanceType.ValueNotSupported", 400),
			launched(object{"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": 0.3}),
			{action: "DescribeInstances", request: listed(nil), want: map[string]any{
				"Instances.Instance.0.SpotStrategy": "SpotWithPriceLimit", "Instances.Instance.0.SpotPriceLimit": 0.3,
				"Instances.Instance.0.InstanceChargeType": "PostPaid",
			}},
		},
		"what there is": {
			{action: "DescribeRegions", request: object{"AcceptLanguage": "en-US"}, want: map[string]any{"Regions.Region.0.LocalName": "China (Hangzhou)"}},
			{action: "DescribeZones", request: object{"AcceptLanguage": "en-US"}, want: map[string]any{"Zones.Zone.#": 4, "Zones.Zone.0.ZoneId": "cn-hangzhou-h"}},
			{action: "DescribeInstanceTypes", request: object{"InstanceTypes": []any{"ecs.gn6i-c4g1.xlarge"}}, want: map[string]any{
				"InstanceTypes.InstanceType.0.GPUAmount": 1, "InstanceTypes.InstanceType.0.GPUSpec": "NVIDIA T4",
			}},
			{action: "DescribeInstanceTypes", request: object{}, want: map[string]any{"InstanceTypes.InstanceType.#": 100}, keep: map[string]string{"next": "NextToken"}},
			{action: "DescribeInstanceTypes", request: object{"NextToken": "{next}"}, want: map[string]any{"InstanceTypes.InstanceType.#": 63, "NextToken": ""}},
			{action: "DescribeImages", request: object{"ImageFamily": "acme-node"}, want: map[string]any{"Images.Image.0.ImageId": "m-acme2"}},
			{action: "DescribeImageFromFamily", request: object{"ImageFamily": "acme-node"}, want: map[string]any{"Image.ImageId": "m-acme2"}},
			{action: "DescribeKeyPairs", request: object{"KeyPairName": "acme*"}, want: map[string]any{"KeyPairs.KeyPair.0.KeyPairName": "acme-key"}},
			{action: "DescribeDeploymentSets", request: object{"DeploymentSetIds": `["ds-1"]`}, want: map[string]any{"DeploymentSets.DeploymentSet.0.Granularity": "Host"}},
			{action: "DescribeSnapshots", request: object{"SnapshotIds": `["s-1"]`}, want: map[string]any{"Snapshots.Snapshot.0.Status": "accomplished"}},
			{action: "DescribeSecurityGroups", request: object{"VpcId": "vpc-1"}, want: map[string]any{"TotalCount": 2}},
			{action: "DescribeAvailableResource", request: object{"DestinationResource": "InstanceType", "InstanceType": "ecs.g7.large", "ZoneId": "cn-hangzhou-h"}, want: map[string]any{
				"AvailableZones.AvailableZone.0.AvailableResources.AvailableResource.0.SupportedResources.SupportedResource.0.StatusCategory": "WithStock",
			}},
			denied("DescribeAvailableResource", object{"DestinationResource": "Moon"}, "Invalid.DestinationResource", 404),
			denied("DescribeInstances", object{"Status": "Gone"}, "InvalidStatus.NotFound", 404),
			denied("DescribeInstances", object{"RegionId": "moon-1"}, "InvalidRegionId.NotFound", 404),
		},
	}
}
