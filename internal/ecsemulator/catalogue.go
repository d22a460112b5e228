package ecsemulator

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

//go:embed catalogue.json
var defaultCatalogue []byte

// Catalogue is what an emulated cloud has to offer: regions with zones and networks, instance types, images and stock. Every account
// sees the same.
type Catalogue struct {
	Regions       []Region       `json:"regions"`
	InstanceTypes []InstanceType `json:"instance_types"`
	Images        []Image        `json:"images"`
	RAMRoles      []string       `json:"ram_roles"`
	Stock         []Stock        `json:"stock"`
	Prices        Prices         `json:"prices"`
	Quotas        Quotas         `json:"quotas,omitzero"`
}

// Region is a region with its zones and networks.
type Region struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	NameZh   string    `json:"name_zh"`
	Zones    []string  `json:"zones"`
	VPCs     []VPC     `json:"vpcs"`
	KeyPairs []KeyPair `json:"key_pairs"`
	// ResourceGroups and DeploymentSets are the ids that there are. A launch that names another is refused.
	ResourceGroups []string `json:"resource_groups,omitempty"`
	DeploymentSets []string `json:"deployment_sets,omitempty"`
	// KMSKeys are the ids of the keys that disks can be encrypted with, besides the account's service key.
	KMSKeys         []string         `json:"kms_keys,omitempty"`
	Snapshots       []Snapshot       `json:"snapshots,omitempty"`
	PrivatePools    []PrivatePool    `json:"private_pools,omitempty"`
	LaunchTemplates []LaunchTemplate `json:"launch_templates,omitempty"`
}

// Snapshot is a snapshot of a data disk.
type Snapshot struct {
	ID      string `json:"id"`
	SizeGiB int    `json:"size_gib"`
}

// PrivatePool is reserved capacity: Amount instances of one type in one zone.
type PrivatePool struct {
	ID           string `json:"id"`
	Zone         string `json:"zone"`
	InstanceType string `json:"instance_type"`
	Amount       int    `json:"amount"`
}

// LaunchTemplate is a launch template. Versions hold parameters of RunInstances by name, as they go over the wire; the first is
// version 1.
type LaunchTemplate struct {
	ID             string              `json:"id"`
	Name           string              `json:"name"`
	DefaultVersion int                 `json:"default_version"`
	Versions       []map[string]string `json:"versions"`
}

// VPC is a network with its vSwitches and security groups.
type VPC struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	CIDR           string          `json:"cidr"`
	VSwitches      []VSwitch       `json:"vswitches"`
	SecurityGroups []SecurityGroup `json:"security_groups"`
}

// VSwitch is a subnet in one zone.
type VSwitch struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Zone string `json:"zone"`
	CIDR string `json:"cidr"`
	// IPv6CIDR is its IPv6 block, empty where IPv6 is not turned on.
	IPv6CIDR string `json:"ipv6_cidr,omitempty"`
	// Status is Available when empty; Pending refuses new instances.
	Status string `json:"status,omitempty"`
}

// SecurityGroup is a security group; Type is normal or enterprise.
type SecurityGroup struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Type string `json:"type"`
}

// KeyPair is an SSH key pair.
type KeyPair struct {
	Name        string `json:"name"`
	Fingerprint string `json:"fingerprint"`
}

// InstanceType is an instance type. Zones limits it to some zones; none means all.
type InstanceType struct {
	ID                           string  `json:"id"`
	Family                       string  `json:"family"`
	VCPUs                        int     `json:"vcpus"`
	MemoryGiB                    float64 `json:"memory_gib"`
	Architecture                 string  `json:"architecture"` // X86 or ARM
	Level                        string  `json:"level"`
	Category                     string  `json:"category"`
	NetworkInterfaces            int     `json:"network_interfaces"`
	PrivateAddressesPerInterface int     `json:"private_addresses_per_interface"`
	// IPv6AddressesPerInterface is as many as private addresses where it is not given.
	IPv6AddressesPerInterface int      `json:"ipv6_addresses_per_interface,omitempty"`
	BandwidthKbps             int      `json:"bandwidth_kbps"`
	PacketsPerSecond          int64    `json:"packets_per_second"`
	Disks                     int      `json:"disks"`
	DiskCategories            []string `json:"disk_categories"`
	GPUs                      int      `json:"gpus"`
	GPUModel                  string   `json:"gpu_model"`
	GPUMemoryGiB              float64  `json:"gpu_memory_gib"`
	LocalDisks                int      `json:"local_disks"`
	LocalDiskGiB              int64    `json:"local_disk_gib"`
	LocalDiskCategory         string   `json:"local_disk_category"`
	BaselineCredit            int      `json:"baseline_credit"`
	Zones                     []string `json:"zones,omitempty"`
	// HourlyPrice is what an hour costs on demand, SpotHourlyPrice about what it costs as a spot instance; zero where there is no price.
	HourlyPrice     float64 `json:"hourly_price,omitempty"`
	SpotHourlyPrice float64 `json:"spot_hourly_price,omitempty"`
}

// Image is an image. Regions limits it to some regions; none means all.
type Image struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Family       string   `json:"family"`
	OSName       string   `json:"os_name"`
	OSNameEn     string   `json:"os_name_en"`
	OSType       string   `json:"os_type"` // linux or windows
	Platform     string   `json:"platform"`
	Architecture string   `json:"architecture"` // x86_64 or arm64
	SizeGiB      int      `json:"size_gib"`
	OwnerAlias   string   `json:"owner_alias"`
	Created      string   `json:"created"`
	Status       string   `json:"status"`
	CloudInit    bool     `json:"cloud_init"`
	Regions      []string `json:"regions,omitempty"`
}

// ChargeMode is one of the ways in which an instance is paid, each with a stock of its own.
type ChargeMode string

// The charge modes.
const (
	ChargePostPaid ChargeMode = "PostPaid"
	ChargePrePaid  ChargeMode = "PrePaid"
	ChargeSpot     ChargeMode = "Spot"
)

// Stock says how much there is of an instance type in a zone for a charge mode. What no entry matches is WithStock. The last entry
// that matches counts.
type Stock struct {
	// Zone, InstanceType and ChargeMode are patterns with * ; empty means any.
	Zone         string `json:"zone,omitempty"`
	InstanceType string `json:"instance_type,omitempty"`
	ChargeMode   string `json:"charge_mode,omitempty"`
	// StatusCategory is WithStock, ClosedWithStock, WithoutStock or ClosedWithoutStock.
	StatusCategory string `json:"status_category"`
	// Left limits how many instances can still be launched, if not nil. At zero the entry counts as WithoutStock.
	Left *int `json:"left,omitempty"`
	// Hidden leaves DescribeAvailableResource saying WithStock, so that only the launch tells.
	Hidden bool `json:"hidden,omitempty"`
}

// DefaultCatalogue is a fresh copy of the built-in catalogue.
func DefaultCatalogue() (*Catalogue, error) { return ReadCatalogue(bytes.NewReader(defaultCatalogue)) }

// ReadCatalogue reads a catalogue in JSON. An unknown field, a reference that leads nowhere, a thing given twice or a value that cannot
// be is an error that names the thing; all such errors are told at once.
func ReadCatalogue(r io.Reader) (*Catalogue, error) {
	decoder := json.NewDecoder(r)
	decoder.DisallowUnknownFields()
	var c Catalogue
	if err := decoder.Decode(&c); err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("read catalogue: there is more after the end of the document")
	}
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("read catalogue: %w", err)
	}
	return &c, nil
}

func (s Stock) validate() error {
	if !slices.Contains(stockCategories(), s.StatusCategory) {
		return fmt.Errorf("stock: status_category %q is none of %v", s.StatusCategory, stockCategories())
	}
	if s.Left != nil && *s.Left < 0 {
		return fmt.Errorf("stock: left %d is negative", *s.Left)
	}
	return nil
}

func stockCategories() []string {
	return []string{"WithStock", "ClosedWithStock", "WithoutStock", "ClosedWithoutStock"}
}

// matches reports whether value fits the pattern, in which * stands for any characters; an empty pattern fits all.
func matches(pattern, value string) bool {
	return pattern == "" || fits(pattern, value)
}

// fits is matches for a pattern that may be meant to be empty.
func fits(pattern, value string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == value
	}
	rest, ok := strings.CutPrefix(value, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

func (c *Catalogue) region(id string) (*Region, bool) {
	i := slices.IndexFunc(c.Regions, func(r Region) bool { return r.ID == id })
	if i < 0 {
		return nil, false
	}
	return &c.Regions[i], true
}

func (c *Catalogue) instanceType(id string) (*InstanceType, bool) {
	i := slices.IndexFunc(c.InstanceTypes, func(t InstanceType) bool { return t.ID == id })
	if i < 0 {
		return nil, false
	}
	return &c.InstanceTypes[i], true
}

// images are those of a region, newest first.
func (c *Catalogue) images(regionID string) []*Image {
	var found []*Image
	for i := range c.Images {
		if image := &c.Images[i]; len(image.Regions) == 0 || slices.Contains(image.Regions, regionID) {
			found = append(found, image)
		}
	}
	slices.SortStableFunc(found, func(a, b *Image) int {
		switch {
		case a.Created > b.Created:
			return -1
		case a.Created < b.Created:
			return 1
		default:
			return 0
		}
	})
	return found
}

func (r *Region) vswitch(id string) (*VPC, *VSwitch, bool) {
	for i := range r.VPCs {
		for j := range r.VPCs[i].VSwitches {
			if r.VPCs[i].VSwitches[j].ID == id {
				return &r.VPCs[i], &r.VPCs[i].VSwitches[j], true
			}
		}
	}
	return nil, nil, false
}

// groupOwner finds the VPC of a security group.
func (r *Region) groupOwner(id string) (*VPC, bool) {
	for i := range r.VPCs {
		for j := range r.VPCs[i].SecurityGroups {
			if r.VPCs[i].SecurityGroups[j].ID == id {
				return &r.VPCs[i], true
			}
		}
	}
	return nil, false
}

func (t *InstanceType) soldIn(zone string) bool {
	return len(t.Zones) == 0 || slices.Contains(t.Zones, zone)
}
