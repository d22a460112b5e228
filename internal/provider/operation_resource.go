package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

var _ resource.ResourceWithConfigure = (*operationResource)(nil)

type operationResource struct {
	client *client
	// unconfigured is the cloud for what it tells before the provider is configured.
	unconfigured func() (Cloud, error)
}

// Metadata implements resource.Resource.
func (r *operationResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_operation"
}

// Schema implements resource.Resource.
func (r *operationResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = operationSchema(ctx)
}

// Configure implements resource.ResourceWithConfigure.
func (r *operationResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

// Create implements resource.Resource. Nothing is stored of an operation that failed,
// or whose time was up, so that it is not tainted: the next apply asks for it again,
// and the machine itself tells how far it came.
func (r *operationResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model operationModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)

	timeout, diags := model.Timeouts.Create(ctx, DefaultOperationTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	outcome, err := r.operate(ctx, model, nil, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || (err != nil && !lifecycle.Interrupted(err)) || outcome.Pending == nil {
		return
	}

	model.fill(operationModel{}, outcome, r.client.clock.Now())
	r.keep(ctx, resp.Private, lifecycle.Record{}, outcome, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// operate carries the operation out, or goes on with it, and tells what became of it.
func (r *operationResource) operate(
	ctx context.Context, model operationModel, pending *lifecycle.PendingOperation, config tfsdk.Config, diagnostics *diag.Diagnostics,
) (lifecycle.Outcome, error) {
	id, err := r.machineOf(model)
	if err != nil {
		diagnostics.AddAttributeError(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))

		return lifecycle.Outcome{}, err
	}

	request := model.request(r.client.owner, id, r.client.cloud.EffectParameters())
	request.ReplaceUserData = writeOnlyData(ctx, config, replaceUserData, diagnostics)
	request.Pending = pending

	if diagnostics.HasError() {
		return lifecycle.Outcome{}, nil
	}

	r.client.applied.Store(true)
	r.client.written.add(id)

	outcome, err := r.client.operator.Operate(ctx, request)
	diagnostics.Append(r.operationDiagnostics(ctx, model.ProviderID.ValueString(), request, outcome, err)...)

	return outcome, err
}

// keep stores what a later process needs: how to go on, or that the trace on the
// machine can go.
func (r *operationResource) keep(ctx context.Context, private privateWriter, record lifecycle.Record, outcome lifecycle.Outcome, diagnostics *diag.Diagnostics) {
	record.Operation = outcome.Pending
	record.Process = r.client.process
	writeRecord(ctx, private, record, diagnostics)
	writeText(ctx, private, refusedKey, "", diagnostics)
}

// Read implements resource.Resource. An operation is what it was; but that another
// process's record is read proves that it was stored, and the trace on the machine has
// served its purpose.
func (r *operationResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var model operationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || r.client == nil || record.Operation == nil || outstanding(record) || record.Process == r.client.process {
		return
	}

	// Best effort: a trace that stays costs one tag, and the next read tries again. One
	// denied call tells of all.
	if r.client.tracesDenied.Load() {
		return
	}

	if err := r.forget(ctx, model); err != nil {
		if reasonOf(err) == v1alpha3.ReasonPermissionDenied {
			r.client.tracesDenied.Store(true)
		}

		return
	}

	record.Operation = nil
	writeRecord(ctx, resp.Private, record, &resp.Diagnostics)
}

// Update implements resource.Resource: it goes on with an operation whose end was not
// seen, and carries it out on another machine. Changed parameters and timeouts alone do
// nothing.
func (r *operationResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var state, plan operationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)

	record := readRecord(ctx, req.Private, &resp.Diagnostics)

	timeout, diags := plan.Timeouts.Update(ctx, DefaultOperationTimeout)
	resp.Diagnostics.Append(diags...)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	if !r.sameMachine(state, plan) {
		r.begin(ctx, req, state, plan, record, resp)

		return
	}

	if r.refuseHeld(ctx, state, plan, &resp.Diagnostics) {
		return
	}

	if !outstanding(record) {
		plan.takeOver(state)
		resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)

		return
	}

	outcome, err := r.operate(ctx, plan, record.Operation, req.Config, &resp.Diagnostics)
	if outcome.Phase == "" {
		return
	}

	if err != nil && outcome.Pending == nil && outcome.Phase != v1alpha3.OperationPhaseFailed {
		outcome.Pending = record.Operation
	}

	plan.fill(state, outcome, r.client.clock.Now())
	r.keep(ctx, resp.Private, record, outcome, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// begin carries the operation out on another machine than the state's. As in Create,
// nothing is stored of one that failed, or whose time was up: the state stays that of
// the former, and the next apply asks for it again.
func (r *operationResource) begin(ctx context.Context, req resource.UpdateRequest, state, plan operationModel, record lifecycle.Record, resp *resource.UpdateResponse) {
	switch {
	case outstanding(record):
		r.giveUp(ctx, state, resp.Private, &resp.Diagnostics)
	case record.Operation != nil:
		// Best effort, as the former machine may be gone: a trace costs one tag.
		_ = r.forget(ctx, state)
	}

	if resp.Diagnostics.HasError() {
		return
	}

	outcome, err := r.operate(ctx, plan, nil, req.Config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() || (err != nil && !lifecycle.Interrupted(err)) || outcome.Pending == nil {
		return
	}

	plan.unknow()
	plan.fill(plan, outcome, r.client.clock.Now())
	r.keep(ctx, resp.Private, lifecycle.Record{}, outcome, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, plan)...)
}

// Delete implements resource.Resource. It removes the record and the trace on the
// machine, and undoes nothing.
func (r *operationResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var model operationModel

	resp.Diagnostics.Append(req.State.Get(ctx, &model)...)

	if resp.Diagnostics.HasError() || !r.ready(&resp.Diagnostics) {
		return
	}

	encoded, _ := req.Private.GetKey(ctx, recordKey)

	record, err := lifecycle.DecodeRecord(encoded)
	if err == nil && len(encoded) > 0 && record.Operation == nil {
		return
	}

	if outstanding(record) {
		r.giveUp(ctx, model, resp.Private, &resp.Diagnostics)

		return
	}

	if err := r.forget(ctx, model); err != nil {
		resp.Diagnostics.Append(traceDiagnostic(model, err))
	}
}

func (r *operationResource) ready(diagnostics *diag.Diagnostics) bool {
	if r.client == nil {
		diagnostics.AddError(unconfigured())
	}

	return r.client != nil
}
