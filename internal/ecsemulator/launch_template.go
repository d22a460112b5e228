package ecsemulator

import (
	"maps"
	"strings"
)

// applyTemplate fills in what the launch template says and the call does not. A parameter of the call replaces the template's, and
// with it all of its list: one DataDisk.1.Size in the call leaves nothing of the template's data disks. Source: the RunInstances page,
// which says that explicit parameters override; that lists are replaced as a whole is a guess.
func (l *launch) applyTemplate() *APIError {
	id, name := l.string("LaunchTemplateId"), l.string("LaunchTemplateName")
	if id == "" && name == "" {
		return nil
	}
	var template *LaunchTemplate
	for n := range l.region.LaunchTemplates {
		if t := &l.region.LaunchTemplates[n]; id != "" && t.ID == id || id == "" && t.Name == name {
			template = t
		}
	}
	if template == nil {
		return refuse(404, "InvalidLaunchTemplate.NotFound", "The specified launch template does not exist.")
	}
	version := l.integer("LaunchTemplateVersion", template.DefaultVersion)
	if version < 1 || version > len(template.Versions) {
		return refuse(404, "InvalidLaunchTemplateVersion.NotFound", "The specified launch template version does not exist.")
	}
	given := map[string]bool{}
	for name := range l.values {
		given[overriddenBy(name)] = true
	}
	merged := maps.Clone(l.values)
	for name, value := range template.Versions[version-1] {
		if !given[overriddenBy(name)] {
			merged[name] = value
		}
	}
	l.values = merged
	return nil
}

// overriddenBy names the group of parameters of which the call takes all or none from a template.
func overriddenBy(name string) string {
	head, _, _ := strings.Cut(name, ".")
	switch head {
	case "SecurityGroupId":
		return "SecurityGroupIds"
	case "ImageFamily":
		return "ImageId"
	case "SystemDisk", "PrivatePoolOptions":
		return name
	default:
		return head
	}
}
