package provider_test

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// nowhere is where nobody listens: a port that only a privileged service could have.
const nowhere = "127.0.0.1:1"

// deniedAfter does something from whose call of the action on no look is allowed any
// more.
func deniedAfter(
	t *testing.T, cloud *acctest.Cloud, action string, do func(*protocol) (*kept, []*tfprotov6.Diagnostic),
) (*kept, []*tfprotov6.Diagnostic) {
	t.Helper()

	rule := cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: action, Times: 1})

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()

	denied := make(chan struct{})

	go func() {
		defer close(denied)

		hold, err := cloud.WaitHold(ctx, rule.ID)
		if err != nil {
			t.Errorf("the call was not made: %v", err)

			return
		}

		if _, err := cloud.AddRule(ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"}); err != nil {
			t.Error(err)
		}

		if err := cloud.Release(hold.ID, ecsemulator.Proceed); err != nil {
			t.Error(err)
		}
	}()

	object, said := do(newProtocol(t, cloud))

	cancel()
	<-denied

	return object, said
}

// allowAgain takes all rules away.
func allowAgain(t *testing.T, cloud *acctest.Cloud) {
	t.Helper()

	for _, rule := range cloud.RulesInForce() {
		if err := cloud.RemoveRule(rule.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// underEachDenial runs a test in clouds of its own, one for each way in which ECS may
// answer a look that is not allowed.
func underEachDenial(t *testing.T, test func(*testing.T, *acctest.Cloud)) {
	t.Helper()
	t.Parallel()

	for name, denial := range map[string]ecsemulator.Denial{"an empty list": ecsemulator.DenialEmpty, "a refusal": ecsemulator.DenialForbidden} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{DeniedDescribe: denial}}))
		})
	}
}

func TestALaunchThatMayNotBeLookedAtIsLeftToTheNextApply(t *testing.T) {
	underEachDenial(t, func(t *testing.T, cloud *acctest.Cloud) {
		wanted := wantedAllocation(nil, nil)

		made, said := deniedAfter(t, cloud, "RunInstances", func(p *protocol) (*kept, []*tfprotov6.Diagnostic) {
			return p.create(t.Context(), allocationType, wanted, true)
		})
		if made != nil {
			t.Error("it is in state, where it is tainted")
		}

		machine := only(t, cloud)
		p := newProtocol(t, cloud)
		p.expectError(said, `"worker-a" was launched, and cannot be followed`, "cn-hangzhou."+machine.ID, "AuthAction ecs:DescribeInstances", "(request ",
			"Grant the RAM user or role the permission for the action named above, then apply again", "the next apply finds it by its tags and takes it over")

		allowAgain(t, cloud)

		made, said = p.create(t.Context(), allocationType, wanted, true)
		if made == nil || failed(said) || len(said) != 1 || !strings.Contains(said[0].Summary, "was adopted") {
			t.Errorf("the next apply says %v", said)
		}

		if only(t, cloud).ID != machine.ID || cloud.Created() != 1 {
			t.Errorf("%d machines were launched", cloud.Created())
		}
	})
}

func TestAReleaseThatMayNotBeLookedAtStaysInState(t *testing.T) {
	underEachDenial(t, func(t *testing.T, cloud *acctest.Cloud) {
		made := newProtocol(t, cloud).mustCreate(allocationType, wantedAllocation(nil, nil))
		machine := only(t, cloud)

		_, said := deniedAfter(t, cloud, "DeleteInstance*", func(p *protocol) (*kept, []*tfprotov6.Diagnostic) { return nil, p.destroy(allocationType, made) })

		p := newProtocol(t, cloud)
		p.expectError(said, "The release was not seen to its end", machine.ID, "AuthAction ecs:DescribeInstances", "Grant the RAM user or role", "then run the command again", "stays in state")

		allowAgain(t, cloud)
		p.expectNone(p.destroy(allocationType, made))
	})
}

func TestAnOperationThatMayNotBeLookedAtIsGoneOnWith(t *testing.T) {
	underEachDenial(t, func(t *testing.T, cloud *acctest.Cloud) {
		machine, _ := existing(t, cloud)
		wanted := arguments{"name": "kernel", "kind": "HostReboot", "provider_id": machine.RegionID + "." + machine.ID}

		_, said := deniedAfter(t, cloud, "RebootInstance*", func(p *protocol) (*kept, []*tfprotov6.Diagnostic) {
			return p.create(t.Context(), operationType, wanted, true)
		})

		p := newProtocol(t, cloud)
		p.expectError(said, `HostReboot "kernel" of cn-hangzhou.`+machine.ID+" was not seen to its end", "AuthAction ecs:DescribeInstances", "Grant the RAM user or role",
			"what was done is not done again")

		allowAgain(t, cloud)

		if made, said := p.create(t.Context(), operationType, wanted, true); made == nil || failed(said) {
			t.Errorf("the next apply says %v", said)
		}

		if reboots := cloud.Counts()["RebootInstance"] + cloud.Counts()["RebootInstances"]; reboots != 1 {
			t.Errorf("%d reboots", reboots)
		}
	})
}

func TestMachinesThatMayNotBeLookedAtAreNotWaitedFor(t *testing.T) {
	underEachDenial(t, func(t *testing.T, cloud *acctest.Cloud) {
		machine, _ := existing(t, cloud)
		cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})

		p := newProtocol(t, cloud)
		made, said := p.create(t.Context(), readinessType, arguments{"provider_ids": []string{"cn-hangzhou." + machine.ID}}, true)
		p.expectError(said, "The machines cannot be looked at", machine.ID, "AuthAction ecs:DescribeInstances", "nothing is tainted", "Grant the RAM user or role")

		if made != nil {
			t.Error("there is a state")
		}
	})
}
