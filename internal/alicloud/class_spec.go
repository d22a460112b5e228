package alicloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ConfigKey is the key of ProviderConfig.Data under which a class's JSON stands.
const ConfigKey = "alicloud"

// The orders of a class's candidates.
const (
	typeOrderListed   = "listed"
	typeOrderCheapest = "cheapest"
	zoneOrderSpread   = "spread"
	zoneOrderListed   = "listed"
)

// ClassSpec is a machine class as this driver reads it: where machines may run and
// what they are made of. What is left out is left to ECS, unless a field says
// otherwise.
type ClassSpec struct {
	Region string `json:"region"`
	// ImageID or ImageFamily names the image; exactly one of them is set.
	ImageID     string `json:"image_id,omitempty"`
	ImageFamily string `json:"image_family,omitempty"`
	// InstanceTypes or Requirements says which types are candidates; exactly one of
	// them is set.
	InstanceTypes []string          `json:"instance_types,omitempty"`
	Requirements  *RequirementsSpec `json:"requirements,omitempty"`
	// CapacityTypes are tried in order; none means on demand.
	CapacityTypes []string          `json:"capacity_types,omitempty"`
	Spot          *SpotSpec         `json:"spot,omitempty"`
	Subscription  *SubscriptionSpec `json:"subscription,omitempty"`
	// TypeOrder is listed (the default) or cheapest.
	TypeOrder string `json:"type_order,omitempty"`
	// ZoneOrder is spread (the default) or listed. Offerings follow the list either
	// way; who launches from them rotates them.
	ZoneOrder  string   `json:"zone_order,omitempty"`
	VSwitchIDs []string `json:"vswitch_ids"`
	// PrivateIP is the address of the one machine that is launched; the vSwitches without
	// it in their range are left out.
	PrivateIP        string           `json:"private_ip,omitempty"`
	SecurityGroupIDs []string         `json:"security_group_ids"`
	SystemDisk       *SystemDiskSpec  `json:"system_disk,omitempty"`
	DataDisks        []DataDiskSpec   `json:"data_disks,omitempty"`
	KeyPairName      string           `json:"key_pair_name,omitempty"`
	RAMRoleName      string           `json:"ram_role_name,omitempty"`
	Internet         *InternetSpec    `json:"internet,omitempty"`
	IPv6             *IPv6Spec        `json:"ipv6,omitempty"`
	MetadataOptions  *MetadataSpec    `json:"metadata_options,omitempty"`
	DeploymentSetID  string           `json:"deployment_set_id,omitempty"`
	ResourceGroupID  string           `json:"resource_group_id,omitempty"`
	PrivatePool      *PrivatePoolSpec `json:"private_pool,omitempty"`
	// CreditSpecification is standard or unlimited; it rules types out that are not
	// burstable, since ECS takes it for no other.
	CreditSpecification string            `json:"credit_specification,omitempty"`
	SecurityEnhancement *bool             `json:"security_enhancement,omitempty"`
	Tags                map[string]string `json:"tags,omitempty"`
}

// RangeSpec is a range of numbers, both ends included; an end that is left out is
// open.
type RangeSpec struct {
	Min *float64 `json:"min,omitempty"`
	Max *float64 `json:"max,omitempty"`
}

// RequirementsSpec chooses instance types by what they are.
type RequirementsSpec struct {
	VCPUs            *RangeSpec `json:"vcpus,omitempty"`
	MemoryGiB        *RangeSpec `json:"memory_gib,omitempty"`
	MemoryGiBPerVCPU *RangeSpec `json:"memory_gib_per_vcpu,omitempty"`
	// GPUs, GPUModels and GPUMemoryGiB (of one GPU) choose types with GPUs; where
	// none of them is set, types with GPUs are left out.
	GPUs         *RangeSpec `json:"gpus,omitempty"`
	GPUModels    []string   `json:"gpu_models,omitempty"`
	GPUMemoryGiB *RangeSpec `json:"gpu_memory_gib,omitempty"`
	// Architecture is amd64 or arm64; the image's where it is left out.
	Architecture string `json:"architecture,omitempty"`
	// Families are family IDs such as ecs.g7; among types of one size the first
	// family comes first.
	Families             []string `json:"families,omitempty"`
	ExcludeFamilies      []string `json:"exclude_families,omitempty"`
	ExcludeInstanceTypes []string `json:"exclude_instance_types,omitempty"`
	// Burstable and LocalDisks are exclude (the default), include or only.
	Burstable            string     `json:"burstable,omitempty"`
	LocalDisks           string     `json:"local_disks,omitempty"`
	NetworkBandwidthGbps *RangeSpec `json:"network_bandwidth_gbps,omitempty"`
}

// SpotSpec says on what terms spot machines are bid for.
type SpotSpec struct {
	// PriceLimitPerHour is in the account's currency; without it the market price is
	// paid.
	PriceLimitPerHour json.Number `json:"price_limit_per_hour,omitempty"`
	// ProtectionHours is 0 or 1.
	ProtectionHours *int `json:"protection_hours,omitempty"`
	// Interruption is terminate or stop.
	Interruption string `json:"interruption,omitempty"`
}

// SubscriptionSpec says for how long subscribed machines are paid ahead.
type SubscriptionSpec struct {
	Period int `json:"period"`
	// Unit is week, month or year; month where it is left out.
	Unit            string `json:"unit,omitempty"`
	AutoRenew       bool   `json:"auto_renew,omitempty"`
	AutoRenewPeriod int    `json:"auto_renew_period,omitempty"`
}

// DiskSpec is what system and data disks have in common.
type DiskSpec struct {
	Category         string `json:"category,omitempty"`
	SizeGiB          int64  `json:"size_gib,omitempty"`
	PerformanceLevel string `json:"performance_level,omitempty"`
	ProvisionedIOPS  int64  `json:"provisioned_iops,omitempty"`
	BurstEnabled     *bool  `json:"burst_enabled,omitempty"`
	Encrypted        *bool  `json:"encrypted,omitempty"`
	KMSKeyID         string `json:"kms_key_id,omitempty"`
}

// SystemDiskSpec is the system disk.
type SystemDiskSpec struct{ DiskSpec }

// DataDiskSpec is one data disk. Its category is the system disk's where it is left
// out.
type DataDiskSpec struct {
	DiskSpec

	SnapshotID string `json:"snapshot_id,omitempty"`
	// DeleteWithInstance is true where it is left out.
	DeleteWithInstance *bool `json:"delete_with_instance,omitempty"`
}

// InternetSpec gives machines a public address.
type InternetSpec struct {
	BandwidthOutMbps int `json:"bandwidth_out_mbps"`
	// ChargeType is traffic or bandwidth.
	ChargeType      string `json:"charge_type,omitempty"`
	BandwidthInMbps int    `json:"bandwidth_in_mbps,omitempty"`
}

// IPv6Spec gives machines IPv6 addresses.
type IPv6Spec struct {
	AddressCount int `json:"address_count"`
}

// MetadataSpec says how machines reach their metadata.
type MetadataSpec struct {
	// HTTPTokens is optional, or required for IMDSv2 alone.
	HTTPTokens string `json:"http_tokens,omitempty"`
	// HTTPEndpoint is enabled or disabled.
	HTTPEndpoint string `json:"http_endpoint,omitempty"`
}

// PrivatePoolSpec says which reserved capacity machines may use.
type PrivatePoolSpec struct {
	// MatchCriteria is open, target or none.
	MatchCriteria string `json:"match_criteria"`
	// ID names the pool of the criteria target.
	ID string `json:"id,omitempty"`
}

// decodeClass reads and checks a class. Its error is permanent and names every
// problem with its field.
func decodeClass(config machineops.ProviderConfig) (*ClassSpec, error) {
	text, ok := config.Data[ConfigKey]
	if !ok {
		return nil, invalid(fmt.Errorf("the class has no %s configuration", ConfigKey))
	}

	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()

	var spec ClassSpec
	if err := decoder.Decode(&spec); err != nil {
		return nil, invalid(fmt.Errorf("reading the class's %s configuration: %w", ConfigKey, err))
	}

	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, invalid(fmt.Errorf("the class's %s configuration has text after its end", ConfigKey))
	}

	if err := spec.validate(); err != nil {
		return nil, invalid(err)
	}

	if len(spec.CapacityTypes) == 0 {
		spec.CapacityTypes = []string{string(v1alpha3.CapacityTypeOnDemand)}
	}

	return &spec, nil
}

func invalid(err error) error {
	return &machineops.PermanentError{Reason: v1alpha3.ReasonInvalidConfiguration, Err: err}
}
