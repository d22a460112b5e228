package ecsemulator

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Instance is one instance as the control address shows it.
type Instance struct {
	ID             string            `json:"id"`
	AccountID      string            `json:"account_id"`
	RegionID       string            `json:"region_id"`
	ZoneID         string            `json:"zone_id"`
	Name           string            `json:"name"`
	HostName       string            `json:"host_name"`
	InstanceType   string            `json:"instance_type"`
	ImageID        string            `json:"image_id"`
	VSwitchID      string            `json:"vswitch_id"`
	SecurityGroups []string          `json:"security_group_ids"`
	PrivateAddress string            `json:"private_address"`
	Status         string            `json:"status"`
	ChargeMode     ChargeMode        `json:"charge_mode"`
	Tags           map[string]string `json:"tags"`
	CreatedAt      time.Time         `json:"created_at"`
	// Releasing is set from the call that releases until the instance is gone.
	Releasing bool `json:"releasing"`
	// Locks are the reasons for which the instance is locked.
	Locks              []string `json:"locks,omitempty"`
	DeletionProtection bool     `json:"deletion_protection"`
	// UserDataSHA256 and UserDataBytes describe the user data after decoding. Both are empty where there is none.
	UserDataSHA256 string   `json:"user_data_sha256"`
	UserDataBytes  int      `json:"user_data_bytes"`
	DiskIDs        []string `json:"disk_ids"`
}

// NewInstance describes an instance that is to be there without a call having made it. What is empty gets a default: the region
// of Options, the first vSwitch and security group of the region, ecs.g6.large, the first image that fits.
type NewInstance struct {
	AccountID      string            `json:"account_id,omitempty"`
	RegionID       string            `json:"region_id,omitempty"`
	Name           string            `json:"name,omitempty"`
	InstanceType   string            `json:"instance_type,omitempty"`
	ImageID        string            `json:"image_id,omitempty"`
	VSwitchID      string            `json:"vswitch_id,omitempty"`
	SecurityGroups []string          `json:"security_group_ids,omitempty"`
	Tags           map[string]string `json:"tags,omitempty"`
	// AgeSeconds is how long ago it was created, in virtual time. One that is old enough is Running.
	AgeSeconds float64 `json:"age_seconds,omitempty"`
	Stopped    bool    `json:"stopped,omitempty"`
	// ChargeMode is how it is paid for. Empty means PostPaid.
	ChargeMode ChargeMode `json:"charge_mode,omitempty"`
	// ExpiresInSeconds is when a PrePaid one expires, in virtual time from now; negative if it has.
	ExpiresInSeconds float64 `json:"expires_in_seconds,omitempty"`
	UserData         []byte  `json:"user_data,omitempty"`
}

// Instances lists what exists in all accounts and regions now, oldest first, whether reads list it or not; also what is being
// released, until it is gone.
func (s *Server) Instances() []Instance {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	found := []Instance{}
	for _, id := range slices.Sorted(maps.Keys(s.accounts)) {
		a := s.accounts[id]
		s.settle(a, now)
		for _, i := range a.order {
			if i.exists(now) {
				found = append(found, i.inspect(a.id, now))
			}
		}
	}
	return found
}

func (i *instance) inspect(accountID string, now time.Time) Instance {
	shown := Instance{
		ID: i.id, AccountID: accountID, RegionID: i.regionID, ZoneID: i.zoneID, Name: i.name, HostName: i.hostName,
		InstanceType: i.instanceType.ID, ImageID: i.image.ID, VSwitchID: i.vswitch.ID, SecurityGroups: slices.Clone(i.securityGroups),
		PrivateAddress: i.address.String(), Status: i.status(now), ChargeMode: i.chargeMode, Tags: maps.Clone(i.tags), CreatedAt: i.createdAt,
		Releasing: i.releasing, Locks: slices.Clone(i.locks), DeletionProtection: i.deletionProtection, DiskIDs: []string{},
	}
	for _, d := range i.disks {
		shown.DiskIDs = append(shown.DiskIDs, d.id)
	}
	if i.userData != "" {
		raw, _ := base64.StdEncoding.DecodeString(i.userData) // checked when it came
		shown.UserDataSHA256, shown.UserDataBytes = sha256Hex(raw), len(raw)
	}
	return shown
}

// Journal lists all that ever happened to instances, oldest first. Nothing resets it.
func (s *Server) Journal() []Effect {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	for _, a := range s.accounts {
		s.settle(a, now)
	}
	return slices.Clone(s.journal)
}

// AddInstance puts an instance into an account as if it had always been there. Errors: something named that the catalogue or the
// server does not have; tags that the API would refuse; a vSwitch without a free address.
func (s *Server) AddInstance(wanted NewInstance) (Instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	i, err := s.newInstance(wanted, now)
	if err != nil {
		return Instance{}, fmt.Errorf("add instance: %w", err)
	}
	a := s.accounts[orDefault(wanted.AccountID, s.options.AccountID)]
	if a == nil {
		return Instance{}, fmt.Errorf("add instance: account %q: %w", wanted.AccountID, ErrNotFound)
	}
	s.settle(a, now)
	address, free := a.takeAddress(i.vswitch, i.id)
	if !free {
		return Instance{}, fmt.Errorf("add instance: vswitch %s has no free address", i.vswitch.ID)
	}
	i.address = address
	i.mac = macOf(address, a.sequence+1)
	a.add(i)
	s.record(Effect{Time: now, Effect: "added", Caller: somebodyElse, AccountID: a.id, RegionID: i.regionID, InstanceID: i.id})
	return i.inspect(a.id, now), nil
}

func (s *Server) newInstance(wanted NewInstance, now time.Time) (*instance, error) {
	region, known := s.options.Catalogue.region(orDefault(wanted.RegionID, s.options.RegionID))
	if !known {
		return nil, fmt.Errorf("region %q: %w", wanted.RegionID, ErrNotFound)
	}
	instanceType, known := s.options.Catalogue.instanceType(orDefault(wanted.InstanceType, "ecs.g6.large"))
	if !known {
		return nil, fmt.Errorf("instance type %q: %w", wanted.InstanceType, ErrNotFound)
	}
	vpc, vswitch, groups, err := wanted.network(region)
	if err != nil {
		return nil, err
	}
	image, err := s.imageFor(region, instanceType, wanted.ImageID)
	if err != nil {
		return nil, err
	}
	if len(wanted.Tags) > maxTags {
		return nil, fmt.Errorf("%d tags are more than %d", len(wanted.Tags), maxTags)
	}
	for key := range wanted.Tags {
		if refusal := checkTagKey(key); refusal != nil {
			return nil, refusal
		}
	}
	created := now.Add(-time.Duration(wanted.AgeSeconds * float64(time.Second)))
	i := &instance{
		id: s.resourceID("i", region.ID), regionID: region.ID, zoneID: vswitch.Zone, instanceType: instanceType, image: image, vpc: vpc,
		vswitch: vswitch, securityGroups: groups, interfaceID: s.resourceID("eni", region.ID),
		tags: map[string]string{}, chargeMode: ChargePostPaid, spotStrategy: "NoSpot", internetChargeType: "PayByTraffic",
		httpEndpoint: "enabled", httpTokens: "optional", hopLimit: 1, createdAt: created, startedAt: created, visibleFrom: created,
	}
	maps.Copy(i.tags, wanted.Tags)
	i.name, i.serial = orDefault(wanted.Name, i.id), serialOf(i.id)
	i.hostName = "iZ" + i.id[2:] + "Z"
	if len(wanted.UserData) > 0 {
		i.userData = base64.StdEncoding.EncodeToString(wanted.UserData)
	}
	i.timeline = []transition{{created, statusRunning}}
	if wanted.Stopped {
		i.timeline, i.stoppedMode = []transition{{created, statusStopped}}, "KeepCharging"
	}
	switch wanted.ChargeMode {
	case "", ChargePostPaid:
	case ChargeSpot:
		i.chargeMode, i.spotStrategy = ChargeSpot, "SpotAsPriceGo"
	case ChargePrePaid:
		i.chargeMode, i.expires = ChargePrePaid, now.Add(time.Duration(wanted.ExpiresInSeconds*float64(time.Second)))
	default:
		return nil, fmt.Errorf("charge mode %q is unknown", wanted.ChargeMode)
	}
	i.disks = []*disk{{
		id: s.resourceID("d", region.ID), regionID: region.ID, zoneID: vswitch.Zone, instanceID: i.id, category: instanceType.DiskCategories[0],
		sizeGiB: max(40, image.SizeGiB), system: true, deleteWithInstance: true, device: "/dev/xvda", createdAt: created, attachedAt: created, imageID: image.ID,
		tags: maps.Clone(i.tags),
	}}
	return i, nil
}

func (n NewInstance) network(region *Region) (*VPC, *VSwitch, []string, error) {
	if len(region.VPCs) == 0 || len(region.VPCs[0].VSwitches) == 0 || len(region.VPCs[0].SecurityGroups) == 0 {
		return nil, nil, nil, errors.New("the region has no network")
	}
	vpc, vswitch := &region.VPCs[0], &region.VPCs[0].VSwitches[0]
	if n.VSwitchID != "" {
		var found bool
		if vpc, vswitch, found = region.vswitch(n.VSwitchID); !found {
			return nil, nil, nil, fmt.Errorf("vswitch %q: %w", n.VSwitchID, ErrNotFound)
		}
	}
	groups := slices.Clone(n.SecurityGroups)
	if len(groups) == 0 && len(vpc.SecurityGroups) > 0 {
		groups = []string{vpc.SecurityGroups[0].ID}
	}
	for _, id := range groups {
		if owner, found := region.groupOwner(id); !found || owner != vpc {
			return nil, nil, nil, fmt.Errorf("security group %q in vpc %s: %w", id, vpc.ID, ErrNotFound)
		}
	}
	return vpc, vswitch, groups, nil
}

func (s *Server) imageFor(region *Region, t *InstanceType, id string) (*Image, error) {
	for _, image := range s.options.Catalogue.images(region.ID) {
		fitting := (image.Architecture == "arm64") == (t.Architecture == "ARM") && image.Status == "Available" && image.OSType == "linux"
		if id == image.ID || id == "" && fitting {
			return image, nil
		}
	}
	return nil, fmt.Errorf("image %q: %w", id, ErrNotFound)
}

// Reveal lets reads list an instance from now on that they left out so far. An id that is not there is an error wrapping ErrNotFound.
func (s *Server) Reveal(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	for _, a := range s.accounts {
		if i := a.instances[id]; i != nil {
			if now.Before(i.visibleFrom) {
				i.visibleFrom = now
			}
			return nil
		}
	}
	return fmt.Errorf("instance %q: %w", id, ErrNotFound)
}

// RemoveInstance takes an instance away at once, as somebody else's release that has come to its end, or a loss, would. An id that is
// not there is an error wrapping ErrNotFound.
func (s *Server) RemoveInstance(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	for _, a := range s.accounts {
		s.settle(a, now)
		if i := a.instances[id]; i != nil && i.exists(now) {
			i.vanish(now, s.options.ReleasedVisibilityDelay)
			s.settle(a, now)
			return nil
		}
	}
	return fmt.Errorf("instance %q: %w", id, ErrNotFound)
}
