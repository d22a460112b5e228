package ecsemulator

import (
	"maps"
	"net/netip"
	"slices"
)

// secondaryInterface is what one secondary NetworkInterface.N asks for.
type secondaryInterface struct {
	prefix   string
	vswitch  *VSwitch
	groups   []string
	existing *networkInterface // NetworkInterface.N.NetworkInterfaceId
	ipv6     int
}

// addresses is how many private addresses the interface takes from its vSwitch.
func (l *launch) addresses(wanted secondaryInterface) int {
	if wanted.existing != nil {
		return 0
	}
	return 1 + l.integer(wanted.prefix+"SecondaryPrivateIpAddressCount", 0)
}

// checkInterfaces checks NetworkInterface.N and the IPv6 parameters. Source: the RunInstances page.
func (l *launch) checkInterfaces() *APIError {
	count := l.parameters.count("NetworkInterface")
	primary := ""
	for n := range count {
		prefix := element("NetworkInterface", n+1) + "."
		switch kind := orDefault(l.string(prefix+"InstanceType"), "Secondary"); {
		case !oneOf(kind, "Primary", "Secondary"), kind == "Primary" && primary != "":
			return invalidParameter(prefix + "InstanceType")
		case !oneOf(l.string(prefix+"NetworkInterfaceTrafficMode"), "", "Standard", "HighPerformance"):
			return invalidParameter(prefix + "NetworkInterfaceTrafficMode")
		case kind == "Primary":
			primary = prefix
		}
	}
	l.primaryPrefix = primary
	secondaries := count
	if primary != "" {
		secondaries--
		if !l.boolean(primary+"DeleteOnRelease", true) {
			return invalidParameter(primary + "DeleteOnRelease")
		}
	}
	switch {
	case secondaries > 0 && l.instanceType.NetworkInterfaces <= 1:
		return refuse(400, "InvalidInstanceType.ElasticNetworkInterfaceNotSupported", "The specified instance type does not support additional network interfaces.")
	case secondaries > 0 && 1+secondaries > l.instanceType.NetworkInterfaces:
		return refuse(403, "EniPerInstanceLimitExceeded", "The specified instance type takes at most %d network interfaces.", l.instanceType.NetworkInterfaces)
	}
	for n := range count {
		if prefix := element("NetworkInterface", n+1) + "."; prefix != primary {
			if refusal := l.checkSecondary(prefix); refusal != nil {
				return refusal
			}
		}
	}
	return l.checkIPv6()
}

func (l *launch) checkSecondary(prefix string) *APIError {
	wanted := secondaryInterface{prefix: prefix, vswitch: l.vswitch, groups: l.list(prefix + "SecurityGroupIds")}
	if id := l.string(prefix + "NetworkInterfaceId"); id != "" {
		return l.checkExisting(wanted, id)
	}
	if id := l.string(prefix + "VSwitchId"); id != "" {
		vpc, vswitch, found := l.region.vswitch(id)
		switch {
		case !found:
			return refuse(404, "InvalidVSwitchId.NotFound", "The specified VSwitchId does not exist.")
		case vpc != l.vpc || vswitch.Zone != l.vswitch.Zone:
			return refuse(400, "InvalidParameter.Mismatch", "The vSwitch of a secondary network interface must be in the zone and VPC of the primary one.")
		}
		wanted.vswitch = vswitch
	}
	if one := l.string(prefix + "SecurityGroupId"); one != "" {
		if len(wanted.groups) > 0 {
			return refuse(400, "InvalidParameter.Combination", "SecurityGroupId and SecurityGroupIds cannot be used together.")
		}
		wanted.groups = []string{one}
	}
	if len(wanted.groups) == 0 {
		wanted.groups = l.groups
	}
	if refusal := l.checkGroupIDs(wanted.groups); refusal != nil {
		return refusal
	}
	if extra := l.integer(prefix+"SecondaryPrivateIpAddressCount", 0); extra < 0 || extra+1 > l.instanceType.PrivateAddressesPerInterface {
		return refuse(403, "InvalidOperation.Ipv4CountExceeded", "The network interface takes at most %d private addresses.", l.instanceType.PrivateAddressesPerInterface)
	}
	if text := l.string(prefix + "PrimaryIpAddress"); text != "" {
		if l.amount > 1 {
			return refuse(403, "InvalidParam.Amount", "The specified Amount must be 1 when an address is given for a network interface.")
		}
		if refusal := l.checkAddress(wanted.vswitch, text); refusal != nil {
			return refusal
		}
	}
	var refusal *APIError
	if wanted.ipv6, refusal = l.ipv6Count(prefix, wanted.vswitch); refusal != nil {
		return refusal
	}
	l.secondaries = append(l.secondaries, wanted)
	return nil
}

func (l *launch) checkExisting(wanted secondaryInterface, id string) *APIError {
	if l.amount > 1 {
		return refuse(403, "InvalidParam.Amount", "The specified Amount must be 1 when a NetworkInterfaceId is given.")
	}
	wanted.existing = l.account.interfaces[id]
	switch {
	case wanted.existing == nil || wanted.existing.regionID != l.region.ID:
		return refuse(404, "InvalidEniId.NotFound", "The specified NetworkInterfaceId does not exist.")
	case l.account.interfaceStatus(wanted.existing, l.now) != interfaceAvailable:
		return refuse(400, "InvalidOperation.InvalidEniState", "The status of the network interface does not support this operation.")
	case wanted.existing.vpc != l.vpc || wanted.existing.vswitch.Zone != l.vswitch.Zone:
		return refuse(400, "InvalidParameter.Mismatch", "The network interface must be in the zone and VPC of the primary one.")
	}
	l.secondaries = append(l.secondaries, wanted)
	return nil
}

// checkIPv6 checks the IPv6 addresses of the primary interface.
func (l *launch) checkIPv6() *APIError {
	var refusal *APIError
	l.ipv6, refusal = l.ipv6Count("", l.vswitch)
	if refusal == nil && l.ipv6 == 0 && l.primaryPrefix != "" {
		l.ipv6, refusal = l.ipv6Count(l.primaryPrefix, l.vswitch)
	}
	return refusal
}

// ipv6Count is how many IPv6 addresses the parameters under a prefix ask for.
func (l *launch) ipv6Count(prefix string, v *VSwitch) (int, *APIError) {
	count, listed := l.integer(prefix+"Ipv6AddressCount", 0), l.list(prefix+"Ipv6Address")
	switch {
	case count == 0 && len(listed) == 0:
		return 0, nil
	case count != 0 && len(listed) > 0:
		return 0, refuse(400, "InvalidParameter.Combination", "Ipv6AddressCount and Ipv6Address cannot be used together.")
	case count < 0 || count > 10:
		return 0, invalidParameter(prefix + "Ipv6AddressCount")
	case len(listed) > 0 && l.amount > 1:
		return 0, refuse(403, "InvalidParam.Amount", "The specified Amount must be 1 when an IPv6 address is given.")
	case v.IPv6CIDR == "":
		return 0, refuse(403, "InvalidVSwitch.Ipv6NotTurnOn", "IPv6 is not turned on for the specified vSwitch.")
	case max(count, len(listed)) > l.instanceType.ipv6Addresses():
		return 0, refuse(403, "InvalidOperation.Ipv6CountExceeded", "The network interface takes at most %d IPv6 addresses.", l.instanceType.ipv6Addresses())
	}
	for n, text := range listed {
		address, err := netip.ParseAddr(text)
		switch {
		case err != nil || !address.Is6() || !netip.MustParsePrefix(v.IPv6CIDR).Contains(address): // validate has parsed it
			return 0, refuse(403, "InvalidIp.Address", "The specified IPv6 address is not in the block of the vSwitch.")
		case slices.Contains(listed[:n], text):
			return 0, refuse(403, "InvalidIp.IpRepeated", "The specified IPv6 addresses repeat.")
		}
		if _, used := l.account.takenIPv6[address]; used {
			return 0, refuse(403, "InvalidIp.IpAssigned", "The specified IPv6 address is already in use.")
		}
	}
	return max(count, len(listed)), nil
}

// holdIPv6 takes the addresses that were asked for by value, or as many as were asked for.
func (l *launch) holdIPv6(prefix string, v *VSwitch, count int, owner string) []netip.Addr {
	listed := l.list(prefix + "Ipv6Address")
	if len(listed) == 0 {
		return l.account.takeIPv6(v, count, owner)
	}
	taken := make([]netip.Addr, 0, len(listed))
	for _, text := range listed {
		address := netip.MustParseAddr(text) // ipv6Count has parsed it
		l.account.takenIPv6[address] = owner
		taken = append(taken, address)
	}
	return taken
}

// interfacesOf makes the secondary interfaces of an instance.
func (l *launch) interfacesOf(i *instance) []*networkInterface {
	var made []*networkInterface
	for _, wanted := range l.secondaries {
		if n := wanted.existing; n != nil {
			n.instanceID, n.deleteOnRelease = i.id, l.boolean(wanted.prefix+"DeleteOnRelease", true)
			made = append(made, n)
			continue
		}
		n := &networkInterface{
			id: l.server.resourceID("eni", l.region.ID), regionID: l.region.ID, instanceID: i.id, vpc: l.vpc, vswitch: wanted.vswitch,
			securityGroups: slices.Clone(wanted.groups), name: l.string(wanted.prefix + "NetworkInterfaceName"),
			description: l.string(wanted.prefix + "Description"), deleteOnRelease: l.boolean(wanted.prefix+"DeleteOnRelease", true),
			trafficMode:   orDefault(l.string(wanted.prefix+"NetworkInterfaceTrafficMode"), "Standard"),
			resourceGroup: l.string("ResourceGroupId"), tags: maps.Clone(l.tags), createdAt: l.now,
		}
		if text := l.string(wanted.prefix + "PrimaryIpAddress"); text != "" {
			n.address = netip.MustParseAddr(text) // checkSecondary has parsed it
			l.account.holdAddress(n.vswitch, n.address, n.id)
		} else {
			n.address, _ = l.account.takeAddress(n.vswitch, n.id) // checkStock has counted the free ones
		}
		n.secondaryAddresses = l.moreAddresses(n.vswitch, l.integer(wanted.prefix+"SecondaryPrivateIpAddressCount", 0), n.id)
		n.ipv6Addresses = l.holdIPv6(wanted.prefix, n.vswitch, wanted.ipv6, n.id)
		n.mac = macOf(n.address, l.account.sequence+1+len(made))
		l.account.addInterface(n)
		made = append(made, n)
	}
	return made
}

func (l *launch) moreAddresses(v *VSwitch, count int, owner string) []netip.Addr {
	var more []netip.Addr
	for range count {
		if address, free := l.account.takeAddress(v, owner); free {
			more = append(more, address)
		}
	}
	return more
}
