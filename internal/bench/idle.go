package bench

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// idle is a provider of the same schema that does nothing: what it costs is what
// Terraform and the framework cost.
type idle struct{ provider.Provider }

func newIdle(like func() provider.Provider) func() provider.Provider {
	return func() provider.Provider { return idle{like()} }
}

// Configure implements provider.Provider.
func (idle) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

// Resources implements provider.Provider.
func (p idle) Resources(ctx context.Context) []func() resource.Resource {
	made := p.Provider.Resources(ctx)
	idles := make([]func() resource.Resource, 0, len(made))

	for _, one := range made {
		idles = append(idles, func() resource.Resource {
			like := one()
			if identified, ok := like.(resource.ResourceWithIdentity); ok {
				return idleIdentifiedResource{idleResource{like}, identified}
			}

			return idleResource{like: like}
		})
	}

	return idles
}

// idleResource has another's name and schema, and keeps every object as it is.
type idleResource struct{ like resource.Resource }

// Metadata implements resource.Resource.
func (r idleResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.like.Metadata(ctx, req, resp)
}

// Schema implements resource.Resource.
func (r idleResource) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	r.like.Schema(ctx, req, resp)
}

// Create implements resource.Resource.
func (idleResource) Create(_ context.Context, _ resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.AddError("Nothing to create", "The reference provider of the benchmark plans, and does nothing else.")
}

// Read implements resource.Resource: the object is as it was.
func (idleResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update implements resource.Resource.
func (idleResource) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

// Delete implements resource.Resource.
func (idleResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// idleIdentifiedResource is one that has an identity beside its state.
type idleIdentifiedResource struct {
	idleResource

	identified resource.ResourceWithIdentity
}

// IdentitySchema implements resource.ResourceWithIdentity.
func (r idleIdentifiedResource) IdentitySchema(ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	r.identified.IdentitySchema(ctx, req, resp)
}

// Read implements resource.Resource: the object is as it was, and is named where it
// was not, as the state does not hold what no apply has written yet.
func (r idleIdentifiedResource) Read(ctx context.Context, _ resource.ReadRequest, resp *resource.ReadResponse) {
	if resp.Identity == nil || !resp.Identity.Raw.IsFullyNull() {
		return
	}

	var schema resource.IdentitySchemaResponse

	r.identified.IdentitySchema(ctx, resource.IdentitySchemaRequest{}, &schema)

	for name := range schema.IdentitySchema.Attributes {
		resp.Diagnostics.Append(resp.Identity.SetAttribute(ctx, path.Root(name), "idle")...)
	}
}
