package provider_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// tooSlow is a machine that does not run before the clock is stepped, nor can it be
// released before.
func tooSlow() ecsemulator.Options { return ecsemulator.Options{BootDuration: 100 * time.Hour} }

func TestAccACreateThatRunsOutOfTimeKeepsItsMachine(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, tooSlow())
	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"timeouts": `{ create = "1s" }`})

	run(t, cloud, 1,
		resource.TestStep{
			Config: config,
			ExpectError: acctest.Text(`"worker-a" did not run in time`, "The machine cn-hangzhou.i-", "was not seen running before the timeout",
				"is Starting", "Terraform marks it as tainted, so the next apply replaces it", "terraform untaint ADDRESS, then apply again", `timeouts = { create = "20m" }`),
		},
		resource.TestStep{
			// That it runs meanwhile does not take the taint away.
			PreConfig:          func() { boot(t, cloud) },
			Config:             config,
			PlanOnly:           true,
			ExpectNonEmptyPlan: true,
			ConfigPlanChecks: resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{
				plancheck.ExpectResourceAction(machineA, plancheck.ResourceActionDestroyBeforeCreate),
			}},
		},
	)

	if got := cloud.Counts()["RunInstances"]; got != 1 {
		t.Errorf("RunInstances was called %d times", got)
	}
}

// A launch whose every answer is lost leaves a machine of which nothing is known: the
// next apply, in another process, asks the very same and gets it.
func TestAccALaunchWithoutAnAnswerIsTakenUpByTheNextApply(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a", acctest.Arguments{"timeouts": `{ create = "1s" }`})

	run(t, cloud, 1,
		resource.TestStep{
			PreConfig: func() {
				cloud.Rule(t, ecsemulator.Rule{ID: "lost", Kind: ecsemulator.RuleCut, Action: "RunInstances", At: ecsemulator.MomentAfter})
			},
			Config: config,
			ExpectError: acctest.Text(`"worker-a" was not launched in time`, "RunInstances",
				"Nothing is kept in state. If a machine was launched, the next apply finds it and takes it over."),
		},
		resource.TestStep{
			PreConfig: func() {
				if err := cloud.RemoveRule("lost"); err != nil {
					t.Fatal(err)
				}
			},
			Config:           config,
			ConfigPlanChecks: planned(machineA, plancheck.ResourceActionCreate),
			Check:            cloud.CheckMachines(1),
		},
	)
}

func TestAccADestroyWaitsForAbsence(t *testing.T) {
	t.Parallel()

	// A machine that is gone stays listed for some time, and one on the way out answers a second delete with a refusal.
	cloud := acctest.Start(t, ecsemulator.Options{
		ReleaseDuration: 60 * time.Second, ReleasedVisibilityDelay: 20 * time.Second,
		Behavior: ecsemulator.Behavior{ReleasingRefusesDelete: true},
	})
	base := cloud.Provider() + acctest.Class()

	run(t, cloud, 1,
		resource.TestStep{Config: base + acctest.Allocation("worker-a")},
		resource.TestStep{
			Config: base,
			Check: func(*terraform.State) error {
				if left := cloud.Instances(); len(left) != 0 {
					return fmt.Errorf("destroy returned while there was %+v", left)
				}

				return nil
			},
		},
	)
}

// boot lets tooSlow machines run.
func boot(t *testing.T, cloud *acctest.Cloud) {
	t.Helper()

	if err := cloud.Step(tooSlow().BootDuration); err != nil {
		t.Fatal(err)
	}
}
