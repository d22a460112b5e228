package ecsemulator

import (
	"maps"
	"slices"
)

// tagPage is how many entries one answer of ListTagResources holds; the request cannot say.
const tagPage = 50

const listTagResourcesParameters = `
string: NextToken ResourceId.N ResourceType Tag.N.Key Tag.N.Value TagFilter.N.TagKey TagFilter.N.TagValues.N
`

type listTagResourcesAnswer struct {
	NextToken    string
	TagResources struct{ TagResource []tagResourceAnswer }
}

type tagResourceAnswer struct {
	ResourceType string
	ResourceID   string `json:"ResourceId"`
	TagKey       string
	TagValue     string
}

func listTagResources() *action {
	return ecsAction("ListTagResources", listTagResourcesParameters, func(c *call) (any, *APIError) {
		if refusal := c.checkResourceType(); refusal != nil {
			return nil, refusal
		}
		ids := c.list("ResourceId")
		if len(ids) > 50 {
			return nil, refuse(400, "NumberExceed.ResourceIds", "The maximum number of resource ids is exceeded: at most 50 per call.")
		}
		filters, refusal := c.tagFilters()
		if refusal != nil {
			return nil, refusal
		}
		filterCount := c.parameters.count("TagFilter")
		if len(ids) == 0 && len(filters) == 0 && filterCount == 0 {
			return nil, refuse(404, "MissingParameter.TagOrResourceId", "You must specify ResourceId.N or Tag.N.")
		}
		entries, keys := c.tagEntries(ids, filters)
		page, refusal := c.pageByToken(keys, tagPage, tagPage, tagPage)
		if refusal != nil {
			return nil, refusal
		}
		answer := listTagResourcesAnswer{NextToken: page.nextToken}
		answer.TagResources.TagResource = entries[page.first:page.end]
		return answer, nil
	})
}

// tagEntries lists the tags of the resources that match, in a stable order, with a key for each.
func (c *call) tagEntries(ids []string, filters []tagFilter) ([]tagResourceAnswer, []string) {
	entries, keys := []tagResourceAnswer{}, []string{}
	for _, resource := range c.taggedResources() {
		if len(ids) > 0 && !slices.Contains(ids, resource.id) || !fitTags(filters, *resource.tags) || !c.fitTagFilters(*resource.tags) {
			continue
		}
		for _, key := range slices.Sorted(maps.Keys(*resource.tags)) {
			entries = append(entries, tagResourceAnswer{c.string("ResourceType"), resource.id, key, (*resource.tags)[key]})
			keys = append(keys, resource.id+" "+key)
		}
	}
	return entries, keys
}

// fitTagFilters applies TagFilter.N: a key, and values of which one must be there; without values the key is enough.
func (c *call) fitTagFilters(tags map[string]string) bool {
	for n := range c.parameters.count("TagFilter") {
		prefix := element("TagFilter", n+1)
		value, found := tags[c.string(prefix+".TagKey")]
		values := c.list(prefix + ".TagValues")
		if !found || len(values) > 0 && !slices.Contains(values, value) {
			return false
		}
	}
	return true
}

func (c *call) taggedResources() []taggable {
	var found []taggable
	if c.string("ResourceType") == "disk" {
		for _, d := range c.account.diskList {
			if d.regionID == c.region.ID {
				found = append(found, taggable{id: d.id, tags: &d.tags})
			}
		}
		return found
	}
	if c.string("ResourceType") == "eni" {
		for _, n := range c.allInterfaces() {
			if resource, known := c.taggableInterface(n.id); known {
				found = append(found, resource)
			}
		}
		return found
	}
	for _, i := range c.account.order {
		if i.regionID == c.region.ID && i.visible(c.now) {
			found = append(found, taggable{id: i.id, tags: &i.tags, instance: i})
		}
	}
	return found
}
