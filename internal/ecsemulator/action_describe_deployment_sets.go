package ecsemulator

import "slices"

const describeDeploymentSetsParameters = `
string: DeploymentSetName Domain Granularity NetworkType Strategy
integer: PageNumber PageSize
string 8192: DeploymentSetIds
`

type describeDeploymentSetsAnswer struct {
	TotalCount     int
	PageNumber     int
	PageSize       int
	RegionID       string `json:"RegionId"`
	DeploymentSets struct{ DeploymentSet []deploymentSetAnswer }
}

type deploymentSetAnswer struct {
	DeploymentSetID          string `json:"DeploymentSetId"`
	DeploymentSetName        string
	DeploymentSetDescription string
	DeploymentStrategy       string
	Strategy                 string
	Domain                   string
	Granularity              string
	GroupCount               int
	InstanceAmount           int
	CreationTime             string
	InstanceIDs              struct {
		InstanceID []string `json:"InstanceId"`
	} `json:"InstanceIds"`
}

func describeDeploymentSets() *action {
	return ecsAction("DescribeDeploymentSets", describeDeploymentSetsParameters, func(c *call) (any, *APIError) {
		ids, byID, refusal := c.jsonList("DeploymentSetIds")
		if refusal != nil {
			return nil, refusal
		}
		found := []deploymentSetAnswer{}
		for _, id := range c.region.DeploymentSets {
			if (!byID || slices.Contains(ids, id)) && matches(c.string("DeploymentSetName"), id) && matches(c.string("Strategy"), "Availability") {
				found = append(found, c.answerDeploymentSet(id))
			}
		}
		page, refusal := c.pageByNumber(len(found), 50)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeDeploymentSetsAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, RegionID: c.region.ID}
		answer.DeploymentSets.DeploymentSet = found[page.first:page.end]
		return answer, nil
	})
}

func (c *call) answerDeploymentSet(id string) deploymentSetAnswer {
	answer := deploymentSetAnswer{
		DeploymentSetID: id, DeploymentSetName: id, DeploymentStrategy: "Availability", Strategy: "Availability", Domain: "Default", Granularity: "Host",
		CreationTime: catalogueCreated,
	}
	answer.InstanceIDs.InstanceID = []string{}
	for _, i := range c.account.order {
		if i.exists(c.now) && i.deploymentSet == id {
			answer.InstanceIDs.InstanceID = append(answer.InstanceIDs.InstanceID, i.id)
		}
	}
	answer.InstanceAmount = len(answer.InstanceIDs.InstanceID)
	return answer
}
