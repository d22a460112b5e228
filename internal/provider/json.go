package provider

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// canonicalJSON returns a Terraform value as JSON: objects and maps with sorted
// keys and without nulls, so that equal values give equal text. An unknown value
// is an error.
func canonicalJSON(value attr.Value) (string, error) {
	plain, err := plainValue(value)
	if err != nil {
		return "", err
	}

	encoded, err := json.Marshal(plain)
	if err != nil {
		return "", fmt.Errorf("encoding a configuration value: %w", err)
	}

	return string(encoded), nil
}

// plainValue returns a Terraform value as JSON knows it; nil stands for null.
func plainValue(value attr.Value) (any, error) {
	switch {
	case value.IsUnknown():
		return nil, fmt.Errorf("the value is not known yet")
	case value.IsNull():
		return nil, nil
	}

	switch typed := value.(type) {
	case basetypes.StringValue:
		return typed.ValueString(), nil
	case basetypes.BoolValue:
		return typed.ValueBool(), nil
	case interface{ ValueInt64() int64 }:
		return typed.ValueInt64(), nil
	case basetypes.Float64Value:
		return json.Number(strconv.FormatFloat(typed.ValueFloat64(), 'f', -1, 64)), nil
	case basetypes.NumberValue:
		return json.Number(typed.ValueBigFloat().Text('f', -1)), nil
	case basetypes.DynamicValue:
		return plainValue(typed.UnderlyingValue())
	case basetypes.ObjectValue:
		return plainMap(typed.Attributes())
	case basetypes.MapValue:
		return plainMap(typed.Elements())
	case basetypes.TupleValue:
		return plainList(typed.Elements())
	case basetypes.ListValue:
		return plainList(typed.Elements())
	case basetypes.SetValue:
		return plainList(typed.Elements())
	default:
		return nil, fmt.Errorf("a value of type %T has no JSON form here", value)
	}
}

func plainMap(values map[string]attr.Value) (map[string]any, error) {
	plain := map[string]any{}

	for key, value := range values {
		element, err := plainValue(value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}

		if element != nil {
			plain[key] = element
		}
	}

	return plain, nil
}

func plainList(values []attr.Value) ([]any, error) {
	plain := make([]any, 0, len(values))

	for i, value := range values {
		element, err := plainValue(value)
		if err != nil {
			return nil, fmt.Errorf("element %d: %w", i, err)
		}

		plain = append(plain, element)
	}

	return plain, nil
}
