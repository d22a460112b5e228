package ecsemulator

import (
	"slices"
	"strings"
)

const (
	lockSecurity  = "security"
	lockRecycling = "Recycling"
)

func (i *instance) locked(reason string) bool { return slices.Contains(i.locks, reason) }

func (i *instance) unlock(reason string) {
	i.locks = slices.DeleteFunc(i.locks, func(held string) bool { return held == reason })
}

func (i *instance) shownLocks() lockList {
	shown := lockList{[]lockAnswer{}}
	for _, reason := range i.locks {
		shown.LockReason = append(shown.LockReason, lockAnswer{LockReason: reason})
	}
	return shown
}

// lockRefusal is what the action answers for an instance that is locked, nil if the lock does not matter to it. Source: the page
// "API behavior when an instance is locked" (ecs-api 3.2) and the codes of the actions' pages. That an instance being reclaimed refuses
// start, reboot and a new system disk by IncorrectInstanceStatus is a guess.
func (c *call) lockRefusal(i *instance) *APIError {
	name := strings.TrimSuffix(strings.Replace(c.action.name, "Instances", "Instance", 1), "s")
	for _, reason := range i.locks {
		switch reason {
		case lockSecurity:
			if oneOf(name, "StartInstance", "StopInstance", "RebootInstance", "ModifyInstanceAttribute", "ReplaceSystemDisk", "ModifyInstanceSpec",
				"AttachDisk", "JoinSecurityGroup", "LeaveSecurityGroup") || name == "DeleteInstance" && c.server.behavior.LockedRefusesDelete {
				return refuse(403, "InstanceLockedForSecurity", "The specified operation is denied as your instance is locked for security reasons.")
			}
		case lockRecycling:
			if oneOf(name, "StartInstance", "RebootInstance", "ReplaceSystemDisk") {
				return incorrectStatus()
			}
		default: // financial and its likes
			switch name {
			case "StartInstance":
				return refuse(403, "InstanceExpired", "The postpaid instance has been expired. Please ensure your account have enough balance.")
			case "StopInstance", "RebootInstance", "ReplaceSystemDisk":
				return refuse(403, "InstanceExpiredOrInArrears", "The specified operation is denied as your prepay instance is expired or your account is in arrears.")
			}
		}
	}
	return nil
}

// checkLocks refuses a call for the first instance it names whose lock forbids it. Batch calls that report on each instance alone look
// at the locks themselves.
func (c *call) checkLocks() *APIError {
	if c.action.reads() || c.string("BatchOptimization") == "SuccessFirst" {
		return nil
	}
	for _, i := range c.named() {
		if refusal := c.lockRefusal(i); refusal != nil {
			return refusal
		}
	}
	return nil
}
