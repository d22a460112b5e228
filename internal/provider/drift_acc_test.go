package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestAccAMachineThatIsGoneIsCreatedAgain(t *testing.T) {
	t.Parallel()

	for _, replay := range []ecsemulator.Replay{ecsemulator.ReplaySameIDs, ecsemulator.ReplayFails} {
		t.Run("and a used token answers "+string(replay), func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{ReplayAfterRelease: replay}})
			config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

			run(t, cloud, 2,
				resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
				resource.TestStep{
					PreConfig: func() {
						if err := cloud.RemoveInstance(only(t, cloud).ID); err != nil {
							t.Fatal(err)
						}
					},
					Config:           config,
					ConfigPlanChecks: planned(machineA, plancheck.ResourceActionCreate),
					Check:            cloud.CheckMachines(2),
				},
			)
		})
	}
}

// ECS answers an empty list to a caller who may not list: that is no absence.
func TestAccALostPermissionCostsNoMachine(t *testing.T) {
	t.Parallel()

	for _, denial := range []ecsemulator.Denial{ecsemulator.DenialEmpty, ecsemulator.DenialForbidden} {
		t.Run("answered "+string(denial), func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{DeniedDescribe: denial}})
			config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

			run(t, cloud, 1,
				resource.TestStep{Config: config},
				resource.TestStep{
					PreConfig: func() {
						cloud.Rule(t, ecsemulator.Rule{ID: "lost", Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})
					},
					Config:      config,
					PlanOnly:    true,
					ExpectError: acctest.Text(`Cannot read "worker-a" (cn-hangzhou.i-`, "Forbidden.RAM", "request", "The state is unchanged", "Grant the RAM user or role the permission"),
				},
				resource.TestStep{
					PreConfig: func() {
						if err := cloud.RemoveRule("lost"); err != nil {
							t.Fatal(err)
						}
					},
					Config:           config,
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
					Check:            cloud.CheckMachines(1),
				},
			)
		})
	}
}

func TestAccWhatMayNotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class()
	tagged := config + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ added = "yes" }`})

	for _, action := range []string{"TagResources", "DeleteInstances"} {
		cloud.Rule(t, ecsemulator.Rule{ID: action, Kind: ecsemulator.RuleDeny, Action: action})
	}

	grant := func(action string) func() {
		return func() {
			if err := cloud.RemoveRule(action); err != nil {
				t.Fatal(err)
			}
		}
	}

	run(t, cloud, 1,
		resource.TestStep{Config: config + acctest.Allocation("worker-a")},
		resource.TestStep{
			Config:      tagged,
			ExpectError: acctest.Text(`Cannot update "worker-a" (cn-hangzhou.i-`, "Forbidden.RAM", "Grant the RAM user or role the permission"),
		},
		resource.TestStep{
			PreConfig:        grant("TagResources"),
			Config:           tagged,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check:            hasTags(cloud, map[string]string{"added": "yes"}),
		},
		resource.TestStep{
			Config:      tagged,
			Destroy:     true,
			ExpectError: acctest.Text(`Cannot release "worker-a" (cn-hangzhou.i-`, "Forbidden.RAM", "Grant the RAM user or role the permission"),
		},
		resource.TestStep{
			// The release was begun: applying takes its mark off and keeps the machine.
			PreConfig:        grant("DeleteInstances"),
			Config:           tagged,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check:            cloud.CheckMachines(1),
		},
	)
}

// failures are the ways in which one call fails and the next does not.
func failures(action string, at ecsemulator.Moment) []ecsemulator.Rule {
	rules := []ecsemulator.Rule{
		{Kind: ecsemulator.RuleError, Code: "ServiceUnavailable", HTTPStatus: 503},
		{Kind: ecsemulator.RuleError, Code: "Throttling.User", HTTPStatus: 400},
		{Kind: ecsemulator.RuleError, Code: "InternalError", HTTPStatus: 500},
		{Kind: ecsemulator.RuleCut},
		{Kind: ecsemulator.RuleHTML},
		{Kind: ecsemulator.RuleMalformed},
	}

	for i := range rules {
		rules[i].ID = fmt.Sprintf("%s-%s-%d", action, at, i)
		rules[i].Action, rules[i].At = action, at
		rules[i].First, rules[i].Times = i+1, 1
	}

	return rules
}

func TestAccFailedCallsCostNothing(t *testing.T) {
	t.Parallel()

	reads := []string{
		"DescribeInstances", "DescribeVSwitches", "DescribeSecurityGroups", "DescribeImages", "DescribeInstanceTypes", "DescribeAvailableResource",
	}

	// fail makes each call fail in every way, once.
	fail := func(cloud *acctest.Cloud, at ecsemulator.Moment, actions ...string) {
		for _, action := range actions {
			for _, rule := range failures(action, at) {
				cloud.Rule(t, rule)
			}
		}
	}

	t.Run("of reads", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")
		fail(cloud, ecsemulator.MomentBefore, reads...)

		run(t, cloud, 1,
			resource.TestStep{Config: config, Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), failedOften(cloud, reads...))},
			resource.TestStep{
				PreConfig:        func() { cloud.ResetCalls(); fail(cloud, ecsemulator.MomentAfter, "DescribeInstances") },
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				Check:            resource.ComposeTestCheckFunc(cloud.CheckMachines(1), failedOften(cloud, "DescribeInstances")),
			},
		)
	})

	for _, at := range []ecsemulator.Moment{ecsemulator.MomentBefore, ecsemulator.MomentAfter} {
		t.Run("of writes, "+string(at)+" their effect", func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			writes := []string{"RunInstances", "TagResources", "DeleteInstances"}
			fail(cloud, at, writes...)

			config := cloud.Provider() + acctest.Class()

			run(t, cloud, 1,
				resource.TestStep{Config: config + acctest.Allocation("worker-a"), Check: cloud.CheckMachines(1)},
				resource.TestStep{
					Config:           config + acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ added = "yes" }`}),
					ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
					Check:            hasTags(cloud, map[string]string{"added": "yes"}),
				},
				resource.TestStep{Config: config, Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), failedOften(cloud, writes...))},
			)
		})
	}
}

// failedOften wants every failure of the actions to have been met.
func failedOften(cloud *acctest.Cloud, actions ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for _, action := range actions {
			if got, least := cloud.Counts()[action], len(failures(action, ecsemulator.MomentBefore)); got <= least {
				return fmt.Errorf("%s was called %d times, so not all of %d failures were met", action, got, least)
			}
		}

		return nil
	}
}

// Groups and a key pair that somebody took away by hand are shown, and given again in
// place; those of a machine that was imported, which it never had of its class, are left.
func TestAccWhatWasChangedByHandIsPutRight(t *testing.T) {
	t.Parallel()

	access := acctest.Arguments{"security_group_ids": `["sg-1", "sg-2"]`, "key_pair_name": `"acme-key"`}

	t.Run("a machine of its class", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		config := cloud.Provider() + acctest.Class(access) + acctest.Allocation("worker-a")
		byHand := func() {
			none := ""
			connected, secret := elsewhere(t, cloud)

			machine := only(t, cloud)
			if _, err := connected.Editor().EditMachine(t.Context(), &driver.EditMachineRequest{
				ProviderID: machine.RegionID + "." + machine.ID, Secret: secret, SecurityGroupIDs: []string{"sg-1"}, KeyPairName: &none,
			}); err != nil {
				t.Fatal(err)
			}
		}

		run(t, cloud, 1,
			resource.TestStep{Config: config},
			resource.TestStep{Config: config, PlanOnly: true},
			resource.TestStep{
				PreConfig: byHand, Config: config, ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
				Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasModified(cloud, map[string]int{"SecurityGroupIds": 2, "KeyPairName": 2})),
			},
			resource.TestStep{Config: config, PlanOnly: true},
		)
	})

	t.Run("a machine that was imported", func(t *testing.T) {
		t.Parallel()

		cloud := acctest.Start(t, ecsemulator.Options{})
		_, id := existing(t, cloud)
		imported := fmt.Sprintf("\nimport {\n  to = %s\n  id = %s\n}\n", machineA, id)
		config := cloud.Provider() + acctest.Class(access) + acctest.Allocation("worker-a")

		run(t, cloud, 0,
			resource.TestStep{Config: config + imported},
			resource.TestStep{Config: config, PlanOnly: true},
			resource.TestStep{Config: config, PlanOnly: true},
		)
	})
}
