package ecsemulator

import (
	"slices"
	"time"
)

const (
	minuteLayout = "2006-01-02T15:04Z"
	secondLayout = "2006-01-02T15:04:05Z"
	// neverExpires is what instances without an end show as ExpiredTime.
	neverExpires = "2099-12-31T15:59Z"
)

type describeInstancesAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	NextToken  string
	Instances  instanceList
}

type instanceList struct{ Instance []instanceAnswer }

type instanceAnswer struct {
	InstanceID                 string `json:"InstanceId"`
	InstanceName               string
	HostName                   string
	Description                string
	Status                     string
	StoppedMode                string
	RegionID                   string `json:"RegionId"`
	ZoneID                     string `json:"ZoneId"`
	InstanceType               string
	InstanceTypeFamily         string
	CPU                        int `json:"Cpu"`
	Memory                     int // MiB
	GPUAmount                  int
	GPUSpec                    string
	ImageID                    string `json:"ImageId"`
	OSName                     string
	OSNameEn                   string
	OSType                     string
	InstanceChargeType         string
	SaleCycle                  string
	SpotStrategy               string
	SpotPriceLimit             float64
	SpotDuration               int
	SpotInterruptionBehavior   string
	InternetMaxBandwidthIn     int
	InternetMaxBandwidthOut    int
	InternetChargeType         string
	InstanceNetworkType        string
	VlanID                     string `json:"VlanId"`
	KeyPairName                string
	ResourceGroupID            string `json:"ResourceGroupId"`
	DeploymentSetID            string `json:"DeploymentSetId"`
	DeploymentSetGroupNo       *int   `json:",omitempty"`
	HpcClusterID               string `json:"HpcClusterId"`
	CreditSpecification        string
	DeletionProtection         bool
	DeviceAvailable            bool
	Recyclable                 bool
	IoOptimized                bool
	SerialNumber               string
	ClusterID                  string `json:"ClusterId"`
	CreationTime               string
	StartTime                  string
	ExpiredTime                string
	AutoReleaseTime            string
	LocalStorageAmount         int
	LocalStorageCapacity       int64
	VpcAttributes              vpcAttributes
	PublicIPAddress            addressList `json:"PublicIpAddress"`
	InnerIPAddress             addressList `json:"InnerIpAddress"`
	RdmaIPAddress              addressList `json:"RdmaIpAddress"`
	EIPAddress                 eipAnswer   `json:"EipAddress"`
	NetworkInterfaces          interfaceList
	SecurityGroupIDs           groupIDList `json:"SecurityGroupIds"`
	Tags                       tagList
	OperationLocks             lockList
	MetadataOptions            *metadataAnswer `json:",omitempty"`
	DedicatedHostAttribute     dedicatedHost
	DedicatedInstanceAttribute struct{ Affinity, Tenancy string }
	EcsCapacityReservationAttr capacityReservation
	CPUOptions                 struct{ CoreCount, ThreadsPerCore int } `json:"CpuOptions"`
	HibernationOptions         struct{ Configured bool }
}

type dedicatedHost struct {
	DedicatedHostID   string `json:"DedicatedHostId"`
	DedicatedHostName string
}

type capacityReservation struct {
	CapacityReservationID         string `json:"CapacityReservationId"`
	CapacityReservationPreference string
}

type addressList struct {
	IPAddress []string `json:"IpAddress"`
}

type vpcAttributes struct {
	VpcID            string      `json:"VpcId"`
	VSwitchID        string      `json:"VSwitchId"`
	NatIPAddress     string      `json:"NatIpAddress"`
	PrivateIPAddress addressList `json:"PrivateIpAddress"`
}

type eipAnswer struct {
	IPAddress            string `json:"IpAddress"`
	AllocationID         string `json:"AllocationId"`
	InternetChargeType   string
	Bandwidth            int
	IsSupportUnassociate bool
}

type interfaceList struct{ NetworkInterface []interfaceAnswer }

type interfaceAnswer struct {
	NetworkInterfaceID string `json:"NetworkInterfaceId"`
	MacAddress         string
	PrimaryIPAddress   string `json:"PrimaryIpAddress"`
	Type               string
	PrivateIPSets      privateIPSets  `json:"PrivateIpSets"`
	IPv6Sets           ipv6AddressSet `json:"Ipv6Sets"`
}

type privateIPSets struct {
	PrivateIPSet []privateIPSet `json:"PrivateIpSet"`
}

type privateIPSet struct {
	PrivateIPAddress string `json:"PrivateIpAddress"`
	Primary          bool
}

type groupIDList struct {
	SecurityGroupID []string `json:"SecurityGroupId"`
}

type tagList struct{ Tag []tagAnswer }

type lockList struct{ LockReason []lockAnswer }

type lockAnswer struct{ LockReason, LockMsg string }

type metadataAnswer struct {
	HTTPEndpoint            string `json:"HttpEndpoint"`
	HTTPTokens              string `json:"HttpTokens"`
	HTTPPutResponseHopLimit int    `json:"HttpPutResponseHopLimit"`
}

// shownStatus is the status for reads, which may still list what is gone.
func (i *instance) shownStatus(now time.Time) string {
	if !i.exists(now) {
		return statusStopped
	}
	return i.status(now)
}

func (c *call) answerInstance(i *instance, wanted []string) instanceAnswer {
	a := instanceAnswer{
		InstanceID: i.id, InstanceName: i.name, HostName: i.hostName, Description: i.description, Status: i.shownStatus(c.now),
		StoppedMode: "Not-applicable", RegionID: i.regionID, ZoneID: i.zoneID, InstanceType: i.instanceType.ID,
		InstanceTypeFamily: i.instanceType.Family, CPU: i.instanceType.VCPUs, Memory: int(i.instanceType.MemoryGiB * 1024),
		GPUAmount: i.instanceType.GPUs, GPUSpec: i.instanceType.GPUModel, ImageID: i.image.ID, OSName: i.image.OSName,
		OSNameEn: i.image.OSNameEn, OSType: i.image.OSType, InstanceChargeType: "PostPaid", SpotStrategy: i.spotStrategy,
		SpotPriceLimit: i.spotPriceLimit, SpotDuration: i.spotDuration, SpotInterruptionBehavior: i.spotInterruption,
		InternetMaxBandwidthIn: max(i.bandwidthOut, 10), InternetMaxBandwidthOut: i.bandwidthOut, InternetChargeType: i.internetChargeType,
		InstanceNetworkType: "vpc", KeyPairName: i.keyPair, ResourceGroupID: i.resourceGroup, DeploymentSetID: i.deploymentSet,
		CreditSpecification: i.creditSpecification, DeletionProtection: i.deletionProtection, DeviceAvailable: true,
		Recyclable: i.recyclable, IoOptimized: true, SerialNumber: i.serial, CreationTime: i.createdAt.Format(minuteLayout),
		StartTime: i.startedAt.Format(minuteLayout), ExpiredTime: neverExpires, LocalStorageAmount: i.instanceType.LocalDisks,
		LocalStorageCapacity: i.instanceType.LocalDiskGiB,
		VpcAttributes: vpcAttributes{
			VpcID: i.vpc.ID, VSwitchID: i.vswitch.ID, PrivateIPAddress: addressList{[]string{i.address.String()}},
		},
		PublicIPAddress: addressList{[]string{}}, InnerIPAddress: addressList{[]string{}}, RdmaIPAddress: addressList{[]string{}},
		SecurityGroupIDs: groupIDList{slices.Clone(i.securityGroups)}, Tags: tagList{i.sortedTags()}, OperationLocks: i.shownLocks(),
	}
	if a.Status == statusStopped {
		a.StoppedMode = orDefault(i.stoppedMode, a.StoppedMode)
	}
	if i.chargeMode == ChargePrePaid {
		a.InstanceChargeType, a.SaleCycle, a.ExpiredTime = "PrePaid", "month", i.expires.Format(minuteLayout)
	}
	if i.deploymentSetGroup > 0 {
		a.DeploymentSetGroupNo = &i.deploymentSetGroup
	}
	if !i.autoRelease.IsZero() {
		a.AutoReleaseTime = i.autoRelease.Format(minuteLayout)
	}
	if i.publicAddress != "" && a.StoppedMode != "StopCharging" {
		a.PublicIPAddress.IPAddress = []string{i.publicAddress}
	}
	if slices.Contains(wanted, "META_OPTIONS") {
		a.MetadataOptions = &metadataAnswer{i.httpEndpoint, i.httpTokens, i.hopLimit}
	}
	a.EcsCapacityReservationAttr = capacityReservation{i.privatePoolID, i.privatePoolPreference}
	a.CPUOptions.CoreCount, a.CPUOptions.ThreadsPerCore = max(1, i.instanceType.VCPUs/2), min(2, i.instanceType.VCPUs)
	for _, n := range append([]*networkInterface{i.primaryInterface()}, i.interfaces...) {
		a.NetworkInterfaces.NetworkInterface = append(a.NetworkInterfaces.NetworkInterface, n.answer(slices.Contains(wanted, "NETWORK_PRIMARY_ENI_IP")))
	}
	return a
}

// answer is what DescribeInstances says of a network interface. It tells IPv6 addresses only if it was asked to.
func (n *networkInterface) answer(ipv6 bool) interfaceAnswer {
	a := interfaceAnswer{
		NetworkInterfaceID: n.id, MacAddress: n.mac, PrimaryIPAddress: n.address.String(), Type: n.kind(), PrivateIPSets: n.privateIPs(),
		IPv6Sets: ipv6AddressSet{[]ipv6Address{}},
	}
	if ipv6 {
		a.IPv6Sets = n.ipv6Set()
	}
	return a
}
