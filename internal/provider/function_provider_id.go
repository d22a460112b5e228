package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

var (
	_ function.Function = parseProviderIDFunction{}
	_ function.Function = nodeNameFunction{}
)

// providerIDDescription is said of the argument that both functions take.
const providerIDDescription = "A machine's provider ID: `<region>.<instance-id>`, with or without `alicloud://` before it, as `machine_allocation` and a Kubernetes node's `spec.providerID` have it."

// parseProviderIDFunction takes a provider ID apart.
type parseProviderIDFunction struct{ cloud func() (Cloud, error) }

// Metadata implements function.Function.
func (parseProviderIDFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "parse_provider_id"
}

func parsedProviderIDTypes() map[string]attr.Type {
	return map[string]attr.Type{"region": types.StringType, "instance_id": types.StringType}
}

// Definition implements function.Function.
func (parseProviderIDFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "Take a provider ID apart",
		MarkdownDescription: "Returns an object with the `region` and the `instance_id` that a provider ID names. Text that is no provider ID is an error.",
		Parameters:          []function.Parameter{function.StringParameter{Name: "provider_id", MarkdownDescription: providerIDDescription}},
		Return:              function.ObjectReturn{AttributeTypes: parsedProviderIDTypes()},
	}
}

// Run implements function.Function.
func (f parseProviderIDFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	id, _, failure := providerIDArgument(ctx, req, f.cloud)
	if failure != nil {
		resp.Error = failure

		return
	}

	resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(parsedProviderIDTypes(), map[string]attr.Value{
		"region": types.StringValue(id.Region), "instance_id": types.StringValue(id.ResourceID),
	}))
}

// nodeNameFunction tells under which name a machine registers.
type nodeNameFunction struct{ cloud func() (Cloud, error) }

// Metadata implements function.Function.
func (nodeNameFunction) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "node_name"
}

// Definition implements function.Function.
func (nodeNameFunction) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Tell a machine's node name",
		MarkdownDescription: "Returns the name under which a machine registers with Kubernetes when it was given no host name of its own: that which ECS derives from the instance ID, " +
			"in lower case. The `node_name` of a `machine_allocation` also knows host names that were set.",
		Parameters: []function.Parameter{function.StringParameter{Name: "provider_id", MarkdownDescription: providerIDDescription}},
		Return:     function.StringReturn{},
	}
}

// Run implements function.Function.
func (f nodeNameFunction) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	id, cloud, failure := providerIDArgument(ctx, req, f.cloud)
	if failure != nil {
		resp.Error = failure

		return
	}

	resp.Error = resp.Result.Set(ctx, cloud.Observer().DefaultNodeName(id))
}

// providerIDArgument reads the first argument. A function knows no provider block, so
// the ID has to name its region.
func providerIDArgument(ctx context.Context, req function.RunRequest, connect func() (Cloud, error)) (driver.ProviderID, Cloud, *function.FuncError) {
	var text string

	if failure := req.Arguments.Get(ctx, &text); failure != nil {
		return driver.ProviderID{}, nil, failure
	}

	cloud, err := connect()
	if err != nil {
		return driver.ProviderID{}, nil, function.NewFuncError(err.Error())
	}

	id, err := cloud.Observer().ParseProviderID(text, "")
	if err != nil {
		return driver.ProviderID{}, nil, function.NewArgumentFuncError(0, err.Error())
	}

	return id, cloud, nil
}
