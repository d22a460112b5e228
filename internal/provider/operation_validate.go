package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

var _ resource.ResourceWithValidateConfig = (*operationResource)(nil)

// userKinds are the kinds of machine_operation.
func userKinds() []string {
	return []string{
		string(v1alpha3.OperationHostPowerOn), string(v1alpha3.OperationHostPowerOff),
		string(v1alpha3.OperationHostReboot), string(v1alpha3.OperationHostReplace),
	}
}

// operationKindValidator takes the kinds that act on a machine that is there.
type operationKindValidator struct{}

// Description implements validator.String.
func (operationKindValidator) Description(context.Context) string {
	return "one of " + strings.Join(userKinds(), ", ")
}

// MarkdownDescription implements validator.String.
func (v operationKindValidator) MarkdownDescription(ctx context.Context) string {
	return v.Description(ctx)
}

// ValidateString implements validator.String.
func (v operationKindValidator) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || slices.Contains(userKinds(), req.ConfigValue.ValueString()) {
		return
	}

	kind := req.ConfigValue.ValueString()
	text := fmt.Sprintf("The kind has to be %s; %q is none of them.", v.Description(ctx), kind)

	switch v1alpha3.OperationKind(kind) {
	case v1alpha3.OperationHostAllocate:
		text = "A machine is got by a machine_allocation: declare one. machine_operation acts on machines that are there."
	case v1alpha3.OperationHostRelease:
		text = "A machine is given back by destroying its machine_allocation: remove that from the configuration. machine_operation acts on machines that stay."
	default:
	}

	resp.Diagnostics.AddAttributeError(req.Path, "Not a kind of machine_operation", text)
}

// ValidateConfig implements resource.ResourceWithValidateConfig.
func (r *operationResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var config operationModel

	resp.Diagnostics.Append(req.Config.Get(ctx, &config)...)
	checkTimeouts(ctx, req.Config, &resp.Diagnostics)

	if resp.Diagnostics.HasError() || config.Kind.IsUnknown() {
		return
	}

	replaces := config.Kind.ValueString() == string(v1alpha3.OperationHostReplace)
	given := map[string]bool{
		replaceUserData:       !config.ReplaceUserDataWO.IsNull(),
		replaceUserDataBase64: !config.ReplaceUserDataWOBase64.IsNull(),
		"keep_user_data":      !config.KeepUserData.IsNull(),
	}

	if replaces && !given[replaceUserData] && !given[replaceUserDataBase64] && !given["keep_user_data"] {
		resp.Diagnostics.AddAttributeError(path.Root("kind"), "What shall the machine run at its first boot?",
			fmt.Sprintf("HostReplace gives the machine a new system disk, from which it boots for the first time. Set %s to its first-boot data, or keep_user_data = true to run again what it has.", replaceUserData))
	}

	for _, name := range []string{replaceUserData, replaceUserDataBase64, "keep_user_data"} {
		if given[name] && !replaces {
			resp.Diagnostics.AddAttributeError(path.Root(name), "First-boot data without a first boot",
				fmt.Sprintf("Only HostReplace lets the machine boot for the first time again; %s does not.", config.Kind.ValueString()))
		}
	}
}
