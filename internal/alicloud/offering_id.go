package alicloud

import (
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// offeringOf is the ID of the offering that an instance is, as the resolution of a
// class names it; empty where the instance does not tell all of it.
func offeringOf(instance ecs.Instance) string {
	parts := []string{instance.Type, instance.VSwitchID, string(capacityTypeOf(instance))}
	if slices.Contains(parts, "") {
		return ""
	}

	return strings.Join(parts, "/")
}
