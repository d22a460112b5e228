package provider

import (
	"fmt"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A list takes a call for a hundred machines. Of more than a tag filter is correct for
// the shards are listed, whose last pages are not full.
func TestAListTakesACallForAHundredMachines(t *testing.T) {
	t.Parallel()

	const shards = 32

	for name, test := range map[string]struct{ machines, most int }{
		"one page":   {40, 1},
		"ten pages":  {1000, 10 + 1},
		"the shards": {3200, 1 + 2*shards},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			client, _, server := standingClient(t, ecsemulator.Behavior{})

			// The oldest first: a list that is cut lacks them.
			for number := range test.machines {
				_, err := server.AddInstance(ecsemulator.NewInstance{
					Name:       fmt.Sprintf("worker-%d", number),
					AgeSeconds: float64(test.machines-number) * time.Minute.Seconds(),
					Tags: map[string]string{
						driver.ReservedTagPrefix + "owner": client.owner,
						driver.ReservedTagPrefix + "shard": fmt.Sprintf("%02d", number%shards),
					},
				})
				if err != nil {
					t.Fatal(err)
				}
			}

			for range 2 {
				server.ResetCalls()

				listed, err := client.list(t.Context(), ecsemulator.DefaultRegionID)
				if err != nil || len(listed) != test.machines {
					t.Fatalf("%d of %d machines are listed: %v", len(listed), test.machines, err)
				}

				if calls := server.Counts(); calls["DescribeInstances"] > test.most || len(calls) != 1 {
					t.Errorf("the list of %d machines took %v, want %d", test.machines, calls, test.most)
				}
			}
		})
	}
}
