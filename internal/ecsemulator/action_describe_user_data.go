package ecsemulator

const describeUserDataParameters = `
string: InstanceId
`

type describeUserDataAnswer struct {
	InstanceID string `json:"InstanceId"`
	RegionID   string `json:"RegionId"`
	UserData   string
}

func describeUserData() *action {
	a := ecsAction("DescribeUserData", describeUserDataParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		return describeUserDataAnswer{InstanceID: i.id, RegionID: i.regionID, UserData: i.userData}, nil
	})
	a.anyRegion = true
	return a
}
