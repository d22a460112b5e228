package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

const (
	// classPlanTimeout bounds what a plan does to find leftovers.
	classPlanTimeout = 5 * time.Minute
	// classDeleteTimeout bounds their release.
	classDeleteTimeout = 20 * time.Minute
)

// planDestroy finds the machines of the class that an interrupted apply left, and
// notes them for Delete. Only a plan can do that: during an apply, Terraform destroys
// a class before it has updated what hangs on it, and a machine that is about to be
// put into state looks like one that is left over.
func (r *classResource) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var model classModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)

	record := readClassRecord(ctx, req.Private, &resp.Diagnostics)
	record.Announced, record.Unproven = nil, ""

	if resp.Diagnostics.HasError() || resp.Private == nil {
		return
	}

	if r.client.applied.Load() || !model.releasesLeftovers() {
		writeClassRecord(ctx, resp.Private, record, &resp.Diagnostics)

		return
	}

	ctx, cancel := context.WithTimeout(ctx, classPlanTimeout)
	defer cancel()

	if err := r.announce(ctx, model, &record); err != nil {
		resp.Diagnostics.AddError(fmt.Sprintf("Cannot look for machines that are left over of the class %q", model.Name.ValueString()),
			withRemedy(err, advice{
				became: "Destroying the class releases what an interrupted apply left of it, so that is looked for first.", again: runAgain,
				after: "To destroy the class without that, set release_leftovers = false and apply it first.",
			}))

		return
	}

	warnAnnounced(model, record, &resp.Diagnostics)
	writeClassRecord(ctx, resp.Private, record, &resp.Diagnostics)
}

// warnAnnounced names what goes with the class, since Terraform shows only what is in
// state.
func warnAnnounced(model classModel, record classRecord, diagnostics *diag.Diagnostics) {
	if len(record.Announced) == 0 {
		return
	}

	diagnostics.AddWarning(fmt.Sprintf("Machines that no state is known to hold are released with the class %q", model.Name.ValueString()),
		fmt.Sprintf("%s. An apply that was interrupted has launched them, or they were taken out of the state (terraform state rm, a removed block) before a plan had seen them there. "+
			"To keep one, import it first (terraform import ADDRESS ID). To keep them all, set release_leftovers = false and apply before the class is destroyed.", strings.Join(record.Announced, ", ")))
}

func (m classModel) releasesLeftovers() bool {
	return m.ReleaseLeftovers.IsNull() || m.ReleaseLeftovers.ValueBool()
}

// announce notes the machines that are left over, once everything that an earlier
// run did can be seen.
func (r *classResource) announce(ctx context.Context, model classModel, record *classRecord) error {
	if err := r.client.allocator.AwaitWindow(ctx); err != nil {
		return err
	}

	// What the refresh has found to be held by a state is marked before the list is
	// made. Where that fails, the proof below fails too, or it is only late.
	_ = r.client.settling.flush(ctx)

	found, err := r.unsettled(ctx, model, *record, r.client.clock.Now())
	if err != nil || len(found) == 0 {
		return err
	}

	if record.Account, err = r.client.account.get(ctx, found[0].Region); err != nil {
		return err
	}

	// A machine that a state holds and that could not be marked looks left over as
	// well. So nothing is, unless marks can be written.
	err = r.client.cloud.Tagger().TagMachine(ctx, &driver.TagMachineRequest{
		ProviderID: found[0].ProviderID,
		Secret:     r.client.secret(),
		Identity:   &driver.MachineIdentity{Owner: r.client.owner},
	})

	switch {
	case err != nil && driver.CodeOf(err) == driver.CodePermissionDenied:
		record.Unproven = "these credentials may not write tags, so machines that a state holds cannot be told from it"

		return nil
	case err != nil:
		return err
	case !r.client.settling.enabled:
		record.Unproven = "mark_settled is false, so machines that a state holds cannot be told from it"

		return nil
	}

	for _, machine := range found {
		record.Announced = append(record.Announced, machine.ProviderID)
	}

	return nil
}

// unsettled lists the machines of the class that no state is known to hold, in every
// region that the class was in, but for those that this process has dealt with.
func (r *classResource) unsettled(ctx context.Context, model classModel, record classRecord, notBefore time.Time) ([]*driver.ObservedMachine, error) {
	alive, err := r.alive(ctx, model, record, notBefore)

	return slices.DeleteFunc(alive, func(machine *driver.ObservedMachine) bool {
		return !r.client.allocator.Unsettled(observation(machine)) || r.client.touched.has(machine.ProviderID)
	}), err
}

// alive lists the machines of the class, but for those that this process released.
func (r *classResource) alive(ctx context.Context, model classModel, record classRecord, notBefore time.Time) ([]*driver.ObservedMachine, error) {
	regions := record.Regions
	if region := model.region().ValueString(); region != "" && !slices.Contains(regions, region) {
		regions = append(slices.Clone(regions), region)
	}

	var found []*driver.ObservedMachine

	for _, region := range regions {
		listed, err := r.client.listings.since(ctx, region, notBefore)
		if err != nil {
			return nil, err
		}

		for _, id := range slices.Sorted(maps.Keys(listed)) {
			if listed[id].Identity.ClassUID == model.UID.ValueString() && !r.client.allocator.Released(id) {
				found = append(found, listed[id])
			}
		}
	}

	return found, nil
}

// Delete implements resource.Resource. It releases what the plan announced and what
// is still left over, and names everything else that is alive of the class.
func (r *classResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model classModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)

	record := readClassRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	if r.client == nil {
		resp.Diagnostics.AddError(unconfigured())

		return
	}

	ctx, cancel := context.WithTimeout(ctx, classDeleteTimeout)
	defer cancel()

	r.client.applied.Store(true)

	if len(record.Announced) > 0 {
		if err := r.client.account.check(ctx, "What is left over of the class", record.Account, regionOf(record.Announced[0])); err != nil {
			resp.Diagnostics.Append(classDestroyDiagnostic(model, err))

			return
		}
	}

	released, err := r.releaseAnnounced(ctx, model, record)
	if len(released) > 0 {
		resp.Diagnostics.AddWarning(fmt.Sprintf("Machines that were left over of the class %q were released", model.Name.ValueString()),
			fmt.Sprintf("%s. No state was known to hold them, as the plan had said.", strings.Join(released, ", ")))
	}

	if err != nil {
		resp.Diagnostics.Append(classDestroyDiagnostic(model, err))

		return
	}

	r.nameAlive(ctx, model, record, &resp.Diagnostics)
}

// releaseAnnounced releases the announced machines that are still left over, and
// returns which they were.
func (r *classResource) releaseAnnounced(ctx context.Context, model classModel, record classRecord) ([]string, error) {
	var released []string

	for _, id := range record.Announced {
		if r.client.touched.has(id) || !model.releasesLeftovers() {
			continue
		}

		machine, err := r.client.observe(ctx, id)

		switch {
		case driver.CodeOf(err) == driver.CodeNotFound:
			continue
		case err != nil:
			return released, err
		case !r.client.allocator.Unsettled(observation(machine)) || machine.Identity.ClassUID != model.UID.ValueString() || machine.Identity.Owner != r.client.owner:
			continue
		}

		_, err = r.client.allocator.Release(ctx, lifecycle.ReleaseRequest{
			Identity: lifecycle.Identity{
				Owner: r.client.owner, ClassUID: k8stypes.UID(machine.Identity.ClassUID), Name: machine.Identity.Allocation,
			},
			ProviderID:     id,
			OwnedResources: ownedBy(machine),
			Claim:          machine.Identity.Claim,
		})
		if err != nil {
			return released, fmt.Errorf("releasing %s: %w", id, err)
		}

		released = append(released, id)
	}

	return released, nil
}

// nameAlive names what is there of the class and stays. That it cannot be listed
// keeps nobody from destroying the class.
func (r *classResource) nameAlive(ctx context.Context, model classModel, record classRecord, diagnostics *diag.Diagnostics) {
	alive, err := r.alive(ctx, model, record, r.client.clock.Now())
	if err != nil {
		diagnostics.AddWarning(fmt.Sprintf("Machines of the class %q could not be listed", model.Name.ValueString()),
			fmt.Sprintf("%s. If machines of the class (uid %q) are still there, they were left alone: the tag %sclass-uid tells them in the ECS console.", err, model.UID.ValueString(), driver.ReservedTagPrefix))

		return
	}

	var names []string

	for _, machine := range alive {
		if !machine.Releasing || r.client.allocator.Unsettled(observation(machine)) {
			names = append(names, fmt.Sprintf("%s (%q)", machine.ProviderID, machine.Identity.Allocation))
		}
	}

	if len(names) == 0 {
		return
	}

	why := "They belong to a state, or were not announced by the plan."
	if record.Unproven != "" {
		why = "They were not released, because " + record.Unproven + "."
	}

	diagnostics.AddWarning(fmt.Sprintf("Machines of the class %q are still there", model.Name.ValueString()),
		fmt.Sprintf("%s. %s What no state holds can be imported (terraform import ADDRESS ID), or released in the ECS console.", strings.Join(names, ", "), why))
}

func classDestroyDiagnostic(model classModel, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(fmt.Sprintf("Cannot release what is left over of the class %q", model.Name.ValueString()),
		withRemedy(err, advice{
			again: runAgain,
			after: "To destroy it without releasing anything, set release_leftovers = false and apply that first. The class stays in state.",
		}))
}
