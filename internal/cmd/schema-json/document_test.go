package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestDocumentHoldsAllThatAServerTells(t *testing.T) {
	t.Parallel()

	schemas := &tfprotov6.GetProviderSchemaResponse{
		Provider: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{
			Description: "A **provider**.", DescriptionKind: tfprotov6.StringKindMarkdown,
			Attributes: []*tfprotov6.SchemaAttribute{{Name: "owner", Type: tftypes.String, Required: true}},
		}},
		ResourceSchemas: map[string]*tfprotov6.Schema{"machine_thing": {Version: 3, Block: &tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{
				{Name: "shape", Optional: true, NestedType: &tfprotov6.SchemaObject{
					Nesting:    tfprotov6.SchemaObjectNestingModeSingle,
					Attributes: []*tfprotov6.SchemaAttribute{{Name: "sizes", Optional: true, Type: tftypes.List{ElementType: tftypes.Number}}},
				}},
				{Name: "tags", Optional: true, Computed: true, Type: tftypes.Map{ElementType: tftypes.String}},
				{Name: "secret_wo", Optional: true, Sensitive: true, WriteOnly: true, Deprecated: true, Type: tftypes.String},
			},
			BlockTypes: []*tfprotov6.SchemaNestedBlock{{
				TypeName: "disk", Nesting: tfprotov6.SchemaNestedBlockNestingModeSet, MaxItems: 2, Block: &tfprotov6.SchemaBlock{},
			}},
		}}},
		DataSourceSchemas: map[string]*tfprotov6.Schema{"machine_things": {Block: &tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{{Name: "class", Required: true, Type: tftypes.Object{
				AttributeTypes: map[string]tftypes.Type{"any": tftypes.DynamicPseudoType, "on": tftypes.Set{ElementType: tftypes.Bool}},
			}}},
		}}},
		ActionSchemas: map[string]*tfprotov6.ActionSchema{"machine_reboot": {Schema: &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}}},
		Functions: map[string]*tfprotov6.Function{"join": {
			Summary: "Joins.", Parameters: []*tfprotov6.FunctionParameter{{Name: "first", AllowNullValue: true, Type: tftypes.String}},
			VariadicParameter: &tfprotov6.FunctionParameter{Name: "rest", Type: tftypes.String}, Return: &tfprotov6.FunctionReturn{Type: tftypes.String},
		}},
	}
	identities := map[string]*tfprotov6.ResourceIdentitySchema{"machine_thing": {Version: 1, IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{
		{Name: "id", Type: tftypes.String, RequiredForImport: true, Description: "The id."},
	}}}

	document, err := newDocument("machine", schemas, identities)
	if err != nil {
		t.Fatal(err)
	}

	const want = `{
  "format_version": "1.0",
  "provider_schemas": {"machine": {
    "provider": {"version": 0, "block": {
      "description": "A **provider**.", "description_kind": "markdown",
      "attributes": {"owner": {"type": "string", "description_kind": "plain", "required": true}}
    }},
    "resource_schemas": {"machine_thing": {"version": 3, "block": {
      "description_kind": "plain",
      "attributes": {
        "shape": {"optional": true, "description_kind": "plain", "nested_type": {"nesting_mode": "single", "attributes": {
          "sizes": {"type": ["list", "number"], "optional": true, "description_kind": "plain"}
        }}},
        "tags": {"type": ["map", "string"], "optional": true, "computed": true, "description_kind": "plain"},
        "secret_wo": {"type": "string", "optional": true, "sensitive": true, "write_only": true, "deprecated": true, "description_kind": "plain"}
      },
      "block_types": {"disk": {"nesting_mode": "set", "max_items": 2, "block": {"description_kind": "plain"}}}
    }}},
    "data_source_schemas": {"machine_things": {"version": 0, "block": {
      "description_kind": "plain",
      "attributes": {"class": {"type": ["object", {"any": "dynamic", "on": ["set", "bool"]}], "required": true, "description_kind": "plain"}}
    }}},
    "action_schemas": {"machine_reboot": {"version": 0, "block": {"description_kind": "plain"}}},
    "functions": {"join": {
      "summary": "Joins.", "return_type": "string",
      "parameters": [{"name": "first", "is_nullable": true, "type": "string"}],
      "variadic_parameter": {"name": "rest", "type": "string"}
    }},
    "resource_identity_schemas": {"machine_thing": {"version": 1, "attributes": {
      "id": {"type": "string", "description": "The id.", "required_for_import": true}
    }}}
  }}
}`

	encoded, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}

	var gotValue, wantValue any
	if err := json.Unmarshal(encoded, &gotValue); err != nil {
		t.Fatal(err)
	}

	if err := json.Unmarshal([]byte(want), &wantValue); err != nil {
		t.Fatal(err)
	}

	if !reflect.DeepEqual(gotValue, wantValue) {
		t.Errorf("the document is\n%s\nwant\n%s", encoded, want)
	}
}

func TestWhatCannotBeExpressedIsAnError(t *testing.T) {
	t.Parallel()

	tuple := tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.String}}
	schemas := &tfprotov6.GetProviderSchemaResponse{
		Provider: &tfprotov6.Schema{},
		ResourceSchemas: map[string]*tfprotov6.Schema{"machine_thing": {Block: &tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{{Name: "pair", Type: tftypes.List{ElementType: tuple}}},
			BlockTypes: []*tfprotov6.SchemaNestedBlock{{TypeName: "odd"}},
		}}},
		DataSourceSchemas: map[string]*tfprotov6.Schema{"machine_nothing": nil},
	}

	_, err := newDocument("machine", schemas, nil)
	if err == nil {
		t.Fatal("no error")
	}

	for _, want := range []string{"machine_thing: pair: ", "odd: nesting mode", "machine_nothing: no schema"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q lacks %q", err, want)
		}
	}
}
