package lifecycle

import (
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// inZones returns one type's offerings, network by network.
func inZones(zones ...string) []v1alpha3.MachineClassOffering {
	offerings := make([]v1alpha3.MachineClassOffering, len(zones))
	for i, zone := range zones {
		offerings[i] = v1alpha3.MachineClassOffering{ID: fmt.Sprint(i), InstanceType: "large", Zone: zone, Network: fmt.Sprintf("net-%d", i)}
	}

	return offerings
}

func TestAFleetOfThirtySpreadsEvenlyOverThreeZones(t *testing.T) {
	t.Parallel()

	for name, nameOf := range map[string]func(int) string{
		"numbered from 1":       func(i int) string { return fmt.Sprintf("worker-%d", i+1) },
		"numbered from 0":       func(i int) string { return fmt.Sprintf("worker-%d", i) },
		"with leading zeros":    func(i int) string { return fmt.Sprintf("node%03d", i) },
		"by letters, of a pair": func(i int) string { return fmt.Sprintf("pool-%d-%c", i%2, 'a'+i/2) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			first := map[string]int{}
			for i := range 30 {
				first[spread(inZones("a", "b", "c"), nameOf(i))[0].Zone]++
			}

			for _, zone := range []string{"a", "b", "c"} {
				if first[zone] < 8 || first[zone] > 12 {
					t.Errorf("the zones get %v, want 8 to 12 each", first)
				}
			}
		})
	}
}

func TestNamesWithoutNumbersSpreadToo(t *testing.T) {
	t.Parallel()

	first := map[string]int{}
	for _, stem := range []string{"web", "api", "db", "cache", "queue", "mail"} {
		for _, site := range []string{"north", "south", "east", "west", "center", "test", "stage", "prod", "spare", "lab"} {
			first[spread(inZones("a", "b", "c"), stem+"-"+site)[0].Zone]++
		}
	}

	for _, zone := range []string{"a", "b", "c"} {
		if first[zone] < 12 {
			t.Errorf("the zones get %v of 60", first)
		}
	}
}

func TestAZoneWithMoreNetworksGetsNoMoreMachines(t *testing.T) {
	t.Parallel()

	zones, networks := map[string]int{}, map[string]int{}

	for i := range 60 {
		order := spread(inZones("a", "a", "b"), fmt.Sprintf("worker-%d", i))
		zones[order[0].Zone]++
		networks[order[0].Network]++

		if order[0].Zone == "a" && order[1].Zone != "a" {
			t.Fatalf("a full network gives way to another zone before the other network of its own: %+v", order)
		}
	}

	if zones["a"] != 30 || networks["net-0"] != 15 || networks["net-1"] != 15 {
		t.Errorf("zones %v, networks %v", zones, networks)
	}
}

func TestSpreadKeepsEveryOfferingOnceAndTypesTogether(t *testing.T) {
	t.Parallel()

	offerings := append(inZones("a", "b", "a"), v1alpha3.MachineClassOffering{ID: "small", InstanceType: "small", Zone: "a"})

	for i := range 12 {
		seen := map[string]bool{}

		order := spread(offerings, fmt.Sprintf("w%d", i))
		for _, offering := range order {
			seen[offering.ID] = true
		}

		if len(order) != 4 || len(seen) != 4 || order[3].ID != "small" {
			t.Errorf("the order is %+v", order)
		}
	}
}
