package provider

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// maximumUserData is what ECS takes, in bytes before encoding (RunInstances,
// "UserData").
const maximumUserData = 32 * 1024

// userDataValidator refuses first-boot data that ECS would refuse. It never shows
// the data.
type userDataValidator struct{ base64 bool }

// Description implements validator.String.
func (v userDataValidator) Description(context.Context) string {
	return fmt.Sprintf("at most %d bytes of first-boot data", maximumUserData)
}

// MarkdownDescription implements validator.String.
func (v userDataValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (v userDataValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	if _, err := decodeUserData(req.ConfigValue.ValueString(), v.base64); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid first-boot data", sentence(err)+" Nothing was launched.")
	}
}

// decodeUserData returns the data as it reaches the machine.
func decodeUserData(text string, encoded bool) (string, error) {
	if encoded {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			// The decoder's own error tells a position, which is no secret.
			return "", fmt.Errorf("the value is not Base64: %w. Use base64encode(), or user_data_wo for plain text", err)
		}

		text = string(decoded)
	}

	if len(text) > maximumUserData {
		return "", fmt.Errorf("the first-boot data has %d bytes, and ECS takes at most %d. Compress it (user_data_wo_base64 = base64gzip(...)) or fetch the rest at boot", len(text), maximumUserData)
	}

	return text, nil
}

// launchSecrets are the write-only inputs of an allocation.
type launchSecrets struct{ userData, password string }

// Format shows nothing of them, whatever the verb.
func (launchSecrets) Format(state fmt.State, _ rune) {
	// A failed write to a formatter has nobody to be told to.
	_, _ = io.WriteString(state, "(redacted)")
}

// readLaunchSecrets reads them from the configuration, the only place where they are.
func readLaunchSecrets(ctx context.Context, config tfsdk.Config, diagnostics *diag.Diagnostics) launchSecrets {
	var password types.String

	diagnostics.Append(config.GetAttribute(ctx, path.Root(passwordArgument), &password)...)

	return launchSecrets{userData: writeOnlyData(ctx, config, "user_data_wo", diagnostics), password: password.ValueString()}
}

// writeOnlyData reads write-only first-boot data from the configuration, the only
// place where it is: the argument of that name, or its Base64 form.
func writeOnlyData(ctx context.Context, config tfsdk.Config, name string, diagnostics *diag.Diagnostics) string {
	var plain, encoded types.String

	diagnostics.Append(config.GetAttribute(ctx, path.Root(name), &plain)...)
	diagnostics.Append(config.GetAttribute(ctx, path.Root(name+"_base64"), &encoded)...)

	value, isEncoded := plain, false
	if plain.IsNull() {
		value, isEncoded = encoded, true
	}

	if diagnostics.HasError() || value.IsNull() {
		return ""
	}

	decoded, err := decodeUserData(value.ValueString(), isEncoded)
	if err != nil {
		diagnostics.AddError("Invalid first-boot data", sentence(err)+" Nothing was launched.")
	}

	return decoded
}
