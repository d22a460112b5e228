package ecsemulator_test

import "time"

// resourceScenarios are about what belongs to instances.
func resourceScenarios() map[string][]conformanceStep {
	return map[string][]conformanceStep{
		"new system disk and new type": {
			launched(object{"KeyPairName": "acme-key"}),
			became("Running", time.Minute),
			denied("ReplaceSystemDisk", named(object{"ImageId": "m-acme1"}), "IncorrectInstanceStatus", 403),
			denied("ModifyInstanceSpec", named(object{"InstanceType": "ecs.g7.xlarge"}), "InvalidInstanceStatus.NotStopped", 400),
			done("StopInstance", named(nil)),
			{action: "DescribeDisks", request: named(nil), after: time.Minute, keep: map[string]string{"disk": "Disks.Disk.0.DiskId"}},
			{action: "ReplaceSystemDisk", request: named(object{"ImageId": "m-acme1", "SystemDisk": object{"Size": 80}}), keep: map[string]string{"new disk": "DiskId"}},
			{action: "DescribeDisks", request: named(nil), want: map[string]any{
				"TotalCount": 1, "Disks.Disk.0.DiskId": "{new disk}", "Disks.Disk.0.Size": 80, "Disks.Disk.0.ImageId": "m-acme1",
			}},
			{action: "DescribeInstances", request: listed(nil), want: map[string]any{
				"Instances.Instance.0.ImageId": "m-acme1", "Instances.Instance.0.KeyPairName": "", "Instances.Instance.0.Status": "Stopped",
			}},
			done("AttachKeyPair", listed(object{"KeyPairName": "acme-key"})),
			done("ModifyInstanceSpec", named(object{"InstanceType": "ecs.g7.xlarge", "ClientToken": "spec"})),
			denied("ModifyInstanceSpec", named(object{"InstanceType": "ecs.g7.2xlarge", "ClientToken": "spec"}), "IdempotenceParamNotMatch", 400),
			denied("ModifyInstanceSpec", named(object{"InstanceType": "ecs.g7.2xlarge"}), "Throttling", 400),
			{action: "DescribeInstances", request: listed(nil), after: 5 * time.Minute, want: map[string]any{"Instances.Instance.0.Cpu": 4, "Instances.Instance.0.Memory": 16384}},
			{action: "DescribeResourcesModification", request: object{"ResourceId": "{id}", "DestinationResource": "InstanceType", "Cores": 8, "Memory": 16}, want: map[string]any{
				"AvailableZones.AvailableZone.0.ZoneId": "cn-hangzhou-h",
				"AvailableZones.AvailableZone.0.AvailableResources.AvailableResource.0.SupportedResources.SupportedResource.0.Value": "ecs.c7.2xlarge",
			}},
			done("ModifyInstanceSpec", named(object{"InstanceType": "ecs.c7.2xlarge"})),
			{action: "DescribeInstances", request: object{"InstanceType": "ecs.c7.2xlarge"}, want: map[string]any{"TotalCount": 1}},
		},
		"disks that stay and disks that go": {
			launched(object{"DataDisk": []any{object{"Category": "cloud_essd", "Size": 20, "DiskName": "goes"}, object{"Category": "cloud_essd", "Size": 30, "DiskName": "stays"}}}),
			{action: "DescribeDisks", request: named(object{"DiskName": "stays"}), want: map[string]any{"TotalCount": 1, "Disks.Disk.0.Status": "Creating"}, keep: map[string]string{"disk": "Disks.Disk.0.DiskId"}},
			denied("DeleteDisk", object{"DiskId": "{disk}"}, "IncorrectDiskStatus.Initializing", 403),
			became("Running", time.Minute),
			denied("DeleteDisk", object{"DiskId": "{disk}"}, "IncorrectDiskStatus", 403),
			done("ModifyDiskAttribute", object{"DiskId": "{disk}", "DeleteWithInstance": false, "DiskName": "kept"}),
			denied("ModifyDiskAttribute", object{"DiskId": "d-none", "DiskName": "kept"}, "InvalidDiskId.NotFound", 404),
			done("DeleteInstance", named(object{"Force": true})),
			{action: "DescribeDisks", request: object{}, after: time.Minute, want: map[string]any{
				"TotalCount": 1, "Disks.Disk.0.DiskId": "{disk}", "Disks.Disk.0.Status": "Available", "Disks.Disk.0.DiskName": "kept",
			}},
			done("DeleteDisk", object{"DiskId": "{disk}"}),
			{action: "DescribeDisks", request: object{"DiskIds": `["{disk}"]`}, want: map[string]any{"TotalCount": 0}},
			done("DeleteDisk", object{"DiskId": "{disk}"}),
		},
		"network interfaces, groups and addresses": {
			{action: "DescribeVSwitches", request: object{"VSwitchId": "vsw-c"}, want: map[string]any{"VSwitches.VSwitch.0.AvailableIpAddressCount": 4092}},
			launched(object{
				"VSwitchId": "vsw-c", "Ipv6AddressCount": 1,
				"NetworkInterface": []any{object{"InstanceType": "Secondary", "NetworkInterfaceName": "second", "DeleteOnRelease": false}},
			}),
			{action: "DescribeVSwitches", request: object{"VSwitchId": "vsw-c"}, want: map[string]any{
				"VSwitches.VSwitch.0.AvailableIpAddressCount": 4090, "VSwitches.VSwitch.0.Ipv6CidrBlock": "2408:4005:300:1c00::/64",
			}},
			{action: "DescribeVpcs", request: object{"VpcId": "vpc-1"}, want: map[string]any{"Vpcs.Vpc.0.VSwitchIds.VSwitchId.#": 4}},
			{action: "DescribeNetworkInterfaces", request: named(nil), after: time.Minute, keep: map[string]string{"second": "NetworkInterfaceSets.NetworkInterfaceSet.1.NetworkInterfaceId"}, want: map[string]any{
				"TotalCount": 2, "NetworkInterfaceSets.NetworkInterfaceSet.0.Type": "Primary", "NetworkInterfaceSets.NetworkInterfaceSet.0.Status": "InUse",
				"NetworkInterfaceSets.NetworkInterfaceSet.0.Ipv6Sets.Ipv6Set.0.Ipv6Address": "2408:4005:300:1c00::1",
				"NetworkInterfaceSets.NetworkInterfaceSet.1.Type":                           "Secondary",
				"NetworkInterfaceSets.NetworkInterfaceSet.1.NetworkInterfaceName":           "second",
			}},
			{action: "DescribeInstances", request: listed(nil), want: map[string]any{"Instances.Instance.0.NetworkInterfaces.NetworkInterface.#": 2}},
			denied("DeleteNetworkInterface", object{"NetworkInterfaceId": "{second}"}, "InvalidOperation.InvalidEniState", 400),
			done("JoinSecurityGroup", named(object{"SecurityGroupId": "sg-2"})),
			denied("JoinSecurityGroup", named(object{"SecurityGroupId": "sg-2"}), "InvalidInstanceId.AlreadyExists", 403),
			done("LeaveSecurityGroup", named(object{"SecurityGroupId": "sg-1"})),
			denied("LeaveSecurityGroup", named(object{"SecurityGroupId": "sg-2"}), "InstanceLastSecurityGroup", 403),
			{action: "DescribeSecurityGroups", request: object{"SecurityGroupIds": `["sg-2"]`}, want: map[string]any{"SecurityGroups.SecurityGroup.0.EcsCount": 1}},
			done("DeleteInstance", named(object{"Force": true})),
			{action: "DescribeNetworkInterfaces", request: object{}, after: time.Minute, want: map[string]any{
				"TotalCount": 1, "NetworkInterfaceSets.NetworkInterfaceSet.0.Status": "Available", "NetworkInterfaceSets.NetworkInterfaceSet.0.NetworkInterfaceId": "{second}",
			}},
			done("DeleteNetworkInterface", object{"NetworkInterfaceId": "{second}"}),
			{action: "DescribeNetworkInterfaces", request: object{"NetworkInterfaceId": []any{"{second}"}}, want: map[string]any{"NetworkInterfaceSets.NetworkInterfaceSet.0.Status": "Deleting"}},
			{action: "DescribeNetworkInterfaces", request: object{}, after: time.Minute, want: map[string]any{"TotalCount": 0}},
			denied("DeleteNetworkInterface", object{"NetworkInterfaceId": "{second}"}, "InvalidEniId.NotFound", 404),
			{action: "DescribeVSwitches", request: object{"VSwitchId": "vsw-c"}, want: map[string]any{"VSwitches.VSwitch.0.AvailableIpAddressCount": 4092}},
		},
		"roles, keys, metadata and console": {
			launched(nil),
			denied("GetInstanceConsoleOutput", named(nil), "IncorrectInstanceStatus", 405),
			became("Running", time.Minute),
			{action: "AttachInstanceRamRole", request: listed(object{"RamRoleName": "acme-node-role"}), want: map[string]any{
				"FailCount": 0, "AttachInstanceRamRoleResults.AttachInstanceRamRoleResult.0.Code": "200",
			}},
			{action: "DescribeInstanceRamRole", request: listed(nil), want: map[string]any{"InstanceRamRoleSets.InstanceRamRoleSet.0.RamRoleName": "acme-node-role"}},
			{action: "DetachInstanceRamRole", request: listed(object{"RamRoleName": "acme-node-role"}), want: map[string]any{"FailCount": 0}},
			{action: "DescribeInstanceRamRole", request: listed(nil), want: map[string]any{"InstanceRamRoleSets.InstanceRamRoleSet.0.RamRoleName": ""}},
			denied("AttachInstanceRamRole", listed(object{"RamRoleName": "nobody"}), "InvalidRamRole.NotFound", 404),
			{action: "AttachKeyPair", request: object{"InstanceIds": `["{id}","i-none"]`, "KeyPairName": "acme-key"}, want: map[string]any{
				"TotalCount": "2", "FailCount": "1", "Results.Result.0.Success": "true", "Results.Result.1.Code": "InvalidInstanceId.NotFound",
			}},
			{action: "DescribeInstances", request: object{"KeyPairName": "acme-key"}, want: map[string]any{"TotalCount": 1}},
			{action: "DetachKeyPair", request: listed(object{"KeyPairName": "acme-key"}), want: map[string]any{"FailCount": "0"}},
			denied("DetachKeyPair", listed(object{"KeyPairName": "no-key"}), "InvalidKeyPairName.NotFound", 404),
			done("ModifyInstanceMetadataOptions", named(object{"HttpEndpoint": "enabled", "HttpTokens": "required"})),
			denied("ModifyInstanceMetadataOptions", named(object{"HttpEndpoint": "maybe"}), "InvalidHttpEndpoint.NotSupported", 400),
			{action: "DescribeInstances", request: listed(object{"AdditionalAttributes": []any{"META_OPTIONS"}}), want: map[string]any{"Instances.Instance.0.MetadataOptions.HttpTokens": "required"}},
			{action: "GetInstanceConsoleOutput", request: named(nil), want: map[string]any{"InstanceId": "{id}"}},
			{action: "DescribeInstanceMaintenanceAttributes", request: object{"InstanceId": []any{"{id}"}}, want: map[string]any{
				"MaintenanceAttributes.MaintenanceAttribute.0.ActionOnMaintenance.Value": "AutoRecover",
			}},
		},
		"an end that was planned": {
			launched(object{"AutoReleaseTime": "{in an hour}"}),
			became("Running", time.Minute),
			done("ModifyInstanceAutoReleaseTime", named(nil)),
			{action: "DescribeInstances", request: listed(nil), want: map[string]any{"Instances.Instance.0.AutoReleaseTime": ""}},
			denied("ModifyInstanceAutoReleaseTime", named(object{"AutoReleaseTime": "2001-01-01T00:00:00Z"}), "InvalidAutoReleaseTime.Malformed", 400),
			done("ModifyInstanceAutoReleaseTime", named(object{"AutoReleaseTime": "{in an hour}"})),
			became("Running", 57*time.Minute),
			{action: "DescribeInstances", request: listed(nil), after: 2 * time.Minute, want: map[string]any{"TotalCount": 0}},
			denied("ModifyInstanceAutoReleaseTime", named(nil), "InvalidInstanceId.NotFound", 404),
		},
		"subscription and back": {
			launched(nil),
			denied("ModifyInstanceChargeType", listed(object{"Period": 1}), "IncorrectInstanceStatus", 403),
			became("Running", time.Minute),
			denied("ModifyInstanceChargeType", listed(object{"Period": 13}), "InvalidPeriod", 400),
			done("ModifyInstanceChargeType", listed(object{"Period": 1, "PeriodUnit": "Month"})),
			{action: "DescribeInstances", request: listed(nil), want: map[string]any{"Instances.Instance.0.InstanceChargeType": "PrePaid"}},
			{action: "DescribeInstanceAutoRenewAttribute", request: named(nil), want: map[string]any{
				"InstanceRenewAttributes.InstanceRenewAttribute.0.RenewalStatus": "Normal",
			}},
			denied("DeleteInstance", named(object{"Force": true}), "ChargeTypeViolation", 403),
			denied("ModifyInstanceAutoReleaseTime", named(object{"AutoReleaseTime": "{in an hour}"}), "ChargeTypeViolation", 403),
			done("ModifyInstanceChargeType", listed(object{"InstanceChargeType": "PostPaid"})),
			done("DeleteInstance", named(object{"Force": true})),
		},
	}
}
