package provider

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

const (
	countedMachines = 200
	countedBoot     = 30 * time.Second
	countedRelease  = 3 * time.Second
)

// allocateCounted launches the machines and returns them by number, from 1.
func (c *countedCloud) allocateCounted(t *testing.T, client *client, at pace, untilSeen bool) []lifecycle.Allocated {
	t.Helper()

	all := make([]lifecycle.Allocated, countedMachines+1)

	asTerraform(countedMachines, at, func(number int) {
		allocated, err := client.allocator.Allocate(soonEnough(t), countedRequest(number, untilSeen))
		if err != nil {
			t.Error(err)

			return
		}

		// As the resource does with what was seen last.
		if _, err := client.machines.take(soonEnough(t), allocated.ProviderID); err != nil {
			t.Error(err)
		}

		all[number] = allocated
	})

	return all
}

// A fleet that is waited for takes one launch for each machine, and two looks for ten
// of them: one that shows that they are listed, and one when they run.
func TestACreateTakesFewCalls(t *testing.T) {
	t.Parallel()

	for name, at := range paces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := newCountedCloud(t, ecsemulator.Options{BootDuration: countedBoot})

			cloud.bubble(t, func(t *testing.T) {
				began := time.Now()
				cloud.allocateCounted(t, cloud.connect(t), at, false)
				took := time.Since(began)

				reading, changing := cloud.countedCalls()
				t.Logf("%d machines took %d calls that read, %d that change, and %s", countedMachines, reading, changing, took)

				if changing != countedMachines {
					t.Errorf("%d machines took %d calls that change something", countedMachines, changing)
				}

				if reading > countedMachines/2 {
					t.Errorf("%d machines took %d other calls:\n%s", countedMachines, reading, cloud.callLines())
				}

				// Few calls are not bought with time.
				if most := countedMachines / 10 * (countedBoot + 6*time.Second + 10*at.handling/2 + at.hiccup); took > most {
					t.Errorf("it took %s, more than %s", took, most)
				}
			})
		})
	}
}

// With wait_until = "accepted" and one readiness, all calls together are hardly more
// than the launches.
func TestAFleetThatIsWaitedForAtOnceTakesFewCalls(t *testing.T) {
	t.Parallel()

	for name, at := range paces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := newCountedCloud(t, ecsemulator.Options{BootDuration: countedBoot})

			cloud.bubble(t, func(t *testing.T) {
				client := cloud.connect(t)

				var ids []string
				for _, allocated := range cloud.allocateCounted(t, client, at, true)[1:] {
					ids = append(ids, allocated.ProviderID)
				}

				running, err := client.awaitRunning(soonEnough(t), ids)
				if err != nil || len(running) != countedMachines {
					t.Fatalf("%d machines run: %v", len(running), err)
				}

				reading, changing := cloud.countedCalls()
				t.Logf("%d machines took %d calls that read, %d that change", countedMachines, reading, changing)

				if all := float64(reading+changing) / countedMachines; all > 1.3 {
					t.Errorf("a machine took %.3f calls:\n%s", all, cloud.callLines())
				}
			})
		})
	}
}

// Ten machines are released with five calls: the look at whose they are, the mark, the
// deletion, the look that does not show them any more, and the proof that this look
// was allowed.
func TestADestroyTakesFewCalls(t *testing.T) {
	t.Parallel()

	for name, at := range paces() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := newCountedCloud(t, ecsemulator.Options{BootDuration: -1, PendingDuration: -1, ReleaseDuration: countedRelease})

			cloud.bubble(t, func(t *testing.T) {
				all := cloud.allocateCounted(t, cloud.connect(t), pace{}, false)
				cloud.ResetCalls()

				client, began := cloud.connect(t), time.Now()

				asTerraform(countedMachines, at, func(number int) {
					if err := client.releaseCounted(t, number, all[number]); err != nil {
						t.Error(err)
					}
				})

				took := time.Since(began)
				reading, changing := cloud.countedCalls()
				t.Logf("%d machines took %d calls that read, %d that change, and %s", countedMachines, reading, changing, took)

				if calls := float64(reading+changing) / countedMachines; calls > 0.7 {
					t.Errorf("a machine took %.3f calls:\n%s", calls, cloud.callLines())
				}

				if most := countedMachines / 10 * (countedRelease + 4*time.Second + 10*at.handling + at.hiccup); took > most {
					t.Errorf("it took %s, more than %s", took, most)
				}

				if alive := slices.DeleteFunc(cloud.Instances(), func(i ecsemulator.Instance) bool { return i.Releasing }); len(alive) > 0 {
					t.Errorf("%d machines are left", len(alive))
				}
			})
		})
	}
}

// releaseCounted releases a machine as the resource does.
func (c *client) releaseCounted(t *testing.T, number int, allocated lifecycle.Allocated) error {
	t.Helper()

	if _, err := c.listings.since(soonEnough(t), ecsemulator.DefaultRegionID, c.started); err != nil {
		return err
	}

	_, err := c.allocator.Release(soonEnough(t), lifecycle.ReleaseRequest{
		Identity:       countedRequest(number, false).Identity,
		ProviderID:     allocated.ProviderID,
		OwnedResources: allocated.Result.OwnedResources,
		Claim:          allocated.Claim,
	})

	return err
}
