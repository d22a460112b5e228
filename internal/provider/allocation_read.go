package provider

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// releaseLookInterval is the wait between looks at a machine that is on its way out.
const releaseLookInterval = 3 * time.Second

// readMachine returns the machine and the list that it was looked for in. One that
// an earlier run was about to release is waited for until it is gone, or until
// everything that run did can be seen.
func (r *allocationResource) readMachine(ctx context.Context, providerID string) (*driver.ObservedMachine, map[string]*driver.ObservedMachine, error) {
	machine, listed, err := r.client.read(ctx, providerID)

	for err == nil && machine.Releasing {
		left := r.client.allocator.WindowEnd().Sub(r.client.clock.Now())
		if left <= 0 {
			break
		}

		timer := r.client.clock.NewTimer(min(left, releaseLookInterval))

		select {
		case <-timer.C():
		case <-ctx.Done():
			timer.Stop()

			return nil, nil, machineops.Ended(ctx)
		}

		machine, err = r.client.observe(ctx, providerID)
	}

	if err == nil && machine.Replacing {
		return r.readReplaced(ctx, machine, listed)
	}

	return machine, listed, err
}

// readReplaced reads a machine beside which a run has begun to launch a successor. Where
// that run was cut off, the successor may not be listed yet: it is waited for until
// everything that the run did can be seen. Then the mark has told what it had to tell.
func (r *allocationResource) readReplaced(
	ctx context.Context, machine *driver.ObservedMachine, listed map[string]*driver.ObservedMachine,
) (*driver.ObservedMachine, map[string]*driver.ObservedMachine, error) {
	if r.client.held.has(machine.ProviderID) || r.client.touched.has(machine.ProviderID) {
		return machine, listed, nil
	}

	if err := r.client.allocator.AwaitWindow(ctx); err != nil {
		return nil, nil, err
	}

	listed, err := r.client.listings.since(ctx, machine.Region, r.client.allocator.WindowEnd())
	if err != nil {
		return nil, nil, err
	}

	r.client.machines.Replacing(ctx, machine.ProviderID, false)

	if now, there := listed[machine.ProviderID]; there {
		return now, listed, nil
	}

	machine, err = r.client.observe(ctx, machine.ProviderID)

	return machine, listed, err
}

// readAbsent takes a machine out of the state whose absence is proven, unless that is
// because the credentials are another account's.
func (r *allocationResource) readAbsent(ctx context.Context, model allocationModel, record lifecycle.Record, resp *resource.ReadResponse) {
	if err := r.client.account.check(ctx, "The machine", record.Account, regionOf(model.ID.ValueString())); err != nil {
		resp.Diagnostics.Append(readDiagnostic(model, err))

		return
	}

	// A launch that is not finished may still show its machine, or be begun anew when
	// it is resumed.
	if record.Operation == nil {
		resp.State.RemoveResource(ctx)
	}
}

// refresh takes over what a look tells of a machine in state.
func (r *allocationResource) refresh(
	ctx context.Context, model *allocationModel, record *lifecycle.Record, imported *importRecord, machine *driver.ObservedMachine,
	listed map[string]*driver.ObservedMachine, diagnostics *diag.Diagnostics,
) {
	model.observed(machine)
	model.Tags = refreshedTags(model.Tags, machine.Tags)
	// What an operation has made of its machine for now is not to be put right: that would
	// wait for the operation, and an operation of the same configuration for that.
	if machine.UnderWay == "" {
		model.PowerState = refreshedPower(model.PowerState, machine.Phase)
	}

	model.DeletionProtection = refreshedProtection(model.DeletionProtection, machine.DeletionProtection)
	model.Leftovers = stringList(nil)

	if imported != nil {
		r.takeOver(ctx, model, record, imported, machine)
	}

	record.Account = r.accountOf(ctx, *model, *record)
	record.Settled = machine.Settled
	record.Foreign = nil
	record.Incomplete = false

	if claim := machine.Identity.Claim; claim != "" && claim != model.Claim.ValueString() {
		record.Foreign = &lifecycle.ForeignClaim{ClassUID: machine.Identity.ClassUID, Settled: machine.Settled}
		r.client.told.add(machine.ProviderID)
		diagnostics.Append(foreignDiagnostic(*model, imported == nil && r.reclaimable(*model, *record.Foreign)))
	} else if imported == nil {
		record.Incomplete = r.incomplete(*model, machine)
		model.Leftovers = stringList(r.leftovers(ctx, *model, *record, machine, listed))
	}

	if imported == nil {
		r.settle(*record, machine) //nolint:contextcheck // Marking outlives the RPC; see settling.write.
	}

	model.settle()
	r.noteRetention(*model)
}

// settle has a machine marked of which the state was stored: another run's record
// was read.
func (r *allocationResource) settle(record lifecycle.Record, machine *driver.ObservedMachine) {
	if record.Process == r.client.process || record.Foreign != nil || machine.Settled || machine.Releasing || machine.Identity.Owner != r.client.owner {
		return
	}

	r.client.settling.add(settlement{providerID: machine.ProviderID, name: machine.Identity.Allocation, verified: true})
}

// incomplete reports whether a tag is missing, or outdated, that says whose the
// machine is. It was stripped by somebody, or the owner was changed.
func (r *allocationResource) incomplete(model allocationModel, machine *driver.ObservedMachine) bool {
	identity, known := model.identity(r.client.owner)
	has := machine.Identity

	return known && (has.Owner != identity.Owner || has.ClassUID != string(identity.ClassUID) || has.Allocation != identity.Name ||
		has.Claim == "" || has.Fingerprint == "")
}

// leftovers are the machines of the identity that no state holds, beside one that a
// state does hold: the end of an interrupted replacement, or of a launch that came to
// be listed too late.
func (r *allocationResource) leftovers(
	ctx context.Context, model allocationModel, record lifecycle.Record, machine *driver.ObservedMachine, listed map[string]*driver.ObservedMachine,
) []string {
	if safeguard.Missing(safeguard.Leftovers) {
		return nil
	}

	var found []string

	for id, other := range listed {
		if id != machine.ProviderID && r.isLeftover(model, other) {
			found = append(found, id)
		}
	}

	if len(found) == 0 || !r.settledNow(ctx, record, machine) {
		return nil
	}

	slices.Sort(found)

	return found
}

// settledNow reports whether the machine is marked as held by a state, which it waits
// for where that is only being done.
func (r *allocationResource) settledNow(ctx context.Context, record lifecycle.Record, machine *driver.ObservedMachine) bool {
	if machine.Settled {
		return true
	}

	r.settle(record, machine) //nolint:contextcheck // Marking outlives the RPC; see settling.write.
	r.awaitMarks(ctx)

	now, err := r.client.observe(ctx, machine.ProviderID)

	return err == nil && now.Settled
}

// isLeftover reports whether the machine is one of the model's identity that no
// state is known to hold.
func (r *allocationResource) isLeftover(model allocationModel, machine *driver.ObservedMachine) bool {
	identity, known := model.identity(r.client.owner)
	has := machine.Identity

	return known && has.Owner == identity.Owner && has.ClassUID == string(identity.ClassUID) && has.Allocation == identity.Name &&
		r.client.allocator.Unsettled(observation(machine)) &&
		!r.client.allocator.Released(machine.ProviderID) && !r.client.touched.has(machine.ProviderID)
}

// releaseLeftovers releases what the state lists as left over, unless a state has
// come to hold it.
func (r *allocationResource) releaseLeftovers(ctx context.Context, state allocationModel) error {
	for _, id := range stringsOf(state.Leftovers) {
		machine, err := r.client.observe(ctx, id)

		switch {
		case driver.CodeOf(err) == driver.CodeNotFound:
			continue
		case err != nil:
			return fmt.Errorf("looking at %s: %w", id, err)
		case !r.isLeftover(state, machine):
			continue
		}

		identity, _ := state.identity(r.client.owner)
		r.client.written.add(id)

		_, err = r.client.allocator.Release(ctx, lifecycle.ReleaseRequest{
			Identity:       identity,
			ProviderID:     id,
			OwnedResources: ownedBy(machine),
			Claim:          machine.Identity.Claim,
		})
		if err != nil {
			return fmt.Errorf("releasing %s: %w", id, err)
		}
	}

	return nil
}
