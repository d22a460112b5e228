package provider_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// modified counts the changes of one detail of any machine.
func modified(cloud *acctest.Cloud, detail string) int {
	count := 0

	for _, effect := range cloud.Journal() {
		if effect.Effect == "modified" && effect.Detail == detail {
			count++
		}
	}

	return count
}

// wasModified wants each detail to have been changed so often.
func wasModified(cloud *acctest.Cloud, want map[string]int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for detail, count := range want {
			if got := modified(cloud, detail); got != count {
				return fmt.Errorf("%s was changed %d times, want %d", detail, got, count)
			}
		}

		return nil
	}
}

// Security groups, key pair, role, name and protection follow the configuration in
// place, each with one change, and the machine stays.
func TestAccAMachineFollowsItsClassInPlace(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(class, allocation acctest.Arguments, want map[string]int) resource.TestStep {
		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(class) + acctest.Allocation("worker-a", allocation),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check:            resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasModified(cloud, want)),
		}
	}
	groups := acctest.Arguments{"security_group_ids": `["sg-2", "sg-1"]`}
	access := acctest.Arguments{"security_group_ids": `["sg-1", "sg-2"]`, "key_pair_name": `"acme-key"`, "ram_role_name": `"acme-node-role"`}

	first := step(nil, nil, nil)
	first.ConfigPlanChecks = planned(machineA, plancheck.ResourceActionCreate)

	last := step(nil, acctest.Arguments{"name": `"renamed"`, "deletion_protection": "false"}, map[string]int{
		"DeletionProtection,SecurityGroupIds": 1, "SecurityGroupIds": 1, "KeyPairName": 2, "RamRoleName": 2, "DeletionProtection": 2,
	})
	last.Check = resource.ComposeTestCheckFunc(last.Check, onMachine(cloud, func(machine ecsemulator.Instance) error {
		if machine.Name != "renamed" || machine.DeletionProtection || !slices.Equal(machine.SecurityGroups, []string{"sg-1"}) {
			return fmt.Errorf("the machine is %+v", machine)
		}

		return nil
	}))

	run(t, cloud, 1,
		first,
		step(groups, nil, map[string]int{"SecurityGroupIds": 1}),
		// Another order of the groups is no change of the machine.
		step(access, nil, map[string]int{"SecurityGroupIds": 1, "KeyPairName": 1, "RamRoleName": 1}),
		step(access, acctest.Arguments{"name": `"renamed"`, "deletion_protection": "true"}, map[string]int{"InstanceName": 0, "DeletionProtection,InstanceName": 1}),
		resource.TestStep{
			// Nobody destroys it now, and the plan says so.
			Config:      cloud.Provider() + acctest.Class(access),
			ExpectError: acctest.Text("The machine is protected", "Nothing was changed", "Set deletion_protection = false"),
		},
		resource.TestStep{
			Config: cloud.Provider() + acctest.Class(access, acctest.Arguments{"image_id": `"m-acme1"`}) +
				acctest.Allocation("worker-a", acctest.Arguments{"name": `"renamed"`, "deletion_protection": "true"}),
			ExpectError: acctest.Text("The machine is protected", "was to be replaced: class.alicloud.image_id changes"),
		},
		resource.TestStep{
			// What somebody switched off by hand shows, and is put right.
			PreConfig:        func() { unprotect(t, cloud) },
			Config:           cloud.Provider() + acctest.Class(access) + acctest.Allocation("worker-a", acctest.Arguments{"name": `"renamed"`, "deletion_protection": "true"}),
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check: onMachine(cloud, func(machine ecsemulator.Instance) error {
				if !machine.DeletionProtection {
					return fmt.Errorf("%s is not protected", machine.ID)
				}

				return nil
			}),
		},
		last,
	)
}

// unprotect turns the protection off, as somebody in the console would.
func unprotect(t *testing.T, cloud *acctest.Cloud) {
	t.Helper()

	machine, off := only(t, cloud), false
	connected, secret := elsewhere(t, cloud)

	_, err := connected.Editor().EditMachine(t.Context(), &driver.EditMachineRequest{
		ProviderID: machine.RegionID + "." + machine.ID, Secret: secret, DeletionProtection: &off,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What new first-boot data does is the user's choice, and the plan says which it is.
func TestAccNewUserDataDoesWhatIsAskedFor(t *testing.T) {
	t.Parallel()

	for policy, test := range map[string]struct {
		action   plancheck.ResourceActionType
		launched int
		effects  map[string]int
		data     string
	}{
		"":          {action: plancheck.ResourceActionDestroyBeforeCreate, launched: 2, effects: map[string]int{}, data: "2"},
		"replace":   {action: plancheck.ResourceActionDestroyBeforeCreate, launched: 2, effects: map[string]int{}, data: "2"},
		"ignore":    {action: plancheck.ResourceActionUpdate, launched: 1, effects: map[string]int{}, data: "1"},
		"reinstall": {action: plancheck.ResourceActionUpdate, launched: 1, effects: map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, data: "2"},
	} {
		t.Run("policy "+policy, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			config := func(version string) string {
				arguments := acctest.Arguments{"user_data_wo": strconv.Quote("#cloud-config\n# " + version + "\n"), "user_data_wo_version": version}
				if policy != "" {
					arguments["user_data_on_change"] = strconv.Quote(policy)
				}

				return cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", arguments)
			}

			run(t, cloud, test.launched,
				resource.TestStep{Config: config("1"), Check: cloud.CheckMachines(1)},
				resource.TestStep{
					Config:           config("2"),
					ConfigPlanChecks: planned(machineA, test.action),
					ConfigStateChecks: []statecheck.StateCheck{
						value("phase", knownvalue.StringExact("Running")), value("user_data_wo_version", knownvalue.Int64Exact(2)), value("image", knownvalue.StringExact("m-acme2")),
					},
					Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(test.launched), wasOperated(cloud, test.effects), onMachine(cloud, func(machine ecsemulator.Instance) error {
						if want := hashOf("#cloud-config\n# " + test.data + "\n"); machine.UserDataSHA256 != want {
							return fmt.Errorf("%s has other first-boot data", machine.ID)
						}

						return nil
					})),
				},
				// Another run has read that it is stored, and takes the trace away.
				resource.TestStep{Config: config("2"), PlanOnly: true},
				resource.TestStep{Config: config("2"), Check: tracelessly(t, cloud)},
			)
		})
	}
}

// A launch under a fixed address goes to the vSwitch that has it, and the address, like
// a host name, replaces the machine only where it does not have it.
func TestAccAMachineIsLaunchedUnderItsAddressAndName(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(action plancheck.ResourceActionType, launched int, arguments acctest.Arguments) resource.TestStep {
		return resource.TestStep{
			Config:           cloud.Provider() + acctest.Class(acctest.Arguments{"vswitch_ids": `["vsw-a", "vsw-b"]`}) + acctest.Allocation("worker-a", arguments),
			ConfigPlanChecks: planned(machineA, action),
			Check:            cloud.CheckMachines(launched),
		}
	}
	placed := func(of resource.TestStep, address, vswitch, name string) resource.TestStep {
		of.ConfigStateChecks = []statecheck.StateCheck{value("node_name", knownvalue.StringExact(name))}
		of.Check = resource.ComposeTestCheckFunc(of.Check, onMachine(cloud, func(machine ecsemulator.Instance) error {
			if machine.PrivateAddress != address || machine.VSwitchID != vswitch || !strings.EqualFold(machine.HostName, name) {
				return fmt.Errorf("the machine is %+v", machine)
			}

			return nil
		}))

		return of
	}
	create, update, replace := plancheck.ResourceActionCreate, plancheck.ResourceActionUpdate, plancheck.ResourceActionDestroyBeforeCreate

	nowhere := step(create, 0, acctest.Arguments{"private_ip": `"192.168.1.1"`})
	nowhere.ConfigPlanChecks = resource.ConfigPlanChecks{}
	nowhere.ExpectError = acctest.Text("none of them can be used", "private_ip is 192.168.1.1, and the vSwitch has the range 10.0.0.0/20")

	run(t, cloud, 2,
		nowhere,
		placed(step(create, 1, acctest.Arguments{"private_ip": `"10.0.16.77"`, "host_name": `"Node-1"`}), "10.0.16.77", "vsw-b", "node-1"),
		// The host name is the machine's own in whatever letters, and an input that is taken away changes nothing.
		placed(step(update, 1, acctest.Arguments{"host_name": `"node-1"`}), "10.0.16.77", "vsw-b", "node-1"),
		placed(step(update, 1, acctest.Arguments{"private_ip": `"10.0.16.77"`, "host_name": `"node-1"`}), "10.0.16.77", "vsw-b", "node-1"),
		placed(step(replace, 2, acctest.Arguments{"private_ip": `"10.0.0.78"`, "host_name": `"node-1"`}), "10.0.0.78", "vsw-a", "node-1"),
	)
}

// The machine of an apply whose every answer was lost holds the address: the next apply
// knows it for its own.
func TestAccAnAddressThatOurOwnMachineHoldsIsNoObstacle(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"private_ip": `"10.0.0.77"`, "timeouts": `{ create = "1s" }`})

	run(t, cloud, 1,
		resource.TestStep{
			PreConfig: func() {
				cloud.Rule(t, ecsemulator.Rule{ID: "lost", Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter})
			},
			Config: config, ExpectError: acctest.Text(`"worker-a" was not launched in time`),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := cloud.RemoveRule("lost"); err != nil {
					t.Fatal(err)
				}
			},
			Config: strings.Replace(config, `"1s"`, `"10m"`, 1), Check: cloud.CheckMachines(1),
		},
	)
}

// The address of a machine that is replaced is free only once that is really gone, for
// which the launch of its successor waits (F102).
func TestAccASuccessorGetsTheAddressOfItsPredecessor(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{ReleaseDuration: time.Minute, ReleasedVisibilityDelay: 20 * time.Second})
	step := func(image string, launched int) resource.TestStep {
		return resource.TestStep{
			Config: cloud.Provider() + acctest.Class(acctest.Arguments{"image_id": strconv.Quote(image)}) + acctest.Allocation("worker-a", acctest.Arguments{"private_ip": `"10.0.0.77"`}),
			Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(launched), onMachine(cloud, func(machine ecsemulator.Instance) error {
				if machine.PrivateAddress != "10.0.0.77" {
					return fmt.Errorf("%s has the address %s", machine.ID, machine.PrivateAddress)
				}

				return nil
			})),
		}
	}

	run(t, cloud, 2, step("m-acme1", 1), step("m-acme2", 2))
}

func TestAccWrongInputsOfAMachineAreRefusedAtPlan(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, test := range map[string]struct {
		arguments acctest.Arguments
		want      string
	}{
		"a short password":              {acctest.Arguments{"password_wo": `"aB3!"`}, "8 to 30 characters"},
		"a password of two kinds":       {acctest.Arguments{"password_wo": `"abcdefgh12"`}, "three of these kinds"},
		"a password of foreign letters": {acctest.Arguments{"password_wo": `"abcdeFGH12é"`}, "and of no other"},
		"no address":                    {acctest.Arguments{"private_ip": `"10.0.0"`}, "private_ip: want an IPv4 address"},
		"an IPv6 address":               {acctest.Arguments{"private_ip": `"fd00::1"`}, "private_ip: want an IPv4 address"},
		"a wrong host name":             {acctest.Arguments{"host_name": `"-node"`}, "single dots or hyphens"},
		"another policy":                {acctest.Arguments{"user_data_on_change": `"reboot"`}, "value must be one of"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config: cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", test.arguments), PlanOnly: true, ExpectError: acctest.Text(test.want),
				}},
			})

			if launched := cloud.Counts()["RunInstances"]; launched > 0 {
				t.Errorf("RunInstances was called %d times", launched)
			}
		})
	}
}

// Types that no longer have the machine's own make it another one where that is asked
// for, and it stays the same machine.
func TestAccAMachineBecomesAnotherType(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(types string, action plancheck.ResourceActionType, want string, effects map[string]int, trace resource.TestCheckFunc) resource.TestStep {
		return resource.TestStep{
			Config: cloud.Provider() + acctest.Class(acctest.Arguments{"instance_types": types}) +
				acctest.Allocation("worker-a", acctest.Arguments{"instance_type_on_change": `"resize"`}),
			ConfigPlanChecks: planned(machineA, action),
			ConfigStateChecks: []statecheck.StateCheck{
				value("instance_type", knownvalue.StringExact(want)), value("offering", knownvalue.StringExact(want+"/vsw-a/on_demand")), value("phase", knownvalue.StringExact("Running")),
			},
			Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasOperated(cloud, effects), trace),
		}
	}

	// What the machine was made is noted on it until a later run has seen it in state.
	noted := func(*terraform.State) error {
		if tag := only(t, cloud).Tags[operationTag]; !strings.HasPrefix(tag, "done/") {
			t.Errorf("of the other type is noted: %q", tag)
		}

		return nil
	}

	run(t, cloud, 1,
		step(`["ecs.g7.large"]`, plancheck.ResourceActionCreate, "ecs.g7.large", map[string]int{}, tracelessly(t, cloud)),
		step(`["ecs.g7.xlarge", "ecs.g6.xlarge"]`, plancheck.ResourceActionUpdate, "ecs.g7.xlarge", map[string]int{"stopped": 1, "started": 1}, noted),
		step(`["ecs.g6.xlarge", "ecs.g7.xlarge"]`, plancheck.ResourceActionNoop, "ecs.g7.xlarge", map[string]int{"stopped": 1, "started": 1}, tracelessly(t, cloud)),
	)
}
