package crashtest

import (
	"maps"

	"github.com/terraform-machine/terraform-provider-machine/internal/crashtest/core"
)

// booted is a machine with first-boot data, as the real command has it.
func booted(class, allocation core.Arguments) core.Configuration {
	arguments := core.Arguments{"user_data_wo": firstBootData, "user_data_wo_version": 1}
	maps.Copy(arguments, allocation)

	return wantedMachine(class, arguments)
}

// vendorsMachine is what the state of the vendor's provider holds of a machine.
const vendorsMachine = `{"id":"%[1]s","instance_name":"worker-a","availability_zone":"cn-hangzhou-h","instance_type":"ecs.g7.large","image_id":"m-acme2"}`

// takeoversInProcess are the plans of what takes over a machine that is there.
func takeoversInProcess() map[string]inProcessPlan {
	one := wantedMachine(nil, nil)
	byHand := one
	byHand.Import = "%[1]s"

	forgotten := core.Configuration{Forget: true}

	return map[string]inProcessPlan{
		"import":     {victim: byHand},
		"adopt":      {before: []core.Configuration{one, forgotten}, victim: one},
		"leftovers":  {before: []core.Configuration{byHand, byHand, forgotten, one, forgotten, byHand}, victim: byHand},
		moveScenario: {foreign: vendorsMachine, victim: one},
	}
}

// editsInProcess are the plans of what an allocation changes on its machine.
func editsInProcess() map[string]inProcessPlan {
	one := wantedMachine(nil, nil)
	edit := func(from, to core.Configuration) inProcessPlan {
		return inProcessPlan{before: []core.Configuration{from}, victim: to}
	}
	power := func(state string) core.Configuration { return wantedMachine(nil, core.Arguments{"power_state": state}) }
	resize := core.Arguments{"instance_type_on_change": "resize"}
	reinstall := func(version int) core.Configuration {
		return booted(nil, core.Arguments{"user_data_on_change": "reinstall", "user_data_wo_version": version})
	}

	both := func(version int) core.Arguments {
		return core.Arguments{"instance_type_on_change": "resize", "user_data_on_change": "reinstall", "user_data_wo_version": version}
	}

	released := one
	released.Allocation = nil

	return map[string]inProcessPlan{
		"release-gracefully":   edit(wantedMachine(nil, core.Arguments{"graceful_release": "5m"}), released),
		"release-hanging":      edit(wantedMachine(nil, core.Arguments{"graceful_release": "10s"}), released),
		"create-stopped":       {victim: power("stopped")},
		"stop-in-place":        edit(power("running"), power("stopped")),
		"start-in-place":       edit(power("stopped"), power("running")),
		"resize-in-place":      edit(wantedMachine(nil, resize), wantedMachine(core.Arguments{"instance_types": []string{"ecs.g6.large"}}, resize)),
		"reinstall-in-place":   edit(reinstall(1), reinstall(2)),
		"resize-and-reinstall": edit(booted(nil, both(1)), booted(core.Arguments{"instance_types": []string{"ecs.g6.large"}}, both(2))),
		"edit-role":            edit(one, wantedMachine(core.Arguments{"ram_role_name": "acme-node-role"}, nil)),
	}
}

// operationsInProcess are the plans of operations on a machine.
func operationsInProcess() map[string]inProcessPlan {
	machine := booted(nil, nil)
	on := func(machine core.Configuration, operations ...core.Operation) core.Configuration {
		machine.Operations = operations

		return machine
	}
	operation := func(label, kind string, arguments core.Arguments) core.Operation {
		all := core.Arguments{"name": label + "-operation", "kind": kind}
		maps.Copy(all, arguments)

		return core.Operation{Label: label, Arguments: all}
	}
	one := func(kind string, parameters map[string]string, arguments core.Arguments) inProcessPlan {
		all := core.Arguments{}
		if parameters != nil {
			all["parameters"] = parameters
		}

		maps.Copy(all, arguments)

		return inProcessPlan{before: []core.Configuration{machine}, victim: on(machine, operation("worker", kind, all))}
	}

	data := core.Arguments{"replace_user_data_wo": replacedData}
	image := map[string]string{"image_id": "m-acme1"}
	hanging := map[string]string{"graceful_timeout": "10s", "force_after_timeout": "true"}
	hangingImage := maps.Clone(hanging)
	maps.Copy(hangingImage, image)

	replaced := core.Arguments{"parameters": image}
	maps.Copy(replaced, data)

	kernel := func(version string) core.Configuration {
		return on(machine, operation("worker", "HostReboot", core.Arguments{"triggers": map[string]string{"kernel": version}}))
	}

	off := operation("worker", "HostPowerOff", nil)
	thenOn := on(machine, off, operation("next", "HostPowerOn", nil))

	older := booted(core.Arguments{"image_id": "m-acme1"}, nil)
	family := one("HostReplace", map[string]string{"image_family": "acme-node"}, data)
	family.before, family.victim = []core.Configuration{older}, on(older, family.victim.Operations...)

	return map[string]inProcessPlan{
		"power-off":                 one("HostPowerOff", map[string]string{"graceful_timeout": "5m"}, nil),
		"power-off-forced":          one("HostPowerOff", map[string]string{"force": "true"}, nil),
		"power-off-escalated":       one("HostPowerOff", hanging, nil),
		"power-off-uncharged":       one("HostPowerOff", map[string]string{"stopped_mode": "StopCharging"}, nil),
		"power-on":                  {before: []core.Configuration{machine, on(machine, off)}, victim: thenOn},
		"operations-in-sequence":    {before: []core.Configuration{machine}, victim: thenOn},
		"reboot":                    one("HostReboot", nil, nil),
		"reboot-forced":             one("HostReboot", map[string]string{"force": "true"}, nil),
		"reboot-start-time-stays":   one("HostReboot", nil, nil),
		"reboot-unseen":             one("HostReboot", nil, nil),
		"reboot-again":              {before: []core.Configuration{kernel("1")}, victim: kernel("2")},
		"operation-after-launch":    {victim: on(machine, operation("worker", "HostReboot", nil))},
		"replace-disk":              one("HostReplace", image, data),
		"replace-disk-from-family":  family,
		"replace-disk-keeping-data": one("HostReplace", image, core.Arguments{"keep_user_data": true}),
		"replace-disk-escalated":    one("HostReplace", hangingImage, data),
		"replace-disk-powered-off":  {before: []core.Configuration{machine, on(machine, off)}, victim: on(machine, off, operation("next", "HostReplace", replaced))},
	}
}
