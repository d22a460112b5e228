package provider_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A machine that was taken over is judged by an edit of the class as one that was
// launched: it stays while it is among the candidates, and is replaced when not.
func TestAccAnAdoptedMachineIsJudgedLikeAnyOther(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		class    acctest.Arguments
		action   plancheck.ResourceActionType
		launched int
	}{
		"its candidates get company": {
			acctest.Arguments{"vswitch_ids": `["vsw-b", "vsw-a"]`, "instance_types": `["ecs.c7.large", "ecs.g7.large"]`, "capacity_types": `["spot", "on_demand"]`},
			plancheck.ResourceActionNoop, 0,
		},
		"its vSwitch is taken out": {
			acctest.Arguments{"vswitch_ids": `["vsw-b"]`}, plancheck.ResourceActionDestroyBeforeCreate, 1,
		},
		"its capacity type is taken out": {
			acctest.Arguments{"capacity_types": `["spot"]`}, plancheck.ResourceActionDestroyBeforeCreate, 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			left := leftOver(nil)
			left.InstanceType, left.VSwitchID = "ecs.g7.large", "vsw-a"
			cloud.Existing(t, left)

			config := cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a")

			run(t, cloud, test.launched,
				resource.TestStep{
					Config: config,
					ConfigStateChecks: []statecheck.StateCheck{
						value("offering", knownvalue.StringExact("ecs.g7.large/vsw-a/on_demand")),
						value("charge", knownvalue.StringExact("on_demand")),
					},
					// It lacks a tag, which the next apply writes.
					ExpectNonEmptyPlan: true,
				},
				resource.TestStep{Config: config, Check: cloud.CheckMachines(0)},
				resource.TestStep{
					Config:           cloud.Provider() + classWith(test.class) + acctest.Allocation("worker-a"),
					ConfigPlanChecks: planned(machineA, test.action),
					Check:            cloud.CheckMachines(test.launched),
				},
			)
		})
	}
}
