package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// foundMachine is a machine that was there before, and differs from the class in
// all that must not matter.
func foundMachine() ecsemulator.NewInstance {
	return ecsemulator.NewInstance{
		Name: "pet", InstanceType: "ecs.r6.large", VSwitchID: "vsw-b", ImageID: "m-acme1", AgeSeconds: 86400, Tags: map[string]string{"foreign": "stays"},
	}
}

func importBlock(id string) string {
	return fmt.Sprintf("import {\n  to = %s\n  id = %q\n}\n", machineA, id)
}

func TestAccImportTakesAMachineOver(t *testing.T) {
	t.Parallel()

	for name, form := range map[string]string{
		"by region and ID": "cn-hangzhou.%s",
		"by URL":           "alicloud://cn-hangzhou.%s",
		"by bare ID":       "%s",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, foundMachine())
			config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ ours = "yes" }`})

			run(t, cloud, 0,
				resource.TestStep{
					Config:           config + importBlock(fmt.Sprintf(form, machine.ID)),
					ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
					ConfigStateChecks: []statecheck.StateCheck{
						value("id", knownvalue.StringExact("cn-hangzhou."+machine.ID)),
						value("instance_type", knownvalue.StringExact("ecs.r6.large")),
						value("image", knownvalue.StringExact("m-acme1")),
						value("claim", knownvalue.NotNull()),
						value("locator", knownvalue.NotNull()),
					},
					Check: resource.ComposeTestCheckFunc(
						cloud.CheckMachines(0),
						hasTags(cloud, map[string]string{"foreign": "stays", "ours": "yes"}),
						onMachine(cloud, func(machine ecsemulator.Instance) error {
							for _, key := range []string{"owner", "class-uid", "name", "fingerprint", "claim"} {
								if machine.Tags[driver.ReservedTagPrefix+key] == "" {
									return fmt.Errorf("the tag %s is not written; there are %v", key, slices.Sorted(maps.Keys(machine.Tags)))
								}
							}

							return nil
						}),
					),
				},
				resource.TestStep{
					// That it is not of the class's candidates is nothing to repair, nor does
					// an edit of the candidates make it so.
					Config: cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": `["ecs.c7.large", "ecs.g6.large"]`, "vswitch_ids": `["vsw-c"]`}) +
						acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ ours = "yes" }`}),
					ConfigPlanChecks: planned(machineA, plancheck.ResourceActionNoop),
					Check:            cloud.CheckMachines(0),
				},
			)
		})
	}
}

func TestAccDestroyStraightAfterImportReleasesThatMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine, neighbor := cloud.Existing(t, foundMachine()), cloud.Existing(t, foundMachine())

	acctest.RequireCLI(t)
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:             cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a"),
			ResourceName:       machineA,
			ImportState:        true,
			ImportStateId:      "cn-hangzhou." + machine.ID,
			ImportStatePersist: true,
		}},
	})

	if left := only(t, cloud); left.ID != neighbor.ID {
		t.Errorf("left is %s, want its neighbor %s", left.ID, neighbor.ID)
	}

	for _, effect := range cloud.Journal() {
		if effect.Effect == "tagged" && effect.InstanceID != machine.ID {
			t.Errorf("%s was tagged", effect.InstanceID)
		}
	}
}

func TestAccImportRefusesWhatItCannotTakeOver(t *testing.T) {
	t.Parallel()

	full := foundMachine()
	full.Tags = map[string]string{}

	for i := range 13 {
		full.Tags[fmt.Sprintf("foreign-%02d", i)] = "stays"
	}

	tests := map[string]struct {
		id      string
		changes acctest.Arguments
		found   ecsemulator.NewInstance
		want    []string
		allowed []string
	}{
		"text that is no ID": {
			id: "worker-a", want: []string{"Malformed provider ID", `"worker-a" is not a provider ID: want <region>.<instance-id>, such as cn-hangzhou.i-bp1abc`},
		},
		"an empty instance": {
			id: "cn-hangzhou.", want: []string{"Malformed provider ID", "want <region>.<instance-id>"},
		},
		"a region that is none": {
			id: "Hangzhou.%s", want: []string{"Malformed provider ID", `"Hangzhou" is not a region`},
		},
		"a bare ID without a region": {
			id: "%s", changes: acctest.Arguments{"region": ""},
			want: []string{"Malformed provider ID", "names no region, and the provider has none: write <region>.i-", "or set alicloud.region"},
		},
		"an ID that does not exist": {
			id: "cn-hangzhou.i-bp1doesnotexist", want: []string{"There is no such machine", "i-bp1doesnotexist does not exist in the region cn-hangzhou, which is the one that was searched"},
		},
		"the wrong region": {
			id: "cn-shanghai.%s", want: []string{"There is no such machine", "does not exist in the region cn-shanghai, which is the one that was searched", "If it is in another region, import it as <region>.i-"},
		},
		"a machine without room for tags": {
			id: "cn-hangzhou.%s", found: full, want: []string{"no room for the provider's tags", "has 13 tags of its own", "Remove some of its tags"}, allowed: []string{"tagged", "releasing", "gone"},
		},
	}

	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RequireCLI(t)

			cloud := acctest.Start(t, ecsemulator.Options{})
			if test.found.Tags == nil {
				test.found = foundMachine()
			}

			id := test.id
			if machine := cloud.Existing(t, test.found); id[len(id)-1] == 's' {
				id = fmt.Sprintf(id, machine.ID)
			}

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config: cloud.Provider(test.changes) + acctest.Class(acctest.Arguments{"region": `"cn-hangzhou"`}) +
						acctest.Allocation("worker-a") + importBlock(id),
					ExpectError: acctest.Text(test.want...),
				}},
				// What was imported and not applied is released by the destroy at the end.
				CheckDestroy: cloud.CheckNothingLaunched(test.allowed...),
			})
		})
	}
}

// A machine is not taken over for a class of another region: both are named, and nothing
// is written on it.
func TestAccImportRefusesAMachineOfAnotherRegion(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		region, more string
		allowed      []string
	}{
		"that the plan knows": {region: `"cn-hangzhou"`},
		// By then the machine is in state, and is released by the destroy at the end.
		"that only the apply knows": {
			region: "terraform_data.region.output", more: "resource \"terraform_data\" \"region\" {\n  input = \"cn-hangzhou\"\n}\n", allowed: []string{"releasing", "gone", "tagged"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RequireCLI(t)

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, ecsemulator.NewInstance{Name: "pet", RegionID: "cn-shanghai", AgeSeconds: 86400})

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config: cloud.Provider() + test.more + acctest.Class(acctest.Arguments{"region": test.region}) + acctest.Allocation("worker-a") + importBlock("cn-shanghai."+machine.ID),
					ExpectError: acctest.Text("The machine is in another region than its class", "cn-shanghai."+machine.ID+" is in the region cn-shanghai", `its class, "worker", is of the region cn-hangzhou`,
						"Nothing was changed", "Give the allocation a class of cn-shanghai, or import a machine of cn-hangzhou"),
				}},
				CheckDestroy: cloud.CheckNothingLaunched(test.allowed...),
			})

			for _, effect := range cloud.Journal() {
				if effect.Effect == "tagged" && effect.Detail != driver.ReservedTagPrefix+"releasing" {
					t.Errorf("the tag %s was written", effect.Detail)
				}
			}
		})
	}
}

func TestAccAClassCannotBeImported(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config:        cloud.Provider() + acctest.Class(),
			ResourceName:  theClass,
			ImportState:   true,
			ImportStateId: "worker",
			ExpectError:   acctest.Text("A machine_class cannot be imported", "set uid to the value of their tag terraform-machine/class-uid"),
		}},
	})
}
