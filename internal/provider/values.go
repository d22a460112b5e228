package provider

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// stringsOf returns the known elements of a list of strings.
func stringsOf(list types.List) []string {
	var values []string

	for _, element := range list.Elements() {
		if text, ok := element.(types.String); ok && !text.IsUnknown() && !text.IsNull() {
			values = append(values, text.ValueString())
		}
	}

	return values
}

// stringMap returns the known elements of a map of strings.
func stringMap(m types.Map) map[string]string {
	values := map[string]string{}

	for key, element := range m.Elements() {
		if text, ok := element.(types.String); ok && !text.IsUnknown() && !text.IsNull() {
			values[key] = text.ValueString()
		}
	}

	return values
}

// withoutNulls is the map without the elements that are null; the empty map where it is
// null itself.
func withoutNulls(m types.Map) types.Map {
	if m.IsUnknown() {
		return m
	}

	elements := m.Elements()
	maps.DeleteFunc(elements, func(_ string, element attr.Value) bool { return element.IsNull() })

	return types.MapValueMust(types.StringType, elements)
}

func stringList(values []string) types.List {
	elements := make([]attr.Value, 0, len(values))
	for _, value := range values {
		elements = append(elements, types.StringValue(value))
	}

	return types.ListValueMust(types.StringType, elements)
}

// stringOrNull returns null for the empty string: a field that an answer leaves
// out is absent, not empty.
func stringOrNull(value string) types.String {
	if value == "" {
		return types.StringNull()
	}

	return types.StringValue(value)
}

// listOrNull returns null where there is no element, or an empty one.
func listOrNull(values ...string) types.List {
	if len(values) == 0 || values[0] == "" {
		return types.ListNull(types.StringType)
	}

	return stringList(values)
}

// nullOf returns the null of a type.
func nullOf(ctx context.Context, kind attr.Type) attr.Value {
	null, err := kind.ValueFromTerraform(ctx, tftypes.NewValue(kind.TerraformType(ctx), nil))
	if err != nil {
		// Every type has a null.
		panic(fmt.Sprintf("the type %s has no null: %v", kind, err))
	}

	return null
}

// timeOrNull returns the time in RFC 3339, null for the zero time.
func timeOrNull(at time.Time) types.String {
	if at.IsZero() {
		return types.StringNull()
	}

	return types.StringValue(at.UTC().Format(time.RFC3339))
}

func stringMapValue(values map[string]string) types.Map {
	elements := make(map[string]attr.Value, len(values))
	for key, value := range values {
		elements[key] = types.StringValue(value)
	}

	return types.MapValueMust(types.StringType, elements)
}
