package ecs

import "time"

// InstanceStatus is an instance's status as DescribeInstances tells it. A
// released instance has none: it is absent.
type InstanceStatus string

// The instance statuses.
const (
	InstanceStatusPending  InstanceStatus = "Pending"
	InstanceStatusStarting InstanceStatus = "Starting"
	InstanceStatusRunning  InstanceStatus = "Running"
	InstanceStatusStopping InstanceStatus = "Stopping"
	InstanceStatusStopped  InstanceStatus = "Stopped"
)

// Instance is what DescribeInstances tells of one instance. Any field may be
// zero: answers leave fields out.
type Instance struct {
	ID          string
	Name        string
	HostName    string
	Region      string
	Zone        string
	Status      InstanceStatus
	StoppedMode string
	Type        string
	ImageID     string
	// ChargeType is PostPaid or PrePaid; a spot instance is PostPaid and told
	// apart by SpotStrategy alone.
	ChargeType         string
	SpotStrategy       string
	VPCID              string
	VSwitchID          string
	SecurityGroupIDs   []string
	PrivateIPs         []string
	PublicIPs          []string
	LockReasons        []string
	KeyPairName        string
	DeletionProtection bool
	Tags               map[string]string
	// CreatedAt and StartedAt have minute precision.
	CreatedAt time.Time
	StartedAt time.Time
	ExpiresAt time.Time
}

// RunInstancesInput is a launch of one instance.
type RunInstancesInput struct {
	Region           string
	Zone             string
	InstanceType     string
	ImageID          string
	ImageFamily      string
	VSwitchID        string
	SecurityGroupIDs []string
	InstanceName     string
	HostName         string
	// UserData is the raw text; it travels Base64-encoded and is never logged.
	UserData string
	// Password is that of root or Administrator, and as secret.
	Password     string
	SystemDisk   Disk
	KeyPairName  string
	RAMRoleName  string
	SpotStrategy string
	// SpotPriceLimit is a decimal amount per hour, of SpotWithPriceLimit only.
	SpotPriceLimit string
	// SpotDuration is in hours, 0 or 1; nil leaves it to ECS.
	SpotDuration *int
	// SpotInterruptionBehavior is Terminate or Stop.
	SpotInterruptionBehavior string
	// Subscription makes it a PrePaid instance; nil is PostPaid.
	Subscription *Subscription
	// PrivateIPAddress is an address of the vSwitch's block; empty lets ECS choose.
	PrivateIPAddress string
	DataDisks        []DataDisk
	// InternetChargeType is PayByTraffic or PayByBandwidth.
	InternetChargeType string
	// InternetMaxBandwidthIn and InternetMaxBandwidthOut are in Mbit/s; more than 0
	// out also gives a public address. Nil leaves them to ECS.
	InternetMaxBandwidthIn  *int
	InternetMaxBandwidthOut *int
	// IPv6AddressCount is 0 to 10.
	IPv6AddressCount int
	// HTTPTokens is optional or required, HTTPEndpoint enabled or disabled.
	HTTPTokens   string
	HTTPEndpoint string

	DeploymentSetID string
	ResourceGroupID string
	// PrivatePoolMatch is Open, Target (of PrivatePoolID) or None.
	PrivatePoolMatch string
	PrivatePoolID    string
	// CreditSpecification is Standard or Unlimited, of burstable types only.
	CreditSpecification string
	// SecurityEnhancement is Active or Deactive.
	SecurityEnhancement string
	Tags                map[string]string
	// ClientToken makes the launch idempotent; at most 64 ASCII characters.
	ClientToken string
}

// Subscription is for how long an instance is paid ahead, without asking again.
type Subscription struct {
	Period int
	// Unit is Week or Month.
	Unit string
	// AutoRenewPeriod, in the same unit, renews it at its end; 0 does not.
	AutoRenewPeriod int
}

// Disk is one disk of a launch. Zero fields are left to ECS.
type Disk struct {
	Category         string
	SizeGiB          int64
	PerformanceLevel string
	// ProvisionedIOPS and BurstingEnabled are of the category cloud_auto only.
	ProvisionedIOPS int64
	BurstingEnabled *bool
	Encrypted       bool
	KMSKeyID        string
}

// DataDisk is one data disk of a launch. Zero fields are left to ECS.
type DataDisk struct {
	Disk
	Name        string
	Description string
	SnapshotID  string
	// DeleteWithInstance is true where it is nil.
	DeleteWithInstance *bool
}

// RunInstancesOutput is what ECS answers to an accepted launch.
type RunInstancesOutput struct {
	InstanceIDs []string
	RequestID   string
	// Attempts is how often the request was sent.
	Attempts int
	// LostAnswers is how many of the attempts may have taken effect without an
	// answer that says so. It is also set when the launch failed.
	LostAnswers int
}

// InstanceType is what DescribeInstanceTypes tells of a type.
type InstanceType struct {
	ID string
	// CPUArchitecture is X86 or ARM.
	CPUArchitecture string
	Family          string
	VCPUs           int64
	MemoryGiB       float64
	GPUs            int64
	GPUModel        string
	// GPUMemoryGiB is the memory of one GPU.
	GPUMemoryGiB float64
	// BaselineCredit is above 0 for burstable types only.
	BaselineCredit int64
	LocalDisks     int64
	// BandwidthKbps is what the type can receive and send, the lesser of both.
	BandwidthKbps int64
	// Disks is how many cloud disks the type takes, the system disk among them.
	Disks int64
	// IPv6AddressesPerInterface is how many the primary network card takes.
	IPv6AddressesPerInterface int64
}

// ZoneStock is what DescribeAvailableResource tells of one type in one zone.
type ZoneStock struct {
	Zone         string
	InstanceType string
	// Status is Available or SoldOut.
	Status string
	// StatusCategory is WithStock, ClosedWithStock, WithoutStock or
	// ClosedWithoutStock.
	StatusCategory string
}

// StockQuery selects what AvailableTypes asks for.
type StockQuery struct {
	Region string
	// InstanceType narrows to one type; empty asks for all.
	InstanceType string
	// Zone narrows to one zone; empty asks for all.
	Zone string
	// ChargeType is PostPaid or PrePaid.
	ChargeType string
	// SpotStrategy is NoSpot, SpotAsPriceGo or SpotWithPriceLimit.
	SpotStrategy string
	// SystemDiskCategory and DataDiskCategory narrow to types that take them.
	SystemDiskCategory string
	DataDiskCategory   string
}

// Image is what DescribeImages tells of an image.
type Image struct {
	ID     string
	Name   string
	Family string
	// Architecture is x86_64, i386 or arm64.
	Architecture string
	OSType       string
	// OwnerAlias is system for public images, self, others or marketplace.
	OwnerAlias string
	// Status is Available, Deprecated (which can still be launched by its ID), Creating,
	// Waiting, UnAvailable or CreateFailed.
	Status  string
	SizeGiB int64
}

// VSwitch is what DescribeVSwitches tells of a vSwitch.
type VSwitch struct {
	ID     string
	VPCID  string
	Zone   string
	Status string
	// AvailableIPCount is nil where the answer does not tell.
	AvailableIPCount *int64
	CIDRBlock        string
	// IPv6CIDRBlock is empty where IPv6 is not turned on.
	IPv6CIDRBlock string
}

// SecurityGroup is what DescribeSecurityGroups tells of a group.
type SecurityGroup struct {
	ID    string
	VPCID string
}

// Identity is who is calling, as GetCallerIdentity tells it.
type Identity struct {
	AccountID string
	ARN       string
}
