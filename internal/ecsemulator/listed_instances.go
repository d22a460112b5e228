package ecsemulator

import "slices"

// listed gives the instances that reads list, newest first: those with the ids, or all of the region if there are none. Absent ids
// are left out.
func (c *call) listed(ids []string) ([]*instance, *APIError) {
	if len(ids) > maxBatch {
		return nil, refuse(403, "InvalidParameter.TooManyInstanceIds", "The number of instance ids exceeds %d.", maxBatch)
	}
	var found []*instance
	for _, i := range slices.Backward(c.account.order) {
		if i.regionID == c.region.ID && i.visible(c.now) && (len(ids) == 0 || slices.Contains(ids, i.id)) {
			found = append(found, i)
		}
	}
	return found, nil
}

// listedByJSON is listed for actions that take InstanceIds as a JSON array. An empty array is a filter that nothing passes.
func (c *call) listedByJSON() ([]*instance, *APIError) {
	ids, given, refusal := c.jsonList("InstanceIds")
	switch {
	case refusal != nil:
		return nil, refusal
	case given && len(ids) == 0:
		return nil, nil
	}
	return c.listed(ids)
}

// namedInstances decodes the InstanceIds of an action that changes each of them and needs at least one.
func (c *call) namedInstances(most int) ([]string, *APIError) {
	ids, given, refusal := c.jsonList("InstanceIds")
	switch {
	case refusal != nil || given && (len(ids) == 0 || len(ids) > most):
		return nil, refuse(400, "InvalidInstanceIds.Malformed", "The specified InstanceIds are not valid: at most %d ids in a JSON array.", most)
	case !given:
		return nil, missingParameter("InstanceIds")
	}
	return ids, nil
}
