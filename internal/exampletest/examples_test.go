package exampletest_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const providerVersion = "0.1.0"

// repository is the root of the module as a file system.
func repository(t *testing.T) fs.FS {
	t.Helper()

	root, err := terraformcli.ModuleRoot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}

	return os.DirFS(root)
}

func installProvider(t *testing.T) *terraformcli.Installation {
	t.Helper()

	installation, err := terraformcli.BuildAndInstall(t.Context(), os.Environ(), providerVersion, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}

	return installation
}

// bench is one example at work: its own cloud and its own directory, in which
// init has been run.
type bench struct {
	*testing.T
	cloud     *acctest.Cloud
	workspace terraformcli.Workspace
}

// newBench copies the named files of examples, and the provider's example with
// those that bring no provider block of their own.
func newBench(t *testing.T, installation *terraformcli.Installation, names ...string) *bench {
	t.Helper()

	cloud := acctest.Start(t, ecsemulator.Options{})

	b := &bench{T: t, cloud: cloud, workspace: installation.Workspace(t.TempDir(), cloud.Variables())}
	for _, name := range names {
		b.copy(name)
	}

	b.run("init")

	return b
}

func (b *bench) copy(name string) {
	b.Helper()

	files := repository(b.T)

	content, err := fs.ReadFile(files, path.Join("examples", name))
	if err != nil {
		b.Fatal(err)
	}

	b.write(path.Base(name), string(content))
}

func (b *bench) write(name, content string) {
	b.Helper()

	if err := os.WriteFile(filepath.Join(b.workspace.Directory, name), []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) run(arguments ...string) {
	b.Helper()

	if _, err := b.workspace.Run(b.Context(), arguments...); err != nil {
		b.Fatal(err)
	}
}

// settle applies, wants the next plan to be empty, and returns after a destroy
// that has to leave nothing.
func (b *bench) settle() {
	b.Helper()

	b.run("apply", "-auto-approve")
	b.run("plan", "-detailed-exitcode")
	b.run("destroy", "-auto-approve")

	if left := b.cloud.Instances(); len(left) > 0 {
		b.Errorf("destroy left %v", left)
	}
}

func TestExamplesApply(t *testing.T) {
	t.Parallel()

	installation := installProvider(t)
	files := repository(t)

	var configurations []string

	for _, pattern := range []string{
		"examples/resources/*/resource*.tf", "examples/data-sources/*/data-source*.tf", "examples/functions/*/function*.tf", "examples/guides/*/*.tf",
	} {
		found, err := fs.Glob(files, pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("found no examples of %s: %v", pattern, err)
		}

		configurations = append(configurations, found...)
	}

	for _, configuration := range configurations {
		name := strings.TrimPrefix(configuration, "examples/")

		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newBench(t, installation, "provider/provider.tf", name).settle()
		})
	}

	t.Run("operations", func(t *testing.T) {
		t.Parallel()
		newBench(t, installation, "operations/main.tf").settle()
	})

	t.Run("quickstart", func(t *testing.T) {
		t.Parallel()
		newBench(t, installation, "quickstart/main.tf", "quickstart/cloud-init.yaml").settle()
	})
}

var placeholderID = regexp.MustCompile(`cn-hangzhou\.(i-[a-z0-9]+)`)

func TestImportExamplesTakeOverAMachine(t *testing.T) {
	t.Parallel()

	installation := installProvider(t)

	const (
		configuration = "resources/machine_allocation/resource.tf"
		block         = "resources/machine_allocation/import-by-string-id.tf"
		script        = "resources/machine_allocation/import.sh"
	)

	t.Run("by a block", func(t *testing.T) {
		t.Parallel()

		b := newBench(t, installation, "provider/provider.tf", configuration)
		b.write("import.tf", b.withExistingMachine(block))
		b.run("apply", "-auto-approve")
		b.expectTakenOver()
	})

	t.Run("by the command", func(t *testing.T) {
		t.Parallel()

		b := newBench(t, installation, "provider/provider.tf", configuration)

		var commands [][]string

		for line := range strings.Lines(b.withExistingMachine(script)) {
			if words := strings.Fields(line); len(words) > 0 && words[0] == "terraform" {
				commands = append(commands, words[1:])
			}
		}

		if len(commands) != 1 {
			t.Fatalf("%s holds %d commands", script, len(commands))
		}

		b.run(commands[0]...)
		b.run("apply", "-auto-approve")
		b.expectTakenOver()
	})
}

// withExistingMachine gives the account a machine and returns the text of an
// example that names it.
func (b *bench) withExistingMachine(name string) string {
	b.Helper()

	files := repository(b.T)

	content, err := fs.ReadFile(files, path.Join("examples", name))
	if err != nil {
		b.Fatal(err)
	}

	if !placeholderID.Match(content) {
		b.Fatalf("%s names no machine", name)
	}

	existing := b.cloud.Existing(b, ecsemulator.NewInstance{InstanceType: "ecs.g6.xlarge", VSwitchID: "vsw-a"})

	return placeholderID.ReplaceAllString(string(content), "cn-hangzhou."+existing.ID)
}

func (b *bench) expectTakenOver() {
	b.Helper()
	b.run("plan", "-detailed-exitcode")

	if launches := b.cloud.Counts()["RunInstances"]; launches != 0 {
		b.Errorf("an import launched %d machines", launches)
	}

	if machines := b.cloud.Instances(); len(machines) != 1 {
		b.Errorf("the account has %v", machines)
	}
}

// providerSchemas are what the provider says of itself.
func providerSchemas(t *testing.T) *tfprotov6.GetProviderSchemaResponse {
	t.Helper()

	server, err := providerserver.NewProtocol6WithError(provider.New("", provider.AlicloudConnector{})())()
	if err != nil {
		t.Fatal(err)
	}

	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}

	return schemas
}

func TestEveryResourceHasAnExampleAndAPage(t *testing.T) {
	t.Parallel()

	schemas := providerSchemas(t)

	if len(schemas.ResourceSchemas) == 0 {
		t.Fatal("the provider has no resources")
	}

	files := repository(t)

	for name := range schemas.ResourceSchemas {
		page := "docs/resources/" + strings.TrimPrefix(name, provider.TypeName+"_") + ".md"
		for _, path := range []string{"examples/resources/" + name + "/resource.tf", page} {
			if _, err := fs.Stat(files, path); err != nil {
				t.Error(err)
			}
		}
	}
}
