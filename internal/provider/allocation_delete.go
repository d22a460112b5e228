package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// Delete implements resource.Resource.
func (r *allocationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model allocationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)

	timeout, diags := model.Timeouts.Delete(ctx, DefaultDeleteTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	r.client.applied.Store(true)

	if r.client.held.has(model.ID.ValueString()) {
		resp.Diagnostics.Append(stillHeldDiagnostic(model))

		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	r.client.written.add(model.ID.ValueString())

	if err := r.client.account.check(ctx, "The machine", recordedAccount(ctx, req.Private), regionOf(model.ID.ValueString())); err != nil {
		resp.Diagnostics.Append(releaseDiagnostics(model, err)...)

		return
	}

	identity, known := model.identity(r.client.owner)
	if !known {
		// An imported machine that was never applied has no class yet.
		identity = lifecycle.Identity{Owner: r.client.owner, Name: model.Name.ValueString()}
	}

	_, err := r.client.allocator.Release(ctx, lifecycle.ReleaseRequest{
		Identity:       identity,
		ProviderID:     model.ID.ValueString(),
		OwnedResources: model.ownedResources(),
		Claim:          model.Claim.ValueString(),
		Grace:          durationOf(model.GracefulRelease),
	})

	resp.Diagnostics.Append(releaseDiagnostics(model, err)...)

	if part, ok := model.classPart(); ok && err == nil {
		if staying := alicloudStayingDisks(part); staying > 0 {
			resp.Diagnostics.Append(stayingDisksDiagnostic(model, staying))
		}
	}

	if leftovers := stringsOf(model.Leftovers); len(leftovers) > 0 && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(leftBehindDiagnostic(model, leftovers))
	}
}
