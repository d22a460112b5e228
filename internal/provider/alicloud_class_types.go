package provider

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	familyPattern       = regexp.MustCompile(`^ecs\.[a-z0-9]+(-[a-z0-9]+)*$`)
	instanceTypePattern = regexp.MustCompile(`^ecs\.[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$`)
)

func alicloudTypeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"instance_types": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Instance types, in the order in which they are tried. Exactly one of `instance_types` and `requirements` has to be set. " +
				"A machine is replaced only when its type is no longer among them.",
			Validators: idList("ecs.g7.xlarge"),
		},
		"requirements": alicloudRequirementsAttribute(),
		"type_order": schema.StringAttribute{
			Optional: true,
			MarkdownDescription: "In which order instance types are tried: `listed` (default) as `instance_types` lists them, and what `requirements` find by vCPUs, memory and name; " +
				"`cheapest` by their price per hour, lowest first, types whose price is not known last. `cheapest` takes price calls, which ECS limits. A change replaces nothing.",
			Validators: []validator.String{stringvalidator.OneOf("listed", "cheapest")},
		},
	}
}

func alicloudRequirementsAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What an instance type has to be, in place of a list of names: every type of the region's catalogue that meets all of it is a candidate, new ones included. " +
			"Types with GPUs are candidates only where one of `gpus`, `gpu_models` and `gpu_memory_gib` asks for them. " +
			"A machine is replaced only when its type does not meet changed requirements.",
		Validators: []validator.Object{objectRule{
			description: "it says something of the size, and excludes nothing that it names",
			check:       requirementProblems,
			doubt:       requirementsWithoutEnd,
		}},
		Attributes: map[string]schema.Attribute{
			"vcpus":               intRange("Number of vCPUs.", 1),
			"memory_gib":          floatRange("Memory in GiB."),
			"memory_gib_per_vcpu": floatRange("Memory in GiB for each vCPU: 2 is compute-optimized, 4 general-purpose, 8 memory-optimized."),
			"gpus":                intRange("Number of GPUs. Without it, `gpu_models` and `gpu_memory_gib`, types with GPUs are left out.", 0),
			"gpu_models": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "GPU models, as the catalogue writes them (`GPUSpec`), such as `NVIDIA T4`; upper and lower case are the same. A type with any of them will do.",
				Validators:          idList("NVIDIA T4"),
			},
			"gpu_memory_gib": floatRange("Memory of one GPU in GiB."),
			"architecture": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Processor architecture: `amd64` or `arm64`. Default: the image's.",
				Validators:          []validator.String{stringvalidator.OneOf("amd64", "arm64")},
			},
			"families": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Instance families, such as `ecs.g7`; of types of one size, those of the first family come first. Default: all.",
				Validators:          append(patternList(familyPattern, "must be an instance family such as ecs.g7"), listvalidator.SizeAtLeast(1)),
			},
			"exclude_families": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Instance families that are left out. One that the region does not have is warned of.",
				Validators: patternList(familyPattern, "must be an instance family such as ecs.g7"),
			},
			"exclude_instance_types": schema.ListAttribute{
				Optional: true, ElementType: types.StringType, MarkdownDescription: "Instance types that are left out. One that the region does not have is warned of.",
				Validators: patternList(instanceTypePattern, "must be an instance type such as ecs.g7.large"),
			},
			"burstable":              tristate("Burstable types (families such as `ecs.t6`), which run at a baseline below their vCPUs"),
			"local_disks":            tristate("Types with local disks, whose data is gone when ECS moves the machine and which cannot be stopped without charge"),
			"network_bandwidth_gbps": floatRange("Network bandwidth inside the VPC in Gbit/s, at its base."),
		},
	}
}

// requirementProblems refuses requirements that would take the whole catalogue, and
// those that contradict themselves.
func requirementProblems(requirements part) []problem {
	var problems []problem

	sizing := []string{"vcpus", "memory_gib", "gpus", "gpu_models", "gpu_memory_gib", "families"}
	if !slices.ContainsFunc(sizing, requirements.has) {
		problems = append(problems, problem{
			"", "Requirements without a size",
			"Nothing bounds what a machine may be, up to the largest there is. Set at least one of vcpus, memory_gib, gpus, gpu_models, gpu_memory_gib and families.",
		})
	}

	for _, family := range requirements.texts("families") {
		if slices.Contains(requirements.texts("exclude_families"), family) {
			problems = append(problems, problem{
				"exclude_families", "A family in and out",
				fmt.Sprintf("%s is in families and in exclude_families. Remove it from one of them.", family),
			})
		}
	}

	return problems
}

// requirementsWithoutEnd warns of requirements that the largest types meet as well: when
// the small ones are sold out, those are what is launched, and paid for.
func requirementsWithoutEnd(requirements part) []problem {
	bounded := func(name string) bool { return partOf(requirements[name]).has("max") || !requirements.known(name) }

	if len(requirementProblems(requirements)) > 0 || requirements.has("families") || slices.ContainsFunc([]string{"vcpus", "memory_gib", "gpus"}, bounded) {
		return nil
	}

	return []problem{{
		"", "Requirements without an upper bound",
		"Types of any size meet them. The smallest is tried first, but when it is sold out the next larger one is launched and paid for, up to the largest there is. Set max in vcpus, memory_gib or gpus, or name families.",
	}}
}

// patternList are the validators of a list that may be empty, as one that is computed
// can be.
func patternList(pattern *regexp.Regexp, message string) []validator.List {
	return []validator.List{
		noNullElements(),
		uniqueElements(),
		listvalidator.ValueStringsAre(stringvalidator.RegexMatches(pattern, message)),
	}
}

func tristate(what string) schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: what + ": `exclude` (default), `include`, or `only`.",
		Validators:          []validator.String{stringvalidator.OneOf("exclude", "include", "only")},
	}
}

// intRange is a range of whole numbers, its bounds included.
func intRange(description string, least int64) schema.SingleNestedAttribute {
	bound := func(which string) schema.Int64Attribute {
		return schema.Int64Attribute{
			CustomType: wholeNumberType{},
			Optional:   true, MarkdownDescription: which,
			Validators: []validator.Int64{int64validator.AtLeast(least)},
		}
	}

	return rangeOf(description, bound("At least so many."), bound("At most so many."))
}

// floatRange is a range of numbers, its bounds included.
func floatRange(description string) schema.SingleNestedAttribute {
	bound := func(which string) schema.Float64Attribute {
		return schema.Float64Attribute{
			Optional: true, MarkdownDescription: which,
			Validators: []validator.Float64{float64validator.AtLeast(0)},
		}
	}

	return rangeOf(description, bound("At least so much."), bound("At most so much."))
}

func rangeOf(description string, least, most schema.Attribute) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: description,
		Validators:          []validator.Object{objectRule{description: "min is not above max, and one of them is set", check: rangeProblems}},
		Attributes:          map[string]schema.Attribute{"min": least, "max": most},
	}
}

func rangeProblems(bounds part) []problem {
	if !bounds.has("min") && !bounds.has("max") {
		return []problem{{"", "Range without bounds", "Set min, max or both, or remove the range."}}
	}

	least, bounded := bounds.number("min")
	most, capped := bounds.number("max")

	if bounded && capped && least > most {
		return []problem{{"", "Empty range", fmt.Sprintf("min is %g and max is %g, so nothing is in it. Exchange them.", least, most)}}
	}

	return nil
}

// typesOrRequirements takes a class that says in exactly one way what a machine may
// be.
func typesOrRequirements() objectRule {
	return objectRule{
		description: "exactly one of instance_types and requirements is set",
		check: func(class part) []problem {
			switch named, required := class.has("instance_types"), class.has("requirements"); {
			case !class.known("instance_types", "requirements") || named != required:
				return nil
			case named:
				return []problem{{"", "Instance types twice", "instance_types and requirements are both set. Remove one of them."}}
			default:
				return []problem{{"", "No instance types", "Set instance_types, or requirements for all types that meet them."}}
			}
		},
	}
}
