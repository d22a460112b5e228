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
	// also is another status that the change takes; nil for none.
	also   func(c *call, status string) bool
	check  func(c *call, i *instance) *APIError
	effect func(c *call, i *instance)
}

// allowed makes all checks of a change for one instance, without changing anything.
func (p powerChange) allowed(c *call, i *instance) *APIError {
	if refusal := c.lockRefusal(i); refusal != nil {
		return refusal
	}
	status := i.status(c.now)
	if i.releasing || status != p.from && (p.also == nil || !p.also(c, status)) {
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
		also: func(c *call, status string) bool {
			return status == statusStopping && c.boolean("ForceStop", false) && c.server.behavior.GracefulStop == ShutdownHangs
		},
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
			i.turn(c.now, statusStopping, c.server.options.StopDuration, c.server.afterStop(c.boolean("ForceStop", false)))
			c.note(i, "stopped", mode)
		},
	}
}

// afterStop is the status that a stop leads to.
func (s *Server) afterStop(force bool) string {
	switch {
	case force || s.behavior.GracefulStop == ShutdownEnds:
		return statusStopped
	case s.behavior.GracefulStop == ShutdownHangs:
		return statusStopping
	default:
		return statusRunning
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
			i.consoleAt = c.now
			if !c.server.behavior.RebootKeepsStartTime {
				i.startedAt = c.now
			}
			c.note(i, "rebooted", "")
		},
	}
}
