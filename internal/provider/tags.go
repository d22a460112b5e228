package provider

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// maximumUserTags leaves room for the reserved tags among the 20 that ECS allows.
const maximumUserTags = 12

func tagsAttribute(description string) schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, ElementType: types.StringType,
		MarkdownDescription: fmt.Sprintf("%s At most %d with the other tags given here; keys must not begin with `aliyun`, `acs:` or `%s`.",
			description, maximumUserTags, driver.ReservedTagPrefix),
		Validators: tagsValidators(),
	}
}

func tagsValidators() []validator.Map {
	return []validator.Map{
		noNullElements(),
		mapvalidator.SizeAtMost(maximumUserTags),
		mapvalidator.KeysAre(tagKeyValidator{}),
		mapvalidator.ValueStringsAre(stringvalidator.UTF8LengthAtMost(128), noURLValidator{}),
	}
}

// tagKeyValidator refuses keys that ECS refuses (RunInstances, "Tag.N.Key") and
// those that are reserved.
type tagKeyValidator struct{}

// Description implements validator.String.
func (tagKeyValidator) Description(context.Context) string {
	return "tag key of 1 to 128 characters that does not begin with aliyun, acs: or " + driver.ReservedTagPrefix + " and holds no http:// or https://"
}

// MarkdownDescription implements validator.String.
func (v tagKeyValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (tagKeyValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	if problem := tagKeyProblem(req.ConfigValue.ValueString()); problem != "" {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid tag key", fmt.Sprintf("%s: %s", req.Path, problem))
	}
}

func tagKeyProblem(key string) string {
	lower := strings.ToLower(key)

	switch {
	case strings.HasPrefix(lower, driver.ReservedTagPrefix):
		return fmt.Sprintf("Tags that begin with %q are the provider's own: they are how it finds its machines again. Choose another key than %q.", driver.ReservedTagPrefix, key)
	case key == "" || len([]rune(key)) > 128:
		return fmt.Sprintf("A tag key has 1 to 128 characters; %q has %d.", key, len([]rune(key)))
	case strings.HasPrefix(lower, "aliyun") || strings.HasPrefix(lower, "acs:"):
		return fmt.Sprintf("ECS refuses tag keys that begin with aliyun or acs: (%q does).", key)
	case strings.Contains(lower, "http://") || strings.Contains(lower, "https://"):
		return fmt.Sprintf("ECS refuses tag keys that hold http:// or https:// (%q does).", key)
	default:
		return ""
	}
}

// noURLValidator refuses text that holds a URL, as ECS does.
type noURLValidator struct{}

// Description implements validator.String.
func (noURLValidator) Description(context.Context) string { return "holds no http:// or https://" }

// MarkdownDescription implements validator.String.
func (v noURLValidator) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateString implements validator.String.
func (noURLValidator) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	value := strings.ToLower(req.ConfigValue.ValueString())
	if strings.Contains(value, "http://") || strings.Contains(value, "https://") {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid tag value", fmt.Sprintf("%s: ECS refuses tag values that hold http:// or https://.", req.Path))
	}
}

// wantedTags are the tags that a machine of the model is to have: the class's, and
// the allocation's over them.
func (m allocationModel) wantedTags() map[string]string {
	tags := map[string]string{}

	if alicloud, ok := m.classPart(); ok {
		if classTags, ok := alicloud.Attributes()["tags"].(types.Map); ok {
			maps.Copy(tags, stringMap(classTags))
		}
	}

	maps.Copy(tags, stringMap(m.Tags))

	return tags
}

// checkTagCount refuses more tags than fit beside the reserved ones.
func (t tagged) checkTagCount(diagnostics *diag.Diagnostics) {
	if tags := t.tags(); len(tags) > maximumUserTags {
		diagnostics.AddAttributeError(path.Root("tags"), "Too many tags",
			fmt.Sprintf("The allocation, its class and the provider give %d tags together (%s); at most %d fit beside the provider's own. Remove some of them.",
				len(tags), strings.Join(slices.Sorted(maps.Keys(tags)), ", "), maximumUserTags))
	}
}
