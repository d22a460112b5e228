package ecsemulator

const startInstanceParameters = `
string: InstanceId
boolean: DryRun InitLocalDisk
`

const stopInstanceParameters = `
string: InstanceId StoppedMode
boolean: ConfirmStop DryRun ForceStop Hibernate
`

const rebootInstanceParameters = `
string: InstanceId
boolean: DryRun ForceStop
`

type emptyAnswer struct{}

func incorrectStatus() *APIError {
	return refuse(403, "IncorrectInstanceStatus", "The current status of the resource does not support this operation.")
}

func powerAction(name, declares, from string, effect func(c *call, i *instance) *APIError) *action {
	a := ecsAction(name, declares, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		if i.releasing || i.status(c.now) != from {
			return nil, incorrectStatus()
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		if refusal := effect(c, i); refusal != nil {
			return nil, refusal
		}
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

func startInstance() *action {
	return powerAction("StartInstance", startInstanceParameters, statusStopped, func(c *call, i *instance) *APIError {
		if i.stoppedMode == "StopCharging" && c.server.available(i.zoneID, i.instanceType.ID, i.chargeMode, 1) < 1 {
			return refuse(403, "OperationDenied.NoStock", "The resource is out of stock; the instance cannot be started again now.")
		}
		i.turn(c.now, statusStarting, c.server.options.BootDuration, statusRunning)
		i.stoppedMode, i.startedAt = "", c.now
		c.note(i, "started", "")
		return nil
	})
}

func stopInstance() *action {
	return powerAction("StopInstance", stopInstanceParameters, statusRunning, func(c *call, i *instance) *APIError {
		mode := orDefault(c.string("StoppedMode"), "KeepCharging")
		if !oneOf(mode, "KeepCharging", "StopCharging") {
			return invalidParameter("StoppedMode")
		}
		if i.chargeMode == ChargePrePaid || i.instanceType.LocalDisks > 0 {
			mode = "Not-applicable"
		}
		i.stoppedMode = mode
		i.turn(c.now, statusStopping, c.server.options.StopDuration, statusStopped)
		c.note(i, "stopped", mode)
		return nil
	})
}

func rebootInstance() *action {
	return powerAction("RebootInstance", rebootInstanceParameters, statusRunning, func(c *call, i *instance) *APIError {
		i.turn(c.now, statusStarting, c.server.options.BootDuration, statusRunning)
		i.startedAt = c.now
		c.note(i, "rebooted", "")
		return nil
	})
}
