package provider_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// fleet is a count of machines, named worker-1 and so on.
func fleet(count int) string {
	return acctest.Allocation("fleet", acctest.Arguments{"count": fmt.Sprint(count), "name": `"worker-${count.index + 1}"`})
}

// What was refused to one machine is not asked for again by the others (F046, F048).
func TestAccAFleetTellsWhatIsSoldOutToAllOfIt(t *testing.T) {
	t.Parallel()

	const machines = 50

	cloud := acctest.Start(t, ecsemulator.Options{})

	for _, zone := range []string{"cn-hangzhou-h", "cn-hangzhou-i"} {
		if err := cloud.SetStock(ecsemulator.Stock{InstanceType: "ecs.g7.large", Zone: zone, StatusCategory: "WithoutStock", Hidden: true}); err != nil {
			t.Fatal(err)
		}
	}

	run(t, cloud, machines, resource.TestStep{
		Config: cloud.Provider() +
			acctest.Class(acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g6.large"]`, "vswitch_ids": `["vsw-a", "vsw-b"]`}) +
			fleet(machines),
		Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(machines), func(*terraform.State) error {
			refused := cloud.Counts()["RunInstances"] - machines
			t.Logf("%d machines took %d refusals", machines, refused)

			if refused > 20 {
				return fmt.Errorf("%d launches were refused, want at most 20", refused)
			}

			return nil
		}),
	})
}

// The same names are in the same zones in every run, each zone with its share (F060).
func TestAccAFleetSpreadsOverTheZones(t *testing.T) {
	t.Parallel()

	const machines = 30

	var runs []map[string]string

	for range 2 {
		cloud, zones := acctest.Start(t, ecsemulator.Options{}), map[string]string{}

		run(t, cloud, machines, resource.TestStep{
			Config: cloud.Provider() + acctest.Class(acctest.Arguments{"vswitch_ids": `["vsw-a", "vsw-b", "vsw-c"]`}) + fleet(machines),
			Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(machines), func(*terraform.State) error {
				shares := map[string]int{}

				for _, machine := range cloud.Alive() {
					zones[machine.Name] = machine.ZoneID
					shares[machine.ZoneID]++
				}

				if len(shares) != 3 {
					return fmt.Errorf("the machines are in %v", shares)
				}

				for zone, share := range shares {
					if share < 8 || share > 12 {
						return fmt.Errorf("%s has %d of %d: %v", zone, share, machines, shares)
					}
				}

				return nil
			}),
		})

		runs = append(runs, zones)
	}

	if !maps.Equal(runs[0], runs[1]) {
		t.Errorf("the zones were %v, then %v", runs[0], runs[1])
	}
}

// The order of a list is the user's (F058).
func TestAccZonesAsListedAreTriedInTheirOrder(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	listed := acctest.Arguments{"vswitch_ids": `["vsw-b", "vsw-a", "vsw-c"]`, "zone_order": `"listed"`}

	run(t, cloud, 10,
		resource.TestStep{
			Config: cloud.Provider() + acctest.Class(listed) + fleet(10),
			Check: func(*terraform.State) error {
				for _, machine := range cloud.Alive() {
					if machine.ZoneID != "cn-hangzhou-i" {
						return fmt.Errorf("%s is in %s", machine.Name, machine.ZoneID)
					}
				}

				return nil
			},
		},
		// Another order is for machines to come.
		resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(grownWith(listed, acctest.Arguments{"zone_order": `"spread"`})) + fleet(10),
			ConfigPlanChecks: planned("machine_allocation.fleet[0]", plancheck.ResourceActionNoop),
			Check:            cloud.CheckMachines(10),
		},
	)
}

// Where spot is refused, the next way to pay is taken (F046).
func TestAccSpotThatIsNotToBeHadGivesWayToOnDemand(t *testing.T) {
	t.Parallel()

	both := acctest.Arguments{"capacity_types": `["spot", "on_demand"]`, "vswitch_ids": `["vsw-a", "vsw-b"]`}
	states := []statecheck.StateCheck{
		value("charge", knownvalue.StringExact("on_demand")),
		value("offering", knownvalue.StringRegexp(acctest.Text("ecs.g7.large/vsw-", "/on_demand"))),
	}

	t.Run("sold out", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		soldOutSpot(t, cloud)

		run(t, cloud, 1, resource.TestStep{Config: cloud.Provider() + acctest.Class(both) + acctest.Allocation("worker-a"), ConfigStateChecks: states, Check: cloud.CheckMachines(1)})
	})

	t.Run("above the bid", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		bid := grownWith(both, acctest.Arguments{"spot": "{ price_limit_per_hour = 0.001 }"})

		run(t, cloud, 1, resource.TestStep{Config: cloud.Provider() + acctest.Class(bid) + acctest.Allocation("worker-a"), ConfigStateChecks: states, Check: cloud.CheckMachines(1)})

		refused := 0

		for _, answer := range cloud.AnswerCounts() {
			if answer.Action == "RunInstances" && answer.Code != "" {
				refused += answer.Calls
			}
		}

		if refused != 2 {
			t.Errorf("%d launches were refused, want one for each zone: %v", refused, cloud.AnswerCounts())
		}
	})
}

func TestAccSpotWithoutAnAlternativeIsAnErrorThatNamesEveryCandidate(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	soldOutSpot(t, cloud)

	spot := acctest.Arguments{"capacity_types": `["spot"]`, "vswitch_ids": `["vsw-a", "vsw-b"]`, "zone_order": `"listed"`}

	run(t, cloud, 0, resource.TestStep{
		Config: cloud.Provider() + acctest.Class(spot) + acctest.Allocation("worker-a"),
		ExpectError: acctest.Text(`No capacity for "worker-a"`,
			"Nothing was launched", `Add "on_demand" to capacity_types`, "OperationDenied.NoStock (HTTP 403)",
			"- ecs.g7.large in cn-hangzhou-h (spot), request",
			"- ecs.g7.large in cn-hangzhou-i (spot), request"),
	})
}

// soldOutSpot leaves no spot machines, which only a launch tells.
func soldOutSpot(t *testing.T, cloud *acctest.Cloud) {
	t.Helper()

	if err := cloud.SetStock(ecsemulator.Stock{ChargeMode: string(ecsemulator.ChargeSpot), StatusCategory: "WithoutStock", Hidden: true}); err != nil {
		t.Fatal(err)
	}
}
