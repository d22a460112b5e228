package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// elements judges the elements of a list or a map, and names by its path the one that
// is wrong: Terraform shows the resource alone.
type elements struct {
	description string
	// problem is what is wrong with an element, given those before it; empty where
	// nothing is.
	problem func(before []attr.Value, element attr.Value) string
	// remedy says how such elements are taken out of a list of texts, of another list and
	// of a map; it may be empty.
	remedy struct{ texts, list, mapping string }
}

var (
	_ validator.List = elements{}
	_ validator.Map  = elements{}
)

// noNullElements refuses null among the elements, which a conditional without an else
// brings in.
func noNullElements() elements {
	nulls := elements{
		description: "no element is null",
		problem: func(_ []attr.Value, element attr.Value) string {
			if element.IsNull() {
				return "is null. Give it a value, or leave it out"
			}

			return ""
		},
	}
	nulls.remedy.texts = ": compact(...) takes nulls out of a list"
	nulls.remedy.list = ": [for element in LIST : element if element != null] has none"
	nulls.remedy.mapping = ": { for key, value in MAP : key => value if value != null } has none"

	return nulls
}

// uniqueElements refuses an element that is there twice.
func uniqueElements() elements {
	return elements{
		description: "no element is there twice",
		problem: func(before []attr.Value, element attr.Value) string {
			if element.IsNull() || element.IsUnknown() {
				return ""
			}

			for i, other := range before {
				if other.Equal(element) {
					return fmt.Sprintf("is %s, as element %d is already. Take one of them out", element, i)
				}
			}

			return ""
		},
	}
}

// Description implements validator.List and validator.Map.
func (v elements) Description(context.Context) string { return v.description }

// MarkdownDescription implements validator.List and validator.Map.
func (v elements) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateList implements validator.List.
func (v elements) ValidateList(ctx context.Context, req validator.ListRequest, resp *validator.ListResponse) {
	list, remedy := req.ConfigValue.Elements(), v.remedy.list
	if req.ConfigValue.ElementType(ctx).Equal(types.StringType) {
		remedy = v.remedy.texts
	}

	for i, element := range list {
		if problem := v.problem(list[:i], element); problem != "" {
			at := req.Path.AtListIndex(i)
			resp.Diagnostics.AddAttributeError(at, "Invalid list element", elementText(at, problem+remedy))
		}
	}
}

// ValidateMap implements validator.Map.
func (v elements) ValidateMap(_ context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	for key, element := range req.ConfigValue.Elements() {
		if problem := v.problem(nil, element); problem != "" {
			at := req.Path.AtMapKey(key)
			resp.Diagnostics.AddAttributeError(at, "Invalid map element", elementText(at, problem+v.remedy.mapping))
		}
	}
}

func elementText(at path.Path, problem string) string { return fmt.Sprintf("%s %s.", at, problem) }
