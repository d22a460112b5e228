package provider_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
)

// classUID is the uid of classOf.
const classUID = "class-of-the-test"

// classOf is the class "worker" with more arguments of its own, among them its uid.
func classOf(arguments acctest.Arguments) string {
	text := "  uid = \"" + classUID + "\"\n"
	for name, expression := range arguments {
		text += "  " + name + " = " + expression + "\n"
	}

	return strings.Replace(acctest.Class(), "{\n", "{\n"+text, 1)
}

// classWith is classOf with changes of its alicloud argument.
func classWith(changes acctest.Arguments) string {
	return strings.Replace(acctest.Class(changes), "{\n", "{\n  uid = \""+classUID+"\"\n", 1)
}

// leftOver is a machine that an interrupted apply launched for worker-a, with
// changed tags; an empty value takes one away.
func leftOver(changes map[string]string) ecsemulator.NewInstance {
	tags := map[string]string{"owner": acctest.Owner, "class-uid": classUID, "name": "worker-a", "claim": "of-a-lost-run"}
	for key, value := range changes {
		tags[key] = value
	}

	machine := ecsemulator.NewInstance{Name: "worker-a", Tags: map[string]string{}, AgeSeconds: 600}
	for key, value := range tags {
		if value != "" {
			machine.Tags[driver.ReservedTagPrefix+key] = value
		}
	}

	return machine
}

func TestAccWhatAnInterruptedApplyLeftIsTakenOver(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	left := cloud.Existing(t, leftOver(nil))

	config := cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a")

	run(t, cloud, 0,
		resource.TestStep{
			Config: config,
			Check:  cloud.CheckMachines(0),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(machineA, tfjsonpath.New("provider_resource_id"), knownvalue.StringExact(left.ID)),
			},
			// It lacks a tag, which the next apply writes.
			ExpectNonEmptyPlan: true,
		},
		resource.TestStep{Config: config, ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate), Check: cloud.CheckMachines(0)},
	)
}

// elsewhere is the cloud as somebody else works on it, with the credentials for it.
func elsewhere(t *testing.T, cloud *acctest.Cloud) (provider.Cloud, *corev1.Secret) {
	t.Helper()

	connector := acctest.Connector()

	connected, err := connector.Connect(driver.Settings{
		Region:    ecsemulator.DefaultRegionID,
		Endpoints: map[string]string{"ecs": cloud.Endpoint(), "vpc": cloud.Endpoint(), "sts": cloud.Endpoint()},
		Protocol:  "http",
	})
	if err != nil {
		t.Fatal(err)
	}

	return connected, connected.Secret(acctest.Auth(t))
}

// reserved writes reserved tags on a machine, as another run would.
func reserved(t *testing.T, cloud *acctest.Cloud, machine ecsemulator.Instance, identity driver.MachineIdentity, marks ...driver.Mark) {
	t.Helper()

	connected, secret := elsewhere(t, cloud)
	id := machine.RegionID + "." + machine.ID

	if err := connected.Tagger().TagMachine(t.Context(), &driver.TagMachineRequest{ProviderID: id, Secret: secret, Identity: &identity}); err != nil {
		t.Fatal(err)
	}

	for _, mark := range marks {
		if err := connected.Marker().MarkMachines(t.Context(), &driver.MarkMachinesRequest{ProviderIDs: []string{id}, Mark: mark, Secret: secret}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAccWhatIsNotOursToTakeKeepsNothingOrEndsInAnError(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		left     ecsemulator.NewInstance
		provider acctest.Arguments
		want     []string
	}{
		"of another class": {
			left: leftOver(map[string]string{"class-uid": "another"}),
			want: []string{`Another machine is named "worker-a"`, "give this provider another owner", "terraform import ADDRESS cn-hangzhou.i-", `set uid = "another" in the machine_class`},
		},
		"of other inputs": {
			left: leftOver(map[string]string{"fingerprint": "another"}),
			want: []string{`A machine of other inputs is there for "worker-a"`, "may be the very machine that is being replaced", `class uid "` + classUID + `"`, "terraform import ADDRESS"},
		},
		"settled": {left: leftOver(map[string]string{"settled": "true"})},
		"too old": {left: leftOver(nil), provider: acctest.Arguments{"adopt_within": `"10m"`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RequireCLI(t)

			cloud := acctest.Start(t, ecsemulator.Options{})
			test.left.AgeSeconds = 700
			left := cloud.Existing(t, test.left)
			step := resource.TestStep{Config: cloud.ProviderWith(test.provider) + classOf(nil) + acctest.Allocation("worker-a")}
			launched := 1

			if test.want != nil {
				step.ExpectError = acctest.Text(test.want...)
				launched = 0
			}

			// What is another class's, or somebody's, survives the destruction of ours.
			survives := name != "of other inputs"

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps:                    []resource.TestStep{step},
				CheckDestroy: func(*terraform.State) error {
					alive := cloud.Alive()
					if (len(alive) == 1 && alive[0].ID == left.ID) != survives || cloud.Created() != launched {
						return fmt.Errorf("alive are %v, and %d were launched", alive, cloud.Created())
					}

					return nil
				},
			})
		})
	}
}

func TestAccDestroyOfAClassReleasesWhatIsLeftOver(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		class    acctest.Arguments
		provider acctest.Arguments
		left     ecsemulator.NewInstance
		denied   bool
		survives bool
	}{
		"a machine without a state":             {left: leftOver(nil)},
		"unless marks cannot be written":        {left: leftOver(nil), denied: true, survives: true},
		"unless marks are not written":          {left: leftOver(nil), provider: acctest.Arguments{"mark_settled": "false"}, survives: true},
		"unless that is not wanted":             {left: leftOver(nil), class: acctest.Arguments{"release_leftovers": "false"}, survives: true},
		"but not one that a state holds":        {left: leftOver(map[string]string{"settled": "true"}), survives: true},
		"but not one that is old":               {left: leftOver(nil), provider: acctest.Arguments{"adopt_within": `"10m"`}, survives: true},
		"but not another class's":               {left: leftOver(map[string]string{"class-uid": "another"}), survives: true},
		"but not another owner's":               {left: leftOver(map[string]string{"owner": "another"}), survives: true},
		"also one with another allocation name": {left: leftOver(map[string]string{"name": "forgotten"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RequireCLI(t)

			cloud := acctest.Start(t, ecsemulator.Options{})
			config := cloud.ProviderWith(test.provider) + classOf(test.class)

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{Config: config}, {
					PreConfig: func() {
						test.left.AgeSeconds = 700
						cloud.Existing(t, test.left)

						if test.denied {
							cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "TagResources"})
						}
					},
					Config: config,
				}},
				CheckDestroy: func(*terraform.State) error {
					if alive := cloud.Alive(); (len(alive) == 1) != test.survives {
						return fmt.Errorf("alive are %v", alive)
					}

					return nil
				},
			})
		})
	}
}

func TestAccTheSecondMachineOfAnAllocationIsShownAndReleased(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a")

	run(t, cloud, 1,
		resource.TestStep{Config: config},
		// The second plan is the first to find the machine in a stored state.
		resource.TestStep{Config: config, Check: awaitSettled(cloud)},
		resource.TestStep{
			PreConfig:        func() { cloud.Existing(t, leftOver(nil)) },
			Config:           config,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check:            cloud.CheckMachines(1),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(machineA, tfjsonpath.New("leftovers"), knownvalue.ListSizeExact(0)),
			},
		},
	)
}

// awaitSettled waits for the one machine to be marked, which happens in the
// background.
func awaitSettled(cloud *acctest.Cloud) resource.TestCheckFunc {
	return func(*terraform.State) error {
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()

		for range 500 {
			if alive := cloud.Alive(); len(alive) == 1 && alive[0].Tags[driver.ReservedTagPrefix+"settled"] != "" {
				return nil
			}

			<-ticker.C
		}

		return fmt.Errorf("%v was not marked", cloud.Alive())
	}
}

func TestAccTracesOfAnInterruptedRunArePutRight(t *testing.T) {
	t.Parallel()

	for name, put := range map[string]func(*testing.T, *acctest.Cloud, ecsemulator.Instance){
		"an unsettled claim of our own class": func(t *testing.T, cloud *acctest.Cloud, machine ecsemulator.Instance) {
			reserved(t, cloud, machine, driver.MachineIdentity{Claim: "of-a-lost-run"})
		},
		"the mark of a release": func(t *testing.T, cloud *acctest.Cloud, machine ecsemulator.Instance) {
			reserved(t, cloud, machine, driver.MachineIdentity{}, driver.MarkReleasing)
		},
		"another owner": func(t *testing.T, cloud *acctest.Cloud, machine ecsemulator.Instance) {
			reserved(t, cloud, machine, driver.MachineIdentity{Owner: "former"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			config := cloud.ProviderWith(acctest.Arguments{"mark_settled": "false"}) + classOf(nil) + acctest.Allocation("worker-a")

			var before ecsemulator.Instance

			run(t, cloud, 1,
				resource.TestStep{Config: config, Check: func(*terraform.State) error {
					before = cloud.Alive()[0]

					return nil
				}},
				resource.TestStep{
					PreConfig:        func() { put(t, cloud, before) },
					Config:           config,
					ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
					Check: onMachine(cloud, func(after ecsemulator.Instance) error {
						if after.ID != before.ID || fmt.Sprint(after.Tags) != fmt.Sprint(before.Tags) {
							return fmt.Errorf("the tags are %v, and were %v", after.Tags, before.Tags)
						}

						return nil
					}),
				},
			)
		})
	}
}

func TestAccAMachineThatAnotherStateHoldsIsNeitherChangedNorReleased(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a")

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{Config: config}, {
			PreConfig: func() {
				reserved(t, cloud, cloud.Alive()[0], driver.MachineIdentity{Claim: "another"}, driver.MarkSettled)
			},
			Config:           config,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			ExpectError:      acctest.Text("Another state holds the machine", "Nothing was done to it", "terraform state rm"),
		}},
		CheckDestroy: func(*terraform.State) error {
			if alive := cloud.Alive(); len(alive) != 1 {
				return fmt.Errorf("alive are %v, want the machine that another state holds", alive)
			}

			return nil
		},
	})
}

// An adoption that was killed has put its claim on a machine that a state holds. The
// destruction of the machine leaves it to the run that claimed it, and that of the
// class releases it, since that run stored nothing.
func TestAccDestroyAfterAKilledAdoptionLeavesNothing(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 1, resource.TestStep{
		Config: cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a"),
		Check: func(*terraform.State) error {
			reserved(t, cloud, cloud.Alive()[0], driver.MachineIdentity{Claim: "of-a-lost-run"})

			return nil
		},
		ExpectNonEmptyPlan: true,
	})
}

func TestAccAnotherAccountIsAnErrorAndLeavesTheState(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{AccessKeys: []ecsemulator.AccessKey{
		{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret},
		{ID: "LTAI5tOfAnotherAccount01", Secret: "other-secret-that-opens-nothing", AccountID: "6543210987654321"},
	}})
	machines := classOf(nil) + acctest.Allocation("worker-a")
	other := acctest.Arguments{"access_key_id": `"LTAI5tOfAnotherAccount01"`, "access_key_secret": `"other-secret-that-opens-nothing"`}

	run(t, cloud, 1,
		resource.TestStep{Config: cloud.Provider() + machines},
		resource.TestStep{
			Config: cloud.Provider(other) + machines, PlanOnly: true,
			ExpectError: acctest.Text("is in the account", ecsemulator.DefaultAccountID, "6543210987654321", "The state is unchanged"),
		},
		resource.TestStep{Config: cloud.Provider() + machines, ConfigPlanChecks: planned(machineA, plancheck.ResourceActionNoop), Check: cloud.CheckMachines(1)},
	)
}

func TestAccTwoClassesOfOneUIDAreAnError(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	second := strings.NewReplacer(`"worker" {`, `"second" {`, `name = "worker"`, `name = "second"`).Replace(classOf(nil))

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps:                    []resource.TestStep{{Config: cloud.Provider() + classOf(nil) + second, PlanOnly: true, ExpectError: acctest.Text("Duplicate class uid", classUID)}},
	})
}

func TestAccAUIDThatIsSetLaterIsWrittenInPlace(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 1,
		resource.TestStep{Config: cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")},
		resource.TestStep{
			Config:           cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a"),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check: onMachine(cloud, func(machine ecsemulator.Instance) error {
				if got := machine.Tags[driver.ReservedTagPrefix+"class-uid"]; got != classUID {
					return fmt.Errorf("the class uid is %q", got)
				}

				return nil
			}),
		},
	)
}

func TestAccAnotherClassUIDNeedsTheMark(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	settings := cloud.ProviderWith(acctest.Arguments{"mark_settled": "false"})

	run(t, cloud, 1,
		resource.TestStep{Config: settings + acctest.Class() + acctest.Allocation("worker-a")},
		resource.TestStep{
			Config: settings + classOf(nil) + acctest.Allocation("worker-a"), PlanOnly: true,
			ExpectError: acctest.Text("cannot change its class now", "mark_settled is false"),
		},
	)
}

func TestAccWhatIsAcceptedOrLateIsKept(t *testing.T) {
	t.Parallel()

	for name, arguments := range map[string]acctest.Arguments{
		"wait_until accepted": {"wait_until": `"accepted"`},
		"on_timeout continue": {"on_timeout": `"continue"`, "timeouts": `{ create = "1s" }`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{BootDuration: 2 * time.Hour, PendingDuration: 2 * time.Hour})
			config := cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a", arguments)
			phase := func(want string) []statecheck.StateCheck {
				return []statecheck.StateCheck{statecheck.ExpectKnownValue(machineA, tfjsonpath.New("phase"), knownvalue.StringExact(want))}
			}

			run(t, cloud, 1,
				resource.TestStep{Config: config, Check: cloud.CheckMachines(1), ConfigStateChecks: phase("Allocating"), ExpectNonEmptyPlan: arguments["on_timeout"] != ""},
				resource.TestStep{PreConfig: func() { boot(t, cloud) }, Config: config, Check: cloud.CheckMachines(1), ConfigStateChecks: phase("Running")},
			)
		})
	}
}

func TestAccAGracefulReleaseStopsFirst(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 1, resource.TestStep{
		Config: cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a", acctest.Arguments{"graceful_release": `"60s"`}),
	})

	if counts := cloud.Counts(); counts["StopInstance"] != 1 {
		t.Errorf("the calls were %v, want a stop", counts)
	}
}
