package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func classSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A kind of machine, and the places where it may run. A class launches nothing by itself: " +
			"`machine_allocation` gets hosts of it. When it is created or changed, what it names is looked up while it is planned: what does not exist is an error of a new class, " +
			"and of a changed one a warning first and an error when it is applied, so that its machines stay and a destroy goes through. A class lives in the state alone, so it cannot be imported: where its state was lost, set `uid` to the value of " +
			"the tag `terraform-machine/class-uid` of its machines, and import those.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Name of the class: 2 to 100 letters, digits, dots, underscores or hyphens, beginning with a letter. A change is made in place.",
				Validators:          []validator.String{nameValidator()},
			},
			"uid": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Identity of the class for life. Machines carry it in a tag. Default: a random UUID. Setting it from the start lets even a first apply heal " +
					"that was killed before its state was saved; it belongs to one state, so put `terraform.workspace` into it.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(uidPattern, "must be 1 to 100 letters, digits, dots, underscores, hyphens or slashes, beginning with a letter or digit"),
				},
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseNonNullStateForUnknown()},
			},
			alicloudClassKey: alicloudClassAttribute(),
			"release_leftovers": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether destroying the class also releases machines of it that no state is known to hold, as an interrupted apply leaves them. Default `true`. " +
					"The plan of the destroy names them. With `false` they are only named.",
			},
		},
	}
}

// classObjectTypes are the parts of a class that an allocation takes over.
func classObjectTypes() map[string]attr.Type {
	return map[string]attr.Type{
		"name":           types.StringType,
		"uid":            types.StringType,
		alicloudClassKey: alicloudClassAttribute().GetType(),
	}
}

// classPartTypes are the attributes of a class's cloud part.
func classPartTypes() map[string]attr.Type {
	object, _ := alicloudClassAttribute().GetType().(types.ObjectType)

	return object.AttrTypes
}
