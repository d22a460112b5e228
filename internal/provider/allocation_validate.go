package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ resource.ResourceWithValidateConfig = (*allocationResource)(nil)

// ValidateConfig implements resource.ResourceWithValidateConfig: a timeout in which
// nothing can be done is a mistake. The type of the argument refuses what is no
// duration at all.
func (r *allocationResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	checkTimeouts(ctx, req.Config, &resp.Diagnostics)
}

// checkTimeouts refuses timeouts in which nothing can be done.
func checkTimeouts(ctx context.Context, config tfsdk.Config, diagnostics *diag.Diagnostics) {
	var configured timeouts.Value

	diagnostics.Append(config.GetAttribute(ctx, path.Root("timeouts"), &configured)...)

	for name, value := range configured.Attributes() {
		text, ok := value.(types.String)
		if !ok || text.IsNull() || text.IsUnknown() {
			continue
		}

		if d, err := time.ParseDuration(text.ValueString()); err == nil && d <= 0 {
			diagnostics.AddAttributeError(path.Root("timeouts").AtName(name), "Invalid timeout",
				fmt.Sprintf("A timeout has to be above zero, such as \"10m\"; %q leaves no time to do anything.", text.ValueString()))
		}
	}
}
