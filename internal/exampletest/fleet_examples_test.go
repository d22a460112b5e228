package exampletest_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
)

func largeFleet(b *bench) {
	b.run("apply", "-auto-approve")

	if machines := len(b.cloud.Alive()); machines != 100 {
		b.Errorf("%d machines run, want 100", machines)
	}

	b.expectLaunches(100)
	b.run("plan", "-detailed-exitcode")
	b.run("destroy", "-auto-approve")

	if left := b.cloud.Alive(); len(left) > 0 {
		b.Errorf("destroy left %v", left)
	}
}

func importFleet(b *bench) {
	const machines = 12

	for i := range machines {
		b.cloud.Existing(b, ecsemulator.NewInstance{
			Name: fmt.Sprintf("pet-%d", i), InstanceType: "ecs.g6.xlarge", AgeSeconds: 86400, Tags: map[string]string{"role": "worker"},
		})
	}

	bystander := b.cloud.Existing(b, ecsemulator.NewInstance{Name: "bystander", AgeSeconds: 86400})

	b.applyTwice()
	b.expectLaunches(0)
	b.run("destroy", "-auto-approve")

	if left := b.cloud.Alive(); len(left) != 1 || left[0].ID != bystander.ID {
		b.Errorf("left are %v, want the machine without the tag", left)
	}
}

// queryArgument is an argument in the config block of a query.
var queryArgument = regexp.MustCompile(`(?m)^    (\w+) +=`)

// Commands before Terraform 1.14 cannot run a query, but its arguments can be compared
// with what the provider takes.
func TestQueryExamplesNameArgumentsThatThereAre(t *testing.T) {
	t.Parallel()

	schemas := providerSchemas(t)

	files := repository(t)

	for name, schema := range schemas.ListResourceSchemas {
		content, err := fs.ReadFile(files, path.Join("examples/list-resources", name, "list-resource.tfquery.hcl"))
		if err != nil {
			t.Fatal(err)
		}

		known := map[string]bool{}
		for _, attribute := range schema.Block.Attributes {
			known[attribute.Name] = true
		}

		arguments := queryArgument.FindAllStringSubmatch(string(content), -1)
		if len(arguments) == 0 || !strings.Contains(string(content), fmt.Sprintf("list %q ", name)) {
			t.Errorf("the query of %s has no arguments", name)
		}

		for _, argument := range arguments {
			if !known[argument[1]] {
				t.Errorf("the query of %s has an argument %s, which there is none of", name, argument[1])
			}
		}
	}
}

func TestEverythingElseHasAnExampleAndAPage(t *testing.T) {
	t.Parallel()

	server, err := providerserver.NewProtocol6WithError(provider.New("", provider.AlicloudConnector{})())()
	if err != nil {
		t.Fatal(err)
	}

	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}

	var wanted []string

	for name := range schemas.DataSourceSchemas {
		wanted = append(wanted, "examples/data-sources/"+name+"/data-source.tf", "docs/data-sources/"+strings.TrimPrefix(name, provider.TypeName+"_")+".md")
	}

	for name := range schemas.Functions {
		wanted = append(wanted, "examples/functions/"+name+"/function.tf", "docs/functions/"+name+".md")
	}

	for name := range schemas.ListResourceSchemas {
		wanted = append(wanted, "docs/list-resources/"+strings.TrimPrefix(name, provider.TypeName+"_")+".md")
	}

	if len(wanted) < 10 {
		t.Errorf("only %d files are wanted", len(wanted))
	}

	files := repository(t)

	for _, name := range wanted {
		if _, err := fs.Stat(files, name); err != nil {
			t.Error(err)
		}
	}
}
