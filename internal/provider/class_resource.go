package provider

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ resource.ResourceWithConfigure  = (*classResource)(nil)
	_ resource.ResourceWithModifyPlan = (*classResource)(nil)
)

type classResource struct{ client *client }

func newClassResource() resource.Resource { return &classResource{} }

// Metadata implements resource.Resource.
func (r *classResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_class"
}

// Schema implements resource.Resource.
func (r *classResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = classSchema()
}

// Configure implements resource.ResourceWithConfigure.
func (r *classResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.client = configured(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan implements resource.ResourceWithModifyPlan: a class that names no
// region is in the provider's, and its destruction is prepared.
func (r *classResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.client == nil {
		return
	}

	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)

		return
	}

	region := path.Root(alicloudClassKey).AtName("region")

	var configured types.String

	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, region, &configured)...)

	if resp.Diagnostics.HasError() {
		return
	}

	if configured.IsNull() {
		if r.client.region == "" {
			resp.Diagnostics.AddAttributeError(region, "No region",
				"The class names no region, and the provider has none. Set alicloud.region in the class or in the provider block, or the environment variable ALIBABA_CLOUD_REGION.")

			return
		}

		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, region, r.client.region)...)
	}

	r.reserveUID(ctx, resp)

	if !resp.Diagnostics.HasError() {
		r.checkPlanned(ctx, req, resp)
	}
}

// reserveUID refuses a UID that another class of the configuration has.
func (r *classResource) reserveUID(ctx context.Context, resp *resource.ModifyPlanResponse) {
	var model classModel

	resp.Diagnostics.Append(resp.Plan.Get(ctx, &model)...)

	if resp.Diagnostics.HasError() || model.UID.IsUnknown() || model.UID.IsNull() {
		return
	}

	if !r.client.uids.add(model.UID.ValueString(), model.Name.String()+"\x00"+model.Alicloud.String()) {
		resp.Diagnostics.AddAttributeError(path.Root("uid"), "Duplicate class uid",
			fmt.Sprintf("Two machine_class resources of this configuration have the uid %q. It is how the machines of a class are found again, so each class has to have its own: "+
				"put the name of the class into it, or leave it out.", model.UID.ValueString()))
	}
}

// Create implements resource.Resource. It launches nothing.
func (r *classResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var model classModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)

	if resp.Diagnostics.HasError() {
		return
	}

	if model.UID.IsUnknown() {
		model.UID = types.StringValue(newID())
		r.client.newClasses.add(model.UID.ValueString())
	}

	r.resolve(ctx, model, &resp.Diagnostics)

	if resp.Diagnostics.HasError() {
		return
	}

	r.client.applied.Store(true)
	r.record(ctx, classRecord{}, model, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// Read implements resource.Resource. A class lives in the state alone.
func (r *classResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update implements resource.Resource.
func (r *classResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var model classModel

	resp.Diagnostics.Append(req.Plan.Get(ctx, &model)...)

	record := readClassRecord(ctx, req.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	r.resolve(ctx, model, &resp.Diagnostics)

	if resp.Diagnostics.HasError() {
		return
	}

	r.client.applied.Store(true)
	r.record(ctx, record, model, resp.Private, &resp.Diagnostics)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

// record notes where the class's machines are.
func (r *classResource) record(ctx context.Context, record classRecord, model classModel, private privateWriter, diagnostics *diag.Diagnostics) {
	if region := model.region().ValueString(); region != "" && !slices.Contains(record.Regions, region) {
		record.Regions = append(record.Regions, region)
	}

	writeClassRecord(ctx, private, record, diagnostics)
}

// resolution bounds the look-up of what a class names.
const resolution = 3 * time.Minute

// resolve looks up what the class names, so that a mistake is found before a
// machine is asked for.
func (r *classResource) resolve(ctx context.Context, model classModel, diagnostics *diag.Diagnostics) {
	if r.client == nil {
		diagnostics.AddError(unconfigured())

		return
	}

	class, err := model.class()
	if err != nil {
		diagnostics.AddError("Cannot read the class", ownFault(err, "Nothing was changed."))

		return
	}

	ctx, cancel := context.WithTimeout(ctx, resolution)
	defer cancel()

	if _, err := r.client.classes.Resolve(ctx, class); err != nil {
		diagnostics.Append(classDiagnostic(model.Name.ValueString(), err, advice{became: "Nothing was launched.", again: applyAgain}))
	}
}

// configured returns the provider's data, which is nil before Configure.
func configured(data any, diagnostics *diag.Diagnostics) *client {
	if data == nil {
		return nil
	}

	c, ok := data.(*client)
	if !ok {
		diagnostics.AddError("Provider not configured as expected", "This is a bug in the provider; please report it.")
	}

	return c
}
