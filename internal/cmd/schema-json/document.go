package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The types below are the format of `terraform providers schema -json`, version
// 1.0, as far as the documentation generator reads it.

type schemasDocument struct {
	FormatVersion   string                    `json:"format_version"`
	ProviderSchemas map[string]providerSchema `json:"provider_schemas"`
}

type providerSchema struct {
	Provider           *schema                    `json:"provider,omitempty"`
	Resources          map[string]*schema         `json:"resource_schemas,omitempty"`
	DataSources        map[string]*schema         `json:"data_source_schemas,omitempty"`
	EphemeralResources map[string]*schema         `json:"ephemeral_resource_schemas,omitempty"`
	ListResources      map[string]*schema         `json:"list_resource_schemas,omitempty"`
	StateStores        map[string]*schema         `json:"state_store_schemas,omitempty"`
	Actions            map[string]*schema         `json:"action_schemas,omitempty"`
	Functions          map[string]*function       `json:"functions,omitempty"`
	Identities         map[string]*identitySchema `json:"resource_identity_schemas,omitempty"`
}

type schema struct {
	Version int64  `json:"version"`
	Block   *block `json:"block,omitempty"`
}

type block struct {
	Attributes      map[string]*attribute   `json:"attributes,omitempty"`
	NestedBlocks    map[string]*nestedBlock `json:"block_types,omitempty"`
	Description     string                  `json:"description,omitempty"`
	DescriptionKind string                  `json:"description_kind,omitempty"`
	Deprecated      bool                    `json:"deprecated,omitempty"`
}

type nestedBlock struct {
	NestingMode string `json:"nesting_mode"`
	Block       *block `json:"block,omitempty"`
	MinItems    int64  `json:"min_items,omitempty"`
	MaxItems    int64  `json:"max_items,omitempty"`
}

type attribute struct {
	Type            json.RawMessage `json:"type,omitempty"`
	NestedType      *nestedType     `json:"nested_type,omitempty"`
	Description     string          `json:"description,omitempty"`
	DescriptionKind string          `json:"description_kind,omitempty"`
	Deprecated      bool            `json:"deprecated,omitempty"`
	Required        bool            `json:"required,omitempty"`
	Optional        bool            `json:"optional,omitempty"`
	Computed        bool            `json:"computed,omitempty"`
	Sensitive       bool            `json:"sensitive,omitempty"`
	WriteOnly       bool            `json:"write_only,omitempty"`
}

type nestedType struct {
	Attributes  map[string]*attribute `json:"attributes,omitempty"`
	NestingMode string                `json:"nesting_mode"`
}

type function struct {
	Description        string               `json:"description,omitempty"`
	Summary            string               `json:"summary,omitempty"`
	DeprecationMessage string               `json:"deprecation_message,omitempty"`
	ReturnType         json.RawMessage      `json:"return_type"`
	Parameters         []*functionParameter `json:"parameters,omitempty"`
	VariadicParameter  *functionParameter   `json:"variadic_parameter,omitempty"`
}

type functionParameter struct {
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	IsNullable  bool            `json:"is_nullable,omitempty"`
	Type        json.RawMessage `json:"type"`
}

type identitySchema struct {
	Version    int64                         `json:"version"`
	Attributes map[string]*identityAttribute `json:"attributes,omitempty"`
}

type identityAttribute struct {
	Type              json.RawMessage `json:"type"`
	Description       string          `json:"description,omitempty"`
	RequiredForImport bool            `json:"required_for_import,omitempty"`
	OptionalForImport bool            `json:"optional_for_import,omitempty"`
}

// newDocument converts what the provider server tells about itself. It returns
// an error for a type that the format cannot express.
func newDocument(name string, schemas *tfprotov6.GetProviderSchemaResponse, identities map[string]*tfprotov6.ResourceIdentitySchema) (schemasDocument, error) {
	actions := map[string]*tfprotov6.Schema{}

	for name, action := range schemas.ActionSchemas {
		actions[name] = action.Schema
	}

	var problems []error

	convert := func(in map[string]*tfprotov6.Schema) map[string]*schema {
		return convertAll(in, convertSchema, &problems)
	}

	provider, err := convertSchema(schemas.Provider)
	problems = append(problems, err)

	document := schemasDocument{FormatVersion: "1.0", ProviderSchemas: map[string]providerSchema{name: {
		Provider:           provider,
		Resources:          convert(schemas.ResourceSchemas),
		DataSources:        convert(schemas.DataSourceSchemas),
		EphemeralResources: convert(schemas.EphemeralResourceSchemas),
		ListResources:      convert(schemas.ListResourceSchemas),
		StateStores:        convert(schemas.StateStoreSchemas),
		Actions:            convert(actions),
		Functions:          convertAll(schemas.Functions, convertFunction, &problems),
		Identities:         convertAll(identities, convertIdentity, &problems),
	}}}

	return document, errors.Join(problems...)
}

func convertAll[In, Out any](in map[string]In, convert func(In) (Out, error), problems *[]error) map[string]Out {
	out := make(map[string]Out, len(in))

	for name, value := range in {
		converted, err := convert(value)
		if err != nil {
			*problems = append(*problems, fmt.Errorf("%s: %w", name, err))
		}

		out[name] = converted
	}

	return out
}

func convertSchema(in *tfprotov6.Schema) (*schema, error) {
	if in == nil {
		return nil, errors.New("no schema")
	}

	converted, err := convertBlock(in.Block)

	return &schema{Version: in.Version, Block: converted}, err
}

func convertBlock(in *tfprotov6.SchemaBlock) (*block, error) {
	if in == nil {
		return &block{}, nil
	}

	attributes, err := convertAttributes(in.Attributes)
	problems := []error{err}
	nested := make(map[string]*nestedBlock, len(in.BlockTypes))

	for _, each := range in.BlockTypes {
		converted, err := convertBlock(each.Block)
		problems = append(problems, err)

		mode, ok := map[tfprotov6.SchemaNestedBlockNestingMode]string{
			tfprotov6.SchemaNestedBlockNestingModeSingle: "single",
			tfprotov6.SchemaNestedBlockNestingModeGroup:  "group",
			tfprotov6.SchemaNestedBlockNestingModeList:   "list",
			tfprotov6.SchemaNestedBlockNestingModeSet:    "set",
			tfprotov6.SchemaNestedBlockNestingModeMap:    "map",
		}[each.Nesting]
		if !ok {
			problems = append(problems, fmt.Errorf("%s: nesting mode %s", each.TypeName, each.Nesting))
		}

		nested[each.TypeName] = &nestedBlock{NestingMode: mode, Block: converted, MinItems: each.MinItems, MaxItems: each.MaxItems}
	}

	return &block{
		Attributes:      attributes,
		NestedBlocks:    nested,
		Description:     in.Description,
		DescriptionKind: kind(in.DescriptionKind),
		Deprecated:      in.Deprecated,
	}, errors.Join(problems...)
}

func convertAttributes(in []*tfprotov6.SchemaAttribute) (map[string]*attribute, error) {
	var problems []error

	out := make(map[string]*attribute, len(in))

	for _, each := range in {
		converted := &attribute{
			Description:     each.Description,
			DescriptionKind: kind(each.DescriptionKind),
			Deprecated:      each.Deprecated,
			Required:        each.Required,
			Optional:        each.Optional,
			Computed:        each.Computed,
			Sensitive:       each.Sensitive,
			WriteOnly:       each.WriteOnly,
		}

		var err error
		if each.NestedType != nil {
			converted.NestedType, err = convertNestedType(each.NestedType)
		} else {
			converted.Type, err = convertType(each.Type)
		}

		if err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", each.Name, err))
		}

		out[each.Name] = converted
	}

	return out, errors.Join(problems...)
}

func convertNestedType(in *tfprotov6.SchemaObject) (*nestedType, error) {
	mode, ok := map[tfprotov6.SchemaObjectNestingMode]string{
		tfprotov6.SchemaObjectNestingModeSingle: "single",
		tfprotov6.SchemaObjectNestingModeList:   "list",
		tfprotov6.SchemaObjectNestingModeSet:    "set",
		tfprotov6.SchemaObjectNestingModeMap:    "map",
	}[in.Nesting]
	if !ok {
		return nil, fmt.Errorf("nesting mode %s", in.Nesting)
	}

	attributes, err := convertAttributes(in.Attributes)

	return &nestedType{Attributes: attributes, NestingMode: mode}, err
}

func convertFunction(in *tfprotov6.Function) (*function, error) {
	out := &function{Description: in.Description, Summary: in.Summary, DeprecationMessage: in.DeprecationMessage}

	var err error

	out.ReturnType, err = convertType(in.Return.Type)
	problems := []error{err}

	for _, parameter := range in.Parameters {
		converted, err := convertParameter(parameter)
		problems = append(problems, err)
		out.Parameters = append(out.Parameters, converted)
	}

	if in.VariadicParameter != nil {
		out.VariadicParameter, err = convertParameter(in.VariadicParameter)
		problems = append(problems, err)
	}

	return out, errors.Join(problems...)
}

func convertParameter(in *tfprotov6.FunctionParameter) (*functionParameter, error) {
	converted, err := convertType(in.Type)

	return &functionParameter{Name: in.Name, Description: in.Description, IsNullable: in.AllowNullValue, Type: converted}, err
}

func convertIdentity(in *tfprotov6.ResourceIdentitySchema) (*identitySchema, error) {
	var problems []error

	out := &identitySchema{Version: in.Version, Attributes: map[string]*identityAttribute{}}

	for _, each := range in.IdentityAttributes {
		converted, err := convertType(each.Type)
		problems = append(problems, err)
		out.Attributes[each.Name] = &identityAttribute{
			Type:              converted,
			Description:       each.Description,
			RequiredForImport: each.RequiredForImport,
			OptionalForImport: each.OptionalForImport,
		}
	}

	return out, errors.Join(problems...)
}

func convertType(in tftypes.Type) (json.RawMessage, error) {
	expression, err := typeExpression(in)
	if err != nil {
		return nil, err
	}

	return json.Marshal(expression)
}

// typeExpression returns a type as the format writes it: a name, or a pair of a
// name and what it is made of.
func typeExpression(in tftypes.Type) (any, error) {
	collection := func(name string, element tftypes.Type) (any, error) {
		expression, err := typeExpression(element)

		return []any{name, expression}, err
	}

	switch typed := in.(type) {
	case tftypes.List:
		return collection("list", typed.ElementType)
	case tftypes.Set:
		return collection("set", typed.ElementType)
	case tftypes.Map:
		return collection("map", typed.ElementType)
	case tftypes.Object:
		attributes := map[string]any{}

		for name, of := range typed.AttributeTypes {
			expression, err := typeExpression(of)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}

			attributes[name] = expression
		}

		return []any{"object", attributes}, nil
	}

	for name, primitive := range map[string]tftypes.Type{
		"string": tftypes.String, "number": tftypes.Number, "bool": tftypes.Bool, "dynamic": tftypes.DynamicPseudoType,
	} {
		if in != nil && in.Equal(primitive) {
			return name, nil
		}
	}

	return nil, fmt.Errorf("type %v cannot be expressed", in)
}

func kind(in tfprotov6.StringKind) string {
	if in == tfprotov6.StringKindMarkdown {
		return "markdown"
	}

	return "plain"
}
