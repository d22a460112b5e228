package ecsemulator

import (
	"slices"
	"time"
)

const modifyInstanceSpecParameters = `
string: ClientToken Disk.N.Category Disk.N.DiskId Disk.N.PerformanceLevel InstanceId InstanceType ModifyMode
string: SystemDisk.Category Temporary.EndTime Temporary.StartTime
integer: InternetMaxBandwidthIn InternetMaxBandwidthOut Temporary.InternetMaxBandwidthOut
boolean: AllowMigrateAcrossZone Async DryRun
`

const modifyPrepayInstanceSpecParameters = `
string: ClientToken Disk.N.Category Disk.N.DiskId Disk.N.PerformanceLevel EndTime InstanceId InstanceType
string: ModifyMode OperatorType RebootTime SystemDisk.Category
boolean: AutoPay MigrateAcrossZone RebootWhenFinished
`

// specPause is how long after a change of the instance type the next one is refused.
const specPause = 5 * time.Minute

type modifyPrepaySpecAnswer struct {
	OrderID string `json:"OrderId"`
}

// modifyInstanceSpec changes the type or the bandwidth of a pay-as-you-go instance, one of the two in a call.
func modifyInstanceSpec() *action {
	a := ecsAction("ModifyInstanceSpec", modifyInstanceSpecParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		switch {
		case refusal != nil:
			return nil, refusal
		case i.chargeMode == ChargePrePaid:
			return nil, chargeTypeViolation()
		case i.releasing:
			return nil, incorrectStatus()
		}
		bandwidth := c.has("InternetMaxBandwidthOut") || c.has("InternetMaxBandwidthIn")
		switch {
		case bandwidth && c.has("InstanceType"):
			return nil, refuse(400, "InvalidParameter.Mismatch", "The instance type and the bandwidth cannot be changed in one call.")
		case bandwidth:
			return c.changeBandwidth(i)
		case !c.has("InstanceType"):
			return nil, missingParameter("InstanceType")
		}
		target, refusal := c.checkSpec(i)
		if refusal != nil {
			return nil, refusal
		}
		if c.boolean("DryRun", false) {
			return nil, dryRunPassed()
		}
		c.changeType(i, target)
		return emptyAnswer{}, nil
	})
	a.anyRegion = true
	return a
}

// modifyPrepayInstanceSpec changes the type of a subscription instance.
func modifyPrepayInstanceSpec() *action {
	return ecsAction("ModifyPrepayInstanceSpec", modifyPrepayInstanceSpecParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		switch {
		case refusal != nil:
			return nil, refusal
		case i.chargeMode != ChargePrePaid:
			return nil, chargeTypeViolation()
		case !c.has("InstanceType"):
			return nil, missingParameter("InstanceType")
		case !oneOf(c.string("OperatorType"), "", "upgrade", "downgrade"):
			return nil, invalidParameter("OperatorType")
		}
		target, refusal := c.checkSpec(i)
		if refusal != nil {
			return nil, refusal
		}
		c.changeType(i, target)
		return modifyPrepaySpecAnswer{"2" + c.server.options.NewID()}, nil
	})
}

func chargeTypeViolation() *APIError {
	return refuse(403, "ChargeTypeViolation", "The operation is not permitted due to charge type of the instance.")
}

// checkSpec finds the type that an instance is to become, and makes the checks of the ModifyInstanceSpec page.
func (c *call) checkSpec(i *instance) (*InstanceType, *APIError) {
	if !i.specChangedAt.IsZero() && c.now.Before(i.specChangedAt.Add(specPause)) {
		return nil, refuse(400, "Throttling", "The instance type was changed not long ago, try again after 5 minutes.")
	}
	if i.releasing || i.status(c.now) != statusStopped {
		return nil, refuse(400, "InvalidInstanceStatus.NotStopped", "The specified instance status is not stopped.")
	}
	target, known := c.server.options.Catalogue.instanceType(c.string("InstanceType"))
	if !known || !target.soldIn(i.zoneID) || target.ID == i.instanceType.ID {
		return nil, refuse(403, "InvalidInstanceType.ValueNotSupported", "The specified InstanceType is not supported.")
	}
	if !i.canBecome(target) {
		return nil, refuse(400, "DependencyViolation.InstanceType", "The current instance type cannot be changed to the specified one.")
	}
	for _, d := range i.disks {
		if !d.ephemeral() && !slices.Contains(target.DiskCategories, d.category) {
			return nil, refuse(403, "CategoryViolation", "The specified instance type does not support the disk category %s.", d.category)
		}
	}
	switch {
	case len(i.disks) > target.Disks:
		return nil, refuse(403, "InstanceDiskNumLimitExceed", "The specified instance type takes at most %d disks.", target.Disks)
	case 1+len(i.interfaces) > target.NetworkInterfaces:
		return nil, refuse(403, "MaxEniCountExceeded", "The specified instance type takes at most %d network interfaces.", target.NetworkInterfaces)
	case c.verdict.soldOut || c.server.available(i.zoneID, target.ID, i.chargeMode, 1) < 1:
		return nil, refuse(403, "OperationDenied.NoStock", "The requested resource is sold out in the specified zone.")
	}
	return target, nil
}

// canBecome reports whether there is a path between two types. Which paths there are is not published in full: here, the architecture
// stays, and types with local disks neither change nor are changed to.
func (i *instance) canBecome(target *InstanceType) bool {
	return target.Architecture == i.instanceType.Architecture && target.LocalDisks == 0 && i.instanceType.LocalDisks == 0
}

func (c *call) changeType(i *instance, target *InstanceType) {
	c.server.consume(i.zoneID, target.ID, i.chargeMode, 1)
	i.instanceType, i.specChangedAt = target, c.now
	if target.BaselineCredit == 0 {
		i.creditSpecification = ""
	}
	c.note(i, "modified", "InstanceType")
}

func (c *call) changeBandwidth(i *instance) (any, *APIError) {
	out := c.integer("InternetMaxBandwidthOut", i.bandwidthOut)
	switch {
	case out < 0 || out > 100:
		return nil, refuse(400, "InvalidInternetMaxBandwidthOut.Malformed", "The specified InternetMaxBandwidthOut is not valid.")
	case !oneOf(i.status(c.now), statusRunning, statusStopped):
		return nil, incorrectStatus()
	case c.boolean("DryRun", false):
		return nil, dryRunPassed()
	}
	i.bandwidthOut = out
	if out > 0 && i.publicAddress == "" {
		c.account.sequence++ // the next public address must be another one
		i.publicAddress = c.account.publicAddress()
	}
	c.note(i, "modified", "InternetMaxBandwidthOut")
	return emptyAnswer{}, nil
}
