package provider

import (
	"fmt"
	"math/big"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// notKnown stands for a value that is not known yet.
type notKnown struct{}

// terraformValue is a plain value as Terraform sends it: attributes of an object that
// are left out are null.
func terraformValue(kind tftypes.Type, plain any) (tftypes.Value, error) {
	switch value := plain.(type) {
	case nil:
		return tftypes.NewValue(kind, nil), nil
	case notKnown:
		return tftypes.NewValue(kind, tftypes.UnknownValue), nil
	case int:
		return tftypes.NewValue(kind, big.NewFloat(float64(value))), nil
	case float64:
		return tftypes.NewValue(kind, big.NewFloat(value)), nil
	case map[string]any:
		return terraformMap(kind, value)
	case []string:
		elements := make([]any, 0, len(value))
		for _, element := range value {
			elements = append(elements, element)
		}

		return terraformValue(kind, elements)
	case []any:
		list, ok := kind.(tftypes.List)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("a list stands for %s", kind)
		}

		elements := make([]tftypes.Value, 0, len(value))

		for _, element := range value {
			converted, err := terraformValue(list.ElementType, element)
			if err != nil {
				return tftypes.Value{}, err
			}

			elements = append(elements, converted)
		}

		return tftypes.NewValue(kind, elements), nil
	default:
		return tftypes.NewValue(kind, value), nil
	}
}

func terraformMap(kind tftypes.Type, plain map[string]any) (tftypes.Value, error) {
	values := map[string]tftypes.Value{}
	typeOf := func(string) tftypes.Type { return nil }

	switch kind := kind.(type) {
	case tftypes.Map:
		typeOf = func(string) tftypes.Type { return kind.ElementType }
	case tftypes.Object:
		typeOf = func(name string) tftypes.Type { return kind.AttributeTypes[name] }

		for name, attributeType := range kind.AttributeTypes {
			values[name] = tftypes.NewValue(attributeType, nil)
		}
	}

	for name, element := range plain {
		elementType := typeOf(name)
		if elementType == nil {
			return tftypes.Value{}, fmt.Errorf("%s has no attribute %s", kind, name)
		}

		converted, err := terraformValue(elementType, element)
		if err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
		}

		values[name] = converted
	}

	return tftypes.NewValue(kind, values), nil
}

// frameworkValue is a plain value as the provider's code sees it.
func frameworkValue(t *testing.T, kind attr.Type, plain any) attr.Value {
	t.Helper()

	raw, err := terraformValue(kind.TerraformType(t.Context()), plain)
	if err != nil {
		t.Fatal(err)
	}

	value, err := kind.ValueFromTerraform(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}

	return value
}

// input is a plain value as the value of an attribute of a class's cloud part.
func input(t *testing.T, name string, plain any) attr.Value {
	t.Helper()

	attribute, there := alicloudClassAttribute().Attributes[name]
	if !there {
		t.Fatalf("a class has no %s", name)
	}

	return frameworkValue(t, attribute.GetType(), plain)
}

// plainClass is a class's cloud part of plain values.
func plainClass(t *testing.T, plain map[string]any) types.Object {
	t.Helper()

	object, ok := frameworkValue(t, alicloudClassAttribute().GetType(), plain).(types.Object)
	if !ok {
		t.Fatal("the attribute is no object")
	}

	return object
}
