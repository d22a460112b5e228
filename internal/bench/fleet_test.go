package bench

import (
	"slices"
	"strings"
	"testing"
)

// A fleet is divided so that each machine is in one resource; the function range, which
// makes the keys of one, gives 1,024 numbers at most.
func TestAFleetIsDividedIntoResources(t *testing.T) {
	t.Parallel()

	for _, row := range []struct {
		fleet fleet
		want  []part
	}{
		{fleet{machines: 3}, []part{{"worker", 0, 3}}},
		{fleet{machines: 3, most: 3}, []part{{"worker", 0, 3}}},
		{fleet{machines: 7, most: 3}, []part{{"worker", 0, 3}, {"worker_1", 3, 6}, {"worker_2", 6, 7}}},
	} {
		if got := row.fleet.parts(); !slices.Equal(got, row.want) {
			t.Errorf("%+v is divided into %v, want %v", row.fleet, got, row.want)
		}
	}

	large := fleet{machines: 10000, most: largePart, name: "worker"}
	if got := strings.Count(large.configuration(), `resource "machine_allocation"`); got != 40 {
		t.Errorf("the large fleet is written as %d resources", got)
	}
}
