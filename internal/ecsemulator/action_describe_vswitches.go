package ecsemulator

import (
	"slices"
	"strings"
)

// Source: the VPC API reference (2016-04-28).
const describeVSwitchesParameters = `
string: ResourceGroupId RouteTableId Tag.N.Key Tag.N.Value VSwitchId VSwitchName VpcId ZoneId
integer: PageNumber PageSize VSwitchOwnerId
boolean: DryRun EnableIpv6 IsDefault
`

const describeVPCsParameters = `
string: DhcpOptionsSetId ResourceGroupId Tag.N.Key Tag.N.Value VpcId VpcName
integer: PageNumber PageSize VpcOwnerId
boolean: AdvancedFeature DryRun EnableIpv6 IsDefault
`

type describeVSwitchesAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	VSwitches  struct{ VSwitch []vswitchAnswer }
}

type vswitchAnswer struct {
	VSwitchID               string `json:"VSwitchId"`
	VSwitchName             string
	Description             string
	VpcID                   string `json:"VpcId"`
	ZoneID                  string `json:"ZoneId"`
	CidrBlock               string
	IPv6CidrBlock           string `json:"Ipv6CidrBlock"`
	Status                  string
	AvailableIPAddressCount int `json:"AvailableIpAddressCount"`
	IsDefault               bool
	ResourceGroupID         string `json:"ResourceGroupId"`
	CreationTime            string
	Tags                    struct{ Tag []struct{} }
}

func describeVSwitches() *action {
	return &action{actionKey: actionKey{serviceVPC, "DescribeVSwitches"}, declares: describeVSwitchesParameters, run: func(c *call) (any, *APIError) {
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		found := []vswitchAnswer{}
		for _, vpc := range c.region.VPCs {
			for n := range vpc.VSwitches {
				if v := &vpc.VSwitches[n]; c.fitVSwitch(vpc, *v) {
					found = append(found, c.answerVSwitch(vpc, v))
				}
			}
		}
		page, refusal := c.pageByNumber(len(found), 50)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeVSwitchesAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size}
		answer.VSwitches.VSwitch = found[page.first:page.end]
		return answer, nil
	}}
}

// fitVSwitch applies the filters. VSwitchId takes several ids, separated by commas.
func (c *call) fitVSwitch(vpc VPC, v VSwitch) bool {
	return (!c.has("VSwitchId") || slices.Contains(strings.Split(c.string("VSwitchId"), ","), v.ID)) &&
		(!c.has("VpcId") || c.string("VpcId") == vpc.ID) && (!c.has("ZoneId") || c.string("ZoneId") == v.Zone) &&
		(!c.has("VSwitchName") || c.string("VSwitchName") == v.Name) && !c.boolean("IsDefault", false) && c.parameters.count("Tag") == 0 &&
		(!c.has("EnableIpv6") || c.boolean("EnableIpv6", false) == (v.IPv6CIDR != "")) && !c.has("ResourceGroupId") && !c.has("RouteTableId")
}

func (c *call) answerVSwitch(vpc VPC, v *VSwitch) vswitchAnswer {
	answer := vswitchAnswer{
		VSwitchID: v.ID, VSwitchName: v.Name, VpcID: vpc.ID, ZoneID: v.Zone, CidrBlock: v.CIDR, IPv6CidrBlock: v.IPv6CIDR,
		Status: orDefault(v.Status, "Available"), AvailableIPAddressCount: c.account.freeAddresses(v), CreationTime: catalogueCreated,
	}
	answer.Tags.Tag = []struct{}{}
	return answer
}

type describeVPCsAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	Vpcs       struct{ Vpc []vpcAnswer }
}

type vpcAnswer struct {
	VpcID        string `json:"VpcId"`
	VpcName      string
	Description  string
	RegionID     string `json:"RegionId"`
	CidrBlock    string
	Status       string
	IsDefault    bool
	CreationTime string
	VSwitchIDs   struct {
		VSwitchID []string `json:"VSwitchId"`
	} `json:"VSwitchIds"`
	Tags struct{ Tag []struct{} }
}

func describeVPCs() *action {
	return &action{actionKey: actionKey{serviceVPC, "DescribeVpcs"}, declares: describeVPCsParameters, run: func(c *call) (any, *APIError) {
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		found := []vpcAnswer{}
		for _, vpc := range c.region.VPCs {
			if c.has("VpcId") && !slices.Contains(strings.Split(c.string("VpcId"), ","), vpc.ID) ||
				c.has("VpcName") && c.string("VpcName") != vpc.Name || c.boolean("IsDefault", false) || c.parameters.count("Tag") > 0 {
				continue
			}
			found = append(found, c.answerVPC(vpc))
		}
		page, refusal := c.pageByNumber(len(found), 50)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeVPCsAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size}
		answer.Vpcs.Vpc = found[page.first:page.end]
		return answer, nil
	}}
}

func (c *call) answerVPC(vpc VPC) vpcAnswer {
	answer := vpcAnswer{
		VpcID: vpc.ID, VpcName: vpc.Name, RegionID: c.region.ID, CidrBlock: vpc.CIDR, Status: "Available", CreationTime: catalogueCreated,
	}
	answer.VSwitchIDs.VSwitchID = []string{}
	for _, v := range vpc.VSwitches {
		answer.VSwitchIDs.VSwitchID = append(answer.VSwitchIDs.VSwitchID, v.ID)
	}
	answer.Tags.Tag = []struct{}{}
	return answer
}
