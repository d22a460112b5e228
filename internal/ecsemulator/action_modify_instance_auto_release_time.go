package ecsemulator

import "time"

const modifyInstanceAutoReleaseTimeParameters = `
string: AutoReleaseTime InstanceId
`

// modifyInstanceAutoReleaseTime sets when an instance ends by itself. Without AutoReleaseTime it takes a set time away.
func modifyInstanceAutoReleaseTime() *action {
	a := ecsAction("ModifyInstanceAutoReleaseTime", modifyInstanceAutoReleaseTimeParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		switch {
		case refusal != nil:
			return nil, refusal
		case i.chargeMode == ChargePrePaid:
			return nil, chargeTypeViolation()
		case i.releasing:
			return nil, incorrectStatus()
		}
		at, refusal := c.autoReleaseTime()
		if refusal != nil {
			return nil, refusal
		}
		if !at.Equal(i.autoRelease) {
			i.autoRelease = at
			c.note(i, "modified", "AutoReleaseTime")
		}
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

// autoReleaseTime reads AutoReleaseTime, zero if there is none: 30 minutes to 3 years ahead, to the minute.
func (c *call) autoReleaseTime() (time.Time, *APIError) {
	if !c.has("AutoReleaseTime") {
		return time.Time{}, nil
	}
	at, err := time.Parse(timestampLayout, c.string("AutoReleaseTime"))
	if err != nil || at.Before(c.now.Add(30*time.Minute)) || at.After(c.now.AddDate(3, 0, 0)) {
		return time.Time{}, refuse(400, "InvalidAutoReleaseTime.Malformed", "The specified AutoReleaseTime must be between 30 minutes and 3 years ahead.")
	}
	return at.Truncate(time.Minute), nil
}
