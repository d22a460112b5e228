package provider

import (
	"context"
	"fmt"
	"regexp"
	"strconv"

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

// hourlyPrice takes a price as ECS takes it: above zero, with at most three
// decimals.
type hourlyPrice struct{}

// Description implements validator.Float64.
func (hourlyPrice) Description(context.Context) string {
	return "a price above zero with at most three decimals"
}

// MarkdownDescription implements validator.Float64.
func (v hourlyPrice) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateFloat64 implements validator.Float64.
func (hourlyPrice) ValidateFloat64(_ context.Context, req validator.Float64Request, resp *validator.Float64Response) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	if price := req.ConfigValue.ValueFloat64(); price <= 0 || !thousandths(price) {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid price",
			fmt.Sprintf("%s: A price per hour is above zero and has at most three decimals, such as 0.125; %s is none.", req.Path, strconv.FormatFloat(price, 'f', -1, 64)))
	}
}
