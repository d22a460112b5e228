package lifecycle

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// spread rotates the zones of each instance type and capacity type by the
// allocation's name, and the networks of each zone likewise, so that a fleet spreads
// over the zones without coordination and each machine keeps its place between runs.
func spread(offerings []v1alpha3.MachineClassOffering, name string) []v1alpha3.MachineClassOffering {
	seat := seatOf(name)
	spread := make([]v1alpha3.MachineClassOffering, 0, len(offerings))

	for start := 0; start < len(offerings); {
		end := start + 1
		for end < len(offerings) && alike(offerings[start], offerings[end]) {
			end++
		}

		zones := byZone(offerings[start:end])
		for _, zone := range rotated(zones, seat) {
			spread = append(spread, rotated(zone, seat/uint64(len(zones)))...)
		}

		start = end
	}

	return spread
}

func alike(a, b v1alpha3.MachineClassOffering) bool {
	return a.InstanceType == b.InstanceType && a.CapacityType == b.CapacityType
}

// byZone groups offerings, the zones in the order in which they come first.
func byZone(offerings []v1alpha3.MachineClassOffering) [][]v1alpha3.MachineClassOffering {
	var zones [][]v1alpha3.MachineClassOffering

	index := map[string]int{}

	for _, offering := range offerings {
		i, known := index[offering.Zone]
		if !known {
			i = len(zones)
			index[offering.Zone] = i
			zones = append(zones, nil)
		}

		zones[i] = append(zones[i], offering)
	}

	return zones
}

func rotated[T any](list []T, turn uint64) []T {
	first := int(turn % uint64(len(list))) //nolint:gosec // Less than the list's length.

	return append(append(make([]T, 0, len(list)), list[first:]...), list[:first]...)
}

// seatOf returns a number by which machines are dealt out. Names that are numbered,
// as worker-1 or worker-b, get numbers in a row, so that they are dealt out evenly;
// others get the hash of the name.
func seatOf(name string) uint64 {
	stem, ordinal := ordinalOf(name)

	hash := fnv.New64a()
	hash.Write([]byte(stem))

	// The low bits of this hash alone mix badly for names that differ in few letters.
	sum := hash.Sum64()
	sum ^= sum >> 32

	return sum%(1<<32) + ordinal
}

// ordinalOf takes the number off the end of a name. A single letter after a mark
// counts as one, too.
func ordinalOf(name string) (string, uint64) {
	const mostDigits = 9

	stem := strings.TrimRight(name, "0123456789")
	if digits := name[len(stem):]; digits != "" && len(digits) <= mostDigits {
		ordinal, err := strconv.ParseUint(digits, 10, 64)
		if err == nil {
			return stem, ordinal
		}
	}

	if length := len(name); length >= 2 && strings.ContainsRune("-_./", rune(name[length-2])) {
		if last := name[length-1] | 0x20; last >= 'a' && last <= 'z' {
			return name[:length-1], uint64(last - 'a')
		}
	}

	return name, 0
}
