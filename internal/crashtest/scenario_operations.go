package crashtest

import "fmt"

// operationScenarios interrupt an operation on a machine that is in state. What it does
// to the machine has to come once; see Verdict.Repeated.
func operationScenarios() []Scenario {
	one := class() + allocation()
	on := func(name, kind string, changes ...change) Scenario {
		return Scenario{
			Name: name, before: []step{apply(one)}, victim: apply(one + operation(kind, changes...)), machines: 1, launches: 1,
		}
	}

	sequence := on("operations-in-sequence", "HostPowerOff")
	sequence.victim.configuration += operationBlock("next", "HostPowerOn", change{"depends_on", "[machine_operation.worker]"})

	stopped := Scenario{
		Name: "create-stopped", victim: apply(class() + allocation(change{"power_state", `"stopped"`})), machines: 1, launches: 1,
	}

	return []Scenario{
		on("power-off", "HostPowerOff", change{"parameters", `{ graceful_timeout = "5m" }`}),
		on("reboot", "HostReboot"),
		on("replace-disk", "HostReplace", change{"parameters", `{ image_id = "m-acme1" }`}, change{"replace_user_data_wo", "var.user_data"}),
		sequence,
		stopped,
	}
}

// operation is one operation on the machine.
func operation(kind string, changes ...change) string {
	return operationBlock("worker", kind, changes...)
}

func operationBlock(label, kind string, changes ...change) string {
	arguments := []change{
		{"name", fmt.Sprintf("%q", label+"-operation")}, {"kind", fmt.Sprintf("%q", kind)}, {"provider_id", allocationAddress + ".provider_id"},
	}

	return fmt.Sprintf("\nresource \"machine_operation\" %q {\n", label) + argumentLines(arguments, changes, "  ") + "}\n"
}
