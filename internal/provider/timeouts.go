package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// timeoutsAttribute is the argument timeouts. What checkTimeouts says of it takes the
// place of the library's own check, which names no argument and offers units that
// nobody waits in.
func timeoutsAttribute(ctx context.Context, options timeouts.Opts) schema.Attribute {
	attribute := timeouts.Attributes(ctx, options)

	whole, ok := attribute.(schema.SingleNestedAttribute)
	if !ok {
		return attribute
	}

	for name, nested := range whole.Attributes {
		if text, ok := nested.(schema.StringAttribute); ok {
			text.Validators = nil
			whole.Attributes[name] = text
		}
	}

	return whole
}

// checkTimeouts refuses what is no duration, and timeouts in which nothing can be done.
func checkTimeouts(ctx context.Context, config tfsdk.Config, diagnostics *diag.Diagnostics) {
	var configured timeouts.Value

	diagnostics.Append(config.GetAttribute(ctx, path.Root("timeouts"), &configured)...)

	for name, value := range configured.Attributes() {
		text, ok := value.(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}

		at := path.Root("timeouts").AtName(name)

		switch d, err := time.ParseDuration(text.ValueString()); {
		case err != nil:
			diagnostics.AddAttributeError(at, "Invalid timeout",
				fmt.Sprintf("%s: want a number and its unit, s, m or h, such as \"90s\", \"20m\" or \"1h30m\"; %q is none.", at, text.ValueString()))
		case d <= 0:
			diagnostics.AddAttributeError(at, "Invalid timeout",
				fmt.Sprintf("%s: a timeout has to be above zero, such as \"10m\"; %q leaves no time to do anything.", at, text.ValueString()))
		}
	}
}
