package ecsemulator

import (
	"slices"
	"time"
)

const describeSpotPriceHistoryParameters = `
string: EndTime InstanceType IoOptimized NetworkType OSType StartTime ZoneId
integer: Offset SpotDuration
`

// spotPage is how many points one answer of DescribeSpotPriceHistory holds; the request cannot say.
const spotPage = 1000

type spotPriceHistoryAnswer struct {
	Currency   string
	NextOffset int
	SpotPrices struct{ SpotPriceType []spotPricePoint }
}

type spotPricePoint struct {
	ZoneID       string `json:"ZoneId"`
	InstanceType string
	IoOptimized  string
	NetworkType  string
	Timestamp    string
	SpotPrice    float64
	OriginPrice  float64
}

// describeSpotPriceHistory gives a point for each zone and hour, oldest first. NextOffset is 0 on the last page.
func describeSpotPriceHistory() *action {
	return ecsAction("DescribeSpotPriceHistory", describeSpotPriceHistoryParameters, func(c *call) (any, *APIError) {
		t, known := c.server.options.Catalogue.instanceType(c.string("InstanceType"))
		offset := c.integer("Offset", 0)
		switch {
		case !c.has("NetworkType"):
			return nil, missingParameter("NetworkType")
		case !oneOf(c.string("NetworkType"), "vpc", "classic"):
			return nil, invalidParameter("NetworkType")
		case !c.has("InstanceType"):
			return nil, missingParameter("InstanceType")
		case !known:
			return nil, refuse(400, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.")
		case c.has("ZoneId") && !slices.Contains(c.region.Zones, c.string("ZoneId")):
			return nil, refuse(404, "InvalidZoneId.NotFound", "The specified ZoneId does not exist.")
		case offset < 0:
			return nil, invalidParameter("Offset")
		}
		from, to, refusal := c.spotInterval()
		if refusal != nil {
			return nil, refusal
		}
		answer := spotPriceHistoryAnswer{Currency: c.server.options.Catalogue.Prices.currency()}
		points := c.spotPoints(t, from, to)
		first := min(offset, len(points))
		end := min(first+spotPage, len(points))
		answer.SpotPrices.SpotPriceType = points[first:end]
		if end < len(points) {
			answer.NextOffset = end
		}
		return answer, nil
	})
}

// spotInterval is the last three hours unless the call says otherwise, at most 30 days back.
func (c *call) spotInterval() (from, to time.Time, refusal *APIError) {
	to = c.now
	if text := c.string("EndTime"); text != "" {
		var err error
		if to, err = time.Parse(timestampLayout, text); err != nil {
			return from, to, invalidParameter("EndTime")
		}
	}
	from = to.Add(-3 * time.Hour)
	if text := c.string("StartTime"); text != "" {
		var err error
		if from, err = time.Parse(timestampLayout, text); err != nil {
			return from, to, invalidParameter("StartTime")
		}
	}
	if from.After(to) || from.Before(c.now.Add(-eventMemory-time.Minute)) {
		return from, to, invalidParameter("StartTime")
	}
	if to.After(c.now) {
		to = c.now
	}
	return from, to, nil
}

func (c *call) spotPoints(t *InstanceType, from, to time.Time) []spotPricePoint {
	points := []spotPricePoint{}
	if t.SpotHourlyPrice == 0 || c.string("NetworkType") != "vpc" || c.string("IoOptimized") == "none" {
		return points
	}
	for at := from.Truncate(time.Hour); !at.After(to); at = at.Add(time.Hour) {
		for _, zone := range c.region.Zones {
			if at.Before(from) || !t.soldIn(zone) || c.has("ZoneId") && zone != c.string("ZoneId") {
				continue
			}
			points = append(points, spotPricePoint{
				ZoneID: zone, InstanceType: t.ID, IoOptimized: "optimized", NetworkType: "vpc", Timestamp: at.Format(secondLayout),
				SpotPrice: c.spotPrice(t, zone, at), OriginPrice: t.HourlyPrice,
			})
		}
	}
	return points
}
