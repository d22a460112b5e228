package provider

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

func TestSchemasAreSound(t *testing.T) {
	t.Parallel()

	made := New("test", AlicloudConnector{})()

	var providerSchema provider.SchemaResponse

	made.Schema(t.Context(), provider.SchemaRequest{}, &providerSchema)

	if diagnostics := providerSchema.Schema.ValidateImplementation(t.Context()); diagnostics.HasError() {
		t.Errorf("provider: %v", diagnostics)
	}

	for _, newResource := range made.Resources(t.Context()) {
		var (
			metadata       resource.MetadataResponse
			resourceSchema resource.SchemaResponse
		)

		newResource().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: TypeName}, &metadata)
		newResource().Schema(t.Context(), resource.SchemaRequest{}, &resourceSchema)

		if diagnostics := resourceSchema.Schema.ValidateImplementation(t.Context()); diagnostics.HasError() {
			t.Errorf("%s: %v", metadata.TypeName, diagnostics)
		}
	}

	for _, newDataSource := range made.DataSources(t.Context()) {
		var response datasource.SchemaResponse

		newDataSource().Schema(t.Context(), datasource.SchemaRequest{}, &response)

		if diagnostics := response.Schema.ValidateImplementation(t.Context()); diagnostics.HasError() {
			t.Errorf("%T: %v", newDataSource(), diagnostics)
		}
	}
}

func TestEverythingInASchemaIsDescribed(t *testing.T) {
	t.Parallel()

	server, err := providerserver.NewProtocol6WithError(New("test", AlicloudConnector{})())()
	if err != nil {
		t.Fatal(err)
	}

	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}

	described := 0

	check := func(name, description string) {
		described++

		if len(description) < 10 || !strings.HasSuffix(description, ".") {
			t.Errorf("%s is described as %q", name, description)
		}
	}

	var walk func(prefix string, attributes []*tfprotov6.SchemaAttribute)

	walk = func(prefix string, attributes []*tfprotov6.SchemaAttribute) {
		for _, attribute := range attributes {
			name := prefix + "." + attribute.Name

			// The framework's timeouts take descriptions of their parts only.
			if attribute.Name != "timeouts" {
				check(name, attribute.Description)
			}

			if attribute.NestedType != nil {
				walk(name, attribute.NestedType.Attributes)
			}
		}
	}

	walk("provider", schemas.Provider.Block.Attributes)

	for name, schema := range schemas.ResourceSchemas {
		check(name, schema.Block.Description)
		walk(name, schema.Block.Attributes)
	}

	for name, schema := range schemas.DataSourceSchemas {
		check(name, schema.Block.Description)
		walk(name, schema.Block.Attributes)
	}

	for name, schema := range schemas.ListResourceSchemas {
		check(name, schema.Block.Description)
		walk(name, schema.Block.Attributes)
	}

	for name, function := range schemas.Functions {
		check(name, function.Description)

		for _, parameter := range function.Parameters {
			check(name+"."+parameter.Name, parameter.Description)
		}
	}

	if described < 40 {
		t.Errorf("only %d things were looked at", described)
	}
}

func TestSecretsAreMarkedInTheSchemas(t *testing.T) {
	t.Parallel()

	secrets := alicloudProviderAttribute().Attributes
	for _, name := range []string{"access_key_secret", "security_token"} {
		if !secrets[name].IsSensitive() {
			t.Errorf("alicloud.%s is not sensitive", name)
		}
	}

	attributes := allocationSchema(t.Context()).Attributes
	for _, name := range []string{"user_data_wo", "user_data_wo_base64"} {
		if !attributes[name].IsWriteOnly() {
			t.Errorf("%s is not write-only", name)
		}
	}
}

// cloudWords are names of one cloud in code.
var cloudWords = regexp.MustCompile(`(?i)\becs|alibaba|vswitch|security_?group|ram_?role|on_demand`)

// What the provider's code does has to be the same for every cloud, so what only one
// knows is named in its own files. Texts for people may name it anywhere.
func TestOneCloudIsKnownInItsOwnFilesOnly(t *testing.T) {
	t.Parallel()

	entries, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil {
		t.Fatal(err)
	}

	looked := 0

	for _, name := range entries {
		if strings.HasPrefix(name, "alicloud_") || strings.HasSuffix(name, "_test.go") {
			continue
		}

		looked++

		files := token.NewFileSet()

		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}

		ast.Inspect(file, func(node ast.Node) bool {
			if problem := cloudName(node); problem != "" {
				t.Errorf("%s: %s names one cloud; its place is an alicloud_ file", files.Position(node.Pos()), problem)
			}

			return true
		})
	}

	if looked < 10 {
		t.Errorf("only %d files were looked at", looked)
	}
}

// cloudName returns a node's own text where that names a cloud. A string with a blank
// in it is text for people.
func cloudName(node ast.Node) string {
	switch node := node.(type) {
	case *ast.Ident:
		if cloudWords.MatchString(node.Name) {
			return node.Name
		}
	case *ast.BasicLit:
		if node.Kind == token.STRING && !strings.Contains(node.Value, " ") && cloudWords.MatchString(node.Value) {
			return fmt.Sprintf("the string %s", node.Value)
		}
	}

	return ""
}
