package acctest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Owner is the owner in the configurations that this package writes.
const Owner = "acceptance/test"

// Arguments are HCL expressions by argument name. An empty expression leaves the
// argument out.
type Arguments map[string]string

// with returns a with the arguments of other over its own.
func (a Arguments) with(other Arguments) Arguments {
	merged := maps.Clone(a)
	maps.Copy(merged, other)

	return merged
}

// lines writes the arguments in the order of their names.
func (a Arguments) lines(indent string) string {
	var text strings.Builder

	for _, name := range slices.Sorted(maps.Keys(a)) {
		if a[name] != "" {
			fmt.Fprintf(&text, "%s%s = %s\n", indent, name, a[name])
		}
	}

	return text.String()
}

// object writes the arguments as an HCL object.
func (a Arguments) object() string { return "{\n" + a.lines("    ") + "  }" }

// Provider returns a provider block with everything that the environment could
// give, so that tests with clouds of their own run side by side. Changes are of its
// alicloud argument.
func (c *Cloud) Provider(changes ...Arguments) string {
	return c.ProviderWith(nil, changes...)
}

// ProviderWith is Provider with changes of the block's other arguments, too.
func (c *Cloud) ProviderWith(block Arguments, changes ...Arguments) string {
	endpoint := strconv.Quote(c.Endpoint())
	alicloud := Arguments{
		"region":            strconv.Quote(ecsemulator.DefaultRegionID),
		"access_key_id":     strconv.Quote(ecsemulator.DefaultAccessKeyID),
		"access_key_secret": strconv.Quote(ecsemulator.DefaultAccessKeySecret),
		"protocol":          `"http"`,
		"endpoints":         fmt.Sprintf("{ ecs = %s, vpc = %s, sts = %s }", endpoint, endpoint, endpoint),
	}

	for _, change := range changes {
		alicloud = alicloud.with(change)
	}

	arguments := Arguments{"owner": strconv.Quote(Owner), "alicloud": alicloud.object()}

	return "provider \"machine\" {\n" + arguments.with(block).lines("  ") + "}\n"
}

// Class returns the machine_class "worker" of the emulator's catalogue. Changes
// are of its alicloud argument.
func Class(changes ...Arguments) string {
	alicloud := Arguments{
		"image_id":           `"m-acme2"`,
		"instance_types":     `["ecs.g7.large"]`,
		"vswitch_ids":        `["vsw-a"]`,
		"security_group_ids": `["sg-1"]`,
	}

	for _, change := range changes {
		alicloud = alicloud.with(change)
	}

	return resourceBlock("machine_class", "worker", Arguments{"name": `"worker"`, "alicloud": alicloud.object()})
}

// Operation returns a machine_operation with the given label, which is its name, too.
func Operation(label, kind, providerID string, changes ...Arguments) string {
	arguments := Arguments{"name": strconv.Quote(label), "kind": strconv.Quote(kind), "provider_id": providerID}

	for _, change := range changes {
		arguments = arguments.with(change)
	}

	return resourceBlock("machine_operation", label, arguments)
}

// Allocation returns a machine_allocation of Class with the given label, which is
// its name, too.
func Allocation(label string, changes ...Arguments) string {
	arguments := Arguments{"name": strconv.Quote(label), "class": "machine_class.worker"}

	for _, change := range changes {
		arguments = arguments.with(change)
	}

	return resourceBlock("machine_allocation", label, arguments)
}

func resourceBlock(kind, label string, arguments Arguments) string {
	return fmt.Sprintf("resource %q %q {\n%s}\n", kind, label, arguments.lines("  "))
}

// CreateBeforeDestroy makes a resource block one whose replacement comes first.
func CreateBeforeDestroy(block string) string {
	return strings.TrimSuffix(block, "}\n") + "  lifecycle {\n    create_before_destroy = true\n  }\n}\n"
}
