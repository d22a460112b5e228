package provider_test

import (
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
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

func powered(state string) string {
	return acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"power_state": `"` + state + `"`})
}

// stopByHand stops the machine, as somebody in the console would.
func stopByHand(t *testing.T, cloud *acctest.Cloud) {
	t.Helper()

	if _, err := cloud.AddIncident(only(t, cloud).ID, ecsemulator.Incident{Kind: ecsemulator.IncidentStop}); err != nil {
		t.Fatal(err)
	}

	if err := cloud.Step(time.Minute); err != nil {
		t.Fatal(err)
	}
}

func TestAccPowerStateIsDeclared(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	step := func(state, phase string, stops, starts int) resource.TestStep {
		want := map[string]int{}
		if stops > 0 {
			want["stopped"] = stops
		}

		if starts > 0 {
			want["started"] = starts
		}

		return resource.TestStep{
			Config:            cloud.Provider() + powered(state),
			ConfigPlanChecks:  planned(machineA, plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{value("phase", knownvalue.StringExact(phase))},
			Check:             resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasOperated(cloud, want), tracelessly(t, cloud)),
		}
	}

	first := step("running", "Running", 0, 0)
	first.ConfigPlanChecks = planned(machineA, plancheck.ResourceActionCreate)

	drifted := step("running", "Running", 2, 2)
	drifted.PreConfig = func() { stopByHand(t, cloud) }

	// Without the argument the power is left alone, however it is.
	left := step("", "Running", 2, 2)
	left.Config = cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

	run(t, cloud, 1, first, step("stopped", "Stopped", 1, 0), step("running", "Running", 1, 1), drifted, left)
}

// A plan opens the public address only where it may become another one.
func TestAccThePublicAddressIsPlannedToChangeOnlyWhereItMay(t *testing.T) {
	t.Parallel()

	reachable := acctest.Arguments{"internet": "{ bandwidth_out_mbps = 5 }"}
	same, open := plancheck.ExpectKnownValue(machineA, tfjsonpath.New("public_ip"), knownvalue.Null()), plancheck.ExpectUnknownValue(machineA, tfjsonpath.New("public_ip"))
	address := plancheck.ExpectKnownValue(machineA, tfjsonpath.New("public_ip"), knownvalue.NotNull())

	for name, test := range map[string]struct {
		class, before, after acctest.Arguments
		changed              acctest.Arguments
		want                 plancheck.PlanCheck
	}{
		"a stop without one":      {before: acctest.Arguments{"power_state": `"running"`}, after: acctest.Arguments{"power_state": `"stopped"`}, want: same},
		"a start without one":     {before: acctest.Arguments{"power_state": `"stopped"`}, after: acctest.Arguments{"power_state": `"running"`}, want: same},
		"a stop that may lose it": {class: reachable, before: acctest.Arguments{"power_state": `"running"`}, after: acctest.Arguments{"power_state": `"stopped"`}, want: open},
		"a start that keeps it":   {class: reachable, before: acctest.Arguments{"power_state": `"stopped"`}, after: acctest.Arguments{"power_state": `"running"`}, want: address},
		"new first-boot data": {
			class: reachable, before: acctest.Arguments{"user_data_wo_version": "1", "user_data_on_change": `"reinstall"`},
			after: acctest.Arguments{"user_data_wo_version": "2", "user_data_on_change": `"reinstall"`}, want: address,
		},
		"another type": {
			class: reachable, before: acctest.Arguments{"instance_type_on_change": `"resize"`}, after: acctest.Arguments{"instance_type_on_change": `"resize"`},
			changed: acctest.Arguments{"instance_types": `["ecs.g7.xlarge"]`}, want: address,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			run(t, cloud, 1,
				resource.TestStep{Config: cloud.Provider() + acctest.Class(test.class) + acctest.Allocation("worker-a", test.before)},
				resource.TestStep{
					Config:           cloud.Provider() + acctest.Class(test.class, test.changed) + acctest.Allocation("worker-a", test.after),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionUpdate), test.want}},
				},
			)
		})
	}
}

// tracelessly wants no operation to be noted on the machine.
func tracelessly(t *testing.T, cloud *acctest.Cloud) resource.TestCheckFunc {
	t.Helper()

	return func(*terraform.State) error {
		if tag, there := only(t, cloud).Tags[operationTag]; there {
			t.Errorf("a change of power left its trace: %s", tag)
		}

		return nil
	}
}

func TestAccAMachineIsLaunchedToBeStopped(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})

	run(t, cloud, 1, resource.TestStep{
		Config:            cloud.Provider() + powered("stopped"),
		ConfigStateChecks: []statecheck.StateCheck{value("phase", knownvalue.StringExact("Stopped")), value("power_state", knownvalue.StringExact("stopped"))},
		Check:             resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasOperated(cloud, map[string]int{"stopped": 1})),
	})
}

func TestAccAStopThatIsRefusedCostsNoMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	rule := cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StopInstance"})

	run(t, cloud, 1,
		resource.TestStep{
			Config: cloud.Provider() + powered("stopped"), ExpectNonEmptyPlan: true,
			Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasOperated(cloud, map[string]int{})),
		},
		resource.TestStep{
			Config: cloud.Provider() + powered("stopped"), ExpectError: acctest.Text(`is not stopped`, "Forbidden.RAM", "Grant the RAM user or role the permission"),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := cloud.RemoveRule(rule.ID); err != nil {
					t.Fatal(err)
				}
			},
			Config: cloud.Provider() + powered("stopped"), ConfigPlanChecks: planned(machineA, plancheck.ResourceActionUpdate),
			Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(1), wasOperated(cloud, map[string]int{"stopped": 1})),
		},
	)
}

func commandStopsWhatItLaunches(t *testing.T, installation *terraformcli.Installation) {
	for _, call := range []ecsemulator.Rule{
		{Action: "RunInstances", At: ecsemulator.MomentAfter},
		{Action: "TagResources", At: ecsemulator.MomentAfter},
		{Action: "StopInstance", At: ecsemulator.MomentBefore},
		{Action: "StopInstance", At: ecsemulator.MomentAfter},
		{Action: "UntagResources", At: ecsemulator.MomentBefore},
	} {
		t.Run("killed "+string(call.At)+" "+call.Action, func(t *testing.T) {
			t.Parallel()

			c := newCommand(t, installation, ecsemulator.Options{})
			c.configure(powered("stopped"))
			c.run("init")
			c.killed(call)
			c.run("apply", "-auto-approve")
			c.expectMachines(1)
			c.expectOperated(only(t, c.cloud).ID, operationKill{effects: map[string]int{"stopped": 1}, status: "Stopped"})
			c.run("plan", "-detailed-exitcode")
			c.expectDestroyed()
		})
	}
}
