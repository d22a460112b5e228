package lifecycle

import (
	"hash/fnv"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// spread rotates the zones of each instance type and capacity type by a hash of
// the allocation's name, so that a fleet spreads over the zones without
// coordination and each machine keeps its place between runs.
func spread(offerings []v1alpha3.MachineClassOffering, name string) []v1alpha3.MachineClassOffering {
	hash := fnv.New32a()
	hash.Write([]byte(name))

	rotated := make([]v1alpha3.MachineClassOffering, 0, len(offerings))

	for start := 0; start < len(offerings); {
		end := start + 1
		for end < len(offerings) && alike(offerings[start], offerings[end]) {
			end++
		}

		group := offerings[start:end]
		turn := int(hash.Sum32() % uint32(len(group))) //nolint:gosec // a group's length fits.

		rotated = append(rotated, group[turn:]...)
		rotated = append(rotated, group[:turn]...)
		start = end
	}

	return rotated
}

func alike(a, b v1alpha3.MachineClassOffering) bool {
	return a.InstanceType == b.InstanceType && a.CapacityType == b.CapacityType
}
