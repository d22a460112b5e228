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
	UserData     string
	SystemDisk   Disk
	KeyPairName  string
	RAMRoleName  string
	SpotStrategy string
	// PrivateIPAddress is an address of the vSwitch's block; empty lets ECS choose.
	PrivateIPAddress string
	DataDisks        []DataDisk
	// InternetChargeType is PayByTraffic or PayByBandwidth.
	InternetChargeType string
	// InternetMaxBandwidthIn and InternetMaxBandwidthOut are in Mbit/s; more than 0
	// out also gives a public address. Nil leaves them to ECS.
	InternetMaxBandwidthIn  *int
	InternetMaxBandwidthOut *int
	Tags                    map[string]string
	// ClientToken makes the launch idempotent; at most 64 ASCII characters.
	ClientToken string
}

// Disk is one disk of a launch. Zero fields are left to ECS.
type Disk struct {
	Category         string
	SizeGiB          int64
	PerformanceLevel string
}

// DataDisk is one data disk of a launch. Zero fields are left to ECS.
type DataDisk struct {
	Disk
	Name        string
	Description string
	Encrypted   bool
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
	VCPUs           int64
	MemoryGiB       float64
	GPUs            int64
	GPUModel        string
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
}

// Image is what DescribeImages tells of an image.
type Image struct {
	ID     string
	Name   string
	Family string
	// Architecture is x86_64, i386 or arm64.
	Architecture string
	OSType       string
	Status       string
	SizeGiB      int64
}

// VSwitch is what DescribeVSwitches tells of a vSwitch.
type VSwitch struct {
	ID               string
	VPCID            string
	Zone             string
	Status           string
	AvailableIPCount int64
	CIDRBlock        string
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
