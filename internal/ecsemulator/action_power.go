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

// powerChange is one way to switch an instance: the status it needs, the status it gives, what else it checks, and what it does.
type powerChange struct {
	from, to string
	check    func(c *call, i *instance) *APIError
	effect   func(c *call, i *instance)
}

// allowed makes all checks of a change for one instance, without changing anything.
func (p powerChange) allowed(c *call, i *instance) *APIError {
	if refusal := c.lockRefusal(i); refusal != nil {
		return refusal
	}
	if i.releasing || i.status(c.now) != p.from {
		return incorrectStatus()
	}
	return p.check(c, i)
}

func powerAction(name, declares string, change powerChange) *action {
	a := ecsAction(name, declares, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		if refusal := change.allowed(c, i); refusal != nil {
			return nil, refusal
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		change.effect(c, i)
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

func startInstance() *action {
	return powerAction("StartInstance", startInstanceParameters, startChange())
}

func startChange() powerChange {
	return powerChange{
		from: statusStopped, to: statusStarting,
		check: func(c *call, i *instance) *APIError {
			if i.stoppedMode == "StopCharging" && c.server.available(i.zoneID, i.instanceType.ID, i.chargeMode, 1) < 1 {
				return refuse(403, "OperationDenied.NoStock", "The resource is out of stock; the instance cannot be started again now.")
			}
			if i.spotStrategy == "SpotWithPriceLimit" && i.spotPriceLimit > 0 && i.spotPriceLimit < c.spotPrice(i.instanceType, i.zoneID, c.now) {
				return refuse(403, "OperationDenied.SpotPriceLowerThanPublicPrice", "The price limit of the instance is lower than the public price.")
			}
			return nil
		},
		effect: func(c *call, i *instance) {
			i.turn(c.now, statusStarting, c.server.options.BootDuration, statusRunning)
			i.stoppedMode, i.startedAt, i.consoleAt = "", c.now, c.now
			c.note(i, "started", "")
		},
	}
}

func stopInstance() *action {
	return powerAction("StopInstance", stopInstanceParameters, stopChange())
}

func stopChange() powerChange {
	return powerChange{
		from: statusRunning, to: statusStopping,
		check: func(c *call, _ *instance) *APIError {
			if !oneOf(c.string("StoppedMode"), "", "KeepCharging", "StopCharging") {
				return invalidParameter("StoppedMode")
			}
			return nil
		},
		effect: func(c *call, i *instance) {
			mode := orDefault(c.string("StoppedMode"), "KeepCharging")
			if i.chargeMode == ChargePrePaid || i.instanceType.LocalDisks > 0 {
				mode = "Not-applicable"
			}
			i.stoppedMode, i.consoleAt = mode, c.now
			i.turn(c.now, statusStopping, c.server.options.StopDuration, statusStopped)
			c.note(i, "stopped", mode)
		},
	}
}

func rebootInstance() *action {
	return powerAction("RebootInstance", rebootInstanceParameters, rebootChange())
}

func rebootChange() powerChange {
	return powerChange{
		from: statusRunning, to: statusStarting,
		check: func(*call, *instance) *APIError { return nil },
		effect: func(c *call, i *instance) {
			i.turn(c.now, statusStarting, c.server.options.BootDuration, statusRunning)
			i.startedAt, i.consoleAt = c.now, c.now
			c.note(i, "rebooted", "")
		},
	}
}
