package ecsemulator

import (
	"net/netip"
	"slices"
)

const describeNetworkInterfacesParameters = `
string: InstanceId Ipv6Address.N NetworkInterfaceId.N NetworkInterfaceName NextToken PrimaryIpAddress
string: PrivateIpAddress.N ResourceGroupId SecurityGroupId Status Tag.N.Key Tag.N.Value Type VSwitchId VpcId
integer: MaxResults PageNumber PageSize
boolean: ServiceManaged
`

type describeNetworkInterfacesAnswer struct {
	TotalCount           int
	PageNumber           int
	PageSize             int
	NextToken            string
	NetworkInterfaceSets struct{ NetworkInterfaceSet []networkInterfaceAnswer }
}

type networkInterfaceAnswer struct {
	NetworkInterfaceID          string `json:"NetworkInterfaceId"`
	NetworkInterfaceName        string
	Description                 string
	Type                        string
	Status                      string
	InstanceID                  string `json:"InstanceId"`
	VpcID                       string `json:"VpcId"`
	VSwitchID                   string `json:"VSwitchId"`
	ZoneID                      string `json:"ZoneId"`
	MacAddress                  string
	PrivateIPAddress            string         `json:"PrivateIpAddress"`
	PrivateIPSets               privateIPSets  `json:"PrivateIpSets"`
	IPv6Sets                    ipv6AddressSet `json:"Ipv6Sets"`
	SecurityGroupIDs            groupIDList    `json:"SecurityGroupIds"`
	NetworkInterfaceTrafficMode string
	QueueNumber                 int
	DeleteOnRelease             bool
	ServiceManaged              bool
	ResourceGroupID             string `json:"ResourceGroupId"`
	OwnerID                     string `json:"OwnerId"`
	CreationTime                string
	Attachment                  struct {
		InstanceID  string `json:"InstanceId,omitempty"`
		DeviceIndex int    `json:",omitempty"`
	}
	AssociatedPublicIP struct {
		PublicIPAddress string `json:"PublicIpAddress,omitempty"`
	} `json:"AssociatedPublicIp"`
	Tags tagList
}

type ipv6AddressSet struct {
	IPv6Set []ipv6Address `json:"Ipv6Set"`
}

type ipv6Address struct {
	IPv6Address string `json:"Ipv6Address"`
}

func describeNetworkInterfaces() *action {
	return ecsAction("DescribeNetworkInterfaces", describeNetworkInterfacesParameters, func(c *call) (any, *APIError) {
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		switch ids := c.list("NetworkInterfaceId"); {
		case len(ids) > 100:
			return nil, invalidParameter("NetworkInterfaceId")
		case !oneOf(c.string("Type"), "", "Primary", "Secondary"):
			return nil, invalidParameter("Type")
		case !oneOf(c.string("Status"), "", interfaceAvailable, interfaceAttaching, interfaceInUse, interfaceDetaching, interfaceDeleting):
			return nil, invalidParameter("Status")
		}
		var found []*networkInterface
		var keys []string
		for _, n := range c.allInterfaces() {
			if c.fitInterface(n) && fitTags(filters, n.tags) {
				found, keys = append(found, n), append(keys, n.id)
			}
		}
		page, refusal := c.pageEither(keys, 500)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeNetworkInterfacesAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken}
		answer.NetworkInterfaceSets.NetworkInterfaceSet = []networkInterfaceAnswer{}
		for _, n := range found[page.first:page.end] {
			answer.NetworkInterfaceSets.NetworkInterfaceSet = append(answer.NetworkInterfaceSets.NetworkInterfaceSet, c.answerNetworkInterface(n))
		}
		return answer, nil
	})
}

func (n *networkInterface) kind() string {
	if n.primary {
		return "Primary"
	}
	return "Secondary"
}

func (c *call) fitInterface(n *networkInterface) bool {
	for _, filter := range []struct{ name, value string }{
		{"InstanceId", n.instanceID},
		{"NetworkInterfaceName", n.name},
		{"PrimaryIpAddress", n.address.String()},
		{"ResourceGroupId", n.resourceGroup},
		{"Status", c.account.interfaceStatus(n, c.now)},
		{"Type", n.kind()},
		{"VSwitchId", n.vswitch.ID},
		{"VpcId", n.vpc.ID},
	} {
		if c.has(filter.name) && c.string(filter.name) != filter.value {
			return false
		}
	}
	ids := c.list("NetworkInterfaceId")
	return (len(ids) == 0 || slices.Contains(ids, n.id)) && !c.boolean("ServiceManaged", false) &&
		(!c.has("SecurityGroupId") || slices.Contains(n.securityGroups, c.string("SecurityGroupId"))) &&
		holdsAll(c.list("PrivateIpAddress"), append([]netip.Addr{n.address}, n.secondaryAddresses...)) &&
		holdsAll(c.list("Ipv6Address"), n.ipv6Addresses)
}

func holdsAll(wanted []string, addresses []netip.Addr) bool {
	for _, text := range wanted {
		if !slices.ContainsFunc(addresses, func(a netip.Addr) bool { return a.String() == text }) {
			return false
		}
	}
	return true
}

func (c *call) answerNetworkInterface(n *networkInterface) networkInterfaceAnswer {
	a := networkInterfaceAnswer{
		NetworkInterfaceID: n.id, NetworkInterfaceName: n.name, Description: n.description, Type: n.kind(),
		Status: c.account.interfaceStatus(n, c.now), InstanceID: n.instanceID, VpcID: n.vpc.ID, VSwitchID: n.vswitch.ID,
		ZoneID: n.vswitch.Zone, MacAddress: n.mac, PrivateIPAddress: n.address.String(), SecurityGroupIDs: groupIDList{slices.Clone(n.securityGroups)},
		NetworkInterfaceTrafficMode: n.trafficMode, QueueNumber: 1, DeleteOnRelease: n.deleteOnRelease, ResourceGroupID: n.resourceGroup,
		OwnerID: c.account.id, CreationTime: n.createdAt.Format(secondLayout), Tags: tagList{sortedTags(n.tags)},
	}
	a.PrivateIPSets = n.privateIPs()
	a.IPv6Sets = n.ipv6Set()
	a.Attachment.InstanceID = n.instanceID
	if i := c.account.instances[n.instanceID]; i != nil {
		a.Attachment.DeviceIndex = 1 + slices.Index(i.interfaces, n)
		if n.primary {
			a.AssociatedPublicIP.PublicIPAddress = i.publicAddress
		}
	}
	return a
}

func (n *networkInterface) privateIPs() privateIPSets {
	sets := privateIPSets{[]privateIPSet{{PrivateIPAddress: n.address.String(), Primary: true}}}
	for _, address := range n.secondaryAddresses {
		sets.PrivateIPSet = append(sets.PrivateIPSet, privateIPSet{PrivateIPAddress: address.String()})
	}
	return sets
}

func (n *networkInterface) ipv6Set() ipv6AddressSet {
	set := ipv6AddressSet{[]ipv6Address{}}
	for _, address := range n.ipv6Addresses {
		set.IPv6Set = append(set.IPv6Set, ipv6Address{address.String()})
	}
	return set
}
