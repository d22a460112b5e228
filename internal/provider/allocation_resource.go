package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// Defaults of the timeouts argument.
const (
	DefaultCreateTimeout = 10 * time.Minute
	DefaultReadTimeout   = 5 * time.Minute
	DefaultUpdateTimeout = 10 * time.Minute
	DefaultDeleteTimeout = 20 * time.Minute
)

var (
	_ resource.ResourceWithConfigure   = (*allocationResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*allocationResource)(nil)
	_ resource.ResourceWithImportState = (*allocationResource)(nil)
)

type allocationResource struct{ client *client }

func newAllocationResource() resource.Resource { return &allocationResource{} }

// Metadata implements resource.Resource.
func (r *allocationResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_allocation"
	// A resumed launch may end with another machine.
	resp.ResourceBehavior.MutableIdentity = true
}

// Schema implements resource.Resource.
func (r *allocationResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = allocationSchema(ctx)
}

// Configure implements resource.ResourceWithConfigure.
func (r *allocationResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

// Create implements resource.Resource.
func (r *allocationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model allocationModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)

	timeout, diags := model.Timeouts.Create(ctx, DefaultCreateTimeout)
	resp.Diagnostics.Append(diags...)

	secrets := readLaunchSecrets(ctx, req.Config, &resp.Diagnostics)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	r.client.applied.Store(true)

	if keep := r.allocate(ctx, &model, lifecycle.Record{}, secrets, resp.Private, &resp.Diagnostics); keep {
		writeAccess(ctx, resp.Private, accessRecord{GaveGroups: true, GaveKeyPair: true}, &resp.Diagnostics)
		r.protectLaunched(ctx, model, &resp.Diagnostics)
		r.stopLaunched(ctx, &model, &resp.Diagnostics)
		resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
		identify(ctx, resp.Identity, model.ID, &resp.Diagnostics)
	}
}

// allocate launches the machine, or resumes its launch, and fills the model and
// the record. It reports whether there is something to keep in state.
func (r *allocationResource) allocate(
	ctx context.Context,
	model *allocationModel,
	record lifecycle.Record,
	secrets launchSecrets,
	private privateWriter,
	diagnostics *diag.Diagnostics,
) bool {
	request, err := r.allocateRequest(*model, record, secrets)
	if err != nil {
		diagnostics.AddError("Cannot launch the machine", ownFault(err, "Nothing was launched."))

		return false
	}

	allocated, err := r.client.allocator.Allocate(machineops.WithPassword(ctx, secrets.password), request)
	diagnostics.Append(allocationDiagnostics(request, allocated, err, model.OnTimeout.ValueString())...)

	for _, answered := range allocated.Answered {
		r.client.touched.add(answered)
	}

	if leavesToNext(request, err) {
		return false
	}

	if allocated.ProviderID == "" {
		// A resumed launch that is on its way to another machine has to go on with that.
		if record.Operation != nil && allocated.Pending != nil {
			record.Operation = allocated.Pending
			writeRecord(ctx, private, record, diagnostics)
		}

		return false
	}

	r.client.held.add(allocated.ProviderID)
	r.client.touched.add(allocated.ProviderID)

	model.Offering = stringOrNull(allocated.Offering.ID)
	model.OwnedResources = ownedResourcesList(allocated.Result.OwnedResources)
	model.Claim = stringOrNull(allocated.Claim)

	r.fill(ctx, model, allocated)

	if model.Locator.IsUnknown() || model.Locator.IsNull() {
		if model.Locator, err = r.locator(ctx, *model); err != nil {
			diagnostics.AddWarning("Cannot compute the locator", ownFault(err, "The machine itself was launched and is kept in state."))
		}
	}

	model.settle()

	if record.Operation == nil {
		writeDefaultTags(ctx, private, r.client.defaultTags, diagnostics)
	}

	record.Operation = allocated.Pending
	record.OwnedResources = allocated.Result.OwnedResources
	record.Claim = model.Claim.ValueString()
	record.Process = r.client.process
	record.Account = r.accountOf(ctx, *model, record)
	record.Settled, record.Incomplete, record.Foreign = false, false, nil
	writeRecord(ctx, private, record, diagnostics)

	return true
}

// accountOf is the account of a machine that is known to exist: the recorded one, or
// else that of the credentials. It is empty where that cannot be asked.
func (r *allocationResource) accountOf(ctx context.Context, model allocationModel, record lifecycle.Record) string {
	if record.Account != "" || ctx.Err() != nil {
		return record.Account
	}

	return r.client.account.known(ctx, regionOf(model.ID.ValueString()))
}

// fill takes over what is known of an allocated machine. A look that fails costs
// nothing: the next read fills the rest.
func (r *allocationResource) fill(ctx context.Context, model *allocationModel, allocated lifecycle.Allocated) {
	model.ID = types.StringValue(allocated.ProviderID)
	model.ProviderID = model.ID
	model.ProviderResourceID = stringOrNull(allocated.Result.ProviderResourceID)
	model.InstanceType = stringOrNull(allocated.Result.InstanceType)
	model.Zone = stringOrNull(allocated.Result.Zone)
	model.Image = stringOrNull(allocated.Result.Image)
	model.Charge = stringOrNull(string(allocated.Offering.CapacityType))
	model.Phase = types.StringValue(string(driver.MachinePhaseAllocating))

	if ctx.Err() != nil {
		return
	}

	if machine, err := r.client.machines.take(ctx, allocated.ProviderID); err == nil {
		model.observed(machine)
	}
}

func (r *allocationResource) allocateRequest(model allocationModel, record lifecycle.Record, secrets launchSecrets) (lifecycle.AllocateRequest, error) {
	identity, identityKnown := model.identity(r.client.owner)
	class, classKnown := model.classModel()

	if !identityKnown || !classKnown {
		return lifecycle.AllocateRequest{}, fmt.Errorf("the class or the name is not known; this is a bug in the provider, please report it")
	}

	resolvable, err := class.class()
	if err == nil {
		err = alicloudPlace(&resolvable, model.PrivateIP.ValueString())
	}

	if err != nil {
		return lifecycle.AllocateRequest{}, err
	}

	fingerprint, err := model.fingerprint()
	if err != nil {
		return lifecycle.AllocateRequest{}, err
	}

	return lifecycle.AllocateRequest{
		Identity:        identity,
		Region:          class.region().ValueString(),
		NewClass:        r.client.newClasses.has(string(identity.ClassUID)),
		UntilSeen:       model.WaitUntil.ValueString() == waitUntilAccepted || model.PowerState.ValueString() == powerStopped,
		Class:           resolvable,
		Parameters:      launchParameters(fingerprint, tagged{model, r.client.defaultTags}.tags()),
		HostName:        model.HostName.ValueString(),
		UserData:        secrets.userData,
		Pending:         record.Operation,
		PendingOffering: model.offering(),
	}, nil
}

// Read implements resource.Resource.
func (r *allocationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model allocationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)
	identify(ctx, resp.Identity, model.ID, &resp.Diagnostics)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	imported := readImport(ctx, req.Private, model, &resp.Diagnostics)

	timeout, diags := model.Timeouts.Read(ctx, DefaultReadTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	if imported != nil && !imported.Read {
		r.client.imports.meet(ctx)
	}

	machine, listed, err := r.readMachine(ctx, model.ID.ValueString())

	switch {
	case err == nil:
	case driver.CodeOf(err) == driver.CodeNotFound && imported != nil && !imported.Read:
		resp.Diagnostics.Append(notImported(model.ID.ValueString()))

		return
	case driver.CodeOf(err) == driver.CodeNotFound:
		r.readAbsent(ctx, model, record, resp)

		return
	default:
		resp.Diagnostics.Append(readDiagnostic(model, err))

		return
	}

	before := model.InstanceType

	r.client.touched.add(machine.ProviderID)
	r.refresh(ctx, &model, &record, imported, machine, listed, &resp.Diagnostics)
	writeRecord(ctx, resp.Private, record, &resp.Diagnostics)
	writeImport(ctx, resp.Private, imported, &resp.Diagnostics)
	writeUnfinished(ctx, resp.Private, machine.Unfinished, &resp.Diagnostics)
	writeText(ctx, resp.Private, underWayKey, machine.UnderWay, &resp.Diagnostics)
	noteLeftStopped(ctx, machine, resp.Private, &resp.Diagnostics)
	noteAccess(ctx, req.Private, machine, resp.Private, &resp.Diagnostics)
	noteReinstalled(ctx, req.Private, machine, resp.Private, &resp.Diagnostics)
	r.noteResized(ctx, req.Private, before, model, machine, resp.Private, &resp.Diagnostics)
	r.forgetReinstall(ctx, req.Private, model.ID.ValueString(), resp.Private, &resp.Diagnostics)

	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// Update implements resource.Resource.
func (r *allocationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state, plan allocationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	identify(ctx, resp.Identity, state.ID, &resp.Diagnostics)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	imported := readImport(ctx, req.Private, state, &resp.Diagnostics)

	timeout, diags := plan.Timeouts.Update(ctx, DefaultUpdateTimeout)
	resp.Diagnostics.Append(diags...)

	secrets := readLaunchSecrets(ctx, req.Config, &resp.Diagnostics)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	if r.taken(state, record, imported) {
		resp.Diagnostics.Append(takenDiagnostic(state))

		return
	}

	r.client.applied.Store(true)
	r.client.touched.add(state.ID.ValueString())

	if err := r.client.account.check(ctx, "The machine", record.Account, regionOf(state.ID.ValueString())); err != nil {
		resp.Diagnostics.Append(updateDiagnostic(state, err))

		return
	}

	if imported == nil && r.refuseReplacement(ctx, state, plan, record.Operation != nil, &resp.Diagnostics) {
		return
	}

	if record.Operation != nil {
		if err := r.repair(ctx, state, record); err != nil {
			resp.Diagnostics.Append(updateDiagnostic(state, err))

			return
		}

		r.resume(ctx, state, plan, record, secrets, resp)

		return
	}

	r.edit(ctx, req, imported, state, plan, record, secrets.userData, resp)
}

// resume goes on with a launch that an earlier run did not see the end of.
func (r *allocationResource) resume(ctx context.Context, state, plan allocationModel, record lifecycle.Record, secrets launchSecrets, resp *resource.UpdateResponse) {
	// The launch goes on as it was begun; what the state says of it identifies it.
	launched := plan
	launched.Offering, launched.InstanceType, launched.Zone, launched.Charge = state.Offering, state.InstanceType, state.Zone, state.Charge

	if !r.allocate(ctx, &launched, record, secrets, resp.Private, &resp.Diagnostics) {
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.AddError("The launch was not resumed", fmt.Sprintf("Nothing is known of the machine of %q. Apply again: what was launched is looked for.", plan.Name.ValueString()))
		}

		return
	}

	if !resp.Diagnostics.HasError() {
		r.editResumed(ctx, state, &launched, &resp.Diagnostics)
		r.protectLaunched(ctx, launched, &resp.Diagnostics)
		r.stopLaunched(ctx, &launched, &resp.Diagnostics)
	}

	resp.Diagnostics.Append(resp.State.Set(ctx, launched)...)
	identify(ctx, resp.Identity, launched.ID, &resp.Diagnostics)
}

// editResumed makes the changes that were planned together with a resumption.
func (r *allocationResource) editResumed(ctx context.Context, state allocationModel, launched *allocationModel, diagnostics *diag.Diagnostics) {
	before := state
	before.ID, before.Claim = launched.ID, launched.Claim

	// Default tags that have changed since are for the next plan.
	request, err := r.tagRequest(tagged{before, r.client.defaultTags}, tagged{*launched, r.client.defaultTags}, false)
	if err == nil {
		err = r.follow(ctx, before, *launched, false, &driver.EditMachineRequest{})
	}

	if err == nil {
		err = r.tag(ctx, request)
	}

	if err != nil {
		diagnostics.Append(updateDiagnostic(*launched, err))
	}

	if err := r.releaseLeftovers(ctx, state); err != nil {
		diagnostics.Append(leftoverDiagnostic(state, err))
	}
}

func (r *allocationResource) ready(diagnostics *diag.Diagnostics) bool {
	if r.client == nil {
		diagnostics.AddError(unconfigured())
	}

	return r.client != nil
}
