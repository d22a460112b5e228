package ecsemulator

import (
	"maps"
	"slices"
)

const tagResourcesParameters = `
string: ResourceId.N ResourceType Tag.N.Key Tag.N.Value
`

const untagResourcesParameters = `
string: ResourceId.N ResourceType TagKey.N
boolean: All
`

// taggable is a resource that bears tags.
type taggable struct {
	id       string
	tags     *map[string]string
	instance *instance // nil for other resources
}

// taggables finds the resources that ResourceType and ResourceId.N name.
func (c *call) taggables() ([]taggable, *APIError) {
	if refusal := c.checkResourceType(); refusal != nil {
		return nil, refusal
	}
	ids := c.list("ResourceId")
	switch {
	case len(ids) == 0:
		return nil, refuse(404, "MissingParameter.ResourceIds", "You must specify ResourceId.N.")
	case len(ids) > 50:
		return nil, refuse(400, "NumberExceed.ResourceIds", "The maximum number of resource ids is exceeded: at most 50 per call.")
	}
	found := make([]taggable, 0, len(ids))
	for n, id := range ids {
		if slices.Contains(ids[:n], id) {
			return nil, refuse(400, "Duplicate.ResourceId", "The ResourceId.N contain duplicate resource ids.")
		}
		resource, ok := c.taggable(id)
		if !ok {
			return nil, refuse(404, "InvalidResourceId.NotFound", "The specified ResourceId %s is not found.", clip(id))
		}
		found = append(found, resource)
	}
	return found, nil
}

func (c *call) checkResourceType() *APIError {
	switch c.string("ResourceType") {
	case "":
		return refuse(404, "MissingParameter.ResourceType", "You must specify ResourceType.")
	case "instance", "disk", "eni":
		return nil
	default:
		return refuse(404, "InvalidResourceType.NotFound", "The specified ResourceType is not found.")
	}
}

func (c *call) taggable(id string) (taggable, bool) {
	switch c.string("ResourceType") {
	case "eni":
		return c.taggableInterface(id)
	case "disk":
		d := c.account.disks[id]
		if d == nil || d.regionID != c.region.ID {
			return taggable{}, false
		}
		return taggable{id: id, tags: &d.tags}, true
	}
	i, found := c.find(id)
	if !found {
		return taggable{}, false
	}
	return taggable{id: id, tags: &i.tags, instance: i}, true
}

// taggableInterface finds a network interface, of which the primary ones are kept with their instances.
func (c *call) taggableInterface(id string) (taggable, bool) {
	if n := c.account.interfaces[id]; n != nil && n.regionID == c.region.ID {
		return taggable{id: id, tags: &n.tags}, true
	}
	for _, i := range c.account.order {
		if i.interfaceID == id && i.regionID == c.region.ID && i.exists(c.now) {
			return taggable{id: id, tags: &i.interfaceTags}, true
		}
	}
	return taggable{}, false
}

func tagResources() *action {
	return ecsAction("TagResources", tagResourcesParameters, func(c *call) (any, *APIError) {
		resources, refusal := c.taggables()
		if refusal != nil {
			return nil, refusal
		}
		tags, refusal := c.newTags()
		if refusal != nil {
			return nil, refusal
		}
		if len(tags) == 0 {
			return nil, refuse(404, "MissingParameter.Tags", "You must specify Tags.")
		}
		for _, resource := range resources {
			merged := maps.Clone(*resource.tags)
			if merged == nil {
				merged = map[string]string{}
			}
			maps.Copy(merged, tags)
			if len(merged) > maxTags {
				return nil, refuse(403, "QuotaExceed.Tags", "The quota of tags of resource %s is exceeded: at most %d.", resource.id, maxTags)
			}
		}
		for _, resource := range resources {
			if *resource.tags == nil {
				*resource.tags = map[string]string{}
			}
			maps.Copy(*resource.tags, tags)
			for _, key := range slices.Sorted(maps.Keys(tags)) {
				c.noteTag(resource, "tagged", key)
			}
		}
		return emptyAnswer{}, nil
	})
}

func untagResources() *action {
	return ecsAction("UntagResources", untagResourcesParameters, func(c *call) (any, *APIError) {
		resources, refusal := c.taggables()
		if refusal != nil {
			return nil, refusal
		}
		keys := c.list("TagKey")
		switch {
		case len(keys) > maxTags:
			return nil, refuse(400, "NumberExceed.Tags", "The maximum number of tags is exceeded: at most %d per call.", maxTags)
		case len(keys) == 0 && !c.boolean("All", false):
			return nil, refuse(404, "MissingParameter.TagKeys", "You must specify TagKey.N or All.")
		}
		for _, resource := range resources {
			for _, key := range slices.Sorted(maps.Keys(*resource.tags)) {
				if len(keys) > 0 && !slices.Contains(keys, key) {
					continue
				}
				delete(*resource.tags, key)
				c.noteTag(resource, "untagged", key)
			}
		}
		return emptyAnswer{}, nil
	})
}

func (c *call) noteTag(resource taggable, effect, key string) {
	if resource.instance != nil {
		c.note(resource.instance, effect, key)
		return
	}
	c.noteResource(resource.id, c.region.ID, effect, key)
}
