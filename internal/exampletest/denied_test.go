package exampletest_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// allOf are the actions that were taken from somebody.
type allOf struct {
	mu      sync.Mutex
	actions []string
}

func (a *allOf) add(actions ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()

	a.actions = append(a.actions, actions...)
}

// without takes the permission for the actions from the applier.
func (b *bench) without(actions ...string) {
	b.Helper()

	if b.taken != nil {
		b.taken.add(actions...)
	}

	policies := readPolicies(b.T, b.owner, append([]string{policyPlan}, b.policies...))

	for p := range policies {
		for s := range policies[p].Statement {
			statement := &policies[p].Statement[s]
			statement.Action = slices.DeleteFunc(statement.Action, func(action string) bool { return slices.Contains(actions, action) })
		}

		policies[p].Statement = slices.DeleteFunc(policies[p].Statement, func(s ecsemulator.Statement) bool { return len(s.Action) == 0 })
	}

	policies = slices.DeleteFunc(policies, func(policy ecsemulator.Policy) bool { return len(policy.Statement) == 0 })

	if err := b.cloud.SetUser(ecsemulator.User{Name: applier, Policies: policies}); err != nil {
		b.Fatal(err)
	}
}

// denied wants a command of the applier to say which permission is missing.
func (b *bench) denied(action string, arguments ...string) {
	b.Helper()

	result, err := b.tryAs(applier, arguments...)
	if err == nil {
		b.Errorf("without %s: %v ended well:\n%s", action, arguments, result.Stdout)
	}

	_, name, _ := strings.Cut(action, ":")
	if !acctest.Text(name, "Forbidden", "(request").MatchString(result.Stderr) || !acctest.Text(action).MatchString(result.Stderr) ||
		!acctest.Text("Grant").MatchString(result.Stderr) {
		b.Errorf("without %s: %v says\n%s", action, arguments, result.Stderr)
	}
}

func TestAMissingPermissionIsNamed(t *testing.T) {
	t.Parallel()

	installation := installProvider(t)
	taken := &allOf{}

	t.Run("named", func(t *testing.T) { testMissingPermissions(t, installation, taken) })

	if t.Failed() || *update || len(taken.actions) == 0 {
		return
	}

	for _, policy := range readPolicies(t, policyOwner, []string{policyPlan, policyApply, policyOperations, policyPassRole}) {
		for _, statement := range policy.Statement {
			for _, action := range statement.Action {
				if !slices.Contains(taken.actions, action) {
					t.Errorf("nothing says what becomes of a user without %s", action)
				}
			}
		}
	}
}

func testMissingPermissions(t *testing.T, installation *terraformcli.Installation, taken *allOf) {
	t.Helper()

	for name, run := range map[string]struct {
		policies []string
		files    []string
		run      func(*bench)
	}{
		"of what a plan looks up":   {[]string{policyApply}, []string{"quickstart/main.tf", "quickstart/cloud-init.yaml"}, deniedLooks},
		"of what a plan orders by":  {[]string{policyApply}, []string{"gpu-spot-fallback/main.tf"}, deniedPrices},
		"of what changes a machine": {[]string{policyApply, policyPassRole}, []string{"testdata/changes.tf"}, deniedChanges},
		"of an image":               {[]string{policyApply}, []string{"operations/main.tf"}, deniedImage},
		"of operations":             {[]string{policyOperations}, []string{"testdata/operations.tf"}, deniedOperations},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, installation, run.policies, run.files...)
			b.taken = taken
			run.run(b)
		})
	}
}

func deniedLooks(b *bench) {
	for _, action := range []string{
		"ecs:DescribeImageFromFamily", "ecs:DescribeInstanceTypes", "ecs:DescribeSecurityGroups", "ecs:DescribeAvailableResource", "vpc:DescribeVSwitches",
	} {
		b.without(action)
		b.denied(action, "plan")
	}

	b.without("ecs:DescribeInstances")
	b.denied("ecs:DescribeInstances", "apply", "-auto-approve")
}

func deniedImage(b *bench) {
	b.without("ecs:DescribeImages")
	b.denied("ecs:DescribeImages", "plan")
}

// deniedPrices is no error: a price that is not known is one that decides nothing.
func deniedPrices(b *bench) {
	for _, action := range []string{"ecs:DescribePrice", "ecs:DescribeSpotPriceHistory"} {
		b.without(action)

		result, err := b.tryAs(applier, "plan")
		if err != nil || !acctest.Text("Prices are missing", "Forbidden.RAM", action, "(request", "Grant").MatchString(result.Stdout) {
			b.Errorf("without %s: %v\n%s", action, err, result.Stdout)
		}
	}
}

func deniedChanges(b *bench) {
	for _, action := range []string{"ecs:RunInstances", "ram:PassRole"} {
		b.without(action)
		b.denied(action, "apply", "-auto-approve")
	}

	// What a plan only looks up to find mistakes early, it goes on without.
	for _, action := range []string{"ecs:DescribeKeyPairs", "ecs:DescribeDeploymentSets", "ecs:DescribeSnapshots"} {
		b.without(action)

		if result, err := b.tryAs(applier, "plan"); err != nil {
			b.Errorf("without %s: %v\n%s", action, err, result.Stderr)
		}
	}

	b.without()
	b.run("apply", "-auto-approve")

	b.without("ecs:StopInstance", "ecs:StopInstances")
	b.denied("ecs:StopInstance", "apply", "-auto-approve", "-var", "night=true")
	b.without()
	b.run("apply", "-auto-approve", "-var", "night=true")

	b.without("ecs:StartInstance", "ecs:StartInstances")
	b.denied("ecs:StartInstance", "apply", "-auto-approve")
	b.without("ecs:TagResources")
	b.denied("ecs:TagResources", "apply", "-auto-approve", "-var", "night=true", "-var", `tags={"cost":"b"}`)
	b.without("ecs:UntagResources")
	b.denied("ecs:UntagResources", "apply", "-auto-approve", "-var", "night=true", "-var", `tags={}`)

	deniedAccess(b)

	// By day they are not protected.
	b.without()
	b.run("apply", "-auto-approve")

	b.without("ecs:ModifyInstanceSpec")
	b.denied("ecs:ModifyInstanceSpec", "apply", "-auto-approve", "-var", `types=["ecs.g7.xlarge"]`)
	b.without()
	b.run("apply", "-auto-approve")

	b.without("ecs:ModifyDiskAttribute")
	b.denied("ecs:ModifyDiskAttribute", "destroy", "-auto-approve")
	b.without("ecs:DeleteInstances")
	b.denied("ecs:DeleteInstances", "destroy", "-auto-approve")
}

// deniedAccess takes away what lets a machine that runs follow its class's key pair and
// role: first both go, then both come, the key pair before the role.
func deniedAccess(b *bench) {
	b.without()
	b.run("apply", "-auto-approve")

	for _, action := range []string{"ecs:DetachKeyPair", "ecs:DescribeInstanceRamRole", "ecs:DetachInstanceRamRole"} {
		b.without(action)
		b.denied(action, "apply", "-auto-approve", "-var", "access=false")
	}

	b.without()
	b.run("apply", "-auto-approve", "-var", "access=false")

	for _, action := range []string{"ecs:AttachKeyPair", "ecs:AttachInstanceRamRole"} {
		b.without(action)
		b.denied(action, "apply", "-auto-approve")
	}
}

func deniedOperations(b *bench) {
	tags := map[string]string{ownerTag: policyOwner}
	first := b.cloud.Existing(b, ecsemulator.NewInstance{Tags: tags})
	second := b.cloud.Existing(b, ecsemulator.NewInstance{Tags: tags})

	b.write("machines.auto.tfvars", "machine = \""+first.RegionID+"."+first.ID+"\"\nother = \""+second.RegionID+"."+second.ID+"\"\n")

	if err := b.cloud.SetBehavior(ecsemulator.Behavior{GracefulStop: ecsemulator.ShutdownReverts}); err != nil {
		b.Fatal(err)
	}

	b.without("ecs:GetInstanceConsoleOutput")
	b.denied("ecs:GetInstanceConsoleOutput", "apply", "-auto-approve", "-target=machine_operation.off")

	if err := b.cloud.SetBehavior(ecsemulator.Behavior{}); err != nil {
		b.Fatal(err)
	}

	for action, address := range map[string]string{
		"ecs:StopInstance": "off", "ecs:TagResources": "replace", "ecs:DescribeDisks": "replace", "ecs:ReplaceSystemDisk": "replace", "ecs:ModifyInstanceAttribute": "replace",
	} {
		b.without(action, action+"s")
		b.denied(action, "apply", "-auto-approve", "-target=machine_operation."+address)
	}

	b.without()
	b.run("apply", "-auto-approve", "-target=machine_operation.off")

	b.without("ecs:StartInstance", "ecs:StartInstances")
	b.denied("ecs:StartInstance", "apply", "-auto-approve", "-target=machine_operation.on")

	b.without("ecs:RebootInstance", "ecs:RebootInstances")
	b.denied("ecs:RebootInstance", "apply", "-auto-approve")
}
