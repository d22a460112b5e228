package provider

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// alicloudObject is the Alibaba Cloud part of a class with these attributes, and
// nulls for the others.
func alicloudObject(t *testing.T, attributes map[string]attr.Value) types.Object {
	t.Helper()

	object, ok := alicloudClassAttribute().GetType().(types.ObjectType)
	if !ok {
		t.Fatal("the attribute is no object")
	}

	values := map[string]attr.Value{}

	for name, attributeType := range object.AttrTypes {
		null, err := attributeType.ValueFromTerraform(t.Context(), tftypes.NewValue(attributeType.TerraformType(t.Context()), nil))
		if err != nil {
			t.Fatal(err)
		}

		values[name] = null
	}

	for name, value := range attributes {
		if _, there := values[name]; !there {
			t.Fatalf("a class has no attribute %s", name)
		}

		values[name] = value
	}

	return types.ObjectValueMust(object.AttrTypes, values)
}

// classObject is a class as an allocation holds it.
func classObject(t *testing.T, attributes map[string]attr.Value) types.Object {
	t.Helper()

	return types.ObjectValueMust(classObjectTypes(), map[string]attr.Value{
		"name": types.StringValue("worker"), "uid": types.StringValue("uid-1"), alicloudClassKey: alicloudObject(t, attributes),
	})
}
