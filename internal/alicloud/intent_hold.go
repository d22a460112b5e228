package alicloud

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const (
	// settleWait is how long an intent has to stand on a machine before it counts. ECS
	// writes tags without a condition, so of two runs that write at a time the later
	// one's stands; and a run that has the machine writes its intent again within this
	// time where another has written over it.
	settleWait = 5 * time.Second
	// mostRewrites bounds how often an intent is written again that was taken away.
	mostRewrites = 3
)

// observe looks at the machine and at its operation tag.
func (o *operating) observe(ctx context.Context) (ecs.Instance, error) {
	o.observedAt = o.r.clock.Now()

	instance, err := listedInstance(ctx, o.client, o.id)
	if err != nil {
		return ecs.Instance{}, err
	}

	o.seen = instance

	o.tag, err = decodeOperationTag(instance.Tags[tagOperation])
	if err != nil {
		return ecs.Instance{}, &machineops.PermanentError{Reason: v1alpha3.ReasonBusy, Err: fmt.Errorf("%s is not to be operated: %w", o.id, err)}
	}

	return instance, nil
}

func (o *operating) newIntent(before string) intent {
	return intent{
		kind:   wordOf(o.request),
		name:   strings.ReplaceAll(o.request.OperationName, "/", "-"),
		key:    o.key,
		uid:    operationKey(o.r.newID()),
		holder: o.r.holder,
		since:  o.r.clock.Now().UTC(),
		before: before,
	}
}

// room makes sure that the intent can be written, before anything is done.
func (o *operating) room(instance ecs.Instance) error {
	if _, there := instance.Tags[tagOperation]; there || len(instance.Tags) < mostTags {
		return nil
	}

	return &machineops.PermanentError{
		Reason: v1alpha3.ReasonInvalidConfiguration,
		Err:    fmt.Errorf("%s has %d tags, all that ECS allows, and an operation needs one; remove one of them", o.id, len(instance.Tags)),
	}
}

// hold writes the intent and returns once it has stood for its time, and it is
// earliest; then the machine is ours to change. It is an ordinary error where another
// run has it.
func (o *operating) hold(ctx context.Context, held intent, earliest time.Time) (ecs.Instance, error) {
	for range mostRewrites {
		if err := o.write(ctx, operationTag{current: &held, done: o.tag.done}); err != nil {
			return ecs.Instance{}, operationError(fmt.Errorf("writing on %s what is about to be done: %w", o.id, err))
		}

		stands := settleWait
		if o.r.clock.Since(o.observedAt) >= settleWait {
			// It was written so late that another run may have the machine by now, and
			// not have looked again: its call is given the time to end, and then its
			// look, which writes its intent again or notes its end.
			stands += inFlight
		}

		if err := o.wait(ctx, max(stands, earliest.Sub(o.r.clock.Now()))); err != nil {
			return ecs.Instance{}, err
		}

		instance, err := o.observe(ctx)

		switch current := o.tag.current; {
		case err != nil:
			return ecs.Instance{}, err
		case current == nil:
			// Somebody who took away the trace of an earlier operation has crossed us.
		case current.uid == held.uid && current.holder == held.holder:
			o.held = current

			return instance, nil
		default:
			return ecs.Instance{}, o.busy()
		}
	}

	return ecs.Instance{}, fmt.Errorf("%s does not keep the tag %s, without which nothing is done to it", o.id, tagOperation)
}

// busy tells of the operation under way.
func (o *operating) busy() error {
	other := o.tag.current

	if o.supersededBy(*other) {
		return &machineops.PermanentError{
			Reason: v1alpha3.ReasonTaken,
			Err:    fmt.Errorf("another run has begun after this one to change %s in place (%s), and this one gives way to it", o.id, other.text()),
		}
	}

	return &machineops.AwaitedError{
		ProviderID: o.id.String(), Operation: other.text(), Is: func(uid types.UID) bool { return operationKey(string(uid)) == other.key },
	}
}

func (o *operating) write(ctx context.Context, tag operationTag) error {
	if value := tag.encode(); value != "" {
		return o.client.TagInstances(ctx, o.id.Region, []string{o.id.ResourceID}, map[string]string{tagOperation: value})
	}

	return o.client.UntagInstances(ctx, o.id.Region, []string{o.id.ResourceID}, []string{tagOperation})
}

func (o *operating) wait(ctx context.Context, d time.Duration) error {
	timer := o.r.clock.NewTimer(d)
	defer timer.Stop()

	select {
	case <-ctx.Done():
		return machineops.Ended(ctx)
	case <-timer.C():
		return machineops.Ended(ctx)
	}
}

// note writes down what a look told. While the operation goes on its intent has to
// stand; at its end it makes way.
func (o *operating) note(ctx context.Context, token operationToken, state machineops.ProviderOperationState) error {
	if token.UID == "" {
		return nil
	}

	tag := o.tag

	switch state {
	case machineops.ProviderOperationStateInProgress:
		if tag.current != nil && tag.current.key == o.key {
			return nil
		}

		// Another run has written over it, or somebody took it away.
		again := o.newIntent(token.Before)
		again.uid, again.since = token.UID, token.AskedAt
		tag.current = &again
	case machineops.ProviderOperationStateSucceeded:
		repeatable := isTrue(o.request, v1alpha3.ParameterRepeatable)
		if o.held == nil && (repeatable || tag.hasDone(o.key)) {
			return nil
		}

		if o.held != nil {
			tag.current = nil
		}

		tag = o.withEnd(tag, token, repeatable)
	default:
		if o.held == nil {
			return nil
		}

		tag.current = nil
	}

	if err := o.write(ctx, tag); err != nil {
		return fmt.Errorf("writing on %s how far the operation has come: %w", o.id, err)
	}

	return nil
}

// withEnd remembers the end of the operation in its tag. Whoever gives the machine
// another disk takes the place of what it was reinstalled with before.
func (o *operating) withEnd(tag operationTag, token operationToken, repeatable bool) operationTag {
	word := wordOf(o.request)

	// Whether the machine runs is what somebody wished since.
	tag = tag.withoutMarks(leftStopped)

	if (word == reinstallWord || word == intentWord(v1alpha3.OperationHostReplace)) && decodeReplaceMark(token.Before).begun() {
		tag = tag.withoutMarks(doneReinstall)
	}

	switch {
	case word == resizeWord:
		tag = tag.withoutMarks(resizedTo)
		if decodeResizeMark(token.Before).instanceType != typeMark(o.seen.Type) {
			tag = tag.withMark(resizedMark(o.seen.Type))
		}

		return tag
	case repeatable:
		return tag
	case word == reinstallWord:
		return tag.withReinstalled(o.key)
	default:
		return tag.withDone(o.key)
	}
}

// abandoned takes the intent away where the operation cannot go on, and hands the
// error on. An operation that may have had its effect keeps its intent, so that
// going on looks for it first.
func (o *operating) abandoned(ctx context.Context, err error) error {
	err = operationError(err)

	var permanent *machineops.PermanentError
	if !errors.As(err, &permanent) || ecs.Ambiguous(err) || o.held == nil || ctx.Err() != nil || o.tellsOfLoss() {
		return err
	}

	// What is left behind by a failure here is found and taken up by the next apply.
	tag := operationTag{done: o.tag.done}
	if permanent.Reason == v1alpha3.ReasonNotStopped && o.goesOnToStop(o.seen) {
		tag = tag.withMark(leftStoppedMark(o.seen.StartedAt))
	}

	if failed := o.write(ctx, tag); failed != nil {
		return &machineops.PermanentError{Reason: permanent.Reason, Err: fmt.Errorf("%w (and the tag %s stays: %w)", permanent.Err, tagOperation, failed)}
	}

	return err
}

func outcomeUnknown(err error) bool {
	var permanent *machineops.PermanentError

	return errors.As(err, &permanent) && permanent.Reason == v1alpha3.ReasonOutcomeUnknown
}
