package ecsemulator

import (
	"slices"
	"time"
)

// timeFilters are the Filter.N of a call: bounds of points in time, by the filter's key.
type timeFilters map[string]time.Time

// timeFilters decodes Filter.N.Key and Filter.N.Value. A key that is not among the known ones is refused.
func (c *call) timeFilters(known ...string) (timeFilters, *APIError) {
	filters := timeFilters{}
	for n := range c.parameters.count("Filter") {
		key, value := c.string(element("Filter", n+1)+".Key"), c.string(element("Filter", n+1)+".Value")
		if key == "" && value == "" {
			continue
		}
		if !slices.Contains(known, key) {
			return nil, refuse(404, "InvalidFilterKey.NotFound", "The specified filter key is not found.")
		}
		at, err := time.Parse(minuteLayout, value)
		if err != nil {
			return nil, invalidParameter(element("Filter", n+1) + ".Value")
		}
		filters[key] = at
	}
	return filters, nil
}

// fit reports whether a time lies between <name>StartTime and <name>EndTime, both included to the minute.
func (f timeFilters) fit(name string, at time.Time) bool {
	at = at.Truncate(time.Minute)
	start, bounded := f[name+"StartTime"]
	if bounded && at.Before(start) {
		return false
	}
	end, bounded := f[name+"EndTime"]
	return !bounded || !at.After(end) && !at.IsZero()
}
