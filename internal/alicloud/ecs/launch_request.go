package ecs

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"

	"github.com/aliyun/alibaba-cloud-sdk-go/sdk/requests"
	ecssdk "github.com/aliyun/alibaba-cloud-sdk-go/services/ecs"
)

// The values of InstanceChargeType.
const (
	chargePostPaid = "PostPaid"
	chargePrePaid  = "PrePaid"
)

// request is the same for the same input: the token allows no other.
func (input RunInstancesInput) request() *ecssdk.RunInstancesRequest {
	request := ecssdk.CreateRunInstancesRequest()
	request.Amount = requests.NewInteger(1)
	request.ZoneId = input.Zone
	request.InstanceType = input.InstanceType
	request.ImageId = input.ImageID
	request.ImageFamily = input.ImageFamily
	request.VSwitchId = input.VSwitchID
	groups := slices.Clone(input.SecurityGroupIDs)
	request.SecurityGroupIds = &groups
	request.InstanceName = input.InstanceName
	request.HostName = input.HostName
	request.Password = input.Password
	request.KeyPairName = input.KeyPairName
	request.RamRoleName = input.RAMRoleName
	input.setCharge(request)
	input.setSystemDisk(request)
	input.setPlacement(request)
	request.PrivateIpAddress = input.PrivateIPAddress
	request.InternetChargeType = input.InternetChargeType
	request.InternetMaxBandwidthIn = integer(input.InternetMaxBandwidthIn)
	request.InternetMaxBandwidthOut = integer(input.InternetMaxBandwidthOut)
	request.Ipv6AddressCount = positive(int64(input.IPv6AddressCount))
	request.HttpTokens = input.HTTPTokens
	request.HttpEndpoint = input.HTTPEndpoint
	request.CreditSpecification = input.CreditSpecification
	request.SecurityEnhancementStrategy = input.SecurityEnhancement
	if disks := input.dataDisks(); len(disks) > 0 {
		request.DataDisk = &disks
	}
	if input.UserData != "" {
		request.UserData = base64.StdEncoding.EncodeToString([]byte(input.UserData))
	}
	tags := make([]ecssdk.RunInstancesTag, 0, len(input.Tags))
	for _, key := range slices.Sorted(maps.Keys(input.Tags)) {
		tags = append(tags, ecssdk.RunInstancesTag{Key: key, Value: input.Tags[key]})
	}
	request.Tag = &tags
	request.ClientToken = input.ClientToken
	return request
}

// setCharge says how the instance is paid. A subscription is paid at once: an order
// that waits for somebody to pay it would launch nothing.
func (input RunInstancesInput) setCharge(request *ecssdk.RunInstancesRequest) {
	request.InstanceChargeType = chargePostPaid
	request.SpotStrategy = input.SpotStrategy
	request.SpotPriceLimit = requests.Float(input.SpotPriceLimit)
	request.SpotDuration = integer(input.SpotDuration)
	request.SpotInterruptionBehavior = input.SpotInterruptionBehavior
	if input.Subscription == nil {
		return
	}
	request.InstanceChargeType = chargePrePaid
	request.Period = requests.NewInteger(input.Subscription.Period)
	request.PeriodUnit = input.Subscription.Unit
	request.AutoPay = requests.NewBoolean(true)
	if input.Subscription.AutoRenewPeriod > 0 {
		request.AutoRenew = requests.NewBoolean(true)
		request.AutoRenewPeriod = requests.NewInteger(input.Subscription.AutoRenewPeriod)
	}
}

func (input RunInstancesInput) setSystemDisk(request *ecssdk.RunInstancesRequest) {
	disk := input.SystemDisk
	request.SystemDiskCategory = disk.Category
	request.SystemDiskPerformanceLevel = disk.PerformanceLevel
	request.SystemDiskSize = string(positive(disk.SizeGiB))
	request.SystemDisk = ecssdk.RunInstancesSystemDisk{
		Encrypted: onlyTrue(disk.Encrypted), KMSKeyId: disk.KMSKeyID,
		ProvisionedIops: string(positive(disk.ProvisionedIOPS)), BurstingEnabled: boolean(disk.BurstingEnabled),
	}
}

func (input RunInstancesInput) setPlacement(request *ecssdk.RunInstancesRequest) {
	request.DeploymentSetId = input.DeploymentSetID
	request.ResourceGroupId = input.ResourceGroupID
	request.PrivatePoolOptionsMatchCriteria = input.PrivatePoolMatch
	request.PrivatePoolOptionsId = input.PrivatePoolID
}

func (input RunInstancesInput) dataDisks() []ecssdk.RunInstancesDataDisk {
	disks := make([]ecssdk.RunInstancesDataDisk, 0, len(input.DataDisks))
	for _, from := range input.DataDisks {
		disks = append(disks, ecssdk.RunInstancesDataDisk{
			DiskName: from.Name, Category: from.Category, Description: from.Description, PerformanceLevel: from.PerformanceLevel,
			Size: string(positive(from.SizeGiB)), SnapshotId: from.SnapshotID, Encrypted: onlyTrue(from.Encrypted), KMSKeyId: from.KMSKeyID,
			ProvisionedIops: string(positive(from.ProvisionedIOPS)), BurstingEnabled: boolean(from.BurstingEnabled),
			DeleteWithInstance: boolean(from.DeleteWithInstance),
		})
	}
	return disks
}

func integer(value *int) requests.Integer {
	if value == nil {
		return ""
	}
	return requests.NewInteger(*value)
}

// positive leaves out what is not above 0.
func positive(value int64) requests.Integer {
	if value <= 0 {
		return ""
	}
	return requests.NewInteger64(value)
}

func boolean(value *bool) string {
	if value == nil {
		return ""
	}
	return strconv.FormatBool(*value)
}

func onlyTrue(value bool) string {
	if !value {
		return ""
	}
	return strconv.FormatBool(value)
}
