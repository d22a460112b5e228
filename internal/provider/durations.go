package provider

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// durationOf returns the duration in a validated text, 0 for null.
func durationOf(text types.String) time.Duration {
	// The validator has seen it.
	d, _ := time.ParseDuration(text.ValueString())

	return d
}

// durationValidator takes durations of at least least and, where most is set, at
// most most.
type durationValidator struct{ least, most time.Duration }

// Description implements validator.String.
func (v durationValidator) Description(context.Context) string {
	if v.most > 0 {
		return fmt.Sprintf("duration between %s and %s, such as 90s", written(v.least), written(v.most))
	}

	return fmt.Sprintf("duration of at least %s, such as 72h", written(v.least))
}

// written is a duration as a user writes it: 30m, and not 30m0s.
func written(d time.Duration) string {
	text := d.String()
	for _, whole := range []string{"m", "h"} {
		text = strings.Replace(text, whole+"0s", whole, 1)
		text = strings.Replace(text, whole+"0m", whole, 1)
	}

	return text
}

// MarkdownDescription implements validator.String.
func (v durationValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (v durationValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	d, err := time.ParseDuration(req.ConfigValue.ValueString())
	if err != nil || d < v.least || v.most > 0 && d > v.most {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration", fmt.Sprintf("%s: want a %s; %q is none.", req.Path, v.Description(ctx), req.ConfigValue.ValueString()))
	}
}
