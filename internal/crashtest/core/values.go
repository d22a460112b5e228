package core

import (
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Arguments are the arguments of a block: strings, numbers (int), booleans, lists of
// strings ([]string) or objects ([]Arguments), and nested Arguments. What is left out is null.
type Arguments map[string]any

// build makes a value of a type from Go values.
func build(target tftypes.Type, from any) (tftypes.Value, error) {
	switch value := from.(type) {
	case nil:
		return tftypes.NewValue(target, nil), nil
	case tftypes.Value:
		return convert(value, target)
	case int:
		return tftypes.NewValue(target, big.NewFloat(float64(value))), nil
	case []string:
		var elements []tftypes.Value
		for _, element := range value {
			elements = append(elements, tftypes.NewValue(tftypes.String, element))
		}

		return tftypes.NewValue(target, elements), nil
	case []Arguments:
		list, ok := target.(tftypes.List)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("a list is given for %s", target)
		}

		var elements []tftypes.Value

		for _, element := range value {
			made, err := build(list.ElementType, element)
			if err != nil {
				return tftypes.Value{}, err
			}

			elements = append(elements, made)
		}

		return tftypes.NewValue(target, elements), nil
	case map[string]string:
		elements := map[string]tftypes.Value{}
		for key, element := range value {
			elements[key] = tftypes.NewValue(tftypes.String, element)
		}

		return tftypes.NewValue(target, elements), nil
	case Arguments:
		object, ok := target.(tftypes.Object)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("arguments are given for %s", target)
		}

		attributes := map[string]tftypes.Value{}

		for name, attribute := range object.AttributeTypes {
			made, err := build(attribute, value[name])
			if err != nil {
				return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
			}

			attributes[name] = made
		}

		return tftypes.NewValue(target, attributes), nil
	default:
		return tftypes.NewValue(target, from), nil
	}
}

// convert drops what the target type does not list, as the conversion of a whole
// resource object to an object attribute does.
func convert(value tftypes.Value, target tftypes.Type) (tftypes.Value, error) {
	object, isObject := target.(tftypes.Object)

	switch {
	case !value.IsKnown():
		return tftypes.NewValue(target, tftypes.UnknownValue), nil
	case value.IsNull():
		return tftypes.NewValue(target, nil), nil
	case !isObject:
		return value, nil
	}

	given, err := fields(value)
	if err != nil {
		return tftypes.Value{}, err
	}

	attributes := map[string]tftypes.Value{}

	for name, attribute := range object.AttributeTypes {
		if attributes[name], err = convert(given[name], attribute); err != nil {
			return tftypes.Value{}, fmt.Errorf("%s: %w", name, err)
		}
	}

	return tftypes.NewValue(target, attributes), nil
}

func fields(value tftypes.Value) (map[string]tftypes.Value, error) {
	var found map[string]tftypes.Value
	if err := value.As(&found); err != nil {
		return nil, fmt.Errorf("reading an object: %w", err)
	}

	return found, nil
}

// propose merges prior state and configuration, as core does before it asks for a
// plan: what the configuration leaves open, and the provider computes, stays.
func propose(attributes []*tfprotov6.SchemaAttribute, target tftypes.Type, prior, config tftypes.Value) (tftypes.Value, error) {
	given, err := fields(config)
	if err != nil {
		return tftypes.Value{}, err
	}

	before := map[string]tftypes.Value{}

	if prior.IsKnown() && !prior.IsNull() {
		if before, err = fields(prior); err != nil {
			return tftypes.Value{}, err
		}
	}

	proposed := map[string]tftypes.Value{}

	for _, attribute := range attributes {
		value := given[attribute.Name]
		old, there := before[attribute.Name]

		switch {
		case attribute.WriteOnly:
			value = tftypes.NewValue(attribute.ValueType(), nil)
		case value.IsKnown() && value.IsNull() && attribute.Computed && there:
			value = old
		case attribute.NestedType != nil && attribute.NestedType.Nesting == tfprotov6.SchemaObjectNestingModeSingle && value.IsKnown() && !value.IsNull():
			if !there {
				old = tftypes.NewValue(value.Type(), nil)
			}

			if value, err = propose(attribute.NestedType.Attributes, value.Type(), old, value); err != nil {
				return tftypes.Value{}, err
			}
		}

		proposed[attribute.Name] = value
	}

	return tftypes.NewValue(target, proposed), nil
}
