package crashtest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Scenario is something that is interrupted.
type Scenario struct {
	Name string
	// prepare arranges the cloud; nil for nothing. It returns what stands in
	// configurations as %[1]s.
	prepare func(*ecsemulator.Server) (string, error)
	// before runs undisturbed.
	before []step
	// victim is the command that is killed. The ending runs with its configuration.
	victim step
	// machines is how many there are once an apply has gone on.
	machines int
	// imports is whether the victim takes over a machine that it did not launch.
	imports bool
	// createdFirst is whether the victim creates before it destroys.
	createdFirst bool
	// launches is how many machines are launched in all where nothing is killed.
	launches int
	// behave makes the cloud behave otherwise than by default; nil for nothing.
	behave func(*ecsemulator.Behavior)
	// variant is whether another scenario differs in few calls from this one. With the
	// real command it then runs in the plain setting, and near what it changes.
	variant bool
	// unknowable is whether nothing may tell after a kill if the effect came. Going on is
	// refused then, and the effect does not come again.
	unknowable bool
	// inProcessOnly is whether the real command cannot run the scenario.
	inProcessOnly bool
	// needsMark is whether the scenario is one only where machines are marked as settled.
	needsMark bool
	// refused is whether every command has to refuse, since another configuration has
	// just launched a machine of the same owner and name.
	refused bool
	// end is what its machines are once an apply has gone on.
	end end
}

// end is what machines have to be in the end; what is empty is not looked at.
type end struct {
	status, instanceType, image string
	// userData is the first-boot data that machines have.
	userData string
	// effects are what each machine has to have had, and how often; see effectsOf. What is
	// not named comes once at most, and by force never.
	effects map[string]int
	// operations is how many operations are in state, each of which is complete.
	operations int
	// disks is how many data disks have outlived their machines, with every ending.
	disks int
}

// once are effects that come once each.
func once(effects ...string) map[string]int {
	counts := map[string]int{}
	for _, effect := range effects {
		counts[effect] = 1
	}

	return counts
}

// step is one command with the configuration it sees.
type step struct {
	configuration string
	arguments     []string
}

func apply(configuration string, options ...string) step {
	return step{configuration, append([]string{"apply", "-auto-approve"}, options...)}
}

// fleetSize is how many machines the fleet has: twice what Terraform does at a time.
const fleetSize = 20

// Scenarios are all scenarios, in the order in which they run.
func Scenarios() []Scenario {
	one := class() + allocation()
	safe := class() + createBeforeDestroy(allocation())
	changed := class(imageOf("m-acme1"))

	scenarios := []Scenario{
		{Name: "create", victim: apply(one), machines: 1, launches: 1},
		{
			Name: "create-fallback", prepare: firstOfferingSoldOut,
			victim: apply(class(typesOf("ecs.g7.large", "ecs.g6.large")) + allocation()), machines: 1, launches: 1,
		},
		{
			Name: "create-withdrawn", prepare: firstOfferingWithdrawn,
			victim: apply(class(typesOf("ecs.g7.large", "ecs.g6.large")) + allocation()), machines: 1, launches: 2,
		},
		{Name: "create-accepted", victim: apply(class() + accepted()), machines: 1, launches: 1},
		{
			Name: "create-again-accepted", before: []step{apply(class() + accepted()), apply(class())},
			victim: apply(class() + accepted()), machines: 1, launches: 2,
		},
		{Name: "create-beside-unsettled", prepare: sameNameJustLaunched, victim: apply(one), refused: true},
		{Name: "create-beside-another", prepare: sameNameElsewhere, victim: apply(one), machines: 1, launches: 1},
		{Name: "replace", before: []step{apply(one)}, victim: apply(changed + allocation()), machines: 1, launches: 2},
		{
			Name: "replace-created-first", before: []step{apply(safe)},
			victim: apply(changed + createBeforeDestroy(allocation())), machines: 1, launches: 2, createdFirst: true,
		},
		{
			Name: "forced-created-first", before: []step{apply(safe)},
			victim: apply(safe, "-replace="+allocationAddress), machines: 1, launches: 2, createdFirst: true,
		},
		{Name: "tainted", before: []step{apply(one), taint(one)}, victim: apply(one), machines: 1, launches: 2},
		{
			Name: "tainted-created-first", before: []step{apply(safe), taint(safe)},
			victim: apply(safe), machines: 1, launches: 2, createdFirst: true,
		},
		{Name: "release", before: []step{apply(one)}, victim: apply(class()), launches: 1},
		releaseKeepingDisks(),
		{Name: "release-gracefully", variant: true, before: []step{apply(class() + graceful("5m"))}, victim: apply(class()), launches: 1},
		{
			Name: "release-hanging", variant: true, behave: shutdownsHang, before: []step{apply(class() + graceful("10s"))}, victim: apply(class()), launches: 1,
			end: end{effects: map[string]int{"stopped": 2, "forced": 1}},
		},
		{Name: "destroy", before: []step{apply(one)}, victim: step{one, []string{"destroy", "-auto-approve"}}, machines: 1, launches: 2},
		{Name: "fleet", victim: apply(class() + fleet(fleetSize)), machines: fleetSize, launches: fleetSize},
		{Name: "update-tags", before: []step{apply(one)}, victim: apply(class() + allocation(tagsOf("purpose", "crash"))), machines: 1, launches: 1},
	}

	return slices.Concat(scenarios, takeoverScenarios(), operationScenarios(), inPlaceScenarios())
}

// runsIn reports whether the scenario is one in the setting.
func (s Scenario) runsIn(setting Setting) bool { return !s.needsMark || !setting.MarkDenied }

// FindScenario finds a scenario by its name.
func FindScenario(name string) (Scenario, error) {
	for _, scenario := range Scenarios() {
		if scenario.Name == name {
			return scenario, nil
		}
	}

	return Scenario{}, fmt.Errorf("there is no scenario %q", name)
}

// mayFail reports whether the scenario may fail in the setting, by documentation: where
// all has to be refused; and without the mark a replacement that is created first takes the machine that it
// should replace for a leftover.
func (s Scenario) mayFail(setting Setting) bool {
	return s.refused || setting.MarkDenied && s.createdFirst
}

func taint(configuration string) step {
	return step{configuration, []string{"taint", allocationAddress}}
}

// firstOfferingSoldOut lets only the launch tell that the first choice has no stock.
func firstOfferingSoldOut(cloud *ecsemulator.Server) (string, error) {
	return "", cloud.SetStock(ecsemulator.Stock{InstanceType: "ecs.g7.large", StatusCategory: "WithoutStock", Hidden: true})
}

// withdrawnAfter is sooner than a machine runs.
const withdrawnAfter = 4

// firstOfferingWithdrawn lets launches of the first choice be accepted, and takes their
// machines away before they run.
func firstOfferingWithdrawn(cloud *ecsemulator.Server) (string, error) {
	_, err := cloud.AddRule(ecsemulator.Rule{
		Kind: ecsemulator.RuleWithdraw, Action: "RunInstances", Parameters: map[string]string{"InstanceType": "ecs.g7.large"}, Seconds: withdrawnAfter,
	})

	return "", err
}

// sameNameElsewhere gives the account a machine of another configuration that has
// the same owner and gives its allocation the same name.
func sameNameElsewhere(cloud *ecsemulator.Server) (string, error) {
	return elsewhere(cloud, map[string]string{settledTag: "true"})
}

// sameNameJustLaunched gives the account such a machine that no state is known to hold.
func sameNameJustLaunched(cloud *ecsemulator.Server) (string, error) { return elsewhere(cloud, nil) }

func elsewhere(cloud *ecsemulator.Server, tags map[string]string) (string, error) {
	all := map[string]string{
		ownerTag: owner, nameTag: "worker-a",
		"terraform-machine/class-uid": "5f0c0000-0000-4000-8000-000000000000", "terraform-machine/claim": "another",
	}
	maps.Copy(all, tags)

	_, err := cloud.AddInstance(ecsemulator.NewInstance{Name: "worker-a", AgeSeconds: 3600, Tags: all})

	return "", err
}
