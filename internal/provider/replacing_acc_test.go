package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// appearsAfterTheFirstLook gives the account a machine when a list has been made and its
// answer has not been sent.
func appearsAfterTheFirstLook(t *testing.T, cloud *acctest.Cloud, machine ecsemulator.NewInstance) {
	t.Helper()

	rule := cloud.Rule(t, ecsemulator.Rule{
		Kind: ecsemulator.RuleHold, Action: "DescribeInstances", Times: 1, At: ecsemulator.MomentAfter,
	})
	arrived := make(chan error, 1)

	go func() {
		look, err := cloud.WaitHold(t.Context(), rule.ID)
		if err == nil {
			_, err = cloud.AddInstance(machine)
		}

		if err == nil {
			err = cloud.Release(look.ID, ecsemulator.Proceed)
		}

		arrived <- err
	}()

	t.Cleanup(func() {
		if err := <-arrived; err != nil {
			t.Error(err)
		}
	})
}

// A forced replacement was cut off, and the next plan wants none. Only the mark on the
// machine that stays tells of a successor that is not listed yet.
func TestAccTheSuccessorOfACutOffReplacementIsAwaited(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		launched bool
		action   plancheck.ResourceActionType
	}{
		"and released":                    {launched: true, action: plancheck.ResourceActionUpdate},
		"and not missed if there is none": {action: plancheck.ResourceActionNoop},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			config := cloud.Provider() + classOf(nil) + acctest.Allocation("worker-a")

			run(t, cloud, 1,
				resource.TestStep{Config: config},
				resource.TestStep{Config: config, Check: awaitSettled(cloud)},
				resource.TestStep{
					PreConfig: func() {
						reserved(t, cloud, cloud.Alive()[0], driver.MachineIdentity{}, driver.MarkReplacing)

						if test.launched {
							appearsAfterTheFirstLook(t, cloud, leftOver(nil))
						}
					},
					Config:           config,
					ConfigPlanChecks: planned(machineA, test.action),
					Check: onMachine(cloud, func(machine ecsemulator.Instance) error {
						if machine.Tags[driver.ReservedTagPrefix+string(driver.MarkReplacing)] != "" {
							return fmt.Errorf("the mark is still there: %v", machine.Tags)
						}

						return nil
					}),
				},
			)
		})
	}
}
