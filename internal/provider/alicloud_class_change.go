package provider

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// alicloudImmutable are the inputs of a class that no running machine can follow:
// a change replaces the machine.
func alicloudImmutable() []string {
	return []string{
		"region", "image_id", "image_family", "system_disk", "data_disks", "internet", "ipv6", "metadata_options", "deployment_set_id",
	}
}

// alicloudMismatch tells why a machine of the class as it was cannot be one of the
// class as it is configured; nothing where it can. Machine is what the state says
// of it, and disks what it has, which counts where ECS chose: see
// alicloudWritesDisksDown. Whether its type meets requirements is not judged here.
func alicloudMismatch(before, after types.Object, machine allocationModel, disks []driver.MachineDisk) []string {
	var reasons []string

	for _, name := range alicloudImmutable() {
		was, will, err := launchParts(before, after, name)

		field := "class." + alicloudClassKey + "." + name

		if err != nil {
			// What is not known and could replace the machine is planned to: a plan cannot be
			// turned into a replacement later.
			reasons = append(reasons, field+" changes to what is known only after apply")

			continue
		}

		if sameInAnyOrder(was, will) {
			continue
		}

		was = chosenByECS(name, was, will, levelsSaid(after, name), disks)
		if sameInAnyOrder(was, will) {
			continue
		}

		for _, changed := range differences(field, was, will) {
			reasons = append(reasons, changed+" changes")
		}
	}

	return append(reasons, alicloudOutOfLists(before, after, machine)...)
}

// alicloudOutOfLists tells which list of candidates no longer has the machine's own.
func alicloudOutOfLists(before, after types.Object, machine allocationModel) []string {
	var reasons []string

	offering := offeringParts(machine.Offering.ValueString())
	candidates := []struct {
		name, current, none string
		// fitted says that the machine was of the class in another way than by the list.
		fitted bool
	}{
		{
			name: "instance_types", current: machine.InstanceType.ValueString(),
			fitted: part(before.Attributes()).has("requirements") && offering.instanceType != "" && offering.instanceType == machine.InstanceType.ValueString(),
		},
		{name: "capacity_types", current: machine.Charge.ValueString(), none: alicloudOnDemand},
		{name: "vswitch_ids", current: offering.vswitch},
	}

	for _, candidate := range candidates {
		fitted := candidate.fitted || slices.Contains(candidatesOf(before, candidate.name, candidate.none), candidate.current)

		// A machine that never was among them (imported, or resized by hand) is not what an
		// edit of the list is about; neither is one whose list is not known yet, or whose
		// class has none any more.
		if !fitted || !known(after, candidate.name) || (candidate.none == "" && !part(after.Attributes()).has(candidate.name)) {
			continue
		}

		if !slices.Contains(candidatesOf(after, candidate.name, candidate.none), candidate.current) {
			reasons = append(reasons, fmt.Sprintf("class.%s.%s no longer has the machine's own, %s", alicloudClassKey, candidate.name, candidate.current))
		}
	}

	return reasons
}

// known reports whether a list of the class and all that is in it are known; a list
// that is not set is.
func known(class types.Object, name string) bool {
	attributes := part(class.Attributes())

	return !attributes.has(name) || attributes.complete(name)
}

// alicloudRequirementsChanged reports whether a machine that met the class's
// requirements, or was of its list of types, has other requirements to meet now.
func alicloudRequirementsChanged(before, after types.Object, machine allocationModel) bool {
	was, will := before.Attributes()["requirements"], after.Attributes()["requirements"]

	if partOf(will) == nil || will.Equal(was) {
		return false
	}

	if _, err := plainValue(will); err != nil {
		return false // Judged once it is known.
	}

	current := machine.InstanceType.ValueString()

	if partOf(was) == nil {
		return slices.Contains(candidatesOf(before, "instance_types", ""), current)
	}

	// A machine that was imported, or resized by hand, never was chosen by them.
	return current != "" && offeringParts(machine.Offering.ValueString()).instanceType == current
}

// candidatesOf returns a list of the class; where it is empty, what stands for that,
// if anything does.
func candidatesOf(class types.Object, name, none string) []string {
	candidates := part(class.Attributes()).texts(name)
	if len(candidates) == 0 && none != "" {
		return []string{none}
	}

	return candidates
}

// launchOffering is an offering's ID taken apart.
type launchOffering struct{ instanceType, vswitch, capacityType string }

// offeringParts takes an offering's ID apart, which is
// `<instance type>/<vswitch>/<capacity type>`; all is empty where it is none.
func offeringParts(id string) launchOffering {
	parts := strings.Split(id, "/")
	if len(parts) != 3 {
		return launchOffering{}
	}

	return launchOffering{instanceType: parts[0], vswitch: parts[1], capacityType: parts[2]}
}

// alicloudKept names the inputs that differ and that a running machine keeps.
func alicloudKept(before, after types.Object, machine allocationModel) []string {
	names := []string{
		"resource_group_id", "private_pool", "credit_specification", "security_enhancement", "data_disks",
	}

	switch machine.Charge.ValueString() {
	case alicloudSpot:
		names = append(names, "spot")
	case alicloudSubscription:
		names = append(names, "subscription")
	}

	var kept []string

	for _, name := range names {
		was, errWas := keptValue(name, before.Attributes()[name])
		will, errWill := keptValue(name, after.Attributes()[name])

		// What is not known yet is told of when it is.
		if errWas == nil && errWill == nil && !reflect.DeepEqual(was, will) {
			kept = append(kept, name)
		}
	}

	return kept
}

// alicloudStayingDisks counts the data disks of a machine of the class that do not go
// with it.
func alicloudStayingDisks(class types.Object) int {
	staying, _ := keptValue("data_disks", class.Attributes()["data_disks"])
	disks, _ := staying.([]string)

	return len(disks)
}

// alicloudDataDisks counts the data disks of a machine of the class.
func alicloudDataDisks(class types.Object) int {
	list, _ := class.Attributes()["data_disks"].(types.List)

	return len(list.Elements())
}

// alicloudEphemeralDisks names the data disks of the class that cannot outlive their
// machine, as a configuration writes them. What is not known is not named.
func alicloudEphemeralDisks(class types.Object) []string {
	var names []string

	list, _ := class.Attributes()["data_disks"].(types.List)

	for i, element := range list.Elements() {
		if category := partOf(element).text("category"); ephemeral(category) {
			names = append(names, fmt.Sprintf("class.%s.data_disks[%d] (%s)", alicloudClassKey, i, category))
		}
	}

	return names
}

// differences names the parts of a field that differ, as a configuration writes them.
func differences(field string, was, will any) []string {
	if reflect.DeepEqual(was, will) {
		return nil
	}

	before, wasObject := was.(map[string]any)
	after, isObject := will.(map[string]any)

	if wasObject && isObject {
		var names []string

		keys := maps.Clone(before)
		maps.Copy(keys, after)

		for _, key := range slices.Sorted(maps.Keys(keys)) {
			names = append(names, differences(field+"."+key, before[key], after[key])...)
		}

		return names
	}

	first, wasList := was.([]any)
	second, isList := will.([]any)

	if wasList && isList && len(first) == len(second) {
		var names []string

		for i := range first {
			names = append(names, differences(fmt.Sprintf("%s[%d]", field, i), first[i], second[i])...)
		}

		return names
	}

	return []string{field}
}
