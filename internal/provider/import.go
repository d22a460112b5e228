package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// ImportState implements resource.ResourceWithImportState. It takes the forms of a
// provider ID, or an identity. The Read that follows looks at the machine.
func (r *allocationResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if !r.ready(&resp.Diagnostics) {
		return
	}

	text := req.ID

	if text == "" && req.Identity != nil && !req.Identity.Raw.IsNull() {
		var identity identityModel

		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)

		text = identity.text()
	}

	if resp.Diagnostics.HasError() {
		return
	}

	id, err := r.client.cloud.Observer().ParseProviderID(text, r.client.region)
	if err != nil {
		resp.Diagnostics.AddError("Malformed provider ID", malformedImportID(err))

		return
	}

	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id.String())...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("provider_id"), id.String())...)
	identify(ctx, resp.Identity, types.StringValue(id.String()), &resp.Diagnostics)
	writeImport(ctx, resp.Private, &importRecord{}, &resp.Diagnostics)
	writeRecord(ctx, resp.Private, lifecycle.Record{Process: r.client.process}, &resp.Diagnostics)
}
