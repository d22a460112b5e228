package ecsemulator

const describeInstanceAttachmentAttributesParameters = `
string 8192: InstanceIds
integer: PageNumber PageSize
`

type describeAttachmentAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	Instances  struct{ Instance []attachmentAttribute }
}

type attachmentAttribute struct {
	InstanceID                      string `json:"InstanceId"`
	PrivatePoolOptionsID            string `json:"PrivatePoolOptionsId"`
	PrivatePoolOptionsMatchCriteria string
}

// describeInstanceAttachmentAttributes tells to which private pools instances are matched.
func describeInstanceAttachmentAttributes() *action {
	return ecsAction("DescribeInstanceAttachmentAttributes", describeInstanceAttachmentAttributesParameters, func(c *call) (any, *APIError) {
		if !c.has("InstanceIds") {
			return nil, missingParameter("InstanceIds")
		}
		found, refusal := c.listedByJSON()
		if refusal != nil {
			return nil, refusal
		}
		page, refusal := c.pageByNumber(len(found), 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeAttachmentAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size}
		answer.Instances.Instance = []attachmentAttribute{}
		for _, i := range found[page.first:page.end] {
			answer.Instances.Instance = append(answer.Instances.Instance, attachmentAttribute{
				InstanceID: i.id, PrivatePoolOptionsID: i.privatePoolID, PrivatePoolOptionsMatchCriteria: orDefault(i.privatePoolPreference, "None"),
			})
		}
		return answer, nil
	})
}
