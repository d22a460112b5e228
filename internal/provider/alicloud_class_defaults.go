package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// alicloudESSD is the disk category that has performance levels.
const alicloudESSD = "cloud_essd"

// defaultSystemDiskGiB is what a system disk has where no size is given and the image
// does not need more; a larger image refuses it.
const defaultSystemDiskGiB = 40

// launchDefaults are what ECS takes where an input of a class, or of a part of it, is
// left out. To write a default down changes nothing.
func launchDefaults() map[string]map[string]any {
	disk := map[string]any{"encrypted": false, "burst_enabled": false, "provisioned_iops": int64(0)}

	return map[string]map[string]any{
		"system_disk":      disk,
		"data_disks":       disk,
		"internet":         {"charge_type": "traffic"},
		"metadata_options": {"http_endpoint": "enabled", "http_tokens": "optional"},
		"spot":             {"protection_hours": int64(1), "interruption": "terminate"},
		"subscription":     {"unit": "month", "auto_renew": false, "auto_renew_period": int64(1)},
		"private_pool":     {},
	}
}

// launchValue is an input as it shapes a machine: without what is left out, without
// defaults, and without what a running machine keeps. It is nil where nothing is left,
// and an error where the value is not known.
func launchValue(name string, value attr.Value) (any, error) {
	return reduced(name, value, "delete_with_instance")
}

// keptValue is what a running machine keeps of an input.
func keptValue(name string, value attr.Value) (any, error) {
	switch name {
	case "data_disks":
		whole, err := reduced(name, value)
		if err != nil {
			return nil, err
		}

		disks, _ := whole.([]any)
		stays := []any{}

		// Which they are their sizes tell, not their places: another order changes nothing.
		for _, disk := range disks {
			if disk, ok := disk.(map[string]any); ok && disk["delete_with_instance"] == false {
				stays = append(stays, map[string]any{"size_gib": disk["size_gib"], "snapshot_id": disk["snapshot_id"]})
			}
		}

		return sortedText(stays), nil
	case "spot":
		return reduced(name, value, "price_limit_per_hour")
	case "security_group_ids":
		groups, err := plainValue(value)
		if elements, ok := groups.([]any); ok {
			slices.SortFunc(elements, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		}

		return groups, err
	default:
		return reduced(name, value)
	}
}

// reduced is a value without nulls, defaults and the given attributes.
func reduced(name string, value attr.Value, without ...string) (any, error) {
	if value == nil {
		return nil, nil
	}

	plain, err := plainValue(value)
	if err != nil {
		return nil, err
	}

	defaults, structured := launchDefaults()[name]
	if !structured {
		return plain, nil
	}

	elements, isList := plain.([]any)
	if !isList {
		elements = []any{plain}
	}

	for _, element := range elements {
		if element, ok := element.(map[string]any); ok {
			reduce(element, defaults, without)
		}
	}

	// A part in which all is left to ECS is the same as none, and so is an empty list; a
	// disk is one all the same.
	switch whole := plain.(type) {
	case map[string]any:
		if len(whole) == 0 {
			return nil, nil
		}
	case []any:
		if len(whole) == 0 {
			return nil, nil
		}
	}

	return plain, nil
}

func reduce(object, defaults map[string]any, without []string) {
	maps.DeleteFunc(object, func(key string, value any) bool {
		fallback, there := defaults[key]

		return slices.Contains(without, key) || (there && reflect.DeepEqual(value, fallback))
	})

	dropDefaultLevel(object)
	dropDefaultBandwidth(object)
}

// dropDefaultLevel leaves out the level that a disk of the category has without it.
func dropDefaultLevel(disk map[string]any) {
	if disk["category"] == alicloudESSD && disk["performance_level"] == "PL1" {
		delete(disk, "performance_level")
	}
}

// dropDefaultBandwidth leaves out the bandwidth into a machine that it has without it
// (RunInstances, "InternetMaxBandwidthIn").
func dropDefaultBandwidth(internet map[string]any) {
	out, isInternet := internet["bandwidth_out_mbps"].(int64)
	if isInternet && internet["bandwidth_in_mbps"] == max(10, out) {
		delete(internet, "bandwidth_in_mbps")
	}
}

// launchPart is launchValue with what another input gives it: a data disk that names no
// category gets the system disk's.
func launchPart(class types.Object, name string) (any, error) {
	value, err := launchValue(name, class.Attributes()[name])

	disks, isList := value.([]any)
	if err != nil || name != "data_disks" || !isList {
		return value, err
	}

	category := partOf(class.Attributes()["system_disk"]).text("category")

	for _, disk := range disks {
		if disk, ok := disk.(map[string]any); ok && disk["category"] == nil && category != "" {
			disk["category"] = category
			dropDefaultLevel(disk)
		}
	}

	return value, nil
}

// withoutDefaultSize returns what a class said and says of an input, without the size of
// the system disk where one of them is ECS's default and the other left out.
func withoutDefaultSize(name string, was, will any) (any, any) {
	if name != "system_disk" {
		return was, will
	}

	said, _ := was.(map[string]any)
	says, _ := will.(map[string]any)

	without := func(value any, disk, other map[string]any) any {
		if disk["size_gib"] != int64(defaultSystemDiskGiB) || other["size_gib"] != nil {
			return value
		}

		disk = maps.Clone(disk)
		delete(disk, "size_gib")

		if len(disk) == 0 {
			return nil
		}

		return disk
	}

	return without(was, said, says), without(will, says, said)
}

// launchParts are launchPart of the class as it was and as it is configured.
func launchParts(before, after types.Object, name string) (was, will any, err error) {
	was, err = launchPart(before, name)
	if err != nil {
		return nil, nil, err
	}

	will, err = launchPart(after, name)
	if err != nil {
		return nil, nil, err
	}

	was, will = withoutDefaultSize(name, was, will)

	return was, will, nil
}

// alicloudWritesDisksDown reports whether the class now says of a disk what it left to
// ECS before. What ECS chose then, only the disk itself tells.
func alicloudWritesDisksDown(before, after types.Object) bool {
	for _, name := range []string{"system_disk", "data_disks"} {
		was, will, err := launchParts(before, after, name)
		if err == nil && !sameInAnyOrder(was, will) && !reflect.DeepEqual(was, chosenByECS(name, was, will, levelsSaid(after, name), nil)) {
			return true
		}
	}

	return false
}

// chosenByECS is what a class said of its disks, with what it left to ECS and says now
// as the machine has it. Without disks, that is what the class says now: a look that
// failed costs no machine. Levels are those that the class says, defaults among them.
func chosenByECS(name string, was, will any, levels []any, disks []driver.MachineDisk) any {
	ofKind := make([]driver.MachineDisk, 0, len(disks))

	for _, disk := range disks {
		if disk.System == (name == "system_disk") {
			ofKind = append(ofKind, disk)
		}
	}

	switch name {
	case "system_disk":
		said, _ := was.(map[string]any)
		says, isSaid := will.(map[string]any)

		if !isSaid {
			return was
		}

		if chosen := chosenDisk(said, withLevel(says, levels, 0), ofKind, 0); len(chosen) > 0 || was != nil {
			return chosen
		}

		return was
	case "data_disks":
		said, _ := was.([]any)
		will, _ := will.([]any)

		if len(said) == 0 || len(said) != len(will) {
			return was
		}

		says := make([]any, len(will))

		for i := range will {
			disk, _ := will[i].(map[string]any)
			says[i] = withLevel(disk, levels, i)
		}

		chosen := make([]any, len(said))
		says = inOrderOf(said, says)

		for i := range said {
			before, _ := said[i].(map[string]any)
			after, _ := says[i].(map[string]any)
			chosen[i] = chosenDisk(before, after, ofKind, i)
		}

		return chosen
	default:
		return was
	}
}

// levelsSaid are the performance levels that the class says, disk for disk, nil where it
// says none. Unlike a disk as it shapes a machine, they hold the default, too: to say
// that is to want it, of a machine that was given another.
func levelsSaid(class types.Object, name string) []any {
	plain, err := plainValue(class.Attributes()[name])
	if err != nil {
		return nil
	}

	disks, isList := plain.([]any)
	if !isList {
		disks = []any{plain}
	}

	levels := make([]any, 0, len(disks))

	for _, disk := range disks {
		disk, _ := disk.(map[string]any)
		levels = append(levels, disk["performance_level"])
	}

	return levels
}

// withLevel is a disk with the level that the class says of it.
func withLevel(disk map[string]any, levels []any, index int) map[string]any {
	if index >= len(levels) || levels[index] == nil {
		return disk
	}

	disk = maps.Clone(disk)
	disk["performance_level"] = levels[index]

	return disk
}

// inOrderOf puts the disks that a class says in the order in which it said them before,
// where each can be told by what was said of it; else it leaves them as they are.
func inOrderOf(said, says []any) []any {
	left, ordered := slices.Clone(says), make([]any, 0, len(says))

	for _, before := range said {
		before, _ := before.(map[string]any)

		at := slices.IndexFunc(left, func(after any) bool {
			disk, ok := after.(map[string]any)
			for name, value := range before {
				ok = ok && reflect.DeepEqual(disk[name], value)
			}

			return ok
		})
		if at < 0 {
			return says
		}

		ordered = append(ordered, left[at])
		left = slices.Delete(left, at, at+1)
	}

	return ordered
}

// chosenDisk is chosenByECS for one disk, the one at the index of those that the
// machine has.
func chosenDisk(said, says map[string]any, disks []driver.MachineDisk, index int) map[string]any {
	chosen := maps.Clone(said)
	if chosen == nil {
		chosen = map[string]any{}
	}

	left := func(name string) bool { return said[name] == nil && says[name] != nil }

	if left("category") {
		chosen["category"] = says["category"]

		if level := says["performance_level"]; level != nil {
			chosen["performance_level"] = level
		}

		if index < len(disks) {
			chosen["category"], chosen["performance_level"] = disks[index].Category, disks[index].PerformanceLevel
		}

		// A level that the class still leaves out is no reason to give a machine up.
		if chosen["performance_level"] == "" || says["performance_level"] == nil {
			delete(chosen, "performance_level")
		}

		dropDefaultLevel(chosen)
	}

	if left("size_gib") {
		chosen["size_gib"] = says["size_gib"]

		if index < len(disks) {
			chosen["size_gib"] = disks[index].SizeGiB
		}
	}

	return chosen
}

// sameInAnyOrder reports whether two values are the same, or two lists of the same:
// what a running machine has in one order it does not get in another.
func sameInAnyOrder(was, will any) bool {
	first, wasList := was.([]any)
	second, isList := will.([]any)

	if !wasList || !isList || len(first) != len(second) {
		return reflect.DeepEqual(was, will)
	}

	return slices.Equal(sortedText(first), sortedText(second))
}

func sortedText(elements []any) []string {
	texts := make([]string, 0, len(elements))

	for _, element := range elements {
		text, err := json.Marshal(element)
		if err != nil {
			text = []byte(fmt.Sprint(element))
		}

		texts = append(texts, string(text))
	}

	slices.Sort(texts)

	return texts
}
