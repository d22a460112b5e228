package provider

import (
	"fmt"

	datasource "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// dataSourceAttributes are inputs of a resource as those of a data source, so that what
// can be written in one can be written in the other, under the same checks. It panics
// on a kind of attribute that no class has, which a test of the schemas finds.
func dataSourceAttributes(attributes map[string]schema.Attribute) map[string]datasource.Attribute {
	converted := make(map[string]datasource.Attribute, len(attributes))
	for name, attribute := range attributes {
		converted[name] = dataSourceAttribute(name, attribute)
	}

	return converted
}

func dataSourceAttribute(name string, attribute schema.Attribute) datasource.Attribute {
	required, optional, description := attribute.IsRequired(), attribute.IsOptional(), attribute.GetMarkdownDescription()

	switch from := attribute.(type) {
	case schema.StringAttribute:
		return datasource.StringAttribute{Required: required, Optional: optional, MarkdownDescription: description, Validators: from.Validators}
	case schema.BoolAttribute:
		return datasource.BoolAttribute{Required: required, Optional: optional, MarkdownDescription: description, Validators: from.Validators}
	case schema.Int64Attribute:
		return datasource.Int64Attribute{Required: required, Optional: optional, CustomType: from.CustomType, MarkdownDescription: description, Validators: from.Validators}
	case schema.Float64Attribute:
		return datasource.Float64Attribute{Required: required, Optional: optional, MarkdownDescription: description, Validators: from.Validators}
	case schema.ListAttribute:
		return datasource.ListAttribute{Required: required, Optional: optional, ElementType: from.ElementType, MarkdownDescription: description, Validators: from.Validators}
	case schema.MapAttribute:
		return datasource.MapAttribute{Required: required, Optional: optional, ElementType: from.ElementType, MarkdownDescription: description, Validators: from.Validators}
	case schema.SingleNestedAttribute:
		return datasource.SingleNestedAttribute{
			Required: required, Optional: optional, MarkdownDescription: description,
			Validators: from.Validators, Attributes: dataSourceAttributes(from.Attributes),
		}
	case schema.ListNestedAttribute:
		return datasource.ListNestedAttribute{
			Required: required, Optional: optional, MarkdownDescription: description, Validators: from.Validators,
			NestedObject: datasource.NestedAttributeObject{
				Validators: from.NestedObject.Validators, Attributes: dataSourceAttributes(from.NestedObject.Attributes),
			},
		}
	default:
		panic(fmt.Sprintf("attribute %s is of a kind that data sources do not take over: %T", name, attribute))
	}
}
