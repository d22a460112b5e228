package provider

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

var (
	regionPattern = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
	// namePattern keeps names valid as ECS instance names and as tag values.
	namePattern = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{1,99}$`)
	// uidPattern keeps a class uid valid as a tag value.
	uidPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._/-]{0,99}$`)
	// trimmedPattern matches text without blanks around it.
	trimmedPattern = regexp.MustCompile(`^\S(.*\S)?$`)
)

func regionValidator() validator.String {
	return stringvalidator.RegexMatches(regionPattern, "must be a region ID such as cn-hangzhou")
}

func nameValidator() validator.String {
	return stringvalidator.RegexMatches(namePattern, "must be 2 to 100 letters, digits, dots, underscores or hyphens, and begin with a letter")
}
