package alicloud

import (
	"strings"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// reclaimNotice is how long before its end a spot instance is told of it ("Preemptible
// instances"). When exactly it ends ECS tells the instance alone.
const reclaimNotice = 5 * time.Minute

// lockReason tells what a reason means that ECS gives for a lock (DescribeInstances,
// "LockReason"). ECS spells some of them in two ways.
func lockReason(reason string) driver.PhaseReason {
	switch strings.ToLower(reason) {
	case "recycling":
		return driver.PhaseReasonSpotReclaim
	case "security":
		return driver.PhaseReasonSecurity
	case "financial", "dedicatedhostfinancial":
		return driver.PhaseReasonFinancial
	case "refunded":
		return driver.PhaseReasonRefunded
	default:
		return driver.PhaseReasonOther
	}
}

// explainPhase fills in why the machine is in its phase. That a subscription is over
// is told by ExpiresAt and the time.
func explainPhase(machine *driver.ObservedMachine, instance ecs.Instance) {
	machine.Starting = instance.Status == ecs.InstanceStatusPending || instance.Status == ecs.InstanceStatusStarting

	if instance.ChargeType == prePaid {
		machine.ExpiresAt = instance.ExpiresAt
	}

	if machine.Phase == driver.MachinePhaseStopped {
		machine.PhaseReason = driver.PhaseReasonPoweredOff
		machine.StoppedMode = instance.StoppedMode
	}

	for i, reason := range instance.LockReasons {
		found := lockReason(reason)
		if i == 0 || found == driver.PhaseReasonSpotReclaim {
			machine.PhaseReason = found
		}
	}

	if machine.PhaseReason == driver.PhaseReasonSpotReclaim {
		machine.ReclaimNotice = reclaimNotice
	}
}
