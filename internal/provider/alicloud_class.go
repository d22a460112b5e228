package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// alicloudClassKey is the attribute, and the key of the provider configuration,
// that holds a class's Alibaba Cloud part.
const alicloudClassKey = "alicloud"

// What a change of an input does to a machine that runs.
const (
	replacesMachines = "A change replaces the machines."
	// followedInPlace is said of the inputs that a running machine follows.
	followedInPlace = "A change is made in place."
	// newMachinesOnly is said of the inputs that a running machine keeps.
	newMachinesOnly = "A change applies to machines launched from then on; a running machine keeps what it was launched with."
)

// mostSecurityGroups is more than any account's quota lets a machine have.
const mostSecurityGroups = 16

func alicloudClassAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required:            true,
		MarkdownDescription: "What the machine is on Alibaba Cloud ECS, and where it may run.",
		Validators:          []validator.Object{oneImage(), typesOrRequirements(), payment(), disks()},
		Attributes: merged(
			alicloudImageAttributes(), alicloudTypeAttributes(), alicloudCapacityAttributes(), alicloudPlaceAttributes(),
			alicloudDiskAttributes(), alicloudNetworkAttributes(), alicloudAccessAttributes(),
		),
	}
}

// merged is all of the attributes together.
func merged(groups ...map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{}

	for _, group := range groups {
		for name, attribute := range group {
			all[name] = attribute
		}
	}

	return all
}

func alicloudImageAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"region": schema.StringAttribute{
			Optional: true, Computed: true,
			MarkdownDescription: "Region ID, such as `cn-hangzhou`. Default: the provider's region. " + replacesMachines,
			Validators:          []validator.String{regionValidator()},
		},
		"image_id": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Image to launch from (`ImageId`), be it deprecated. Exactly one of `image_id` and `image_family` has to be set. " +
				"Its architecture has to be that of the instance types. " + replacesMachines,
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"image_family": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "Image family (`ImageFamily`); the newest available image of it is launched, and recorded in the allocation's `image`. " +
				"A newer image in the family never replaces a machine; a change of the family's name does.",
			Validators: []validator.String{stringvalidator.LengthAtLeast(1)},
		},
	}
}

func alicloudPlaceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"vswitch_ids": schema.ListAttribute{
			Required: true, ElementType: types.StringType,
			MarkdownDescription: "vSwitches of one VPC (`VSwitchId`); their zones are where machines may run. Several may be in one zone: one that has no free address gives way to the next. " +
				"A machine is replaced only when its vSwitch is no longer among them.",
			Validators: idList("vsw-bp1abc"),
		},
		"zone_order": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "In which order the vSwitches are tried for each instance type and capacity type: `spread` (default) begins at a place that a hash of the machine's name gives, " +
				"so that a fleet spreads over the zones without coordination; `listed` as `vswitch_ids` lists them. A change replaces nothing.",
			Validators: []validator.String{stringvalidator.OneOf("spread", zonesAsListed)},
		},
		"deployment_set_id": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Deployment set that keeps machines on different hosts (`DeploymentSetId`). By default a set takes 20 machines per zone; a full one counts as a place without capacity. " + replacesMachines,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"private_pool": alicloudPrivatePoolAttribute(),
	}
}

// zonesAsListed is the zone_order of a class whose machines all begin with its first
// vSwitch.
const zonesAsListed = "listed"

// alicloudZonesInOrder reports whether the class has its vSwitches tried in their
// order.
func alicloudZonesInOrder(class types.Object) bool {
	return part(class.Attributes()).text("zone_order") == zonesAsListed
}

func alicloudPrivatePoolAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "Capacity that was reserved ahead (`PrivatePoolOptions`). Default: ECS uses an open pool that fits, else public capacity. Spot machines never come from a pool. " +
			newMachinesOnly,
		Validators: []validator.Object{objectRule{
			description: "id is set if and only if match_criteria is target",
			check: func(pool part) []problem {
				target := pool.text("match_criteria") == "target"

				switch {
				case !pool.known("match_criteria", "id") || target == pool.has("id"):
					return nil
				case target:
					return []problem{{"id", "No pool", "match_criteria = \"target\" needs the ID of the pool. Set id, or match_criteria = \"open\" for any open pool that fits."}}
				default:
					return []problem{{"id", "Pool without a use", "Only match_criteria = \"target\" launches from one pool. Set it, or remove id."}}
				}
			},
		}},
		Attributes: map[string]schema.Attribute{
			"match_criteria": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "`open` (an open pool that fits, else public capacity), `target` (the pool of `id` and nothing else) or `none` (public capacity only).",
				Validators:          []validator.String{stringvalidator.OneOf("open", "target", "none")},
			},
			"id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "ID of the pool: of the capacity reservation or the elasticity assurance. With `target` only.",
				Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
			},
		},
	}
}

func alicloudAccessAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"key_pair_name": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "SSH key pair (`KeyPairName`), 2 to 128 characters, for Linux only; login by password is off then. Default: none. " + followedInPlace + " A machine that runs takes it at its next reboot.",
			Validators:          []validator.String{stringvalidator.LengthBetween(2, 128)},
		},
		"ram_role_name": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "RAM role of the machine (`RamRoleName`), 1 to 64 characters. It has to trust ECS, and the credentials need `ram:PassRole` for it. Default: none. " +
				followedInPlace,
			Validators: []validator.String{stringvalidator.LengthBetween(1, 64)},
		},
		"resource_group_id": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Resource group of the machine (`ResourceGroupId`). Default: the account's default group. " + newMachinesOnly,
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
		"credit_specification": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "How a burstable machine goes on without CPU credits (`CreditSpecification`): `standard` (at baseline) or `unlimited` (at a price). For burstable types only. " +
				"Default: ECS chooses by the type. " + newMachinesOnly,
			Validators: []validator.String{stringvalidator.OneOf("standard", "unlimited")},
		},
		"security_enhancement": schema.BoolAttribute{
			Optional: true,
			MarkdownDescription: "Whether ECS installs its security agent at first boot (`SecurityEnhancementStrategy`), which it can in public images only: `true` with another image is an error. Default: ECS chooses. " +
				newMachinesOnly,
		},
		"tags": tagsAttribute("Tags of every machine of the class, additional to the allocation's own. A change is made in place."),
	}
}

// idList are the validators of a list of IDs.
func idList(example string) []validator.List {
	return []validator.List{
		listvalidator.SizeAtLeast(1),
		noNullElements(),
		uniqueElements(),
		listvalidator.ValueStringsAre(stringvalidator.LengthAtLeast(1), stringvalidator.RegexMatches(trimmedPattern, "must not begin or end with a blank; want for example "+example)),
	}
}

// oneImage takes a class that names its image in exactly one way.
func oneImage() objectRule {
	return objectRule{
		description: "exactly one of image_id and image_family is set",
		check: func(class part) []problem {
			switch id, family := class.has("image_id"), class.has("image_family"); {
			case !class.known("image_id", "image_family") || id != family:
				return nil
			case id:
				return []problem{{"", "Two images", "image_id and image_family are both set. Remove one of them."}}
			default:
				return []problem{{"", "No image", "Set image_id, or image_family for the newest image of a family."}}
			}
		},
	}
}
