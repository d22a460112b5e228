package ecsemulator

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Disk is one disk as the control address shows it.
type Disk struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	RegionID  string `json:"region_id"`
	Name      string `json:"name"`
	// InstanceID is empty where no instance has it.
	InstanceID string `json:"instance_id"`
	Device     string `json:"device"`
	System     bool   `json:"system"`
	Category   string `json:"category"`
	SizeGiB    int    `json:"size_gib"`
	Status     string `json:"status"`
	// DeleteWithInstance is whether it goes when its instance is released.
	DeleteWithInstance bool              `json:"delete_with_instance"`
	Tags               map[string]string `json:"tags"`
}

// NewDisk describes a data disk that somebody has attached to an instance without a call having done so. What is empty gets a default:
// the category of the instance's system disk, 40 GiB. It outlives its instance unless DeleteWithInstance is set, as with AttachDisk.
type NewDisk struct {
	InstanceID         string            `json:"instance_id"`
	Name               string            `json:"name,omitempty"`
	Category           string            `json:"category,omitempty"`
	SizeGiB            int               `json:"size_gib,omitempty"`
	DeleteWithInstance bool              `json:"delete_with_instance,omitempty"`
	Tags               map[string]string `json:"tags,omitempty"`
}

// Disks lists the disks of all accounts and regions, oldest first, whether an instance has them or not.
func (s *Server) Disks() []Disk {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	found := []Disk{}
	for _, id := range slices.Sorted(maps.Keys(s.accounts)) {
		a := s.accounts[id]
		s.settle(a, now)
		for _, d := range a.diskList {
			found = append(found, d.inspect(a.id, a.diskStatus(d, now)))
		}
	}
	return found
}

func (d *disk) inspect(accountID, status string) Disk {
	return Disk{
		ID: d.id, AccountID: accountID, RegionID: d.regionID, Name: d.name, InstanceID: d.instanceID, Device: d.device, System: d.system,
		Category: d.category, SizeGiB: d.sizeGiB, Status: status, DeleteWithInstance: d.deleteWithInstance, Tags: maps.Clone(d.tags),
	}
}

// AddDisk attaches a data disk to an instance as somebody else would. Errors: an instance that is not there (wrapping ErrNotFound); a
// category that there is not, or no device name left.
func (s *Server) AddDisk(wanted NewDisk) (Disk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.now()
	for _, a := range s.accounts {
		s.settle(a, now)
		i := a.instances[wanted.InstanceID]
		if i == nil || !i.exists(now) {
			continue
		}
		d, err := s.newAttachedDisk(i, wanted)
		if err != nil {
			return Disk{}, fmt.Errorf("add disk: %w", err)
		}
		d.createdAt, d.attachedAt = now, now
		i.disks, a.diskList, a.disks[d.id] = append(i.disks, d), append(a.diskList, d), d
		s.record(Effect{Time: now, Effect: "added", Caller: somebodyElse, AccountID: a.id, RegionID: d.regionID, ResourceID: d.id})
		return d.inspect(a.id, a.diskStatus(d, now)), nil
	}
	return Disk{}, fmt.Errorf("add disk: instance %q: %w", wanted.InstanceID, ErrNotFound)
}

func (s *Server) newAttachedDisk(i *instance, wanted NewDisk) (*disk, error) {
	category := orDefault(wanted.Category, i.disks[0].category)
	if !slices.Contains(dataCategories(), category) {
		return nil, fmt.Errorf("category %q is none of a data disk", category)
	}
	device, free := i.freeDevice()
	if !free {
		return nil, errors.New("the instance has no device name left")
	}
	size := wanted.SizeGiB
	if size == 0 {
		size = 40
	}
	d := &disk{
		id: s.resourceID("d", i.regionID), regionID: i.regionID, zoneID: i.zoneID, instanceID: i.id, name: wanted.Name, category: category, sizeGiB: size,
		deleteWithInstance: wanted.DeleteWithInstance, device: device, resourceGroup: i.resourceGroup, tags: map[string]string{},
	}
	maps.Copy(d.tags, wanted.Tags)
	return d, nil
}

// freeDevice is the first device name of a data disk that the instance does not use.
func (i *instance) freeDevice() (string, bool) {
	for letter := 'b'; letter <= 'z'; letter++ {
		device := "/dev/xvd" + string(letter)
		if !slices.ContainsFunc(i.disks, func(d *disk) bool { return d.device == device }) {
			return device, true
		}
	}
	return "", false
}
