package provider

import (
	"context"
	"maps"
	"slices"
	"time"

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

	taken, err := r.claimedSince(ctx, model)

	switch {
	case err != nil:
		resp.Diagnostics.Append(releaseDiagnostics(model, err)...)

		return
	case taken:
		resp.Diagnostics.Append(takenSinceImport(model))

		return
	}

	identity, known := model.identity(r.client.owner)
	if !known {
		// An imported machine that was never applied has no class yet.
		identity = lifecycle.Identity{Owner: r.client.owner, Name: model.Name.ValueString()}
	}

	left := r.leftBehind(ctx, model)

	outcome, err := r.client.allocator.Release(ctx, lifecycle.ReleaseRequest{
		Identity:       identity,
		ProviderID:     model.ID.ValueString(),
		OwnedResources: model.ownedResources(),
		Claim:          model.Claim.ValueString(),
		Grace:          durationOf(model.GracefulRelease),
		RetainDisks:    model.retains(),
		ReportDisks:    model.reportsDisks(),
	})

	resp.Diagnostics.Append(releaseDiagnostics(model, err)...)

	if err == nil {
		resp.Diagnostics.Append(disksDiagnostics(model, outcome)...)
	}

	if len(left) > 0 && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(leftBehindDiagnostic(model, left))
	}
}

// leftBehindWait bounds a list that nothing but a warning rests on.
const leftBehindWait = 30 * time.Second

// leftBehind are the machines of the model's identity that no state is known to hold.
// The state alone does not tell: Terraform destroys what is no longer configured by the
// state from before the refresh. The list is shared by all that the run destroys.
func (r *allocationResource) leftBehind(ctx context.Context, model allocationModel) []string {
	found := stringsOf(model.Leftovers)

	if _, known := model.identity(r.client.owner); !known {
		return found
	}

	ctx, cancel := context.WithTimeout(ctx, leftBehindWait)
	defer cancel()

	// Best effort: it is only told.
	listed, _ := r.client.listings.since(ctx, regionOf(model.ID.ValueString()), r.client.started)

	// Where nothing is marked, another object of this state looks left over, too.
	if own := listed[model.ID.ValueString()]; own == nil || !own.Settled {
		return found
	}

	for _, id := range slices.Sorted(maps.Keys(listed)) {
		if id != model.ID.ValueString() && r.isLeftover(model, listed[id]) && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}

	return found
}
