package provider_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

const (
	operationA   = "machine_operation.op-a"
	operationTag = driver.ReservedTagPrefix + "operation"
)

// existing is a machine that is there, and its provider ID as an expression.
func existing(t *testing.T, cloud *acctest.Cloud) (ecsemulator.Instance, string) {
	t.Helper()

	machine := cloud.Existing(t, ecsemulator.NewInstance{InstanceType: "ecs.g7.large", ImageID: "m-acme1", AgeSeconds: 86400})

	return machine, strconv.Quote(machine.RegionID + "." + machine.ID)
}

// instanceOf is the machine as it is now.
func instanceOf(t *testing.T, cloud *acctest.Cloud, id string) ecsemulator.Instance {
	t.Helper()

	for _, machine := range cloud.Instances() {
		if machine.ID == id {
			return machine
		}
	}

	t.Fatalf("there is no machine %s", id)

	return ecsemulator.Instance{}
}

// operated counts what was done to machines: stopped, started, rebooted, reinstalled.
func operated(cloud *acctest.Cloud) map[string]int {
	counts := map[string]int{}

	for _, effect := range cloud.Journal() {
		switch {
		case effect.Effect == "stopped" || effect.Effect == "started" || effect.Effect == "rebooted":
			counts[effect.Effect]++
		case effect.Effect == "modified" && effect.Detail == "SystemDisk":
			counts["reinstalled"]++
		}
	}

	return counts
}

// wasOperated checks that these effects took place, and no others.
func wasOperated(cloud *acctest.Cloud, want map[string]int) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if got := operated(cloud); fmt.Sprint(got) != fmt.Sprint(want) {
			return fmt.Errorf("the effects were %v, want %v", got, want)
		}

		return nil
	}
}

func TestAccAnOperationIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for _, test := range []struct {
		kind      string
		arguments acctest.Arguments
		effects   map[string]int
		message   string
		status    string
	}{
		{kind: "HostPowerOff", arguments: acctest.Arguments{"parameters": `{ graceful_timeout = "2m" }`}, effects: map[string]int{"stopped": 1}, message: "is Stopped", status: "Stopped"},
		{kind: "HostPowerOn", effects: map[string]int{}, message: "is Running", status: "Running"},
		{kind: "HostReboot", effects: map[string]int{"rebooted": 1}, message: "is Running again, by ECS started at", status: "Running"},
		{
			kind:      "HostReplace",
			arguments: acctest.Arguments{"parameters": `{ image_id = "m-acme2" }`, "replace_user_data_wo": `"#cloud-config\n# marker-of-the-new-data\n"`},
			effects:   map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, message: "from a new system disk, made from m-acme2", status: "Running",
		},
	} {
		t.Run(test.kind, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, id := existing(t, cloud)
			config := cloud.Provider() + acctest.Operation("op-a", test.kind, id, test.arguments)

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config: config,
					ConfigStateChecks: []statecheck.StateCheck{
						statecheck.ExpectKnownValue(operationA, tfjsonpath.New("phase"), knownvalue.StringExact("Complete")),
						statecheck.ExpectKnownValue(operationA, tfjsonpath.New("message"), knownvalue.StringRegexp(acctest.Text(test.message))),
						statecheck.ExpectKnownValue(operationA, tfjsonpath.New("reason"), knownvalue.Null()),
						statecheck.ExpectKnownValue(operationA, tfjsonpath.New("started_at"), knownvalue.NotNull()),
						statecheck.ExpectKnownValue(operationA, tfjsonpath.New("completed_at"), knownvalue.NotNull()),
						statecheck.ExpectKnownValue(operationA, tfjsonpath.New("operation_id"), knownvalue.NotNull()),
					},
					Check: wasOperated(cloud, test.effects),
				}, {
					// How it is done may change, and nothing is done.
					Config: cloud.Provider() + acctest.Operation("op-a", test.kind, id, test.arguments, acctest.Arguments{"timeouts": `{ create = "9m" }`}),
					Check:  wasOperated(cloud, test.effects),
				}},
				CheckDestroy: wasOperated(cloud, test.effects),
			})

			now := instanceOf(t, cloud, machine.ID)
			if now.Status != test.status || now.PrivateAddress != machine.PrivateAddress {
				t.Errorf("the machine is %+v", now)
			}

			if tag, there := now.Tags[operationTag]; there {
				t.Errorf("the operation left its trace: %s", tag)
			}

			if strings.Contains(cloud.Log(), "marker-of-the-new-data") {
				t.Error("the log holds first-boot data")
			}
		})
	}
}

func TestAccATriggerCarriesAnOperationOutAgain(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	_, id := existing(t, cloud)
	reboot := func(arguments acctest.Arguments) string {
		return cloud.Provider() + acctest.Operation("op-a", "HostReboot", id, arguments)
	}
	step := func(arguments acctest.Arguments, action plancheck.ResourceActionType, reboots int) resource.TestStep {
		return resource.TestStep{Config: reboot(arguments), ConfigPlanChecks: planned(operationA, action), Check: wasOperated(cloud, map[string]int{"rebooted": reboots})}
	}

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			step(acctest.Arguments{"triggers": `{ kernel = "1" }`}, plancheck.ResourceActionCreate, 1),
			step(acctest.Arguments{"triggers": `{ kernel = "2" }`}, plancheck.ResourceActionDestroyBeforeCreate, 2),
			step(acctest.Arguments{"triggers": `{ kernel = "2" }`, "parameters": `{ force = "true" }`}, plancheck.ResourceActionUpdate, 2),
			step(acctest.Arguments{"triggers": `{ kernel = "1" }`, "parameters": `{ force = "true" }`}, plancheck.ResourceActionDestroyBeforeCreate, 3),
		},
	})
}

func TestAccAnotherImageIsAnotherOperation(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	base := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")
	replace := func(image string) string {
		return base + acctest.Operation("op-a", "HostReplace", machineA+".provider_id", acctest.Arguments{
			"parameters": fmt.Sprintf(`{ image_id = %q }`, image), "keep_user_data": "true",
		})
	}

	run(t, cloud, 1,
		resource.TestStep{Config: replace("m-acme1"), Check: wasOperated(cloud, map[string]int{"stopped": 1, "reinstalled": 1, "started": 1})},
		resource.TestStep{
			// The allocation shows the image that the machine has, and stays what it is.
			Config: replace("m-acme1"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue(machineA, tfjsonpath.New("image"), knownvalue.StringExact("m-acme1")),
			},
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
		resource.TestStep{
			Config:           replace("m-acme2"),
			ConfigPlanChecks: planned(operationA, plancheck.ResourceActionDestroyBeforeCreate),
			Check: resource.ComposeTestCheckFunc(
				wasOperated(cloud, map[string]int{"stopped": 2, "reinstalled": 2, "started": 2}), cloud.CheckMachines(1)),
		},
	)
}

func TestAccOperationsOfOneRunComeInTheirOrder(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine, id := existing(t, cloud)
	after := func(label string) acctest.Arguments {
		return acctest.Arguments{"depends_on": "[machine_operation." + label + "]"}
	}

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: cloud.Provider() + acctest.Operation("off", "HostPowerOff", id) + acctest.Operation("on", "HostPowerOn", id, after("off")) +
				acctest.Operation("reboot", "HostReboot", id, after("on")) + acctest.Operation("off-again", "HostPowerOff", id, after("reboot")),
			Check: func(*terraform.State) error {
				var order []string

				for _, effect := range cloud.Journal() {
					if effect.Effect == "stopped" || effect.Effect == "started" || effect.Effect == "rebooted" {
						order = append(order, effect.Effect)
					}
				}

				if got := strings.Join(order, " "); got != "stopped started rebooted stopped" {
					return fmt.Errorf("the order was %s", got)
				}

				return nil
			},
		}},
	})

	if now := instanceOf(t, cloud, machine.ID); now.Status != "Stopped" {
		t.Errorf("the machine is %s", now.Status)
	}
}

func TestAccMistakesInAnOperationAreFoundBeforeTheMachineIsTouched(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, test := range map[string]struct {
		kind      string
		id        string
		arguments acctest.Arguments
		planned   bool
		want      []string
	}{
		"an allocation":            {kind: "HostAllocate", planned: true, want: []string{"got by a machine_allocation"}},
		"a release":                {kind: "HostRelease", planned: true, want: []string{"destroying its machine_allocation"}},
		"another word":             {kind: "Reboot", planned: true, want: []string{"one of HostPowerOn, HostPowerOff, HostReboot, HostReplace"}},
		"a malformed ID":           {kind: "HostReboot", id: `"worker"`, planned: true, want: []string{"Malformed provider ID"}},
		"an unknown parameter":     {kind: "HostReboot", arguments: acctest.Arguments{"parameters": `{ forced = "true" }`}, planned: true, want: []string{`takes no parameter "forced"`}},
		"a replace without image":  {kind: "HostReplace", arguments: acctest.Arguments{"keep_user_data": "true"}, planned: true, want: []string{"needs the parameter image_id"}},
		"a replace without data":   {kind: "HostReplace", arguments: acctest.Arguments{"parameters": `{ image_id = "m-acme2" }`}, planned: true, want: []string{"What shall the machine run at its first boot?"}},
		"data without a replace":   {kind: "HostReboot", arguments: acctest.Arguments{"replace_user_data_wo": `"x"`}, planned: true, want: []string{"First-boot data without a first boot"}},
		"no such image":            {kind: "HostReplace", arguments: acctest.Arguments{"keep_user_data": "true", "parameters": `{ image_id = "m-none" }`}, planned: true, want: []string{"m-none does not exist"}},
		"no such machine":          {kind: "HostReboot", id: `"cn-hangzhou.i-absent"`, planned: true, want: []string{"No such machine", "i-absent does not exist in the region cn-hangzhou", "Check provider_id"}},
		"an ID without a region":   {kind: "HostPowerOn", id: `"i-absent"`, planned: true, want: []string{"i-absent does not exist in the region cn-hangzhou, which is the one that was searched", "If the machine is in another region, write"}},
		"a machine of a region":    {kind: "HostReboot", id: `"cn-beijing.i-absent"`, planned: true, want: []string{"does not exist in the region cn-beijing"}},
		"a timeout without length": {kind: "HostReboot", arguments: acctest.Arguments{"timeouts": `{ create = "0s" }`}, planned: true, want: []string{"Invalid timeout"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})

			_, id := existing(t, cloud)
			if test.id != "" {
				id = test.id
			}

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{{
					Config: cloud.Provider() + acctest.Operation("op-a", test.kind, id, test.arguments), PlanOnly: test.planned, ExpectError: acctest.Text(test.want...),
				}},
			})

			for action, count := range cloud.Counts() {
				if !strings.HasPrefix(action, "Describe") && action != "DeleteInstances" && count > 0 {
					t.Errorf("%s was called", action)
				}
			}

			if len(operated(cloud)) > 0 {
				t.Errorf("the machine was touched: %v", operated(cloud))
			}
		})
	}
}

func TestAccAnOperationThatIsRefusedTellsWhat(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, test := range map[string]struct {
		kind      string
		arguments acctest.Arguments
		rule      ecsemulator.Rule
		want      []string
	}{
		"the reboot is denied": {
			kind: "HostReboot", rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "RebootInstance"},
			want: []string{`HostReboot "op-a" of cn-hangzhou.i-`, "Forbidden.RAM", "Grant the RAM user or role the permission"},
		},
		"tags are denied": {
			kind: "HostReboot", rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "TagResources"},
			want: []string{"TagResources", "Nothing was done to the machine.", "Grant the RAM user or role the permission"},
		},
		"a look at the image is denied": {
			kind: "HostReplace", arguments: acctest.Arguments{"parameters": `{ image_id = "m-acme2" }`, "keep_user_data": "true"},
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeImages"},
			want: []string{`HostReplace "op-a" of cn-hangzhou.i-`, "DescribeImages", "Nothing was done to the machine. Grant the RAM user or role the permission"},
		},
		"the new disk is denied": {
			kind: "HostReplace", arguments: acctest.Arguments{"parameters": `{ image_id = "m-acme2" }`, "keep_user_data": "true"},
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "ReplaceSystemDisk"},
			want: []string{"keeps its disk, and is being started again", "Grant the RAM user or role the permission"},
		},
		"the console is asked for": {
			kind: "HostReboot", arguments: acctest.Arguments{"parameters": `{ console_output_on_failure = "true" }`},
			rule: ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "RebootInstance"},
			want: []string{"The end of its console:", "login:"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine, id := existing(t, cloud)
			rule := cloud.Rule(t, test.rule)
			config := cloud.Provider() + acctest.Operation("op-a", test.kind, id, test.arguments)

			resource.UnitTest(t, resource.TestCase{
				ProtoV6ProviderFactories: acctest.Factories(),
				Steps: []resource.TestStep{
					{Config: config, ExpectError: acctest.Text(test.want...)},
					{
						PreConfig: func() {
							if tag, there := instanceOf(t, cloud, machine.ID).Tags[operationTag]; there {
								t.Errorf("a refused operation keeps the machine: %s", tag)
							}

							if err := cloud.RemoveRule(rule.ID); err != nil {
								t.Fatal(err)
							}
						},
						Config:            config,
						ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(operationA, tfjsonpath.New("phase"), knownvalue.StringExact("Complete"))},
					},
				},
			})

			if now := instanceOf(t, cloud, machine.ID); now.Status != "Running" {
				t.Errorf("the machine is %s", now.Status)
			}
		})
	}
}

// A throttled call is asked again, and a lost answer to a reboot is looked for and not
// asked again.
func TestAccAnOperationOutlastsAFickleCloud(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	for name, rule := range map[string]ecsemulator.Rule{
		"a throttled reboot":         {Kind: ecsemulator.RuleError, Action: "RebootInstance", Times: 2, Code: "Throttling.User", HTTPStatus: 400},
		"a lost answer":              {Kind: ecsemulator.RuleCut, Action: "RebootInstance", At: ecsemulator.MomentAfter, Times: 1},
		"a lost call":                {Kind: ecsemulator.RuleCut, Action: "RebootInstance", At: ecsemulator.MomentBefore, Times: 1},
		"an error after the effect":  {Kind: ecsemulator.RuleError, Action: "RebootInstance", At: ecsemulator.MomentAfter, Times: 1, Code: "InternalError", HTTPStatus: 500},
		"an error before the effect": {Kind: ecsemulator.RuleError, Action: "RebootInstance", At: ecsemulator.MomentBefore, Times: 1, Code: "ServiceUnavailable", HTTPStatus: 503},
		"looks that fail":            {Kind: ecsemulator.RuleError, Action: "DescribeInstances", First: 3, Times: 3, Code: "InternalError", HTTPStatus: 500},
	} {
		for _, keeps := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, start time kept: %v", name, keeps), func(t *testing.T) {
				t.Parallel()

				cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{RebootKeepsStartTime: keeps}})
				_, id := existing(t, cloud)
				cloud.Rule(t, rule)

				resource.UnitTest(t, resource.TestCase{
					ProtoV6ProviderFactories: acctest.Factories(),
					Steps: []resource.TestStep{{
						Config:            cloud.Provider() + acctest.Operation("op-a", "HostReboot", id),
						Check:             wasOperated(cloud, map[string]int{"rebooted": 1}),
						ConfigStateChecks: []statecheck.StateCheck{statecheck.ExpectKnownValue(operationA, tfjsonpath.New("phase"), knownvalue.StringExact("Complete"))},
					}},
				})
			})
		}
	}
}

// Credentials that may look and not write can plan all the same.
func TestAccATraceThatMayNotBeTakenAwayIsNoError(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine, id := existing(t, cloud)
	config := cloud.Provider() + acctest.Operation("op-a", "HostReboot", id)

	var rule ecsemulator.Rule

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{
			{
				PreConfig: func() {
					rule = cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "UntagResources"})
				},
				Config: config, Check: wasOperated(cloud, map[string]int{"rebooted": 1}),
			},
			{
				Config: config, PlanOnly: true,
			},
			{
				PreConfig: func() {
					if tag := instanceOf(t, cloud, machine.ID).Tags[operationTag]; !strings.HasPrefix(tag, "done/") {
						t.Errorf("the tag is %q", tag)
					}

					if err := cloud.RemoveRule(rule.ID); err != nil {
						t.Fatal(err)
					}
				},
				Config: config, PlanOnly: true,
			},
		},
	})

	if tag, there := instanceOf(t, cloud, machine.ID).Tags[operationTag]; there {
		t.Errorf("the trace stays: %s", tag)
	}
}
