package crashtest

import (
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// What machines are in the end.
const (
	running = "Running"
	stopped = "Stopped"
)

// replacedData is the first-boot data that an operation gives a machine.
const replacedData = firstBootData + "# replaced\n"

// operationScenarios interrupt an operation on a machine that is in state. What it does
// to the machine has to come as often as it is asked for; see Verdict.Repeated.
func operationScenarios() []Scenario {
	one := class() + allocation()
	launched := onMachine("operation-after-launch", end{status: running, effects: once("rebooted")}, operation("HostReboot"))
	launched.before = nil

	again := onMachine("reboot-again", end{status: running, effects: map[string]int{"rebooted": 2}}, operation("HostReboot", change{"triggers", `{ kernel = "2" }`}))
	again.variant, again.before = true, []step{apply(one + operation("HostReboot", change{"triggers", `{ kernel = "1" }`}))}

	scenarios := []Scenario{
		onMachine("power-off", end{status: stopped, effects: once("stopped")}, operation("HostPowerOff", parameters(`graceful_timeout = "5m"`))),
		onMachine("reboot", end{status: running, effects: once("rebooted")}, operation("HostReboot")),
		launched,
		again,
	}

	return append(append(scenarios, powerScenarios()...), replaceScenarios()...)
}

// onMachine is an operation on a machine that is there.
func onMachine(name string, end end, operation string) Scenario {
	end.operations = 1

	return Scenario{
		Name: name, before: []step{apply(class() + allocation())}, victim: apply(class() + allocation() + operation), machines: 1, launches: 1, end: end,
	}
}

// afterPowerOff is an operation on a machine that another operation has stopped.
func afterPowerOff(name string, end end, kind string, changes ...change) Scenario {
	off := class() + allocation() + operation("HostPowerOff")

	scenario := onMachine(name, end, "")
	scenario.before = append(scenario.before, apply(off))
	scenario.victim = apply(off + operationBlock("next", kind, append(changes, change{"depends_on", "[machine_operation.worker]"})...))
	scenario.end.operations = 2

	return scenario
}

// powerScenarios are the other ways of HostPowerOn, HostPowerOff and HostReboot.
func powerScenarios() []Scenario {
	variant := func(name string, behave func(*ecsemulator.Behavior), end end, kind string, changes ...change) Scenario {
		scenario := onMachine(name, end, operation(kind, changes...))
		scenario.variant, scenario.behave = true, behave

		return scenario
	}

	sequence := afterPowerOff("operations-in-sequence", end{status: running, effects: once("stopped", "started")}, "HostPowerOn")
	sequence.before = sequence.before[:1]

	unseen := variant("reboot-unseen", rebootsUnseen, end{status: running, effects: once("rebooted")}, "HostReboot")
	unseen.unknowable = true

	return []Scenario{
		sequence,
		afterPowerOff("power-on", end{status: running, effects: once("stopped", "started")}, "HostPowerOn"),
		variant("power-off-forced", nil, end{status: stopped, effects: once("stopped", "forced")}, "HostPowerOff", parameters(`force = "true"`)),
		variant("power-off-escalated", shutdownsHang, end{status: stopped, effects: map[string]int{"stopped": 2, "forced": 1}}, "HostPowerOff", parameters(escalation)),
		variant("power-off-uncharged", nil, end{status: stopped, effects: once("stopped", "uncharged")}, "HostPowerOff", parameters(`stopped_mode = "StopCharging"`)),
		variant("reboot-forced", nil, end{status: running, effects: once("rebooted", "forced")}, "HostReboot", parameters(`force = "true"`)),
		variant("reboot-start-time-stays", startTimeStays, end{status: running, effects: once("rebooted")}, "HostReboot"),
		unseen,
	}
}

// replaceScenarios are the ways of HostReplace.
func replaceScenarios() []Scenario {
	data := change{"replace_user_data_wo", `"${var.user_data}# replaced\n"`}
	image := parameters(`image_id = "m-acme1"`)
	replaced := end{status: running, image: "m-acme1", userData: replacedData, effects: once("stopped", "reinstalled", "started")}

	// The class's own image is not the family's newest, so that the two can be told apart.
	older := class(imageOf("m-acme1")) + allocation()
	fromFamily := replaced
	fromFamily.image = "m-acme2"
	family := onMachine("replace-disk-from-family", fromFamily, "")
	family.before = []step{apply(older)}
	family.victim = apply(older + operation("HostReplace", parameters(`image_family = "acme-node"`), data))

	keeping := replaced
	keeping.userData = firstBootData
	kept := onMachine("replace-disk-keeping-data", keeping, operation("HostReplace", image, change{"keep_user_data", "true"}))

	hanging := replaced
	hanging.effects = map[string]int{"stopped": 2, "forced": 1, "reinstalled": 1, "started": 1}
	escalated := onMachine("replace-disk-escalated", hanging, operation("HostReplace", parameters(`image_id = "m-acme1", `+escalation), data))
	escalated.behave = shutdownsHang

	off := afterPowerOff("replace-disk-powered-off", replaced, "HostReplace", image, data)

	kept.variant, escalated.variant, off.variant = true, true, true

	return []Scenario{onMachine("replace-disk", replaced, operation("HostReplace", image, data)), family, kept, escalated, off}
}

// escalation lets a shutdown that does not end become a cut of the power.
const escalation = `graceful_timeout = "10s", force_after_timeout = "true"`

func parameters(given string) change { return change{"parameters", "{ " + given + " }"} }

func shutdownsHang(behavior *ecsemulator.Behavior) { behavior.GracefulStop = ecsemulator.ShutdownHangs }

func startTimeStays(behavior *ecsemulator.Behavior) { behavior.RebootKeepsStartTime = true }

// rebootsUnseen leaves nothing by which a reboot could be told.
func rebootsUnseen(behavior *ecsemulator.Behavior) {
	behavior.RebootKeepsStartTime, behavior.NoConsole = true, true
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
