package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

var _ resource.ResourceWithIdentity = (*allocationResource)(nil)

// identityModel is what a machine is imported by in Terraform 1.12 and later.
type identityModel struct {
	Region     types.String `tfsdk:"region"`
	InstanceID types.String `tfsdk:"instance_id"`
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r *allocationResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"region": identityschema.StringAttribute{
			OptionalForImport: true, Description: "Region of the machine, such as cn-hangzhou. Default: the provider's region.",
		},
		"instance_id": identityschema.StringAttribute{
			RequiredForImport: true, Description: "ECS instance ID, such as i-bp1abc.",
		},
	}}
}

// identify writes the identity of the machine with the provider ID.
func identify(ctx context.Context, identity *tfsdk.ResourceIdentity, providerID types.String, diagnostics *diag.Diagnostics) {
	region, instance := splitProviderID(providerID.ValueString())
	if identity == nil || instance == "" {
		return
	}

	diagnostics.Append(identity.Set(ctx, identityModel{Region: types.StringValue(region), InstanceID: types.StringValue(instance)})...)
}

// text is the identity as a provider ID that a user could have written.
func (m identityModel) text() string {
	if region := m.Region.ValueString(); region != "" {
		return driver.ProviderID{Region: region, ResourceID: m.InstanceID.ValueString()}.String()
	}

	return m.InstanceID.ValueString()
}
