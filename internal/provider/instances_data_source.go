package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var _ datasource.DataSourceWithConfigure = (*instancesDataSource)(nil)

// instancesDataSource lists machines, whether a state holds them or not.
type instancesDataSource struct{ client *client }

func newInstancesDataSource() datasource.DataSource { return &instancesDataSource{} }

type instancesModel struct {
	instancesFilter

	ProviderIDs types.List `tfsdk:"provider_ids"`
	Instances   types.List `tfsdk:"instances"`
}

// Metadata implements datasource.DataSource.
func (d *instancesDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_instances"
}

// Schema implements datasource.DataSource.
func (d *instancesDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := filterAttributes()
	attributes["provider_ids"] = schema.ListAttribute{
		Computed: true, ElementType: types.StringType, MarkdownDescription: "Provider IDs of the machines, sorted.",
	}
	attributes["instances"] = schema.ListNestedAttribute{
		Computed: true, MarkdownDescription: "The machines, in the order of `provider_ids`.",
		NestedObject: schema.NestedAttributeObject{Attributes: computedInstance()},
	}

	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists machines as ECS shows them, whether a state holds them or not: what an interrupted apply left, what another configuration has, and, with `owner = \"*\"`, " +
			"what is to be taken over. All filters together narrow the list. That nothing is found is an empty list; that nothing may be seen is an error.",
		Attributes: attributes,
	}
}

// filterAttributes are the arguments of a filter as attributes of a data source.
func filterAttributes() map[string]schema.Attribute {
	attributes := map[string]schema.Attribute{}

	for name, argument := range filterArguments() {
		switch kind := argument.kind.(type) {
		case types.ListType:
			attributes[name] = schema.ListAttribute{Optional: true, ElementType: kind.ElemType, MarkdownDescription: argument.description, Validators: argument.list}
		case types.MapType:
			attributes[name] = schema.MapAttribute{Optional: true, ElementType: kind.ElemType, MarkdownDescription: argument.description}
		default:
			if kind == types.BoolType {
				attributes[name] = schema.BoolAttribute{Optional: true, MarkdownDescription: argument.description}
			} else {
				attributes[name] = schema.StringAttribute{Optional: true, MarkdownDescription: argument.description, Validators: argument.text}
			}
		}
	}

	return attributes
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *instancesDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.client = configured(req.ProviderData, &resp.Diagnostics)
}

// Read implements datasource.DataSource.
func (d *instancesDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model instancesModel

	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)

	if d.client == nil {
		resp.Diagnostics.AddError(unconfigured())
	}

	if resp.Diagnostics.HasError() {
		return
	}

	ctx, cancel := context.WithTimeout(ctx, DefaultReadTimeout)
	defer cancel()

	machines, err := d.client.find(ctx, model.instancesFilter)
	if err != nil {
		resp.Diagnostics.AddError("Cannot list machines", withRemedy(err, advice{again: runAgain}))

		return
	}

	now := d.client.clock.Now()
	instances, ids := make([]attr.Value, 0, len(machines)), make([]string, 0, len(machines))

	for _, machine := range machines {
		ids = append(ids, machine.ProviderID)
		instances = append(instances, types.ObjectValueMust(instanceTypes(), d.client.instanceValues(machine, now)))
	}

	model.ProviderIDs = stringList(ids)
	model.Instances = types.ListValueMust(types.ObjectType{AttrTypes: instanceTypes()}, instances)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}
