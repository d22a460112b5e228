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

func glob(t *testing.T, pattern string) []string {
	t.Helper()

	found, err := fs.Glob(repository(t), pattern)
	if err != nil {
		t.Fatal(err)
	}

	return found
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
// init has been run. Its commands may do what the published RAM policies allow.
type bench struct {
	*testing.T
	cloud        *acctest.Cloud
	directory    string
	installation *terraformcli.Installation
	// policies are the applier's beside the planner's.
	policies []string
	owner    string
	// taken is what was taken from the applier, where that is kept.
	taken        *allOf
	environments map[string]map[string]string
}

// newBench copies the named files of examples, and the provider's example with
// those that bring no provider block of their own.
func newBench(t *testing.T, installation *terraformcli.Installation, policies []string, names ...string) *bench {
	t.Helper()

	b := &bench{
		T: t, cloud: acctest.Start(t, ecsemulator.Options{}), directory: t.TempDir(), installation: installation, policies: policies,
	}

	var configuration string
	for _, name := range names {
		configuration += b.copy(name)
	}

	b.owner = ownerOf(t, configuration)
	b.environments = addRoles(t, b.cloud, b.owner, policies)
	b.run("init")

	return b
}

func (b *bench) copy(name string) string {
	b.Helper()

	directory := "examples"
	if strings.HasPrefix(name, "testdata/") {
		directory = "internal/exampletest"
	}

	content, err := fs.ReadFile(repository(b.T), path.Join(directory, name))
	if err != nil {
		b.Fatal(err)
	}

	b.write(path.Base(name), string(content))

	return string(content)
}

func (b *bench) write(name, content string) {
	b.Helper()

	if err := os.WriteFile(filepath.Join(b.directory, name), []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
}

// run runs a command as the user whose task it is.
func (b *bench) run(arguments ...string) {
	b.Helper()

	if _, err := b.try(arguments...); err != nil {
		b.Fatal(err)
	}
}

func (b *bench) try(arguments ...string) (terraformcli.Result, error) {
	return b.tryAs(roleOf(arguments[0]), arguments...)
}

func (b *bench) tryAs(role string, arguments ...string) (terraformcli.Result, error) {
	return b.installation.Workspace(b.directory, b.environments[role]).Run(b.Context(), arguments...)
}

// settle plans, applies, wants the next plan to be empty, and returns after a destroy
// that has to leave nothing.
func (b *bench) settle() {
	b.Helper()
	b.applyTwice()
	b.run("destroy", "-auto-approve")

	if left := b.cloud.Instances(); len(left) > 0 {
		b.Errorf("destroy left %v", left)
	}
}

// applyTwice plans and applies, and wants the next plan to be empty.
func (b *bench) applyTwice(arguments ...string) {
	b.Helper()
	b.run(append([]string{"plan"}, arguments...)...)
	b.run(append([]string{"apply", "-auto-approve"}, arguments...)...)
	b.run(append([]string{"plan", "-detailed-exitcode"}, arguments...)...)
}

// expectLaunches wants that many machines to have been asked for ever.
func (b *bench) expectLaunches(want int) {
	b.Helper()

	if launches := b.cloud.Counts()["RunInstances"]; launches != want {
		b.Errorf("%d launches, want %d", launches, want)
	}
}

var placeholderID = regexp.MustCompile(`cn-hangzhou\.(i-[a-z0-9]+)`)

// importBlock and importScript name one machine that is to be taken over.
const (
	importConfiguration = "resources/machine_allocation/resource.tf"
	importBlock         = "resources/machine_allocation/import-by-string-id.tf"
	importScript        = "resources/machine_allocation/import.sh"
)

func importByBlock(b *bench) {
	b.write("import.tf", b.withExistingMachine(importBlock))
	b.run("apply", "-auto-approve")
	b.expectTakenOver()
}

func importByCommand(b *bench) {
	var commands [][]string

	for line := range strings.Lines(b.withExistingMachine(importScript)) {
		if words := strings.Fields(line); len(words) > 0 && words[0] == "terraform" {
			commands = append(commands, words[1:])
		}
	}

	if len(commands) != 1 {
		b.Fatalf("%s holds %d commands", importScript, len(commands))
	}

	b.run(commands[0]...)
	b.run("apply", "-auto-approve")
	b.expectTakenOver()
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
	b.expectLaunches(0)

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
