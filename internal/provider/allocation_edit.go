package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// maximumTags is how many tags ECS allows on a resource (TagResources).
const maximumTags = 20

// reservedTags is how many tags of its own the provider may write on a machine.
const reservedTags = maximumTags - maximumUserTags

// launchParameters are the parameters of a HostAllocate operation.
func launchParameters(fingerprint string, tags map[string]string) map[string]string {
	parameters := map[string]string{v1alpha3.ParameterFingerprint: fingerprint}

	for key, value := range tags {
		parameters[v1alpha3.ParameterTagPrefix+key] = value
	}

	return parameters
}

// offering is what the state tells of the offering that a machine was launched
// from.
func (m allocationModel) offering() v1alpha3.MachineClassOffering {
	return v1alpha3.MachineClassOffering{
		ID:           m.Offering.ValueString(),
		InstanceType: m.InstanceType.ValueString(),
		Zone:         m.Zone.ValueString(),
		CapacityType: v1alpha3.CapacityType(m.Charge.ValueString()),
	}
}

// importClaim is the claim that an imported machine is given. A state that the
// machine came from and that still holds it can no longer release it.
func importClaim(classUID, resourceID string) string {
	sum := sha256.Sum256([]byte("import\x00" + classUID + "\x00" + resourceID))

	return hex.EncodeToString(sum[:16])
}

// refreshedTags returns the tags of the state as the machine has them now. Tags
// that were never set here are left out.
func refreshedTags(known types.Map, actual map[string]string) types.Map {
	if known.IsNull() || known.IsUnknown() {
		return known
	}

	refreshed := map[string]attr.Value{}

	for key := range known.Elements() {
		if value, there := actual[key]; there {
			refreshed[key] = types.StringValue(value)
		}
	}

	return types.MapValueMust(types.StringType, refreshed)
}

// edit makes in-place changes: what the machine itself follows, tags, the reserved tags
// that say whose machine it is, and what repairs the traces of an interrupted run.
func (r *allocationResource) edit(
	ctx context.Context, req resource.UpdateRequest, imported *importRecord, state, plan allocationModel, record lifecycle.Record, data string,
	resp *resource.UpdateResponse,
) {
	if imported != nil {
		// The class that it is shown with is not one that it was launched for.
		state.Class = types.ObjectNull(classObjectTypes())
	}

	if imported != nil && refuseElsewhere(state, plan, &resp.Diagnostics) {
		return
	}

	given := readDefaultTags(ctx, req.Private, &resp.Diagnostics)

	request, err := r.tagRequest(tagged{state, given}, tagged{plan, r.defaultTags()}, record.Incomplete)
	if err != nil {
		resp.Diagnostics.AddError("Cannot update the machine", ownFault(err, "Nothing was changed."))

		return
	}

	if imported != nil && !imported.Read {
		if err := r.checkRoom(ctx, request); err != nil {
			resp.Diagnostics.AddError(noRoomForTags, sentence(err)+" Nothing was changed.")

			return
		}
	}

	if err := r.repair(ctx, state, record); err != nil {
		resp.Diagnostics.Append(updateDiagnostic(state, err))

		return
	}

	edited := &driver.EditMachineRequest{}
	if imported == nil {
		drift(ctx, req.Private, state, edited, &resp.Diagnostics)
	}

	if err := r.follow(ctx, state, plan, imported != nil, edited); err != nil {
		resp.Diagnostics.Append(updateDiagnostic(state, err))

		return
	}

	noteEdit(ctx, req.Private, edited, resp.Private, &resp.Diagnostics)

	if err := r.tag(ctx, request); err != nil {
		resp.Diagnostics.Append(updateDiagnostic(state, err))

		return
	}

	if request.Identity != nil && request.Identity.Claim != "" {
		plan.Claim = types.StringValue(request.Identity.Claim)
		record.Claim = request.Identity.Claim
	}

	if err := r.releaseLeftovers(ctx, state); err != nil {
		resp.Diagnostics.Append(leftoverDiagnostic(state, err))

		return
	}

	unfinished := cutOffAt(ctx, req.Private, plan, &resp.Diagnostics)

	if !r.reshape(ctx, imported != nil, unfinished, state, &plan, data, resp) {
		return
	}

	if plan.Locator.IsUnknown() {
		if plan.Locator, err = r.locator(ctx, plan); err != nil {
			resp.Diagnostics.AddWarning("Cannot compute the locator", ownFault(err, "The machine itself was changed as planned."))
		}
	}

	record.Incomplete, record.Foreign = false, nil

	plan.settle()
	writeRecord(ctx, resp.Private, record, &resp.Diagnostics)
	writeDefaultTags(ctx, resp.Private, r.client.defaultTags, &resp.Diagnostics)
	writeImport(ctx, resp.Private, nil, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// repair writes our claim back where an interrupted run of ours has put its own, and
// takes the mark of a release off that did not take place.
func (r *allocationResource) repair(ctx context.Context, state allocationModel, record lifecycle.Record) error {
	releasing := state.Phase.ValueString() == string(driver.MachinePhaseReleasing)
	if record.Foreign == nil && !releasing {
		return nil
	}

	machine, err := r.client.observe(ctx, state.ID.ValueString())
	if err != nil {
		return err
	}

	claim := state.Claim.ValueString()

	if foreign := machine.Identity.Claim; foreign != "" && foreign != claim {
		if !r.reclaimable(state, lifecycle.ForeignClaim{ClassUID: machine.Identity.ClassUID, Settled: machine.Settled}) {
			return fmt.Errorf("%s carries the claim of another run, which has put it into a state of its own", machine.ProviderID)
		}

		if err := r.client.machines.Claim(ctx, machine.ProviderID, claim); err != nil {
			return fmt.Errorf("writing the claim of this state back: %w", err)
		}
	}

	if machine.Releasing {
		return r.client.mark(ctx, driver.MarkReleasing, true, machine.ProviderID)
	}

	return nil
}

// reclaimable reports whether a claim that is not ours is that of an interrupted run
// of our own, which stored no state.
func (r *allocationResource) reclaimable(state allocationModel, foreign lifecycle.ForeignClaim) bool {
	class, known := state.classModel()

	return known && foreign.ClassUID == class.UID.ValueString() && !foreign.Settled
}

// tag makes the change of tags, where there is any.
func (r *allocationResource) tag(ctx context.Context, request *driver.TagMachineRequest) error {
	if len(request.Set) == 0 && len(request.Remove) == 0 && request.Identity == nil {
		return nil
	}

	r.client.written.add(request.ProviderID)

	return r.client.cloud.Tagger().TagMachine(ctx, request)
}

// tagRequest is the change from one model's tags to the other's. Where the machine
// lacks reserved tags, all of them are written.
func (r *allocationResource) tagRequest(from, to tagged, incomplete bool) (*driver.TagMachineRequest, error) {
	state, plan := from.model, to.model
	before, after := from.tags(), to.tags()
	request := &driver.TagMachineRequest{
		ProviderID: state.ID.ValueString(),
		Secret:     r.client.secret(),
		Set:        map[string]string{},
	}

	for key, value := range after {
		if known, there := before[key]; !there || known != value {
			request.Set[key] = value
		}
	}

	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, wanted := after[key]; !wanted {
			request.Remove = append(request.Remove, key)
		}
	}

	identity, known := plan.identity(r.client.owner)
	if !known {
		return nil, fmt.Errorf("the class or the name is not known; this is a bug in the provider, please report it")
	}

	was, hadClass := state.identity(r.client.owner)

	switch {
	case !hadClass || incomplete:
		claim := state.Claim.ValueString()
		if !hadClass || claim == "" {
			claim = importClaim(string(identity.ClassUID), state.ProviderResourceID.ValueString())
		}

		fingerprint, err := plan.fingerprint()
		if err != nil {
			return nil, err
		}

		request.Identity = &driver.MachineIdentity{
			Owner:       identity.Owner,
			ClassUID:    string(identity.ClassUID),
			Allocation:  identity.Name,
			Fingerprint: fingerprint,
			Claim:       claim,
		}
	case was != identity:
		request.Identity = &driver.MachineIdentity{
			Owner:      identity.Owner,
			ClassUID:   string(identity.ClassUID),
			Allocation: identity.Name,
		}
	}

	if request.Identity == nil || request.Identity.Fingerprint == "" {
		if err := renewFingerprint(request, state, plan); err != nil {
			return nil, err
		}
	}

	return request, nil
}

// renewFingerprint has the machine carry the fingerprint of its inputs where they
// changed without replacing it.
func renewFingerprint(request *driver.TagMachineRequest, state, plan allocationModel) error {
	before, err := state.fingerprint()
	if err != nil {
		return nil //nolint:nilerr // A state without its class has none to compare.
	}

	after, err := plan.fingerprint()
	if err != nil || after == before {
		return err
	}

	if request.Identity == nil {
		request.Identity = &driver.MachineIdentity{}
	}

	request.Identity.Fingerprint = after

	return nil
}

// checkRoom refuses to take a machine over whose own tags leave no room.
func (r *allocationResource) checkRoom(ctx context.Context, request *driver.TagMachineRequest) error {
	machine, err := r.client.observe(ctx, request.ProviderID)
	if err != nil {
		return err
	}

	found := importRecord{Tags: slices.Collect(maps.Keys(machine.Tags))}
	if total := found.tagsTogether(request.Set); total > maximumTags {
		return errors.New(noRoomText(request.ProviderID, len(machine.Tags), total))
	}

	return nil
}
