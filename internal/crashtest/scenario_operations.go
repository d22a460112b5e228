package crashtest

import "fmt"

// operationScenarios interrupt an operation on a machine that is in state. What it does
// to the machine has to come once; see Verdict.Repeated.
func operationScenarios() []Scenario {
	one := class() + allocation()
	on := func(name string, end end, kind string, changes ...change) Scenario {
		return Scenario{
			Name: name, before: []step{apply(one)}, victim: apply(one + operation(kind, changes...)), machines: 1, launches: 1, end: end,
		}
	}

	sequence := on("operations-in-sequence", end{status: running, once: []string{"stopped", "started"}}, "HostPowerOff")
	sequence.victim.configuration += operationBlock("next", "HostPowerOn", change{"depends_on", "[machine_operation.worker]"})

	stopped := Scenario{
		Name: "create-stopped", victim: apply(class() + allocation(change{"power_state", `"stopped"`})), machines: 1, launches: 1,
		end: end{status: "Stopped", once: []string{"stopped"}},
	}

	reinstalled := []string{"stopped", "reinstalled", "started"}
	data := change{"replace_user_data_wo", "var.user_data"}

	// The class's own image is not the family's newest, so that the two can be told apart.
	older := class(imageOf("m-acme1")) + allocation()
	family := on("replace-disk-from-family", end{status: running, image: "m-acme2", once: reinstalled}, "HostReplace", change{"parameters", `{ image_family = "acme-node" }`}, data)
	family.before = []step{apply(older)}
	family.victim.configuration = older + operation("HostReplace", change{"parameters", `{ image_family = "acme-node" }`}, data)

	launched := on("operation-after-launch", end{status: running, once: []string{"rebooted"}}, "HostReboot")
	launched.before = nil

	return append([]Scenario{
		on("power-off", end{status: "Stopped", once: []string{"stopped"}}, "HostPowerOff", change{"parameters", `{ graceful_timeout = "5m" }`}),
		on("reboot", end{status: running, once: []string{"rebooted"}}, "HostReboot"),
		on("replace-disk", end{status: running, image: "m-acme1", once: reinstalled}, "HostReplace", change{"parameters", `{ image_id = "m-acme1" }`}, data),
		sequence,
		stopped,
		family,
		launched,
	}, inPlaceScenarios()...)
}

// running is the status of a machine that runs.
const running = "Running"

// inPlaceScenarios interrupt what an allocation changes on its machine.
func inPlaceScenarios() []Scenario {
	resized := allocation(change{"instance_type_on_change", `"resize"`})
	reinstalled := func(version string) string {
		return class() + allocation(change{"user_data_on_change", `"reinstall"`}, change{"user_data_wo_version", version})
	}

	both := func(version string) string {
		return allocation(change{"instance_type_on_change", `"resize"`}, change{"user_data_on_change", `"reinstall"`}, change{"user_data_wo_version", version})
	}

	return []Scenario{
		{
			Name: "resize-in-place", before: []step{apply(class() + resized)}, victim: apply(class(typesOf("ecs.g6.large")) + resized), machines: 1, launches: 1,
			end: end{status: running, instanceType: "ecs.g6.large", once: []string{"stopped", "resized", "started"}},
		},
		{
			Name: "reinstall-in-place", before: []step{apply(reinstalled("1"))}, victim: apply(reinstalled("2")), machines: 1, launches: 1,
			end: end{status: running, image: "m-acme2", once: []string{"stopped", "reinstalled", "started"}},
		},
		{
			Name: "resize-and-reinstall", before: []step{apply(class() + both("1"))}, victim: apply(class(typesOf("ecs.g6.large")) + both("2")), machines: 1, launches: 1,
			end: end{status: running, instanceType: "ecs.g6.large", image: "m-acme2", once: []string{"stopped", "resized", "reinstalled", "started"}},
		},
		{
			Name: "edit-role", before: []step{apply(class() + allocation())}, victim: apply(class(change{"ram_role_name", `"acme-node-role"`}) + allocation()), machines: 1, launches: 1,
			end: end{status: running, once: []string{"role changed"}},
		},
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
