package ecsemulator

const describeKeyPairsParameters = `
string: KeyPairFingerPrint KeyPairName ResourceGroupId Tag.N.Key Tag.N.Value
integer: PageNumber PageSize
boolean: IncludePublicKey
`

// catalogueCreated is the creation time that things of the catalogue show.
const catalogueCreated = "2026-01-01T00:00:00Z"

type describeKeyPairsAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	KeyPairs   struct{ KeyPair []keyPairAnswer }
}

type keyPairAnswer struct {
	KeyPairName        string
	KeyPairFingerPrint string
	ResourceGroupID    string `json:"ResourceGroupId"`
	CreationTime       string
	Tags               tagList
}

func describeKeyPairs() *action {
	return ecsAction("DescribeKeyPairs", describeKeyPairsParameters, func(c *call) (any, *APIError) {
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		found := []keyPairAnswer{}
		for _, pair := range c.region.KeyPairs {
			if matches(c.string("KeyPairName"), pair.Name) && matches(c.string("KeyPairFingerPrint"), pair.Fingerprint) && len(filters) == 0 &&
				!c.has("ResourceGroupId") {
				found = append(found, keyPairAnswer{
					KeyPairName: pair.Name, KeyPairFingerPrint: pair.Fingerprint, CreationTime: catalogueCreated, Tags: tagList{[]tagAnswer{}},
				})
			}
		}
		page, refusal := c.pageByNumber(len(found), 50)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeKeyPairsAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size}
		answer.KeyPairs.KeyPair = found[page.first:page.end]
		return answer, nil
	})
}
