package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listedPackage is the part of `go list -json` that is read here.
type listedPackage struct {
	ImportPath   string
	Name         string
	Dir          string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func moduleRoot(t *testing.T) string {
	t.Helper()

	output, err := exec.CommandContext(t.Context(), "go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatal(err)
	}

	return filepath.Dir(strings.TrimSpace(string(output)))
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()

	command := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Dir,Imports,TestImports,XTestImports", "./...")
	command.Dir = moduleRoot(t)

	var complaints bytes.Buffer
	command.Stderr = &complaints

	output, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, complaints.String())
	}

	var packages []listedPackage

	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var listed listedPackage

		err := decoder.Decode(&listed)
		if errors.Is(err, io.EOF) {
			return packages
		}

		if err != nil {
			t.Fatal(err)
		}

		packages = append(packages, listed)
	}
}

func TestImportsFollowTheRules(t *testing.T) {
	t.Parallel()

	graph := map[string]goPackage{}

	for _, listed := range listPackages(t) {
		internal, inside := insideModule(listed.ImportPath)
		if !inside {
			t.Fatalf("%s is not in the module %s", listed.ImportPath, modulePath)
		}

		graph[internal] = goPackage{imports: listed.Imports, testImports: append(listed.TestImports, listed.XTestImports...)}
	}

	for _, violation := range violations(graph, rules()) {
		t.Error(violation)
	}
}

// The rules are only worth something if a wrong import is found.
func TestWrongImportsAreFound(t *testing.T) {
	t.Parallel()

	in := func(internal string) string { return modulePath + "/" + internal }

	tests := []struct {
		name string
		of   string
		pkg  goPackage
		want string
	}{
		{
			name: "the product imports the emulator",
			of:   "internal/alicloud",
			pkg:  goPackage{imports: []string{in("internal/ecsemulator")}},
			want: "internal/alicloud is product code and imports internal/ecsemulator, which is not",
		},
		{
			name: "the provider reaches past the driver contract",
			of:   "internal/provider",
			pkg:  goPackage{imports: []string{in("internal/alicloud")}},
			want: "internal/provider must not import internal/alicloud",
		},
		{
			name: "the lifecycle learns of a cloud",
			of:   "internal/lifecycle",
			pkg:  goPackage{imports: []string{in("internal/alicloud/ecs")}},
			want: "internal/lifecycle must not import internal/alicloud/ecs",
		},
		{
			name: "the lifecycle learns of the driver",
			of:   "internal/lifecycle",
			pkg:  goPackage{imports: []string{in("internal/driver")}},
			want: "internal/lifecycle must not import internal/driver",
		},
		{
			name: "machineops learns of Terraform",
			of:   "internal/machineops",
			pkg:  goPackage{imports: []string{framework + "/types"}},
			want: "internal/machineops must not import " + framework + "/types",
		},
		{
			name: "the framework's companion modules count as the framework",
			of:   "internal/alicloud",
			pkg:  goPackage{imports: []string{framework + "-validators/stringvalidator"}},
			want: "internal/alicloud must not import " + framework + "-validators/stringvalidator",
		},
		{
			name: "the driver learns of operations",
			of:   "internal/driver",
			pkg:  goPackage{imports: []string{in("internal/machineops")}},
			want: "internal/driver must not import internal/machineops",
		},
		{
			name: "the SDK leaves its place",
			of:   "internal/alicloud",
			pkg:  goPackage{imports: []string{sdkV1 + "/alibaba-cloud-sdk-go/services/ecs"}},
			want: "internal/alicloud must not import " + sdkV1 + "/alibaba-cloud-sdk-go/services/ecs",
		},
		{
			name: "the test-only SDK gets into the product",
			of:   "internal/alicloud/ecs",
			pkg:  goPackage{imports: []string{sdkTea + "/ecs-20140526/v7/client"}},
			want: "internal/alicloud/ecs must not import " + sdkTea + "/ecs-20140526/v7/client",
		},
		{
			name: "the emulator learns of the product",
			of:   "internal/ecsemulator",
			pkg:  goPackage{imports: []string{in("internal/alicloud/ecs")}},
			want: "internal/ecsemulator must not import internal/alicloud/ecs",
		},
		{
			name: "the emulator's tests learn of the product",
			of:   "internal/ecsemulator",
			pkg:  goPackage{testImports: []string{in("internal/ecsemulator"), in("internal/alicloud/ecs")}},
			want: "the tests of internal/ecsemulator must not import internal/alicloud/ecs",
		},
		{
			name: "a package is not listed",
			of:   "internal/helpers",
			pkg:  goPackage{},
			want: "internal/helpers has no rule: say in rules_test.go what it may import",
		},
	}

	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			graph := map[string]goPackage{}
			for _, name := range sortedNames(rules()) {
				graph[name] = goPackage{}
			}

			graph[test.of] = test.pkg

			if got := violations(graph, rules()); !slices.Equal(got, []string{test.want}) {
				t.Errorf("found %q, want %q", got, test.want)
			}
		})
	}

	t.Run("a rule outlives its package", func(t *testing.T) {
		t.Parallel()

		got := violations(nil, map[string]rule{"internal/gone": {}})
		if want := []string{"internal/gone has a rule but does not exist: take the rule out"}; !slices.Equal(got, want) {
			t.Errorf("found %q, want %q", got, want)
		}
	})
}
