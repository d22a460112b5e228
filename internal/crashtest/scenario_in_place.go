package crashtest

// inPlaceScenarios interrupt what an allocation changes on its machine.
func inPlaceScenarios() []Scenario {
	resized := allocation(change{"instance_type_on_change", `"resize"`})
	reinstalled := func(version string) string {
		return class() + allocation(change{"user_data_on_change", `"reinstall"`}, change{"user_data_wo_version", version})
	}
	both := func(version string) string {
		return allocation(change{"instance_type_on_change", `"resize"`}, change{"user_data_on_change", `"reinstall"`}, change{"user_data_wo_version", version})
	}
	power := func(state string) string { return class() + allocation(change{"power_state", state}) }
	edit := func(name string, from, to string, end end) Scenario {
		return Scenario{Name: name, before: []step{apply(from)}, victim: apply(to), machines: 1, launches: 1, end: end}
	}

	stoppedInPlace := edit("stop-in-place", power(`"running"`), power(`"stopped"`), end{status: stopped, effects: once("stopped")})
	startedInPlace := edit("start-in-place", power(`"stopped"`), power(`"running"`), end{status: running, effects: once("stopped", "started")})
	stoppedInPlace.variant, startedInPlace.variant = true, true

	return []Scenario{
		{
			Name: "create-stopped", victim: apply(power(`"stopped"`)), machines: 1, launches: 1, end: end{status: stopped, effects: once("stopped")},
		},
		stoppedInPlace,
		startedInPlace,
		edit("resize-in-place", class()+resized, class(typesOf("ecs.g6.large"))+resized,
			end{status: running, instanceType: "ecs.g6.large", effects: once("stopped", "resized", "started")}),
		edit("reinstall-in-place", reinstalled("1"), reinstalled("2"),
			end{status: running, image: "m-acme2", userData: firstBootData, effects: once("stopped", "reinstalled", "started")}),
		edit("resize-and-reinstall", class()+both("1"), class(typesOf("ecs.g6.large"))+both("2"),
			end{status: running, instanceType: "ecs.g6.large", image: "m-acme2", userData: firstBootData, effects: once("stopped", "resized", "reinstalled", "started")}),
		edit("edit-role", class()+allocation(), class(change{"ram_role_name", `"acme-node-role"`})+allocation(),
			end{status: running, effects: once("role changed")}),
	}
}
