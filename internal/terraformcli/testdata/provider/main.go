// Command provider is the smallest provider with something to show: a function
// that returns the version it was built with.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
)

var version = "not set"

func main() {
	flag.Parse()

	err := providerserver.Serve(context.Background(), func() provider.Provider { return versionProvider{} }, providerserver.ServeOpts{
		Address: "example.com/terraform-machine/machine",
	})
	if err != nil {
		log.Fatal(err)
	}
}

type versionProvider struct{}

func (versionProvider) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "machine"
	response.Version = version
}

func (versionProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (versionProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (versionProvider) Resources(context.Context) []func() resource.Resource { return nil }

func (versionProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (versionProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return versionFunction{} }}
}

type versionFunction struct{}

func (versionFunction) Metadata(_ context.Context, _ function.MetadataRequest, response *function.MetadataResponse) {
	response.Name = "version"
}

func (versionFunction) Definition(_ context.Context, _ function.DefinitionRequest, response *function.DefinitionResponse) {
	response.Definition = function.Definition{Summary: "The provider's version", Return: function.StringReturn{}}
}

func (versionFunction) Run(ctx context.Context, _ function.RunRequest, response *function.RunResponse) {
	response.Error = response.Result.Set(ctx, version)
}
