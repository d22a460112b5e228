package ecsemulator

import (
	"net/netip"
	"slices"
	"time"
)

// networkInterface is an elastic network interface. The primary one of an instance is part of the instance; only secondary ones are
// things of their own, which may outlive it.
type networkInterface struct {
	id, regionID       string
	instanceID         string // empty once it is Available
	vpc                *VPC
	vswitch            *VSwitch
	address            netip.Addr
	secondaryAddresses []netip.Addr
	ipv6Addresses      []netip.Addr
	securityGroups     []string
	mac                string
	name, description  string
	primary            bool
	deleteOnRelease    bool
	trafficMode        string
	resourceGroup      string
	tags               map[string]string
	createdAt          time.Time
	deletedAt          time.Time // from when it is Deleting
}

// The values of a network interface's Status.
const (
	interfaceAvailable = "Available"
	interfaceAttaching = "Attaching"
	interfaceInUse     = "InUse"
	interfaceDetaching = "Detaching"
	interfaceDeleting  = "Deleting"
)

// primaryInterface is the view of an instance's own network interface.
func (i *instance) primaryInterface() *networkInterface {
	return &networkInterface{
		id: i.interfaceID, regionID: i.regionID, instanceID: i.id, vpc: i.vpc, vswitch: i.vswitch, address: i.address,
		secondaryAddresses: i.secondaryAddresses, ipv6Addresses: i.ipv6Addresses, securityGroups: i.securityGroups, mac: i.mac,
		primary: true, deleteOnRelease: true, trafficMode: "Standard", resourceGroup: i.resourceGroup, tags: i.interfaceTags, createdAt: i.createdAt,
	}
}

// interfaceStatus follows from what the interface belongs to: it is Attaching while its instance is Pending, and Detaching while its
// instance is going away, if it outlives it.
func (a *account) interfaceStatus(n *networkInterface, now time.Time) string {
	i := a.instances[n.instanceID]
	switch {
	case !n.deletedAt.IsZero():
		return interfaceDeleting
	case n.instanceID == "" || i == nil:
		return interfaceAvailable
	case n.primary:
		return interfaceInUse
	case i.status(now) == statusPending:
		return interfaceAttaching
	case i.releasing && !n.deleteOnRelease:
		return interfaceDetaching
	default:
		return interfaceInUse
	}
}

// allInterfaces lists the network interfaces of a region, newest first, the primary one of an instance before its others.
func (c *call) allInterfaces() []*networkInterface {
	var found []*networkInterface
	for _, n := range slices.Backward(c.account.interfaceList) {
		if n.instanceID == "" && n.regionID == c.region.ID {
			found = append(found, n)
		}
	}
	for _, i := range slices.Backward(c.account.order) {
		if i.regionID != c.region.ID || !i.exists(c.now) || c.now.Before(i.visibleFrom) {
			continue
		}
		found = append(found, i.primaryInterface())
		found = append(found, i.interfaces...)
	}
	return found
}

func (a *account) addInterface(n *networkInterface) {
	if a.interfaces[n.id] == nil {
		a.interfaces[n.id] = n
		a.interfaceList = append(a.interfaceList, n)
	}
}

// dropInterface takes a secondary interface away and gives its addresses back.
func (a *account) dropInterface(n *networkInterface) {
	for _, address := range append([]netip.Addr{n.address}, n.secondaryAddresses...) {
		if a.taken[n.vswitch.ID][address] == n.id {
			delete(a.taken[n.vswitch.ID], address)
		}
	}
	a.freeIPv6(n.ipv6Addresses)
	delete(a.interfaces, n.id)
	a.interfaceList = slices.DeleteFunc(a.interfaceList, func(other *networkInterface) bool { return other == n })
}

// settleInterfaces ends those whose deletion is complete.
func (a *account) settleInterfaces(now time.Time) {
	due := func(n *networkInterface) bool { return !n.deletedAt.IsZero() && !now.Before(n.deletedAt) }
	for n := slices.IndexFunc(a.interfaceList, due); n >= 0; n = slices.IndexFunc(a.interfaceList, due) {
		a.dropInterface(a.interfaceList[n])
	}
}

// buryInterfaces ends the interfaces of an instance that is gone, or sets free those that outlive it.
func (a *account) buryInterfaces(i *instance) {
	for _, address := range i.secondaryAddresses {
		delete(a.taken[i.vswitch.ID], address)
	}
	a.freeIPv6(i.ipv6Addresses)
	for _, n := range i.interfaces {
		if n.deleteOnRelease {
			a.dropInterface(n)
		} else {
			n.instanceID = ""
		}
	}
}

// allIPv6 are the IPv6 addresses of all network interfaces of an instance.
func (i *instance) allIPv6() []netip.Addr {
	all := slices.Clone(i.ipv6Addresses)
	for _, n := range i.interfaces {
		all = append(all, n.ipv6Addresses...)
	}
	return all
}

// takeIPv6 takes the lowest free IPv6 addresses of a vSwitch.
func (a *account) takeIPv6(v *VSwitch, count int, owner string) []netip.Addr {
	var taken []netip.Addr
	if count == 0 {
		return nil
	}
	address := netip.MustParsePrefix(v.IPv6CIDR).Masked().Addr().Next() // validate has parsed it
	for ; len(taken) < count; address = address.Next() {
		if _, used := a.takenIPv6[address]; !used {
			a.takenIPv6[address] = owner
			taken = append(taken, address)
		}
	}
	return taken
}

func (a *account) freeIPv6(addresses []netip.Addr) {
	for _, address := range addresses {
		delete(a.takenIPv6, address)
	}
}
