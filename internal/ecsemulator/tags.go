package ecsemulator

import "strings"

const maxTags = 20

// tagFilter is one Tag.N of a filter: the key, and the value unless only the key was given.
type tagFilter struct {
	key, value string
	anyValue   bool
}

// tagFilters decodes Tag.N.Key and Tag.N.Value as a filter.
func (c *call) tagFilters() ([]tagFilter, *APIError) {
	count := c.count("Tag")
	if count > maxTags {
		return nil, refuse(400, "InvalidTagCount", "The specified tag count exceeds the limit.")
	}
	filters := make([]tagFilter, 0, count)
	for n := range count {
		key := c.string(element("Tag", n+1) + ".Key")
		if key == "" {
			return nil, refuse(400, "InvalidTagKey.Malformed", "The specified Tag.n.Key is not valid.")
		}
		value, given := c.values[element("Tag", n+1)+".Value"]
		filters = append(filters, tagFilter{key: key, value: value, anyValue: !given || value == ""})
	}
	return filters, nil
}

func fitTags(filters []tagFilter, tags map[string]string) bool {
	for _, filter := range filters {
		value, found := tags[filter.key]
		if !found || !filter.anyValue && value != filter.value {
			return false
		}
	}
	return true
}

// newTags decodes Tag.N.Key and Tag.N.Value as tags to set, and checks them.
func (c *call) newTags() (map[string]string, *APIError) {
	count := c.count("Tag")
	if count > maxTags {
		return nil, refuse(400, "NumberExceed.Tags", "The maximum number of tags is exceeded: at most %d per call.", maxTags)
	}
	tags := make(map[string]string, count)
	for n := range count {
		key, value := c.string(element("Tag", n+1)+".Key"), c.string(element("Tag", n+1)+".Value")
		if refusal := checkTagKey(key); refusal != nil {
			return nil, refusal
		}
		if len([]rune(value)) > 128 || hasScheme(value) {
			return nil, refuse(400, "InvalidTagValue.Malformed", "The specified Tag.n.Value is not valid.")
		}
		if _, twice := tags[key]; twice {
			return nil, refuse(400, "Duplicate.TagKey", "The Tag.N.Key contain duplicate key.")
		}
		tags[key] = value
	}
	return tags, nil
}

func checkTagKey(key string) *APIError {
	lower := strings.ToLower(key)
	if key == "" || len([]rune(key)) > 128 || strings.HasPrefix(lower, "aliyun") || strings.HasPrefix(lower, "acs:") || hasScheme(key) {
		return refuse(400, "InvalidTagKey.Malformed", "The specified Tag.n.Key is not valid.")
	}
	return nil
}

func hasScheme(text string) bool {
	lower := strings.ToLower(text)
	return strings.Contains(lower, "http://") || strings.Contains(lower, "https://")
}
