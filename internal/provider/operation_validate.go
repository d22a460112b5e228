package provider

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

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

	if resp.Diagnostics.HasError() {
		return
	}

	checkTimeouts(ctx, req.Config, &resp.Diagnostics)

	if config.Kind.IsUnknown() {
		return
	}

	config.checkFirstBoot(&resp.Diagnostics)

	if r.client == nil || resp.Diagnostics.HasError() || config.refused() {
		resp.Diagnostics.Append(r.checkMore(config)...)
	}
}

// refused reports whether the validators of the schema refuse one of the arguments that
// every operation has.
func (m operationModel) refused() bool {
	return (!m.Name.IsUnknown() && !namePattern.MatchString(m.Name.ValueString())) || (m.ProviderID.ValueString() == "" && !m.ProviderID.IsUnknown()) ||
		m.KeepUserData.Equal(types.BoolValue(false))
}

// someRegion stands for that of the provider, which is not known before it is configured.
const someRegion = "some-region"

// checkMore tells what else is wrong with what stands in the configuration, which is
// checked before the provider is configured, and with one that is refused. What becomes
// known with the plan alone is for that to tell, which may hold an operation that was
// carried out.
func (r *operationResource) checkMore(config operationModel) diag.Diagnostics {
	var wrong diag.Diagnostics

	cloud, err := r.unconfigured()
	if err != nil {
		// A plan has the settings with which it cannot be had.
		return nil
	}

	if id := config.ProviderID; id.ValueString() != "" {
		if _, err := cloud.Observer().ParseProviderID(id.ValueString(), someRegion); err != nil {
			wrong.AddAttributeError(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))
		}
	}

	if !slices.Contains(userKinds(), config.Kind.ValueString()) {
		return wrong
	}

	if err := config.checkParameters(cloud); err != nil {
		wrong.AddAttributeError(path.Root("parameters"), impossibleOperation, sentence(err)+" Correct the parameters; nothing was done to the machine.")
	}

	return wrong
}

// checkParameters says what is wrong with the parameters, as far as they are known.
func (m operationModel) checkParameters(cloud Cloud) error {
	if m.Kind.IsUnknown() || m.Parameters.IsUnknown() {
		return nil
	}

	var (
		problems  []error
		undecided []string
	)

	for name, value := range m.Parameters.Elements() {
		if value.IsUnknown() {
			undecided = append(undecided, name)
		}
	}

	// Those alone that the user gives as parameters.
	request := m.checked("")
	request.Parameters = stringMap(m.Parameters)

	for _, name := range firstBootArguments() {
		if _, given := request.Parameters[name]; given && m.kind() == v1alpha3.OperationHostReplace {
			problems = append(problems, fmt.Errorf("%s is an argument of machine_operation, and none of its parameters: write it beside them, as %s = %s", name, name, firstBootExample(name)))

			delete(request.Parameters, name)
		}
	}

	return errors.Join(append(problems, cloud.CheckOperation(request, undecided...))...)
}

// firstBootArguments are the arguments that say what a new system disk boots with.
func firstBootArguments() []string {
	return []string{replaceUserData, replaceUserDataBase64, keepUserData}
}

func firstBootExample(name string) string {
	if name == keepUserData {
		return "true"
	}

	return "..."
}

// checkFirstBoot tells where first-boot data is missing, or has no first boot.
func (m operationModel) checkFirstBoot(diagnostics *diag.Diagnostics) {
	replaces := m.Kind.ValueString() == string(v1alpha3.OperationHostReplace)
	given := map[string]bool{
		replaceUserData:       !m.ReplaceUserDataWO.IsNull(),
		replaceUserDataBase64: !m.ReplaceUserDataWOBase64.IsNull(),
		keepUserData:          !m.KeepUserData.IsNull(),
	}

	if replaces && !given[replaceUserData] && !given[replaceUserDataBase64] && !given[keepUserData] {
		diagnostics.AddAttributeError(path.Root("kind"), "What shall the machine run at its first boot?",
			fmt.Sprintf("HostReplace gives the machine a new system disk, from which it boots for the first time. Set %s to its first-boot data, or keep_user_data = true to run again what it has.", replaceUserData))
	}

	for _, name := range firstBootArguments() {
		if given[name] && !replaces {
			diagnostics.AddAttributeError(path.Root(name), "First-boot data without a first boot",
				fmt.Sprintf("Only HostReplace lets the machine boot for the first time again; %s does not.", m.Kind.ValueString()))
		}
	}
}
