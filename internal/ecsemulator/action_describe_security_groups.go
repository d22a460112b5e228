package ecsemulator

import "slices"

const describeSecurityGroupsParameters = `
string: NetworkType NextToken ResourceGroupId SecurityGroupId SecurityGroupName
string: SecurityGroupType Tag.N.Key Tag.N.Value VpcId
integer: MaxResults PageNumber PageSize
boolean: DryRun FuzzyQuery IsQueryEcsCount ServiceManaged
string 8192: SecurityGroupIds
`

type describeSecurityGroupsAnswer struct {
	TotalCount     int
	PageNumber     int
	PageSize       int
	NextToken      string
	RegionID       string `json:"RegionId"`
	SecurityGroups struct{ SecurityGroup []securityGroupAnswer }
}

type securityGroupAnswer struct {
	SecurityGroupID   string `json:"SecurityGroupId"`
	SecurityGroupName string
	SecurityGroupType string
	Description       string
	VpcID             string `json:"VpcId"`
	ResourceGroupID   string `json:"ResourceGroupId"`
	CreationTime      string
	EcsCount          int
	ServiceManaged    bool
	Tags              tagList
}

func describeSecurityGroups() *action {
	return ecsAction("DescribeSecurityGroups", describeSecurityGroupsParameters, func(c *call) (any, *APIError) {
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		ids, byID, refusal := c.jsonList("SecurityGroupIds")
		if refusal != nil {
			return nil, refusal
		}
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		found, keys := []securityGroupAnswer{}, []string{}
		for _, vpc := range c.region.VPCs {
			for _, group := range vpc.SecurityGroups {
				if byID && !slices.Contains(ids, group.ID) || len(filters) > 0 || !c.fitGroup(vpc, group) {
					continue
				}
				found = append(found, c.answerGroup(vpc, group))
				keys = append(keys, group.ID)
			}
		}
		page, refusal := c.pageEither(keys, 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeSecurityGroupsAnswer{
			TotalCount: len(found), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken, RegionID: c.region.ID,
		}
		answer.SecurityGroups.SecurityGroup = found[page.first:page.end]
		return answer, nil
	})
}

func (c *call) fitGroup(vpc VPC, group SecurityGroup) bool {
	return (!c.has("SecurityGroupId") || c.string("SecurityGroupId") == group.ID) &&
		(!c.has("VpcId") || c.string("VpcId") == vpc.ID) && matches(c.string("SecurityGroupName"), group.Name) &&
		(!c.has("SecurityGroupType") || c.string("SecurityGroupType") == group.Type) && c.string("NetworkType") != "classic" &&
		!c.boolean("ServiceManaged", false)
}

func (c *call) answerGroup(vpc VPC, group SecurityGroup) securityGroupAnswer {
	answer := securityGroupAnswer{
		SecurityGroupID: group.ID, SecurityGroupName: group.Name, SecurityGroupType: group.Type, VpcID: vpc.ID,
		CreationTime: catalogueCreated, Tags: tagList{[]tagAnswer{}},
	}
	for _, i := range c.account.order {
		if i.exists(c.now) && slices.Contains(i.securityGroups, group.ID) {
			answer.EcsCount++
		}
	}
	return answer
}
