package provider

import (
	"fmt"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// mostDataDisks is the most that one launch takes (RunInstances, "DataDisk.N").
const mostDataDisks = 16

func alicloudDiskAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"system_disk": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "System disk. It goes with the machine. What is left out is chosen by ECS; to write down what it chose changes nothing. " + replacesMachines,
			Attributes: alicloudDisk(
				"Disk category (`SystemDisk.Category`): `cloud_essd`, `cloud_auto`, `cloud_essd_entry` (u1 and e families only), `cloud_efficiency`, `cloud_ssd` or `cloud`. "+
					"Default: `cloud_efficiency`, or `cloud_essd` for types that take nothing older.",
				"Size in GiB (`SystemDisk.Size`): at least that of the image, and 1 to 2048 of `cloud_auto` and `cloud_essd` with PL0, from 20 with PL1, 461 with PL2, 1261 with PL3; "+
					"20 to 500 of `cloud`; 10 to 2048 of `cloud_essd_entry`; 20 to 2048 of others. Required with PL2 and PL3. Default: 40, or the image's size where that is more.",
				// RunInstances, "SystemDisk.Category" and "SystemDisk.PerformanceLevel".
				"Default: `PL1`; where `category` is left out and ECS takes `cloud_essd`, as it does for types that take nothing older, `PL0`.",
				systemDiskCategories()),
		},
		"data_disks": schema.ListNestedAttribute{
			Optional:            true,
			MarkdownDescription: fmt.Sprintf("Data disks, at most %d; instance types take fewer. Their order gives a new machine its device names. %s Another order does not, and neither does to write down what ECS chose.", mostDataDisks, replacesMachines),
			Validators:          []validator.List{listvalidator.SizeAtMost(mostDataDisks), noNullElements()},
			NestedObject: schema.NestedAttributeObject{
				Attributes: merged(
					alicloudDisk(
						"Disk category (`DataDisk.N.Category`): those of a system disk, and `cloud_regional_disk_auto`, `elastic_ephemeral_disk_standard` and `elastic_ephemeral_disk_premium`. "+
							"Default: the system disk's, or else ECS chooses.",
						"Size in GiB (`DataDisk.N.Size`): 1 to 65536 of `cloud_auto` and `cloud_essd` with PL0, from 20 with PL1, 461 with PL2, 1261 with PL3; 10 to 32768 of `cloud_essd_entry`; "+
							"5 to 2000 of `cloud`; 20 to 32768 of `cloud_efficiency` and `cloud_ssd`; 64 to 8192 of elastic ephemeral disks. Required unless `snapshot_id` gives it.",
						// RunInstances, "DataDisk.N.PerformanceLevel", which knows of no exception.
						"Default: `PL1`, of a data disk also where ECS chooses the category, so that `[{ size_gib = 40 }]` beside a system disk that is left out can get `PL1` where that gets `PL0`: "+
							"write `category` and `performance_level` down where the price matters.",
						dataDiskCategories()),
					map[string]schema.Attribute{
						"snapshot_id": schema.StringAttribute{
							Optional:            true,
							MarkdownDescription: "Snapshot that the disk is made from (`DataDisk.N.SnapshotId`); it gives the disk its size.",
							Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
						},
						"delete_with_instance": schema.BoolAttribute{
							Optional: true,
							MarkdownDescription: "Whether the disk goes with the machine (`DataDisk.N.DeleteWithInstance`). Default `true`; with `false` it stays when the machine is released, and is paid for: " +
								"a warning says so, and the disk carries the machine's tags. " +
								newMachinesOnly,
						},
					},
				),
			},
		},
	}
}

// alicloudDisk are the attributes that system and data disks share.
func alicloudDisk(category, size, level string, categories []string) map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"category": schema.StringAttribute{
			Optional: true, MarkdownDescription: category,
			Validators: []validator.String{stringvalidator.OneOf(categories...)},
		},
		"size_gib": schema.Int64Attribute{
			CustomType: wholeNumberType{},
			Optional:   true, MarkdownDescription: size,
			Validators: []validator.Int64{int64validator.AtLeast(1)},
		},
		"performance_level": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "Performance level `PL0` to `PL3`, of `cloud_essd` only. " + level,
			Validators:          []validator.String{stringvalidator.OneOf("PL0", "PL1", "PL2", "PL3")},
		},
		"provisioned_iops": schema.Int64Attribute{
			CustomType:          wholeNumberType{},
			Optional:            true,
			MarkdownDescription: "IOPS beyond the baseline of min(1800 + 50 x size, 50000), of `cloud_auto` only (`ProvisionedIops`): 0 (default) to min(50000, 1000 x size - baseline).",
			Validators:          []validator.Int64{int64validator.Between(0, 50000)},
		},
		"burst_enabled": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether the disk may go beyond its IOPS for a price, of `cloud_auto` only (`BurstingEnabled`). Default `false`.",
		},
		"encrypted": schema.BoolAttribute{
			Optional:            true,
			MarkdownDescription: "Whether the disk is encrypted (`Encrypted`). Default `false`.",
		},
		"kms_key_id": schema.StringAttribute{
			Optional:            true,
			MarkdownDescription: "KMS key that encrypts it (`KMSKeyId`); needs `encrypted = true`. Default: the account's service key.",
			Validators:          []validator.String{stringvalidator.LengthAtLeast(1)},
		},
	}
}

func systemDiskCategories() []string {
	return []string{"cloud", "cloud_auto", "cloud_efficiency", "cloud_essd", "cloud_essd_entry", "cloud_ssd"}
}

func dataDiskCategories() []string {
	return append(systemDiskCategories(), "cloud_regional_disk_auto", "elastic_ephemeral_disk_standard", "elastic_ephemeral_disk_premium")
}

// sizes are the least and the most GiB of a disk.
type sizes struct{ least, most float64 }

// systemDiskSizes are from RunInstances, "SystemDisk.Size"; the key is the category,
// and for cloud_essd category and performance level.
func systemDiskSizes() map[string]sizes {
	return map[string]sizes{
		"": {1, 2048}, "cloud": {20, 500}, "cloud_auto": {1, 2048}, "cloud_efficiency": {20, 2048}, "cloud_ssd": {20, 2048}, "cloud_essd_entry": {10, 2048},
		"cloud_essd PL0": {1, 2048}, "cloud_essd PL1": {20, 2048}, "cloud_essd PL2": {461, 2048}, "cloud_essd PL3": {1261, 2048},
	}
}

// dataDiskSizes are from RunInstances, "DataDisk.N.Size".
func dataDiskSizes() map[string]sizes {
	return map[string]sizes{
		"": {1, 65536}, "cloud": {5, 2000}, "cloud_auto": {1, 65536}, "cloud_efficiency": {20, 32768}, "cloud_ssd": {20, 32768}, "cloud_essd_entry": {10, 32768},
		"elastic_ephemeral_disk_standard": {64, 8192}, "elastic_ephemeral_disk_premium": {64, 8192},
		"cloud_essd PL0": {1, 65536}, "cloud_essd PL1": {20, 65536}, "cloud_essd PL2": {461, 65536}, "cloud_essd PL3": {1261, 65536},
	}
}

// disks takes a class whose disks are such as ECS makes.
func disks() objectRule {
	return objectRule{
		description: "the disks are such as ECS makes",
		check: func(class part) []problem {
			system := partOf(class["system_disk"])
			problems := systemDiskProblems(system)

			list, _ := class["data_disks"].(types.List)

			for i, element := range list.Elements() {
				disk := maps.Clone(partOf(element))
				if disk == nil || !class.known("system_disk") {
					continue
				}

				// A data disk that names no category gets the system disk's.
				if system.has("category") && !disk.has("category") {
					disk["category"] = system["category"]
				}

				for _, found := range dataDiskProblems(disk) {
					problems = append(problems, problem{fmt.Sprintf("data_disks[%d].%s", i, found.attribute), found.summary, found.detail})
				}
			}

			return problems
		},
	}
}

func systemDiskProblems(disk part) []problem {
	problems := append(diskSizeProblems(disk, systemDiskSizes()), diskOptionProblems(disk)...)

	if level := disk.text("performance_level"); !disk.has("size_gib") && (level == "PL2" || level == "PL3") {
		problems = append(problems, problem{
			"size_gib", "Disk without a size",
			fmt.Sprintf("A disk of cloud_essd %s is larger than what ECS makes by itself. Set size_gib, at least %g.", level, systemDiskSizes()["cloud_essd "+level].least),
		})
	}

	return inside("system_disk", problems)
}

// inside moves problems into a part of the object.
func inside(name string, problems []problem) []problem {
	moved := make([]problem, 0, len(problems))
	for _, found := range problems {
		moved = append(moved, problem{name + "." + found.attribute, found.summary, found.detail})
	}

	return moved
}

func dataDiskProblems(disk part) []problem {
	problems := append(diskSizeProblems(disk, dataDiskSizes()), diskOptionProblems(disk)...)

	switch size, snapshot := disk.has("size_gib"), disk.has("snapshot_id"); {
	case !disk.known("size_gib", "snapshot_id") || size != snapshot:
	case size:
		problems = append(problems, problem{"size_gib", "Size without a use", "The snapshot gives the disk its size, and ECS ignores another. Remove size_gib, or snapshot_id."})
	default:
		problems = append(problems, problem{"size_gib", "Disk without a size", "Set size_gib, or snapshot_id for a disk of a snapshot's size and content."})
	}

	if disk.has("delete_with_instance") && disk.known("delete_with_instance") && !disk.flag("delete_with_instance") && ephemeral(disk.text("category")) {
		problems = append(problems, problem{
			"delete_with_instance", "Disk that cannot stay",
			"An elastic ephemeral disk always goes with its machine. Remove delete_with_instance, or choose another category.",
		})
	}

	return problems
}

func ephemeral(category string) bool {
	return category == "elastic_ephemeral_disk_standard" || category == "elastic_ephemeral_disk_premium"
}

// diskSizeProblems judges a size by category and performance level, so far as they
// are known. Nothing is said of categories whose limits are not known.
func diskSizeProblems(disk part, bounds map[string]sizes) []problem {
	size, known := disk.number("size_gib")
	if !known || !disk.known("category", "performance_level") {
		return nil
	}

	kind := disk.text("category")
	if kind == "cloud_essd" {
		level := disk.text("performance_level")
		if level == "" {
			level = "PL1" // RunInstances, "SystemDisk.PerformanceLevel".
		}

		kind += " " + level
	}

	bound, there := bounds[kind]
	if !there || (size >= bound.least && size <= bound.most) {
		return nil
	}

	if kind == "" {
		kind = "any category"
	}

	return []problem{{"size_gib", "Disk size out of bounds", fmt.Sprintf("A disk of %s has %g to %g GiB, not %g.", kind, bound.least, bound.most, size)}}
}

// diskOptionProblems finds options that the disk's category does not have.
func diskOptionProblems(disk part) []problem {
	var problems []problem

	category := disk.text("category")

	if disk.known("category") && disk.has("performance_level") && category != "cloud_essd" {
		problems = append(problems, problem{
			"performance_level", "Performance level without a use",
			"Only disks of the category cloud_essd have a performance level. Set category = \"cloud_essd\", or remove performance_level.",
		})
	}

	if disk.known("category") && category != "cloud_auto" {
		iops, _ := disk.number("provisioned_iops")

		for name, used := range map[string]bool{"provisioned_iops": iops > 0, "burst_enabled": disk.flag("burst_enabled")} {
			if used {
				problems = append(problems, problem{
					name, "Option of another category",
					fmt.Sprintf("Only disks of the category cloud_auto have %s. Set category = \"cloud_auto\", or remove it.", name),
				})
			}
		}
	}

	if disk.has("kms_key_id") && disk.known("encrypted") && !disk.flag("encrypted") {
		problems = append(problems, problem{"kms_key_id", "Key without encryption", "kms_key_id is set and encrypted is not true. Set encrypted = true, or remove kms_key_id."})
	}

	return append(problems, iopsProblems(disk)...)
}

// iopsProblems judges provisioned IOPS by the disk's size (RunInstances,
// "ProvisionedIops").
func iopsProblems(disk part) []problem {
	iops, hasIOPS := disk.number("provisioned_iops")
	size, hasSize := disk.number("size_gib")

	if !hasIOPS || !hasSize || disk.text("category") != "cloud_auto" {
		return nil
	}

	baseline := min(1800+50*size, 50000)
	most := max(0, min(50000, 1000*size-baseline))

	if iops <= most {
		return nil
	}

	return []problem{{
		"provisioned_iops", "Too many IOPS",
		fmt.Sprintf("A disk of %g GiB can be given at most %g IOPS beyond its baseline of %g, not %g. Make it larger, or ask for fewer.", size, most, baseline, iops),
	}}
}
