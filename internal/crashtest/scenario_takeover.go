package crashtest

import "github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"

// takeoverScenarios interrupt what takes over a machine that is there.
func takeoverScenarios() []Scenario {
	one := class() + allocation()
	byHand := class() + imported()

	return []Scenario{
		{Name: "import", prepare: madeByHand, victim: apply(byHand), machines: 1, imports: true},
		// The state has forgotten the machine before anything proved that it holds it.
		{Name: "adopt", variant: true, before: []step{apply(one), forget(one)}, victim: apply(one), machines: 1, launches: 1},
		// The state forgets each of two machines of one name, of which the first is settled,
		// and is given the first again. The other is what an interrupted replacement leaves.
		{
			Name: "leftovers", variant: true, needsMark: true, prepare: madeByHand,
			before:   []step{apply(byHand), apply(byHand), forget(byHand), apply(class() + unbooted()), forget(byHand), apply(byHand)},
			victim:   apply(byHand),
			machines: 1, imports: true, launches: 1,
		},
		// A machine changes provider. The real command would need the other one.
		{Name: moveScenario, prepare: madeByHand, inProcessOnly: true, machines: 1, imports: true},
	}
}

const moveScenario = "move"

// forget takes the machine out of the state.
func forget(configuration string) step {
	return step{configuration, []string{"state", "rm", allocationAddress}}
}

// madeByHand gives the account a machine that is to be imported.
func madeByHand(cloud *ecsemulator.Server) (string, error) {
	machine, err := cloud.AddInstance(ecsemulator.NewInstance{
		Name: "worker-a", InstanceType: "ecs.g7.large", ImageID: "m-acme2", VSwitchID: "vsw-a", SecurityGroups: []string{"sg-1"}, AgeSeconds: 86400 * 30,
	})

	return machine.ID, err
}
