package ecsemulator

import (
	"net/netip"
	"time"
)

// Source of names and kinds: the parameter tables of the RunInstances page. Those that no rule below looks at are accepted and change
// nothing here.
const runInstancesParameters = `
string: AdditionalInfo.EnableHighDensityMode AdditionalInfo.PvdConfig Affinity Arn.N.RoleType Arn.N.Rolearn
string: AutoReleaseTime CapacityReservationId CapacityReservationPreference ClockOptions.PtpStatus
string: CpuOptions.Accelerators.N CpuOptions.Numa CpuOptions.TopologyType CreditSpecification
string: DataDisk.N.AutoSnapshotPolicyId DataDisk.N.Category DataDisk.N.Description DataDisk.N.Device
string: DataDisk.N.DiskName DataDisk.N.EncryptAlgorithm DataDisk.N.Encrypted DataDisk.N.KMSKeyId
string: DataDisk.N.PerformanceLevel DataDisk.N.SnapshotId DataDisk.N.StorageClusterId DedicatedHostId
string: DeploymentSetId Description HostName HostNames.N HpcClusterId HttpEndpoint HttpTokens ImageFamily
string: ImageId InstanceChargeType InstanceName InstanceType InternetChargeType IoOptimized Ipv6Address.N Isp
string: KeyPairName LaunchTemplateId LaunchTemplateName NetworkInterface.N.Description
string: NetworkInterface.N.InstanceType NetworkInterface.N.Ipv6Address.N NetworkInterface.N.NetworkInterfaceId
string: NetworkInterface.N.NetworkInterfaceName NetworkInterface.N.NetworkInterfaceTrafficMode
string: NetworkInterface.N.PrimaryIpAddress NetworkInterface.N.SecurityGroupId
string: NetworkInterface.N.SecurityGroupIds.N NetworkInterface.N.VSwitchId NetworkOptions.BandwidthWeighting
string: Password PeriodUnit PrivateDnsNameOptions.HostnameType PrivateIpAddress PrivatePoolOptions.Id
string: PrivatePoolOptions.MatchCriteria RamRoleName ResourceGroupId SchedulerOptions.DedicatedHostClusterId
string: SchedulerOptions.ManagedPrivateSpaceId SecurityEnhancementStrategy SecurityGroupId SecurityGroupIds.N
string: SecurityOptions.ConfidentialComputingMode SecurityOptions.TrustedSystemMode SpotInterruptionBehavior
string: SpotStrategy StorageSetId SystemDisk.AutoSnapshotPolicyId SystemDisk.Category SystemDisk.Description
string: SystemDisk.DiskName SystemDisk.EncryptAlgorithm SystemDisk.Encrypted SystemDisk.KMSKeyId
string: SystemDisk.PerformanceLevel SystemDisk.Size SystemDisk.StorageClusterId SystemTag.N.Key
string: SystemTag.N.Scope SystemTag.N.Value Tag.N.Key Tag.N.Value Tenancy VSwitchId ZoneId
integer: Amount Arn.N.AssumeRoleFor AutoRenewPeriod CpuOptions.Core CpuOptions.ThreadsPerCore
integer: DataDisk.N.ProvisionedIops DataDisk.N.Size DeploymentSetGroupNo HttpPutResponseHopLimit
integer: InternetMaxBandwidthIn InternetMaxBandwidthOut Ipv6AddressCount LaunchTemplateVersion MinAmount
integer: NetworkInterface.N.Ipv6AddressCount NetworkInterface.N.NetworkCardIndex
integer: NetworkInterface.N.QueueNumber NetworkInterface.N.QueuePairNumber NetworkInterface.N.RxQueueSize
integer: NetworkInterface.N.SecondaryPrivateIpAddressCount NetworkInterface.N.TxQueueSize
integer: NetworkInterfaceQueueNumber Period SpotDuration StorageSetPartitionNumber SystemDisk.ProvisionedIops
boolean: AutoPay AutoRenew DataDisk.N.BurstingEnabled DataDisk.N.DeleteWithInstance DeletionProtection DryRun
boolean: HibernationOptions.Configured ImageOptions.LoginAsNonRoot NetworkInterface.N.DeleteOnRelease
boolean: NetworkInterface.N.SourceDestCheck NetworkOptions.EnableJumboFrame
boolean: NetworkOptions.EnableNetworkEncryption PasswordInherit
boolean: PrivateDnsNameOptions.EnableInstanceIdDnsAAAARecord PrivateDnsNameOptions.EnableInstanceIdDnsARecord
boolean: PrivateDnsNameOptions.EnableIpDnsARecord PrivateDnsNameOptions.EnableIpDnsPtrRecord
boolean: SystemDisk.BurstingEnabled UniqueSuffix
number: SpotPriceLimit
string 70000: UserData
string 128: ClientToken
`

type runInstancesAnswer struct {
	OrderID        string         `json:"OrderId,omitempty"`
	TradePrice     float64        `json:"TradePrice"`
	InstanceIDSets instanceIDSets `json:"InstanceIdSets"`
}

type instanceIDSets struct {
	InstanceIDSet []string `json:"InstanceIdSet"`
}

func runInstances() *action {
	return ecsAction("RunInstances", runInstancesParameters, func(c *call) (any, *APIError) {
		l := &launch{call: c}
		for _, check := range []func() *APIError{
			l.applyTemplate, l.checkAmount, l.checkImage, l.checkInstanceType, l.checkNetwork, l.checkInterfaces, l.checkNames, l.checkLogin,
			l.checkUserData, l.checkCharge, l.checkSpot, l.checkTags, l.checkDisks, l.checkInternet, l.checkAutoRelease, l.checkMetadata,
			l.checkPlacement, l.checkQuotas, l.checkStock,
		} {
			if refusal := check(); refusal != nil {
				return nil, refusal
			}
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		return l.launch()
	})
}

// launch gathers what the checks of one RunInstances find out, until all is there to make the instances.
type launch struct {
	*call
	amount, minAmount int
	image             *Image
	instanceType      *InstanceType
	vpc               *VPC
	vswitch           *VSwitch
	groups            []string
	tags              map[string]string
	mode              ChargeMode
	spotStrategy      string
	disks             []disk
	spotLimit         bool
	autoRelease       time.Time
	secondaries       []secondaryInterface
	primaryPrefix     string // of the NetworkInterface.N that is Primary, with its last dot, if there is one
	ipv6              int    // how many IPv6 addresses each primary interface gets
	asked             map[netip.Addr]bool
	pool              *PrivatePool
	count             int // how many stock and addresses allow
}

func (l *launch) checkAmount() *APIError {
	l.amount = l.integer("Amount", 1)
	l.minAmount = l.integer("MinAmount", l.amount)
	if l.amount < 1 || l.amount > 100 {
		if l.boolean("DryRun", false) {
			return refuse(403, "DryRun.InvalidAmount", "The specified Amount is not valid.")
		}
		return refuse(400, "InvalidMaxAmount.Malformed", "The specified Amount must be between 1 and 100.")
	}
	if l.minAmount < 1 || l.minAmount > l.amount {
		return refuse(400, "InvalidMinAmount.Malformed", "The specified MinAmount must be between 1 and Amount.")
	}
	return nil
}

func (l *launch) launch() (any, *APIError) {
	s := l.server
	answer := runInstancesAnswer{InstanceIDSets: instanceIDSets{InstanceIDSet: make([]string, 0, l.count)}}
	if l.mode == ChargePrePaid {
		answer.OrderID = "2" + s.options.NewID()
	}
	answer.TradePrice = l.tradePrice()
	for n := range l.count {
		i := l.newInstance(n)
		l.account.add(i)
		l.note(i, "created", "")
		answer.InstanceIDSets.InstanceIDSet = append(answer.InstanceIDSets.InstanceIDSet, i.id)
	}
	if l.pool == nil { // what a private pool holds is not taken from the public stock
		s.consume(l.vswitch.Zone, l.instanceType.ID, l.mode, l.count)
	}
	return answer, nil
}
