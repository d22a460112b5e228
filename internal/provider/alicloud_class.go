package provider

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// alicloudClassKey is the attribute, and the key of the provider configuration,
// that holds a class's Alibaba Cloud part.
const alicloudClassKey = "alicloud"

// alicloudImmutable are the inputs of a class that no running machine can follow:
// a change replaces the machine.
var alicloudImmutable = []string{"region", "image_id", "image_family", "system_disk"}

func alicloudClassAttribute() schema.SingleNestedAttribute {
	ids := func(example string) []validator.List {
		return []validator.List{
			listvalidator.SizeAtLeast(1),
			noNullElements(),
			uniqueElements(),
			listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1), stringvalidator.RegexMatches(trimmedPattern, "must not begin or end with a blank; want for example "+example)),
		}
	}

	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "What the machine is on Alibaba Cloud ECS, and where it may run.",
		Validators:          []validator.Object{oneImage{}},
		Attributes: map[string]schema.Attribute{
			"region": schema.StringAttribute{
				Optional: true, Computed: true,
				MarkdownDescription: "Region ID, such as `cn-hangzhou`. Default: the provider's region. A change replaces the machines.",
				Validators:          []validator.String{regionValidator()},
			},
			"image_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Image to launch from. Exactly one of `image_id` and `image_family` has to be set. A change replaces the machines.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"image_family": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Image family; the newest available image of it is launched. A newer image in the family never replaces a machine; " +
					"a change of the family's name does.",
				Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
			},
			"instance_types": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Instance types, in the order in which they are tried. A machine is replaced only when its type is no longer among them.",
				Validators:          ids("ecs.g7.xlarge"),
			},
			"capacity_types": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Ways to pay, in the order in which they are tried for each instance type: `on_demand` and `spot` (at market price). " +
					"Default: `[\"on_demand\"]`. A machine is replaced only when its own is no longer among them.",
				Validators: []validator.List{
					listvalidator.SizeAtLeast(1),
					noNullElements(),
					uniqueElements(),
					listvalidator.ValueStringsAre(stringvalidator.OneOf("on_demand", "spot")),
				},
			},
			"vswitch_ids": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "vSwitches of one VPC; their zones are where machines may run. Machines spread over them by a hash of their name. " +
					"A machine is replaced only when its vSwitch is no longer among them.",
				Validators: ids("vsw-bp1abc"),
			},
			"security_group_ids": schema.ListAttribute{
				Required: true, ElementType: types.StringType,
				MarkdownDescription: "Security groups of the same VPC. " + newMachinesOnly,
				Validators:          ids("sg-bp1abc"),
			},
			"system_disk": schema.SingleNestedAttribute{
				Optional:            true,
				MarkdownDescription: "System disk. What is left out is chosen by ECS. A change replaces the machines.",
				Attributes: map[string]schema.Attribute{
					"category": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "Disk category, such as `cloud_essd` or `cloud_efficiency`.",
						Validators: []validator.String{stringvalidator.OneOf(
							"cloud", "cloud_auto", "cloud_efficiency", "cloud_essd", "cloud_essd_entry", "cloud_ssd")},
					},
					"size_gib": schema.Int64Attribute{
						Optional:            true,
						MarkdownDescription: "Size in GiB, 1 to 2048, at least that of the image.",
						Validators:          []validator.Int64{int64validator.Between(1, 2048)},
					},
					"performance_level": schema.StringAttribute{
						Optional:            true,
						MarkdownDescription: "Performance level `PL0` to `PL3`, of `cloud_essd` only.",
						Validators:          []validator.String{stringvalidator.OneOf("PL0", "PL1", "PL2", "PL3")},
					},
				},
			},
			"key_pair_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "SSH key pair. " + newMachinesOnly,
				Validators:          []validator.String{stringvalidator.LengthBetween(2, 128)},
			},
			"ram_role_name": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "RAM role of the machine. " + newMachinesOnly,
				Validators:          []validator.String{stringvalidator.LengthBetween(1, 64)},
			},
			"tags": tagsAttribute("Tags of every machine of the class, additional to the allocation's own. A change is made in place."),
		},
	}
}

// oneImage takes a class that names its image in exactly one way.
type oneImage struct{}

// Description implements validator.Object.
func (oneImage) Description(context.Context) string {
	return "exactly one of image_id and image_family is set"
}

// MarkdownDescription implements validator.Object.
func (v oneImage) MarkdownDescription(ctx context.Context) string { return v.Description(ctx) }

// ValidateObject implements validator.Object.
func (oneImage) ValidateObject(_ context.Context, req validator.ObjectRequest, resp *validator.ObjectResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}

	id, family := req.ConfigValue.Attributes()["image_id"], req.ConfigValue.Attributes()["image_family"]
	if id.IsUnknown() || family.IsUnknown() || id.IsNull() != family.IsNull() {
		return
	}

	if id.IsNull() {
		resp.Diagnostics.AddAttributeError(req.Path, "No image", "Set image_id, or image_family for the newest image of a family.")

		return
	}

	resp.Diagnostics.AddAttributeError(req.Path, "Two images", "image_id and image_family are both set. Remove one of them.")
}

// newMachinesOnly is said of the inputs that a running machine keeps.
const newMachinesOnly = "A change applies to machines launched from then on; a running machine keeps what it was launched with."

// alicloudMismatch tells why a machine of the class as it was cannot be one of the
// class as it is configured; nothing where it can. Machine is what the state says
// of it.
func alicloudMismatch(before, after types.Object, machine allocationModel) []string {
	var reasons []string

	for _, name := range alicloudImmutable {
		if !before.Attributes()[name].Equal(after.Attributes()[name]) {
			reasons = append(reasons, fmt.Sprintf("class.%s.%s changes", alicloudClassKey, name))
		}
	}

	candidates := []struct{ name, current, none string }{
		{name: "instance_types", current: machine.InstanceType.ValueString()},
		{name: "capacity_types", current: machine.Charge.ValueString(), none: "on_demand"},
		{name: "vswitch_ids", current: vswitchOf(machine.Offering.ValueString())},
	}

	for _, candidate := range candidates {
		fitted := slices.Contains(candidatesOf(before, candidate.name, candidate.none), candidate.current)
		list, ok := after.Attributes()[candidate.name].(types.List)

		// A machine that never was among them (imported, or resized by hand) is not
		// what an edit of the list is about.
		if !ok || list.IsUnknown() || !fitted {
			continue
		}

		if !slices.Contains(candidatesOf(after, candidate.name, candidate.none), candidate.current) {
			reasons = append(reasons, fmt.Sprintf("class.%s.%s no longer has the machine's own, %s", alicloudClassKey, candidate.name, candidate.current))
		}
	}

	return reasons
}

// candidatesOf returns a list of the class; where it is empty, what stands for that,
// if anything does.
func candidatesOf(class types.Object, name, none string) []string {
	list, ok := class.Attributes()[name].(types.List)
	if !ok {
		return nil
	}

	candidates := stringsOf(list)
	if len(candidates) == 0 && none != "" {
		return []string{none}
	}

	return candidates
}

// vswitchOf returns the vSwitch in an offering's ID, which is
// `<instance type>/<vswitch>/<capacity type>`.
func vswitchOf(offering string) string {
	parts := strings.Split(offering, "/")
	if len(parts) != 3 {
		return ""
	}

	return parts[1]
}

// alicloudKept names the inputs that differ and that a running machine keeps.
func alicloudKept(before, after types.Object) []string {
	var kept []string

	for _, name := range []string{"security_group_ids", "key_pair_name", "ram_role_name"} {
		if !before.Attributes()[name].Equal(after.Attributes()[name]) {
			kept = append(kept, name)
		}
	}

	return kept
}
