package ecsemulator

import "slices"

const describeInstanceStatusParameters = `
string: ClusterId InstanceId.N ZoneId
integer: PageNumber PageSize
`

type describeInstanceStatusAnswer struct {
	TotalCount       int
	PageNumber       int
	PageSize         int
	InstanceStatuses struct{ InstanceStatus []instanceStatusAnswer }
}

type instanceStatusAnswer struct {
	InstanceID string `json:"InstanceId"`
	Status     string
}

func describeInstanceStatus() *action {
	return ecsAction("DescribeInstanceStatus", describeInstanceStatusParameters, func(c *call) (any, *APIError) {
		ids := c.list("InstanceId")
		if len(ids) > 100 {
			return nil, refuse(403, "InvalidParameter.TooManyInstanceIds", "The number of instance ids exceeds 100.")
		}
		if c.has("ZoneId") && !slices.Contains(c.region.Zones, c.string("ZoneId")) {
			return nil, refuse(404, "InvalidZoneId.NotFound", "The specified ZoneId does not exist.")
		}
		var matching []*instance
		for _, i := range slices.Backward(c.account.order) {
			if i.regionID == c.region.ID && i.visible(c.now) && (len(ids) == 0 || slices.Contains(ids, i.id)) &&
				(!c.has("ZoneId") || i.zoneID == c.string("ZoneId")) {
				matching = append(matching, i)
			}
		}
		page, refusal := c.pageByNumber(len(matching), 50)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeInstanceStatusAnswer{TotalCount: len(matching), PageNumber: page.number, PageSize: page.size}
		answer.InstanceStatuses.InstanceStatus = []instanceStatusAnswer{}
		for _, i := range matching[page.first:page.end] {
			answer.InstanceStatuses.InstanceStatus = append(answer.InstanceStatuses.InstanceStatus, instanceStatusAnswer{i.id, i.shownStatus(c.now)})
		}
		return answer, nil
	})
}
