package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

var _ datasource.DataSourceWithConfigure = (*instanceDataSource)(nil)

// instanceDataSource shows one machine.
type instanceDataSource struct{ client *client }

func newInstanceDataSource() datasource.DataSource { return &instanceDataSource{} }

// Metadata implements datasource.DataSource.
func (d *instanceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instance"
}

// Schema implements datasource.DataSource.
func (d *instanceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := computedInstance()
	attributes["provider_id"] = schema.StringAttribute{
		Required: true, MarkdownDescription: "Provider ID of the machine: `<region>.<instance-id>`, the same after `alicloud://`, or `<instance-id>` where the provider has a region.",
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Shows one machine as ECS does, whether a state holds it or not. A machine that does not exist is an error.",
		Attributes:          attributes,
	}
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *instanceDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.client = configured(req.ProviderData, &resp.Diagnostics)
}

// Read implements datasource.DataSource.
func (d *instanceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var text types.String

	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("provider_id"), &text)...)

	if d.client == nil {
		resp.Diagnostics.AddError(unconfigured())
	}

	if resp.Diagnostics.HasError() {
		return
	}

	id, err := d.client.cloud.Observer().ParseProviderID(text.ValueString(), d.client.region)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("provider_id"), "Malformed provider ID", malformedProviderID(err))

		return
	}

	ctx, cancel := context.WithTimeout(ctx, DefaultReadTimeout)
	defer cancel()

	machine, err := d.client.look(ctx, id.String())

	switch {
	case driver.CodeOf(err) == driver.CodeNotFound:
		resp.Diagnostics.AddAttributeError(path.Root("provider_id"), "There is no such machine",
			fmt.Sprintf("The instance %s does not exist in the region %s, which is the one that was searched. If it is in another region, write <region>.%s; "+
				"if it is in another account, use that account's credentials.", id.ResourceID, id.Region, id.ResourceID))

		return
	case err != nil:
		resp.Diagnostics.AddError("Cannot look at "+id.String(), withRemedy(err, advice{again: runAgain, byID: true}))

		return
	}

	values := d.client.instanceValues(machine, d.client.clock.Now())
	// As it is configured, in whatever form.
	values["provider_id"] = text

	for name, value := range values {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(name), value)...)
	}
}

// look returns a machine as it is now. Until this run has changed anything the shared
// list shows that.
func (c *client) look(ctx context.Context, providerID string) (*driver.ObservedMachine, error) {
	if c.applied.Load() {
		return c.observe(ctx, providerID)
	}

	machine, _, err := c.read(ctx, providerID)

	return machine, err
}
