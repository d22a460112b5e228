package provider

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// objectRule checks what the attributes of one object say together. What is not
// known yet is judged when it is.
type objectRule struct {
	description string
	check       func(object part) []problem
	// doubt finds what need not be a mistake, and is warned of; it may be nil, and so may
	// check.
	doubt func(object part) []problem
}

// problem is one mistake in an object, at the attribute, which is a path below the
// object such as `disks[1].size`; at the object itself where that is empty.
type problem struct{ attribute, summary, detail string }

// told is a problem of the object at a path. Terraform shows the resource and the
// argument, and not which part of it, so the text does.
func (p problem) told(object path.Path) (at path.Path, summary, detail string) {
	at = below(object, p.attribute)

	return at, p.summary, fmt.Sprintf("%s: %s", at, p.detail)
}

// below returns the path of an attribute below another.
func below(at path.Path, attribute string) path.Path {
	for step := range strings.FieldsFuncSeq(attribute, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		if index, err := strconv.Atoi(step); err == nil {
			at = at.AtListIndex(index)
		} else {
			at = at.AtName(step)
		}
	}

	return at
}

// Description implements validator.Object.
func (r objectRule) Description(context.Context) string { return r.description }

// MarkdownDescription implements validator.Object.
func (r objectRule) MarkdownDescription(ctx context.Context) string { return r.Description(ctx) }

// ValidateObject implements validator.Object.
func (r objectRule) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	object := part(req.ConfigValue.Attributes())

	if r.check != nil {
		for _, found := range r.check(object) {
			resp.Diagnostics.AddAttributeError(found.told(req.Path))
		}
	}

	if r.doubt != nil {
		for _, found := range r.doubt(object) {
			resp.Diagnostics.AddAttributeWarning(found.told(req.Path))
		}
	}
}

// part is an object, read by the names of its attributes.
type part map[string]attr.Value

// partOf returns the attributes of a value; none where it is no known object.
func partOf(value attr.Value) part {
	object, ok := value.(types.Object)
	if !ok || object.IsNull() || object.IsUnknown() {
		return nil
	}

	return object.Attributes()
}

// known reports whether the values of all of the attributes are known.
func (p part) known(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return p[name] != nil && p[name].IsUnknown() })
}

// has reports whether the attribute is set, be it to something not known yet.
func (p part) has(name string) bool { return p[name] != nil && !p[name].IsNull() }

// text returns a string; empty where there is none, or not yet.
func (p part) text(name string) string {
	value, _ := p[name].(types.String)

	return value.ValueString()
}

// flag returns a boolean; false where there is none, or not yet.
func (p part) flag(name string) bool {
	value, _ := p[name].(types.Bool)

	return value.ValueBool()
}

// number returns a number, and whether there is one.
func (p part) number(name string) (float64, bool) {
	switch value := p[name].(type) {
	case wholeNumber:
		return float64(value.ValueInt64()), !value.IsNull() && !value.IsUnknown()
	case types.Float64:
		return value.ValueFloat64(), !value.IsNull() && !value.IsUnknown()
	default:
		return 0, false
	}
}

// texts returns the known strings of a list.
func (p part) texts(name string) []string {
	list, _ := p[name].(types.List)

	return stringsOf(list)
}

// complete reports whether a list and all its elements are known.
func (p part) complete(name string) bool {
	list, ok := p[name].(types.List)
	if !ok || list.IsUnknown() {
		return false
	}

	return !slices.ContainsFunc(list.Elements(), attr.Value.IsUnknown)
}
