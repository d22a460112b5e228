package provider_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

const fleetReady = "machine_readiness.fleet"

// acceptedFleet is a class and so many machines of it that are created as soon as they are
// accepted.
func acceptedFleet(machines int) string {
	return acctest.Class(acctest.Arguments{"vswitch_ids": `["vsw-a", "vsw-b", "vsw-c"]`}) + acctest.Allocation("fleet", acctest.Arguments{
		"count": strconv.Itoa(machines), "name": `"worker-${count.index}"`, "wait_until": `"accepted"`,
	})
}

// readiness waits for the machines that the expression lists.
func readiness(providerIDs string, changes ...acctest.Arguments) string {
	arguments := acctest.Arguments{"provider_ids": providerIDs}
	for _, change := range changes {
		maps.Copy(arguments, change)
	}

	var text strings.Builder
	for name, value := range arguments {
		fmt.Fprintf(&text, "  %s = %s\n", name, value)
	}

	return "resource \"machine_readiness\" \"fleet\" {\n" + text.String() + "}\n"
}

const wholeFleet = "machine_allocation.fleet[*].provider_id"

// dependent is created when the fleet is ready.
const dependent = `resource "terraform_data" "dependent" {
  input = machine_readiness.fleet.private_ips
}
`

// wideLooks are the calls that look at more machines than those whose creates run
// side by side.
func wideLooks(t *testing.T, cloud *acctest.Cloud) []ecsemulator.Call {
	t.Helper()

	var wide []ecsemulator.Call

	for _, call := range cloud.Calls() {
		text, byID := call.Parameters["InstanceIds"]
		if call.Action != "DescribeInstances" || !byID {
			continue
		}

		var ids []string
		if err := json.Unmarshal([]byte(text), &ids); err != nil {
			t.Fatal(err)
		}

		if len(ids) > 10 {
			wide = append(wide, call)
		}
	}

	return wide
}

func TestAccAFleetIsAwaitedOneCallAHundredMachinesAndTick(t *testing.T) {
	t.Parallel()

	const machines = 100

	cloud := acctest.Start(t, ecsemulator.Options{BootDuration: 60 * time.Second})
	config := cloud.Provider() + acceptedFleet(machines)

	run(t, cloud, machines,
		resource.TestStep{
			Config: config + readiness(wholeFleet) + dependent,
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(fleetReady, tfjsonpath.New("private_ips"), knownvalue.MapSizeExact(machines)),
			},
			Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(machines), func(*terraform.State) error {
				if launches := cloud.Counts()["RunInstances"]; launches != machines {
					return fmt.Errorf("%d machines took %d launches", machines, launches)
				}

				looks := wideLooks(t, cloud)
				if len(looks) == 0 {
					return errors.New("nobody looked at the fleet as a whole")
				}

				for i, look := range looks[1:] {
					if pause := look.Time.Sub(looks[i].Time); pause < time.Second {
						return fmt.Errorf("two looks at the fleet are %s apart, want one a tick", pause)
					}
				}

				return nil
			}),
		},
		resource.TestStep{
			// All run by now: those who come later are satisfied by one call.
			PreConfig: func() { boot(t, cloud); cloud.ResetCalls() },
			Config:    config + readiness(wholeFleet, acctest.Arguments{"provider_ids": "reverse(" + wholeFleet + ")"}) + dependent,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(fleetReady, plancheck.ResourceActionUpdate),
			}},
			Check: func(*terraform.State) error {
				if looks := wideLooks(t, cloud); len(looks) != 1 {
					return fmt.Errorf("waiting for machines that run took %d calls", len(looks))
				}

				return nil
			},
		},
	)
}

func TestAccAFleetThatIsNotReadyInTimeKeepsNothing(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, tooSlow())
	config := cloud.Provider() + acceptedFleet(3) + dependent
	impatient := acctest.Arguments{"timeouts": `{ create = "1s" }`}

	notThere := func(state *terraform.State) error {
		for _, address := range []string{fleetReady, "terraform_data.dependent"} {
			if _, there := state.RootModule().Resources[address]; there {
				return fmt.Errorf("%s is in state", address)
			}
		}

		return cloud.CheckMachines(3)(state)
	}

	run(t, cloud, 3,
		resource.TestStep{
			Config: config + readiness(wholeFleet, impatient),
			ExpectError: acctest.Text("The machines did not run in time", "Of 3 machines 3 did not run within 1s", "cn-hangzhou.i-", "(Starting)",
				"Nothing is kept in state and nothing is tainted", "the next apply waits for them again"),
		},
		resource.TestStep{
			// The machines are as they were: nothing is replaced.
			RefreshState:       true,
			ExpectNonEmptyPlan: true,
			Check:              notThere,
		},
		resource.TestStep{
			PreConfig: func() { boot(t, cloud) },
			Config:    config + readiness(wholeFleet, impatient),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(fleetReady, plancheck.ResourceActionCreate),
				plancheck.ExpectResourceAction("machine_allocation.fleet[0]", plancheck.ResourceActionNoop),
			}},
			Check: cloud.CheckMachines(3),
		},
		resource.TestStep{
			// A new timeout waits for nobody.
			PreConfig: func() { cloud.ResetCalls() },
			Config:    config + readiness(wholeFleet, acctest.Arguments{"timeouts": `{ create = "9m" }`}),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(fleetReady, plancheck.ResourceActionUpdate),
				plancheck.ExpectResourceAction("terraform_data.dependent", plancheck.ResourceActionNoop),
			}},
		},
	)
}

func TestAccReadinessIsInPlaceWhenTheFleetGrows(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 3,
		resource.TestStep{Config: cloud.Provider() + acceptedFleet(2) + readiness(wholeFleet) + dependent},
		resource.TestStep{
			Config: cloud.Provider() + acceptedFleet(3) + readiness(wholeFleet) + dependent,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(fleetReady, plancheck.ResourceActionUpdate),
				plancheck.ExpectUnknownValue(fleetReady, tfjsonpath.New("private_ips")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(fleetReady, tfjsonpath.New("private_ips"), knownvalue.MapSizeExact(3)),
			},
		},
	)
}

func TestAccReadinessTakesEveryFormOfAnID(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	first, second, third := cloud.Existing(t, foundMachine()), cloud.Existing(t, foundMachine()), cloud.Existing(t, foundMachine())

	addresses := func(machine ecsemulator.Instance) knownvalue.Check {
		return knownvalue.ListExact([]knownvalue.Check{knownvalue.StringExact(machine.PrivateAddress)})
	}

	acctest.RequireCLI(t)
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		CheckDestroy:             cloud.CheckNothingLaunched(),
		Steps: []resource.TestStep{{
			Config: cloud.Provider() + readiness(fmt.Sprintf("[%q, %q, %q]", "cn-hangzhou."+first.ID, "alicloud://cn-hangzhou."+second.ID, third.ID)),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(fleetReady, tfjsonpath.New("private_ips"), knownvalue.MapExact(map[string]knownvalue.Check{
					"cn-hangzhou." + first.ID: addresses(first), "alicloud://cn-hangzhou." + second.ID: addresses(second), third.ID: addresses(third),
				})),
			},
		}},
	})
}

func TestAccReadinessSaysWhatKeepsItFromWaiting(t *testing.T) {
	t.Parallel()

	spot := foundMachine()
	spot.ChargeMode = ecsemulator.ChargeSpot

	stopped := foundMachine()
	stopped.Stopped = true

	tests := map[string]struct {
		found    ecsemulator.NewInstance
		incident ecsemulator.Incident
		rule     ecsemulator.Rule
		// ids are the machines to wait for; %s stands for the one that was found.
		ids  string
		want []string
	}{
		"text that is no ID": {ids: `["worker-a"]`, want: []string{"Malformed provider ID", `"worker-a" is not a provider ID`}},
		"no machine":         {ids: `[]`, want: []string{"at least 1 element"}},
		"one machine, named twice": {
			ids: `["%[1]s", "cn-hangzhou.%[1]s"]`, want: []string{"One machine, two provider IDs", "are the same machine, cn-hangzhou.i-"},
		},
		"a machine that does not exist": {
			ids: `["cn-hangzhou.i-bp1doesnotexist"]`, want: []string{"A machine will not run any more", "cn-hangzhou.i-bp1doesnotexist (it does not exist in the region cn-hangzhou)", "Nothing is kept in state"},
		},
		"a wrong region": {
			ids: `["cn-shanghai.%[1]s"]`, want: []string{"A machine will not run any more", "does not exist in the region cn-shanghai"},
		},
		"a spot machine that is taken back": {
			found: spot, incident: ecsemulator.Incident{Kind: ecsemulator.IncidentReclaim},
			ids: `["cn-hangzhou.%[1]s"]`, want: []string{"A machine will not run any more", "(Reclaiming: Recycling)"},
		},
		"a machine that is switched off": {
			found: stopped, ids: `["cn-hangzhou.%[1]s"]`, want: []string{"did not run in time", "Of 1 machines 1 did not run within 1s", "(Stopped)"},
		},
		"a machine that is locked": {
			incident: ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: "financial"},
			ids:      `["cn-hangzhou.%[1]s"]`, want: []string{"did not run in time", "(Locked: financial)"},
		},
		"a permission that is missing": {
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"},
			ids:  `["cn-hangzhou.%[1]s"]`, want: []string{"The machines cannot be looked at", "Grant the RAM user or role the permission"},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RequireCLI(t)

			cloud := acctest.Start(t, ecsemulator.Options{})

			if test.found.Name == "" {
				test.found = foundMachine()
			}

			machine := cloud.Existing(t, test.found)
			if test.incident.Kind != "" {
				if _, err := cloud.AddIncident(machine.ID, test.incident); err != nil {
					t.Fatal(err)
				}
			}

			if test.rule.Kind != "" {
				cloud.Rule(t, test.rule)
			}

			ids := test.ids
			if strings.Contains(ids, "%") {
				ids = fmt.Sprintf(ids, machine.ID)
			}

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				CheckDestroy:             cloud.CheckNothingLaunched("locked", "reclaim notice", "reclaimed", "gone"),
				Steps: []resource.TestStep{{
					Config:      cloud.Provider() + readiness(ids, acctest.Arguments{"timeouts": `{ create = "1s" }`}),
					ExpectError: acctest.Text(test.want...),
				}},
			})
		})
	}
}

// A look that fails is repeated: it costs no readiness.
func TestAccReadinessGetsOverLooksThatFail(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine := cloud.Existing(t, foundMachine())

	for _, rule := range failures("DescribeInstances", ecsemulator.MomentBefore) {
		cloud.Rule(t, rule)
	}

	acctest.RequireCLI(t)
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: cloud.Provider() + readiness(fmt.Sprintf("[%q]", "cn-hangzhou."+machine.ID)),
			Check:  failedOften(cloud, "DescribeInstances"),
		}},
	})
}
