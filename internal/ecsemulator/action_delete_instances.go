package ecsemulator

const deleteInstanceParameters = `
string: InstanceId
boolean: DryRun Force ForceStop TerminateSubscription
`

const deleteInstancesParameters = `
string: ClientToken InstanceId.N
boolean: DryRun Force ForceStop TerminateSubscription
`

func deleteInstance() *action {
	a := ecsAction("DeleteInstance", deleteInstanceParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		if refusal := c.checkRelease(i); refusal != nil {
			return nil, refusal
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		c.release(i)
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

// deleteInstances refuses the whole call for one instance that cannot be released.
func deleteInstances() *action {
	return ecsAction("DeleteInstances", deleteInstancesParameters, func(c *call) (any, *APIError) {
		ids := c.list("InstanceId")
		switch {
		case len(ids) == 0:
			return nil, missingParameter("InstanceId")
		case len(ids) > 100:
			return nil, refuse(403, "InvalidParameter.TooManyInstanceIds", "The number of instance ids exceeds 100.")
		}
		instances := make([]*instance, 0, len(ids))
		for _, id := range ids {
			if id == "" {
				return nil, refuse(403, "InvalidInstanceIds.ValueNotSupported", "The specified InstanceIds are not valid.")
			}
			i, found := c.find(id)
			if !found {
				return nil, refuse(404, c.server.behavior.DeleteNotFoundCode, "The specified InstanceId %s does not exist.", clip(id))
			}
			instances = append(instances, i)
		}
		for _, i := range instances {
			if refusal := c.checkRelease(i); refusal != nil {
				return nil, refusal
			}
		}
		if c.boolean("DryRun", false) {
			return nil, refuse(400, c.server.behavior.DryRunDeleteCode, "Request validation has been passed with DryRun flag set.")
		}
		for _, i := range instances {
			c.release(i)
		}
		return emptyAnswer{}, nil
	})
}

// checkRelease makes the checks of the DeleteInstance page.
func (c *call) checkRelease(i *instance) *APIError {
	if i.releasing {
		if c.server.behavior.ReleasingRefusesDelete {
			return incorrectStatus()
		}
		return nil
	}
	if i.deletionProtection {
		return refuse(403, "InvalidOperation.DeletionProtection", "The operation is not allowed due to deletion protection.")
	}
	if i.chargeMode == ChargePrePaid && (c.now.Before(i.expires) || !c.boolean("TerminateSubscription", false)) {
		return chargeTypeViolation()
	}
	switch i.status(c.now) {
	case statusStopped:
		return nil
	case statusRunning:
		if c.boolean("Force", false) {
			return nil
		}
		return incorrectStatus()
	case statusPending, statusStarting:
		if i.startedAt.After(i.createdAt) {
			return incorrectStatus()
		}
		return refuse(403, "IncorrectInstanceStatus.Initializing", "The specified instance status does not support this operation: it is initializing.")
	default:
		return incorrectStatus()
	}
}

// release begins the end of an instance, once.
func (c *call) release(i *instance) {
	if i.releasing {
		return
	}
	c.server.beginRelease(i, c.now)
	c.note(i, "releasing", "")
	c.server.settle(c.account, c.now)
}
