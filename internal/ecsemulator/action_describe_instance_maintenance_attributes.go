package ecsemulator

const describeInstanceMaintenanceAttributesParameters = `
string: InstanceId.N
integer: PageNumber PageSize
`

type describeMaintenanceAnswer struct {
	TotalCount            int
	PageNumber            int
	PageSize              int
	MaintenanceAttributes struct{ MaintenanceAttribute []maintenanceAttribute }
}

type maintenanceAttribute struct {
	InstanceID          string `json:"InstanceId"`
	NotifyOnMaintenance bool
	ActionOnMaintenance struct {
		Value           string
		DefaultValue    string
		SupportedValues struct{ SupportedValue []string }
	}
	MaintenanceWindows struct{ MaintenanceWindow []struct{} }
}

// describeInstanceMaintenanceAttributes tells the defaults: nothing here changes them.
func describeInstanceMaintenanceAttributes() *action {
	return ecsAction("DescribeInstanceMaintenanceAttributes", describeInstanceMaintenanceAttributesParameters, func(c *call) (any, *APIError) {
		found, refusal := c.listed(c.list("InstanceId"))
		if refusal != nil {
			return nil, refusal
		}
		page, refusal := c.pageByNumber(len(found), 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeMaintenanceAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size}
		answer.MaintenanceAttributes.MaintenanceAttribute = []maintenanceAttribute{}
		for _, i := range found[page.first:page.end] {
			one := maintenanceAttribute{InstanceID: i.id}
			one.ActionOnMaintenance.Value, one.ActionOnMaintenance.DefaultValue = "AutoRecover", "AutoRecover"
			one.ActionOnMaintenance.SupportedValues.SupportedValue = []string{"Stop", "AutoRecover"}
			if i.instanceType.LocalDisks > 0 {
				one.ActionOnMaintenance.SupportedValues.SupportedValue = []string{"Stop", "AutoRecover", "AutoRedeploy"}
			}
			one.MaintenanceWindows.MaintenanceWindow = []struct{}{}
			answer.MaintenanceAttributes.MaintenanceAttribute = append(answer.MaintenanceAttributes.MaintenanceAttribute, one)
		}
		return answer, nil
	})
}
