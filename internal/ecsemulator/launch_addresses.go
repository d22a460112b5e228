package ecsemulator

import "net/netip"

// addressesByVSwitch counts the private addresses that each instance of the launch takes from each vSwitch.
func (l *launch) addressesByVSwitch() map[*VSwitch]int {
	needed := map[*VSwitch]int{l.vswitch: 1 + l.primarySecondaries()}
	for _, wanted := range l.secondaries {
		if count := l.addresses(wanted); count > 0 {
			needed[wanted.vswitch] += count
		}
	}
	return needed
}

// primarySecondaries is how many further private addresses the primary network interface takes.
func (l *launch) primarySecondaries() int {
	if l.primaryPrefix == "" {
		return 0
	}
	return max(0, min(l.integer(l.primaryPrefix+"SecondaryPrivateIpAddressCount", 0), l.instanceType.PrivateAddressesPerInterface-1))
}

// primaryAddress is the address that is asked for, or that of the first of many, empty if none is.
func (l *launch) primaryAddress() string {
	if l.primaryPrefix != "" {
		return l.string(l.primaryPrefix + "PrimaryIpAddress")
	}
	return l.string("PrivateIpAddress")
}

// checkAddresses checks the addresses of the primary network interfaces: with Amount above 1 the one that is given is the first of a run.
func (l *launch) checkAddresses() *APIError {
	text := l.primaryAddress()
	for range l.count {
		if text == "" {
			return nil
		}
		if refusal := l.checkAddress(l.vswitch, text); refusal != nil {
			return refusal
		}
		text = netip.MustParseAddr(text).Next().String() // checkAddress has parsed it
	}
	return nil
}

// checkAddress checks an address that is asked for, and keeps others of the same call from asking for it too.
func (l *launch) checkAddress(v *VSwitch, text string) *APIError {
	address, err := netip.ParseAddr(text)
	if err != nil || !address.Is4() {
		return refuse(400, "InvalidPrivateIpAddress.Malformed", "The specified PrivateIpAddress is not valid.")
	}
	if !usable(v, address) {
		return refuse(400, "InvalidPrivateIpAddress", "The specified PrivateIpAddress is not in the CIDR block of the vSwitch.")
	}
	if _, used := l.account.taken[v.ID][address]; used || l.asked[address] {
		return refuse(400, "InvalidPrivateIpAddress.Duplicated", "The specified PrivateIpAddress is already in use.")
	}
	if l.asked == nil {
		l.asked = map[netip.Addr]bool{}
	}
	l.asked[address] = true
	return nil
}

// placeInNetwork gives the n-th instance its addresses. Those that secondary interfaces ask for by value are set aside first.
func (l *launch) placeInNetwork(i *instance, n int) {
	for _, wanted := range l.secondaries {
		if address, err := netip.ParseAddr(l.string(wanted.prefix + "PrimaryIpAddress")); err == nil && wanted.existing == nil {
			l.account.holdAddress(wanted.vswitch, address, i.id)
		}
	}
	if text := l.primaryAddress(); text != "" {
		i.address = netip.MustParseAddr(text) // checkAddresses has parsed it
		for range n {
			i.address = i.address.Next()
		}
		l.account.holdAddress(l.vswitch, i.address, i.id)
	} else {
		i.address, _ = l.account.takeAddress(l.vswitch, i.id) // checkStock has counted the free ones
	}
	i.mac = macOf(i.address, l.account.sequence+1)
	i.secondaryAddresses = l.moreAddresses(l.vswitch, l.primarySecondaries(), i.id)
	prefix := ""
	if l.primaryPrefix != "" && l.parameters.count("Ipv6Address") == 0 {
		prefix = l.primaryPrefix
	}
	i.ipv6Addresses = l.holdIPv6(prefix, l.vswitch, l.ipv6, i.id)
	i.interfaces = l.interfacesOf(i)
	if i.bandwidthOut > 0 {
		i.publicAddress = l.account.publicAddress()
	}
}
