package alicloud

import (
	"context"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// What intents are called that the machine's own allocation causes. Terraform lets one
// apply of a state work at a time, so that another intent of the allocation's is that
// of a run that was cut off, or of one that has lost its Terraform and goes on by itself.
const (
	resizeWord    = "resize"
	reinstallWord = "reinstall"
	startWord     = "start"
	stopWord      = "stop"
)

// ofAllocation reports whether an intent of this name is one of the allocation's.
func ofAllocation(word string) bool {
	return slices.Contains([]string{resizeWord, reinstallWord, startWord, stopWord}, word)
}

// wordOf is the word for a request in the tag.
func wordOf(request machineops.OperationRequest) string {
	if resizes(request) {
		return resizeWord
	}

	if isTrue(request, v1alpha3.ParameterOfAllocation) {
		switch request.Operation {
		case v1alpha3.OperationHostPowerOn:
			return startWord
		case v1alpha3.OperationHostPowerOff:
			return stopWord
		case v1alpha3.OperationHostReplace:
			return reinstallWord
		default:
		}
	}

	return intentWord(request.Operation)
}

// kind is what a user calls the operation.
func (o *operating) kind() string { return kindOfWord(wordOf(o.request)) }

// explainOperation says what the machine's operation tag tells: of a change that its
// allocation has caused, or else of an operation that somebody has begun otherwise, and of
// what has ended whose record is not known to be stored.
func explainOperation(machine *driver.ObservedMachine, instance ecs.Instance) {
	tag, err := decodeOperationTag(instance.Tags[tagOperation])
	if err != nil {
		return
	}

	machine.Reinstalled = tag.hasMarks(doneReinstall)
	machine.Resized = tag.hasEntry(resizedMark(instance.Type))
	machine.LeftStopped = instance.Status == ecs.InstanceStatusStopped && tag.hasEntry(leftStoppedMark(instance.StartedAt))

	if tag.current == nil {
		return
	}

	switch tag.current.kind {
	case resizeWord:
		machine.Unfinished = driver.UnfinishedResize
	case reinstallWord:
		machine.Unfinished = driver.UnfinishedReinstall
	case startWord, stopWord:
		machine.Unfinished = driver.UnfinishedPower
	default:
		machine.UnderWay, machine.UnderWayKey = tag.current.text(), tag.current.key
	}
}

// ofOneAllocation reports whether both are changes that the machine's allocation causes.
func (o *operating) ofOneAllocation(found intent) bool {
	return ofAllocation(wordOf(o.request)) && ofAllocation(found.kind)
}

// succeeds reports whether this operation takes the place of the one under way: both are
// the allocation's, and that one was begun before this process was, or is one of this
// process, in which they take turns.
func (o *operating) succeeds(found intent) bool {
	return o.ofOneAllocation(found) && (!found.since.After(o.r.started) || o.isOurs(found))
}

// isOurs reports whether an intent is one that this process goes on with, or has handed
// over.
func (o *operating) isOurs(found intent) bool { return found.holder == o.r.holder }

// handsOver reports whether this operation leaves the machine stopped, and its intent on
// it, to the one that follows. Whoever is cut off in between leaves an intent that tells
// whether the machine ran.
func (o *operating) handsOver(instance ecs.Instance) bool {
	return isTrue(o.request, v1alpha3.ParameterHandsOver) && o.held != nil && instance.Status == ecs.InstanceStatusStopped
}

// supersededBy reports whether it is the other way round: this process is the one whose
// Terraform is gone. It must not go on, not even when the other one has ended, and do
// what nobody wants any more.
func (o *operating) supersededBy(found intent) bool {
	return o.ofOneAllocation(found) && found.since.After(o.r.started) && found.holder != o.r.holder
}

// inheriting is an act that has to know what the machine was like before the operation
// whose place it takes.
type inheriting interface {
	// inherit returns what the intent says of before until the act itself begins.
	inherit(found intent, instance ecs.Instance) string
}

// takeOver has the effect in place of an operation of the allocation's that was cut off,
// or has handed the machine over. The calls of one that was cut off are given the time to
// end before anything is made of what the machine is like. A run that is still there notices, and gives way; where its effect is on its
// way already it writes its intent again, and is waited for.
func (o *operating) takeOver(ctx context.Context, a act, instance ecs.Instance) (machineops.BeginResult, error) {
	found := *o.tag.current

	if !a.satisfied(o.request, instance) {
		if _, err := a.prepare(ctx, o, instance); err != nil {
			return machineops.BeginResult{}, o.handBack(ctx, instance, found, operationError(err))
		}
	}

	before := ""
	if of, inherits := a.(inheriting); inherits {
		before = of.inherit(found, instance)
	}

	earliest := o.r.clock.Now()
	if !o.isOurs(found) {
		earliest = earliest.Add(inFlight)
	}

	if of := a.earliest(instance); of.After(earliest) {
		earliest = of
	}

	return o.perform(ctx, a, o.newIntent(before), earliest, true)
}

// handBack starts a machine again that this process has stopped for two operations, of
// which the second cannot be. It hands the error on.
func (o *operating) handBack(ctx context.Context, instance ecs.Instance, found intent, err error) error {
	if !o.isOurs(found) {
		return err
	}

	o.held = &found

	return o.abandoned(ctx, o.runAgain(ctx, instance.Status, ranBefore(found, instance), "is of the type "+instance.Type, err))
}

// ranBefore reports whether the machine ran before what was cut off.
func ranBefore(found intent, instance ecs.Instance) bool {
	switch found.kind {
	case resizeWord:
		return decodeResizeMark(found.before).ran
	case reinstallWord, intentWord(v1alpha3.OperationHostReplace):
		return decodeReplaceMark(found.before).ran
	default:
		return instance.Status == ecs.InstanceStatusRunning
	}
}

// tellsOfLoss reports whether our intent is all that tells that the machine may not have
// the disk any more that its allocation tells of.
func (o *operating) tellsOfLoss() bool {
	if o.held == nil || o.held.kind != reinstallWord {
		return false
	}

	mark := decodeReplaceMark(o.held.before)

	return mark.lost || !mark.begun()
}
