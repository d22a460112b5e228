package ecsemulator

import (
	"fmt"
	"slices"
	"time"
)

const describeInstanceHistoryEventsParameters = `
string: EventCycleStatus EventId.N EventPublishTime.End EventPublishTime.Start EventType ImpactLevel
string: InstanceEventCycleStatus.N InstanceEventType.N InstanceId NextToken NotBefore.End NotBefore.Start
string: ResourceGroupId ResourceId.N ResourceType Tag.N.Key Tag.N.Value
integer: MaxResults PageNumber PageSize
`

// eventMemory is how long events are told.
const eventMemory = 30 * 24 * time.Hour

type describeHistoryEventsAnswer struct {
	TotalCount             int
	PageNumber             int
	PageSize               int
	NextToken              string
	InstanceSystemEventSet struct{ InstanceSystemEventType []systemEventAnswer }
}

type systemEventAnswer struct {
	EventID          string `json:"EventId"`
	InstanceID       string `json:"InstanceId"`
	ResourceType     string
	EventType        codeAndName
	EventCycleStatus codeAndName
	EventPublishTime string
	EventFinishTime  string
	NotBefore        string
	ImpactLevel      string
	Reason           string
	ReasonCode       string
}

// codeAndName is the API's way to tell a value twice. The codes are guesses.
type codeAndName struct {
	Code int
	Name string
}

// describeInstanceHistoryEvents tells of launches that were accepted and then failed: the journal's "withdrawn" effects, as events of
// type SystemFailure.Delete. They are Executed as soon as they are there.
func describeInstanceHistoryEvents() *action {
	return ecsAction("DescribeInstanceHistoryEvents", describeInstanceHistoryEventsParameters, func(c *call) (any, *APIError) {
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		from, to, refusal := c.interval("EventPublishTime.Start", "EventPublishTime.End")
		if refusal != nil {
			return nil, refusal
		}
		notBefore, notAfter, refusal := c.interval("NotBefore.Start", "NotBefore.End")
		if refusal != nil {
			return nil, refusal
		}
		if !oneOf(c.string("ResourceType"), "", "instance", "dedicatedhost", "ddh", "managedhost", "instancegroup") {
			return nil, invalidParameter("ResourceType")
		}
		found, keys := []systemEventAnswer{}, []string{}
		for _, effect := range slices.Backward(c.server.journal) {
			at := effect.Time
			if effect.Effect != "withdrawn" || effect.AccountID != c.account.id || effect.RegionID != c.region.ID || len(filters) > 0 ||
				at.Before(from) || at.After(to) || at.Before(notBefore) || at.After(notAfter) || !c.fitEvent(effect) {
				continue
			}
			found, keys = append(found, answerEvent(effect)), append(keys, eventID(effect))
		}
		page, refusal := c.pageEither(keys, 100)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeHistoryEventsAnswer{TotalCount: len(found), PageNumber: page.number, PageSize: page.size, NextToken: page.nextToken}
		answer.InstanceSystemEventSet.InstanceSystemEventType = found[page.first:page.end]
		return answer, nil
	})
}

// interval reads two bounds. Without them it reaches from as far back as events are told until now.
func (c *call) interval(start, end string) (from, to time.Time, refusal *APIError) {
	from, to = c.now.Add(-eventMemory), c.now
	for name, target := range map[string]*time.Time{start: &from, end: &to} {
		if !c.has(name) {
			continue
		}
		at, err := time.Parse(timestampLayout, c.string(name))
		if err != nil {
			return from, to, invalidParameter(name)
		}
		*target = at
	}
	if oldest := c.now.Add(-eventMemory); from.Before(oldest) {
		from = oldest
	}
	return from, to, nil
}

func (c *call) fitEvent(effect Effect) bool {
	for _, filter := range []struct{ one, list, value string }{
		{"InstanceId", "ResourceId", effect.InstanceID},
		{"EventType", "InstanceEventType", "SystemFailure.Delete"},
		{"EventCycleStatus", "InstanceEventCycleStatus", "Executed"},
		{"", "EventId", eventID(effect)},
	} {
		wanted := c.list(filter.list)
		if filter.one != "" && c.has(filter.one) {
			wanted = append(wanted, c.string(filter.one))
		}
		if len(wanted) > 0 && !slices.Contains(wanted, filter.value) {
			return false
		}
	}
	return oneOf(c.string("ResourceType"), "", "instance") && oneOf(c.string("ImpactLevel"), "", "100") && !c.has("ResourceGroupId")
}

func eventID(effect Effect) string {
	return fmt.Sprintf("e-%s%06d", effect.InstanceID[2:], effect.Sequence)
}

func answerEvent(effect Effect) systemEventAnswer {
	at := effect.Time.Format(secondLayout)
	return systemEventAnswer{
		EventID: eventID(effect), InstanceID: effect.InstanceID, ResourceType: "instance", EventPublishTime: at, EventFinishTime: at,
		NotBefore: at, ImpactLevel: "100", Reason: "The instance could not be created: the stock is insufficient.", ReasonCode: "NoStock",
		EventType: codeAndName{34, "SystemFailure.Delete"}, EventCycleStatus: codeAndName{40, "Executed"},
	}
}
