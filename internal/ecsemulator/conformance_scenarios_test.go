package ecsemulator_test

import (
	"maps"
	"time"
)

// conformanceScenarios are the stories that both SDKs must tell alike.
func conformanceScenarios() map[string][]conformanceStep {
	all := map[string][]conformanceStep{
		"an instance's life":    lifeScenario(),
		"power in batches":      batchScenario(),
		"what a launch can say": launchScenario(),
	}
	maps.Copy(all, resourceScenarios())
	maps.Copy(all, readScenarios())
	return all
}

func lifeScenario() []conformanceStep {
	return []conformanceStep{
		launched(object{"InstanceName": "worker-1", "UserData": "{user data}", "ClientToken": "token", "Tag": []any{object{"Key": "team", "Value": "a b*~/ü"}}}),
		{ // the same token, the same instance
			action: "RunInstances", want: map[string]any{"InstanceIdSets.InstanceIdSet.0": "{id}"},
			request: anInstance(object{"InstanceName": "worker-1", "UserData": "{user data}", "ClientToken": "token", "Tag": []any{object{"Key": "team", "Value": "a b*~/ü"}}}),
		},
		denied("RunInstances", anInstance(object{"InstanceName": "worker-2", "ClientToken": "token"}), "IdempotentParameterMismatch", 400),
		became("Pending", 0),
		became("Starting", 3*time.Second),
		became("Running", time.Minute),
		{action: "DescribeInstances", request: object{"Tag": []any{object{"Key": "team", "Value": "a b*~/ü"}}}, want: map[string]any{
			"TotalCount": 1, "Instances.Instance.0.InstanceName": "worker-1", "Instances.Instance.0.Tags.Tag.0.TagValue": "a b*~/ü",
		}},
		{action: "DescribeInstanceStatus", request: object{"InstanceId": []any{"{id}"}}, want: map[string]any{"InstanceStatuses.InstanceStatus.0.Status": "Running"}},
		{action: "DescribeUserData", request: named(nil), want: map[string]any{"UserData": "{user data}"}},
		{action: "DescribeInstanceAttribute", request: named(nil), want: map[string]any{"InstanceName": "worker-1", "Status": "Running", "IoOptimized": "optimized"}},
		done("ModifyInstanceAttribute", named(object{"InstanceName": "renamed", "Description": "a worker", "DeletionProtection": true})),
		{action: "DescribeInstanceAttribute", request: named(nil), want: map[string]any{"InstanceName": "renamed", "Description": "a worker"}},
		denied("DeleteInstance", named(object{"Force": true}), "InvalidOperation.DeletionProtection", 403),
		done("ModifyInstanceAttribute", named(object{"DeletionProtection": false})),
		denied("StartInstance", named(nil), "IncorrectInstanceStatus", 403),
		done("RebootInstance", named(nil)),
		became("Starting", 0),
		became("Running", time.Minute),
		done("StopInstance", named(object{"StoppedMode": "StopCharging"})),
		became("Stopping", 0),
		{action: "DescribeInstances", request: listed(nil), after: time.Minute, want: map[string]any{
			"Instances.Instance.0.Status": "Stopped", "Instances.Instance.0.StoppedMode": "StopCharging",
		}},
		done("StartInstance", named(nil)),
		became("Running", time.Minute),
		done("TagResources", object{"ResourceType": "instance", "ResourceId": []any{"{id}"}, "Tag": []any{object{"Key": "role", "Value": "web"}}}),
		{action: "ListTagResources", request: object{"ResourceType": "instance", "ResourceId": []any{"{id}"}}, want: map[string]any{
			"TagResources.TagResource.#": 2, "TagResources.TagResource.0.TagKey": "role", "TagResources.TagResource.0.TagValue": "web",
		}},
		done("UntagResources", object{"ResourceType": "instance", "ResourceId": []any{"{id}"}, "TagKey": []any{"role"}}),
		{action: "ListTagResources", request: object{"ResourceType": "instance", "ResourceId": []any{"{id}"}}, want: map[string]any{"TagResources.TagResource.#": 1}},
		done("DeleteInstance", named(object{"Force": true})),
		{action: "DescribeInstances", request: listed(nil), after: time.Minute, want: map[string]any{"Instances.Instance.#": 0, "TotalCount": 0}},
		denied("DeleteInstance", named(nil), "InvalidInstanceId.NotFound", 404),
	}
}

func batchScenario() []conformanceStep {
	both := object{"InstanceId": []any{"{id}", "{other}"}}
	with := func(more object) object {
		request := maps.Clone(both)
		maps.Copy(request, more)
		return request
	}
	return []conformanceStep{
		launched(nil),
		{action: "RunInstances", request: anInstance(nil), keep: map[string]string{"other": "InstanceIdSets.InstanceIdSet.0"}},
		denied("StopInstances", both, "IncorrectInstanceStatus", 403),
		became("Running", time.Minute),
		done("StopInstance", object{"InstanceId": "{other}"}),
		denied("StopInstances", both, "IncorrectInstanceStatus", 403),
		became("Running", time.Minute),
		{action: "StopInstances", request: with(object{"BatchOptimization": "SuccessFirst"}), want: map[string]any{
			"InstanceResponses.InstanceResponse.0.Code": "200", "InstanceResponses.InstanceResponse.0.CurrentStatus": "Stopping",
			"InstanceResponses.InstanceResponse.0.PreviousStatus": "Running",
			"InstanceResponses.InstanceResponse.1.Code":           "IncorrectInstanceStatus",
			"InstanceResponses.InstanceResponse.1.CurrentStatus":  "Stopped",
		}},
		became("Stopped", time.Minute),
		denied("StartInstances", with(object{"DryRun": true}), "DRYRUN.SUCCESS", 400),
		denied("StartInstances", object{"InstanceId": []any{"{id}", "i-none"}}, "InvalidInstanceId.NotFound", 404),
		{action: "StartInstances", request: both, want: map[string]any{
			"InstanceResponses.InstanceResponse.0.CurrentStatus": "Starting", "InstanceResponses.InstanceResponse.1.CurrentStatus": "Starting",
		}},
		became("Running", time.Minute),
		done("RebootInstances", both),
		became("Starting", 0),
		became("Running", time.Minute),
		denied("DeleteInstances", object{"InstanceId": []any{"{id}", "i-none"}, "Force": true}, "InvalidInstanceId.NotFound", 404),
		became("Running", 0),
		denied("DeleteInstances", with(object{"Force": true, "DryRun": true}), "DRYRUN.SUCCESS", 400),
		done("DeleteInstances", with(object{"Force": true})),
		{action: "DescribeInstances", request: object{}, after: time.Minute, want: map[string]any{"TotalCount": 0}},
	}
}

func launchScenario() []conformanceStep {
	return []conformanceStep{
		{action: "RunInstances", want: map[string]any{"InstanceIdSets.InstanceIdSet.#": 2}, keep: map[string]string{"id": "InstanceIdSets.InstanceIdSet.0"}, request: anInstance(object{
			"Amount": 2, "MinAmount": 1, "InstanceName": "node-[7,3]", "HostName": "host", "UniqueSuffix": true, "ResourceGroupId": "rg-acme",
			"DeploymentSetId": "ds-1", "DeploymentSetGroupNo": 2, "AutoReleaseTime": "{in an hour}", "InternetMaxBandwidthOut": 5,
			"HttpTokens": "required", "KeyPairName": "acme-key", "RamRoleName": "acme-node-role",
			"SystemDisk":         object{"Category": "cloud_essd", "Size": "60", "PerformanceLevel": "PL0", "DiskName": "root-disk"},
			"DataDisk":           []any{object{"Category": "cloud_auto", "Size": 100, "DeleteWithInstance": false, "ProvisionedIops": 500}},
			"PrivatePoolOptions": object{"MatchCriteria": "Target", "Id": "eap-1"},
		})},
		{action: "DescribeInstances", request: listed(object{"AdditionalAttributes": []any{"META_OPTIONS"}}), want: map[string]any{
			"Instances.Instance.0.InstanceName": "node-007", "Instances.Instance.0.HostName": "host001",
			"Instances.Instance.0.ResourceGroupId": "rg-acme", "Instances.Instance.0.DeploymentSetId": "ds-1",
			"Instances.Instance.0.KeyPairName": "acme-key", "Instances.Instance.0.PublicIpAddress.IpAddress.#": 1,
			"Instances.Instance.0.MetadataOptions.HttpTokens":                               "required",
			"Instances.Instance.0.EcsCapacityReservationAttr.CapacityReservationPreference": "Target",
		}},
		{action: "DescribeInstanceAttachmentAttributes", request: listed(nil), want: map[string]any{
			"Instances.Instance.0.PrivatePoolOptionsId": "eap-1", "Instances.Instance.0.PrivatePoolOptionsMatchCriteria": "Target",
		}},
		{action: "DescribeInstanceRamRole", request: listed(nil), want: map[string]any{"InstanceRamRoleSets.InstanceRamRoleSet.0.RamRoleName": "acme-node-role"}},
		{action: "DescribeDisks", request: named(nil), after: 3 * time.Second, want: map[string]any{
			"TotalCount": 2, "Disks.Disk.0.Category": "cloud_auto", "Disks.Disk.0.DeleteWithInstance": false, "Disks.Disk.0.ProvisionedIops": 500,
			"Disks.Disk.1.Type": "system", "Disks.Disk.1.Size": 60, "Disks.Disk.1.PerformanceLevel": "PL0", "Disks.Disk.1.Status": "In_use",
			"Disks.Disk.1.Attachments.Attachment.0.InstanceId": "{id}",
		}},
		{action: "RunInstances", request: object{"LaunchTemplateName": "acme-node"}, keep: map[string]string{"id": "InstanceIdSets.InstanceIdSet.0"}},
		{action: "DescribeInstances", request: listed(nil), want: map[string]any{
			"Instances.Instance.0.ImageId": "m-acme2", "Instances.Instance.0.Tags.Tag.0.TagKey": "template",
		}},
		denied("RunInstances", anInstance(object{"DryRun": true}), "DryRunOperation", 400),
		denied("RunInstances", anInstance(object{"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": 0.001}), "InvalidSpotPriceLimit.LowerThanPublicPrice", 400),
		denied("RunInstances", anInstance(object{"ResourceGroupId": "rg-none"}), "InvalidResourceGroup.NotFound", 404),
	}
}
