package architecture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// modulePath is the import path of the main package; "" stands for it below.
const modulePath = "github.com/terraform-machine/terraform-provider-machine"

// layer tells product code from what builds, tests and measures it.
type layer int

const (
	// product is what is compiled into the provider.
	product layer = iota
	// support is what only tests and commands of this repository use.
	support
	// command is a main package of this repository other than the provider.
	command
)

// rule says what one package may import in its non-test files.
type rule struct {
	layer layer
	// imports are the allowed packages of this module.
	imports []string
	// modules are the allowed restricted modules; see restrictedModules.
	modules []string
}

const (
	framework  = "github.com/hashicorp/terraform-plugin-framework"
	protocol   = "github.com/hashicorp/terraform-plugin-go"
	pluginLog  = "github.com/hashicorp/terraform-plugin-log"
	acceptance = "github.com/hashicorp/terraform-plugin-testing"
	hashicorp  = "github.com/hashicorp"
	sdkV1      = "github.com/aliyun"
	sdkTea     = "github.com/alibabacloud-go"
)

// restrictedModules are import path prefixes that only the packages whose rule
// names them may use; the longest prefix that fits counts. Everything else from
// outside is free.
func restrictedModules() []string {
	return []string{framework, protocol, pluginLog, acceptance, hashicorp, sdkV1, sdkTea}
}

// rules lists every package of the module. To add a package is to say here what
// it stands on.
func rules() map[string]rule {
	return map[string]rule{
		"": {product, []string{
			"internal/provider", "internal/rpcserver", "internal/alicloud", "internal/lifecycle",
			"internal/machineops", "internal/machineops/v1alpha3", "internal/driver",
		}, []string{framework, protocol}},
		"internal/provider": {product, []string{
			"internal/lifecycle", "internal/machineops", "internal/machineops/v1alpha3", "internal/driver", "internal/safeguard",
		}, []string{framework, protocol, pluginLog, hashicorp}},
		"internal/rpcserver":           {product, nil, []string{framework, protocol, pluginLog, hashicorp}},
		"internal/lifecycle":           {product, []string{"internal/machineops", "internal/machineops/v1alpha3", "internal/safeguard"}, nil},
		"internal/safeguard":           {product, nil, nil},
		"internal/machineops":          {product, []string{"internal/machineops/v1alpha3"}, nil},
		"internal/machineops/v1alpha3": {product, nil, nil},
		"internal/driver":              {product, []string{"internal/driver/v1alpha1"}, nil},
		"internal/driver/v1alpha1":     {product, nil, nil},
		"internal/alicloud": {product, []string{
			"internal/machineops", "internal/machineops/v1alpha3", "internal/driver", "internal/driver/v1alpha1",
			"internal/alicloud/ecs", "internal/alicloud/credentials", "internal/alicloud/spi", "internal/safeguard",
		}, nil},
		"internal/alicloud/credentials": {product, []string{"internal/alicloud/ecs"}, nil},
		"internal/alicloud/spi":         {product, []string{"internal/alicloud/ecs"}, nil},
		"internal/alicloud/ecs":         {product, nil, []string{sdkV1}},

		"internal/machineops/machineopstest": {support, []string{"internal/machineops", "internal/machineops/v1alpha3"}, nil},
		"internal/ecsemulator":               {support, nil, nil},
		"internal/terraformcli":              {support, nil, nil},
		"internal/acctest": {support, []string{
			"internal/provider", "internal/rpcserver", "internal/alicloud", "internal/lifecycle", "internal/machineops",
			"internal/machineops/v1alpha3", "internal/driver", "internal/ecsemulator", "internal/terraformcli",
		}, []string{framework, protocol, acceptance}},
		"internal/architecture": {support, nil, nil},
		"internal/exampletest":  {support, nil, nil},

		"internal/cmd/demo":         {command, []string{"internal/ecsemulator", "internal/terraformcli"}, nil},
		"internal/cmd/ecs-emulator": {command, []string{"internal/ecsemulator"}, nil},
		"internal/crashtest/core":   {support, nil, []string{protocol}},
		"internal/crashtest": {support, []string{
			"internal/crashtest/core", "internal/ecsemulator", "internal/terraformcli", "internal/provider",
			"internal/rpcserver", "internal/alicloud", "internal/driver", "internal/safeguard",
		}, []string{framework, protocol}},
		"internal/bench": {support, []string{
			"internal/ecsemulator", "internal/terraformcli", "internal/provider", "internal/rpcserver", "internal/alicloud",
			"internal/driver", "internal/machineops",
		}, []string{framework}},
		"internal/cmd/bench":          {command, []string{"internal/bench"}, nil},
		"internal/cmd/bench-provider": {command, []string{"internal/bench"}, nil},
		"internal/cmd/crash":          {command, []string{"internal/crashtest"}, nil},
		"internal/cmd/emulator-load":  {command, []string{"internal/ecsemulator"}, nil},
		"internal/cmd/install":        {command, []string{"internal/terraformcli"}, nil},
		"internal/cmd/messages":       {command, nil, nil},
		"internal/cmd/sbom":           {command, nil, nil},
		"internal/cmd/schema-json":    {command, []string{"internal/provider"}, []string{framework, protocol}},
	}
}

// goPackage is what a package of this module imports, by full import path.
type goPackage struct {
	imports     []string
	testImports []string
}

// violations compares a graph, keyed by path below the module, with the rules.
// It returns one sentence for each thing that is wrong, sorted.
func violations(graph map[string]goPackage, rules map[string]rule) []string {
	var found []string

	for name := range rules {
		if _, ok := graph[name]; !ok {
			found = append(found, fmt.Sprintf("%s has a rule but does not exist: take the rule out", display(name)))
		}
	}

	for name, pkg := range graph {
		rule, ok := rules[name]
		if !ok {
			found = append(found, fmt.Sprintf("%s has no rule: say in rules_test.go what it may import", display(name)))

			continue
		}

		found = append(found, importViolations(name, pkg.imports, rule, rules)...)
		found = append(found, testImportViolations(name, pkg.testImports, rules)...)
	}

	slices.Sort(found)

	return found
}

func importViolations(name string, imports []string, own rule, rules map[string]rule) []string {
	var found []string

	for _, path := range imports {
		internal, inside := insideModule(path)
		restricted := restrictedModule(path)

		switch {
		case inside && own.layer == product && rules[internal].layer != product:
			found = append(found, fmt.Sprintf("%s is product code and imports %s, which is not", display(name), display(internal)))
		case inside && !slices.Contains(own.imports, internal):
			found = append(found, fmt.Sprintf("%s must not import %s", display(name), display(internal)))
		case !inside && restricted != "" && !slices.Contains(own.modules, restricted):
			found = append(found, fmt.Sprintf("%s must not import %s", display(name), path))
		}
	}

	return found
}

// testImportViolations lets tests use what they need, with two exceptions: no
// one imports a command, and the emulator's tests stay independent of what the
// emulator is there to test.
func testImportViolations(name string, imports []string, rules map[string]rule) []string {
	var found []string

	for _, path := range imports {
		internal, inside := insideModule(path)
		if !inside || internal == name {
			continue
		}

		if rules[internal].layer == command || name == "internal/ecsemulator" {
			found = append(found, fmt.Sprintf("the tests of %s must not import %s", display(name), display(internal)))
		}
	}

	return found
}

func insideModule(path string) (internal string, inside bool) {
	if path == modulePath {
		return "", true
	}

	return strings.CutPrefix(path, modulePath+"/")
}

func restrictedModule(path string) string {
	longest := ""

	for _, prefix := range restrictedModules() {
		// A module that merely begins with the name, as the framework's
		// companions do, counts as the framework.
		if strings.HasPrefix(path, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}

	return longest
}

func display(name string) string {
	if name == "" {
		return "the main package"
	}

	return name
}

func sortedNames[V any](packages map[string]V) []string {
	return slices.Sorted(maps.Keys(packages))
}
