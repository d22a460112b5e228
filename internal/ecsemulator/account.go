package ecsemulator

import (
	"fmt"
	"net/netip"
	"time"
)

// account is what one account has in all regions.
type account struct {
	id        string
	instances map[string]*instance
	// order holds the instances as they were created, oldest first.
	order    []*instance
	disks    map[string]*disk
	diskList []*disk
	// taken holds the addresses in use, by vSwitch.
	taken map[string]map[netip.Addr]string
	// takenIPv6 holds the IPv6 addresses in use.
	takenIPv6 map[netip.Addr]string
	// interfaces are the secondary network interfaces, of an instance or left by one, and interfaceList holds them oldest first.
	interfaces    map[string]*networkInterface
	interfaceList []*networkInterface
	sequence      int
}

func newAccount(id string) *account {
	return &account{
		id: id, instances: map[string]*instance{}, disks: map[string]*disk{}, taken: map[string]map[netip.Addr]string{},
		takenIPv6: map[netip.Addr]string{}, interfaces: map[string]*networkInterface{},
	}
}

// Effect is one thing that happened to an instance, or to a disk or network interface alone, in the order in which it happened.
type Effect struct {
	// Sequence counts from 1.
	Sequence int       `json:"sequence"`
	Time     time.Time `json:"time"`
	// Effect is created, started, stopped, rebooted, releasing, gone, withdrawn, tagged, untagged, modified, added, locked, unlocked,
	// reclaim notice or reclaimed; and deleted, for disks and network interfaces.
	Effect string `json:"effect"`
	// Action, CallID and RequestID name the call; they are empty where time or the control address was the cause.
	Action    string `json:"action,omitempty"`
	CallID    int    `json:"call_id,omitempty"`
	RequestID string `json:"request_id,omitempty"`
	// Caller is the ARN of who signed the call, "somebody else" for what an incident or the control address did, and empty for what
	// time alone brought.
	Caller      string `json:"caller,omitempty"`
	AccessKeyID string `json:"access_key_id,omitempty"`
	AccountID   string `json:"account_id"`
	RegionID    string `json:"region_id"`
	// InstanceID is the instance, empty where the effect was upon a disk or a network interface alone, which ResourceID names.
	InstanceID string `json:"instance_id"`
	ResourceID string `json:"resource_id,omitempty"`
	// Detail is a tag key, an attribute's name or the like.
	Detail string `json:"detail,omitempty"`
}

// note writes a call's effect into the journal.
func (c *call) note(i *instance, effect, detail string) {
	c.server.record(Effect{
		Time: c.now, Effect: effect, Action: c.action.name, CallID: c.id, RequestID: c.requestID, Caller: callerOf(c.key).arn,
		AccessKeyID: c.key.ID, AccountID: c.account.id, RegionID: i.regionID, InstanceID: i.id, Detail: detail,
	})
}

// noteResource writes a call's effect upon a disk, a network interface or the like into the journal.
func (c *call) noteResource(id, regionID, effect, detail string) {
	c.server.record(Effect{
		Time: c.now, Effect: effect, Action: c.action.name, CallID: c.id, RequestID: c.requestID, Caller: callerOf(c.key).arn,
		AccessKeyID: c.key.ID, AccountID: c.account.id, RegionID: regionID, ResourceID: id, Detail: detail,
	})
}

func (s *Server) record(effect Effect) {
	effect.Sequence = len(s.journal) + 1
	s.journal = append(s.journal, effect)
	s.touch()
}

// settle carries out what time has brought since the last call: instances whose end has come give back addresses and disks.
func (s *Server) settle(a *account, now time.Time) {
	a.settleInterfaces(now)
	kept := a.order[:0]
	for _, i := range a.order {
		s.meet(a, i, now)
		if !i.autoRelease.IsZero() && i.exists(now) && !now.Before(i.autoRelease) {
			i.vanish(i.autoRelease, s.options.ReleasedVisibilityDelay)
		}
		if !i.exists(now) && a.taken[i.vswitch.ID][i.address] == i.id {
			s.bury(a, i)
		}
		if !i.exists(now) && !i.visible(now) && !now.Before(i.visibleTo) {
			delete(a.instances, i.id)
			continue
		}
		kept = append(kept, i)
	}
	clear(a.order[len(kept):])
	a.order = kept
}

// bury gives back what a gone instance held. Disks that do not go with their instance stay, Available.
func (s *Server) bury(a *account, i *instance) {
	delete(a.taken[i.vswitch.ID], i.address)
	a.buryInterfaces(i)
	for _, d := range i.disks {
		if d.deleteWithInstance || i.locked(lockSecurity) {
			delete(a.disks, d.id)
		} else {
			// What outlives its instance is pay-as-you-go from then on.
			d.instanceID, d.device, d.detachedAt, d.prePaid = "", "", i.goneAt, false
		}
	}
	remaining := a.diskList[:0]
	for _, d := range a.diskList {
		if a.disks[d.id] != nil {
			remaining = append(remaining, d)
		}
	}
	clear(a.diskList[len(remaining):])
	a.diskList = remaining
	effect := "gone"
	if i.withdrawn {
		effect = "withdrawn"
	}
	s.record(Effect{Time: i.goneAt, Effect: effect, AccountID: a.id, RegionID: i.regionID, InstanceID: i.id})
}

// find gives an instance that exists in the call's region.
func (c *call) find(id string) (*instance, bool) {
	i := c.account.instances[id]
	if i == nil || !i.exists(c.now) || c.region != nil && i.regionID != c.region.ID {
		return nil, false
	}
	return i, true
}

// instance gives the instance that the parameter InstanceId names, or the documented refusal.
func (c *call) instance() (*instance, *APIError) {
	if !c.has("InstanceId") {
		return nil, missingParameter("InstanceId")
	}
	i, found := c.find(c.string("InstanceId"))
	if !found {
		return nil, instanceNotFound()
	}
	return i, nil
}

// freeAddresses counts what a vSwitch has left. The first address and the last three are reserved.
func (a *account) freeAddresses(v *VSwitch) int {
	bits := netip.MustParsePrefix(v.CIDR).Bits() // validate has parsed it
	return max(0, 1<<(32-bits)-4-len(a.taken[v.ID]))
}

// usable reports whether an address may be given to an instance in the vSwitch.
func usable(v *VSwitch, address netip.Addr) bool {
	prefix := netip.MustParsePrefix(v.CIDR).Masked() // validate has parsed it
	if !prefix.Contains(address) || address == prefix.Addr() {
		return false
	}
	for range 3 {
		address = address.Next()
		if !prefix.Contains(address) {
			return false
		}
	}
	return true
}

// takeAddress takes the lowest free address for an instance.
func (a *account) takeAddress(v *VSwitch, instanceID string) (netip.Addr, bool) {
	if a.freeAddresses(v) < 1 {
		return netip.Addr{}, false
	}
	address := netip.MustParsePrefix(v.CIDR).Masked().Addr().Next()
	for taken := a.taken[v.ID]; taken[address] != ""; {
		address = address.Next()
	}
	if !usable(v, address) {
		return netip.Addr{}, false
	}
	a.holdAddress(v, address, instanceID)
	return address, true
}

func (a *account) holdAddress(v *VSwitch, address netip.Addr, instanceID string) {
	if a.taken[v.ID] == nil {
		a.taken[v.ID] = map[netip.Addr]string{}
	}
	a.taken[v.ID][address] = instanceID
}

func (a *account) add(i *instance) {
	a.sequence++
	i.sequence = a.sequence
	a.instances[i.id] = i
	a.order = append(a.order, i)
	for _, d := range i.disks {
		a.disks[d.id] = d
		a.diskList = append(a.diskList, d)
	}
}

// macOf makes a stable address of the kind the cloud gives.
func macOf(address netip.Addr, sequence int) string {
	b := address.As4()
	return fmt.Sprintf("00:16:3e:%02x:%02x:%02x", b[2], b[3], sequence%256)
}
