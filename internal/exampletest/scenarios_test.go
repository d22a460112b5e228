package exampletest_test

import (
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// scenario is a configuration and what is done with it.
type scenario struct {
	// files are of examples, or of this package's testdata.
	files []string
	// policies are what the applier may do beside planning; policyApply by default.
	policies []string
	// run is what is done; settle by default.
	run func(*bench)
}

// scenarios are the examples that need more than to be applied, and what no example shows.
func scenarios() map[string]scenario {
	return map[string]scenario{
		"quickstart":         {files: []string{"quickstart/main.tf", "quickstart/cloud-init.yaml"}},
		"kubernetes-workers": {files: []string{"kubernetes-workers/main.tf", "kubernetes-workers/join.sh.tftpl"}, run: kubernetesWorkers},
		"gpu-spot-fallback":  {files: []string{"gpu-spot-fallback/main.tf"}, run: gpuSpotFallback},
		"import-fleet":       {files: []string{"import-fleet/main.tf"}, policies: []string{policyApply, policyImport}, run: importFleet},
		"operations":         {files: []string{"operations/main.tf"}, policies: []string{policyApply, policyOperations}},
		"large-fleet":        {files: []string{"large-fleet/main.tf"}, run: largeFleet},

		"import by a block":     {files: []string{"provider/provider.tf", importConfiguration}, policies: []string{policyApply, policyImport}, run: importByBlock},
		"import by the command": {files: []string{"provider/provider.tf", importConfiguration}, policies: []string{policyApply, policyImport}, run: importByCommand},

		"a machine that is gone": {files: []string{"quickstart/main.tf", "quickstart/cloud-init.yaml"}, run: machineGone},
		"changes of machines":    {files: []string{"testdata/changes.tf"}, policies: []string{policyApply, policyPassRole}, run: changeMachines},
		"changes within a resource group": {
			files: []string{"testdata/changes.tf"}, policies: []string{policyApply + inResourceGroup, policyPassRole}, run: changeMachines,
		},
		"operations on machines of others": {files: []string{"testdata/operations.tf"}, policies: []string{policyOperations}, run: operateOnMachines},
	}
}

// kubernetesWorkers wants every node to run under the name and in the pool that it is in.
func kubernetesWorkers(b *bench) {
	b.applyTwice()

	pools := map[string]int{}
	for _, machine := range b.cloud.Alive() {
		pools[machine.Tags["pool"]]++
	}

	if pools["system"] != 1 || pools["batch"] != 2 {
		b.Errorf("the pools have %v", pools)
	}

	// One node more, and nothing happens to the others.
	b.expectLaunches(3)
	b.applyTwice("-var", `pools={"system":{"nodes":2,"instance_types":["ecs.g7.xlarge"]},"batch":{"nodes":2,"instance_types":["ecs.g7.xlarge"],"capacity_types":["spot"]}}`)
	b.expectLaunches(4)
	b.run("destroy", "-auto-approve")

	if left := b.cloud.Instances(); len(left) > 0 {
		b.Errorf("destroy left %v", left)
	}
}

// gpuSpotFallback lets spot be sold out everywhere, and wants machines on demand.
func gpuSpotFallback(b *bench) {
	b.cloud.Rule(b, ecsemulator.Rule{
		Kind: ecsemulator.RuleError, Action: "RunInstances", Parameters: map[string]string{"SpotStrategy": "SpotWithPriceLimit"},
		Code: "OperationDenied.NoStock", HTTPStatus: 403,
	})
	b.applyTwice()

	for _, machine := range b.cloud.Alive() {
		if machine.ChargeMode != ecsemulator.ChargePostPaid {
			b.Errorf("%s is paid for as %s", machine.ID, machine.ChargeMode)
		}
	}

	if machines := b.cloud.Alive(); len(machines) != 2 {
		b.Errorf("alive are %v, want two", machines)
	}

	b.run("destroy", "-auto-approve")

	if left := b.cloud.Instances(); len(left) > 0 {
		b.Errorf("destroy left %v", left)
	}
}

// changeMachines changes in place what can be changed in place.
func changeMachines(b *bench) {
	b.applyTwice()
	b.applyTwice("-var", "night=true", "-var", `tags={"cost":"b"}`, "-var", "access=false")
	b.applyTwice("-var", "night=false", "-var", `tags={}`)
	b.applyTwice("-var", `tags={}`, "-var", "generation=2")
	b.applyTwice("-var", `tags={}`, "-var", "generation=2", "-var", `types=["ecs.g7.xlarge"]`, "-var", `groups=["sg-1","sg-2"]`)

	if created := b.cloud.Created(); created != 2 {
		b.Errorf("%d machines were launched in all, want two", created)
	}

	b.run("destroy", "-auto-approve")

	if left := b.cloud.Instances(); len(left) > 0 {
		b.Errorf("destroy left %v", left)
	}

	// Each has a data disk, which is kept.
	if kept := b.cloud.Disks(); len(kept) != 2 {
		b.Errorf("kept are %v, want two data disks", kept)
	}
}

// machineGone is about a machine that somebody released by other means. Neither the
// planner, who may not ask for the proof that a dry run of a release is, nor the applier,
// to whom it is denied as the machine has no tags any more, is kept from seeing that.
func machineGone(b *bench) {
	b.applyTwice()

	gone := b.cloud.Alive()[0]
	if err := b.cloud.RemoveInstance(gone.ID); err != nil {
		b.Fatal(err)
	}

	if result, err := b.try("plan"); err != nil || !acctest.Text("1 to add, 0 to change, 0 to destroy").MatchString(result.Stdout) {
		b.Errorf("%v\n%s\n%s", err, result.Stdout, result.Stderr)
	}

	b.run("apply", "-auto-approve")

	if machines := b.cloud.Alive(); len(machines) != 3 {
		b.Errorf("alive are %v, want three", machines)
	}

	if created := b.cloud.Created(); created != 4 {
		b.Errorf("%d machines were launched in all, want four", created)
	}

	b.run("plan", "-detailed-exitcode")
	b.run("destroy", "-auto-approve")
}

// operateOnMachines carries out every kind on machines that another configuration holds,
// one of which does not end by itself.
func operateOnMachines(b *bench) {
	tags := map[string]string{ownerTag: policyOwner}
	first := b.cloud.Existing(b, ecsemulator.NewInstance{Tags: tags})
	second := b.cloud.Existing(b, ecsemulator.NewInstance{Tags: tags})

	b.write("machines.auto.tfvars", "machine = \""+first.RegionID+"."+first.ID+"\"\nother = \""+second.RegionID+"."+second.ID+"\"\n")

	if err := b.cloud.SetBehavior(ecsemulator.Behavior{GracefulStop: ecsemulator.ShutdownReverts}); err != nil {
		b.Fatal(err)
	}

	if result, err := b.try("apply", "-auto-approve", "-target=machine_operation.off"); err == nil || !acctest.Text("The end of its console").MatchString(result.Stderr) {
		b.Errorf("a machine that does not shut down: %v\n%s", err, result.Stderr)
	}

	if err := b.cloud.SetBehavior(ecsemulator.Behavior{}); err != nil {
		b.Fatal(err)
	}

	b.applyTwice()
	b.run("destroy", "-auto-approve")

	for _, machine := range b.cloud.Alive() {
		if _, marked := machine.Tags["terraform-machine/operation"]; marked {
			b.Errorf("%s keeps the trace of an operation", machine.ID)
		}
	}
}

// TestExamples applies everything under examples, each as a RAM user who may do what the
// policies for it allow and nothing else, and compares the policies with the calls.
func TestExamples(t *testing.T) {
	t.Parallel()

	all := scenarios()

	for _, configuration := range singleFiles(t) {
		single := scenario{files: []string{"provider/provider.tf", configuration}}
		if strings.Contains(configuration, "machine_operation") {
			single.policies = []string{policyApply, policyOperations}
		}

		all[configuration] = single
	}

	installation := installProvider(t)
	calls := &journal{}

	t.Run("apply", func(t *testing.T) {
		for name, scenario := range all {
			t.Run(name, func(t *testing.T) {
				t.Parallel()

				if scenario.policies == nil {
					scenario.policies = []string{policyApply}
				}

				b := newBench(t, installation, scenario.policies, scenario.files...)

				if scenario.run == nil {
					scenario.run = (*bench).settle
				}

				scenario.run(b)
				calls.note(b)
			})
		}
	})

	if calls.benches < len(all) {
		t.Logf("%d of %d were run and passed: the policies are not compared with the calls", calls.benches, len(all))

		return
	}

	calls.check(t)
}

// singleFiles are the examples of the documentation that are one file each.
func singleFiles(t *testing.T) []string {
	t.Helper()

	var names []string

	for _, pattern := range []string{
		"examples/resources/*/resource*.tf", "examples/data-sources/*/data-source*.tf", "examples/functions/*/function*.tf", "examples/guides/*/*.tf",
	} {
		found := glob(t, pattern)
		if len(found) == 0 {
			t.Fatalf("found no examples of %s", pattern)
		}

		for _, name := range found {
			names = append(names, strings.TrimPrefix(name, "examples/"))
		}
	}

	return names
}

// A directory of examples that no scenario applies would not be noticed when it breaks.
func TestEveryCompleteExampleIsAScenario(t *testing.T) {
	t.Parallel()

	applied := map[string]bool{}

	for _, scenario := range scenarios() {
		for _, file := range scenario.files {
			applied["examples/"+file] = true
		}
	}

	for _, file := range append(glob(t, "examples/*/*.tf"), glob(t, "examples/*/*.tftpl")...) {
		if !applied[file] {
			t.Errorf("%s is in no scenario", file)
		}
	}
}
