package alicloud

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
	"github.com/terraform-machine/terraform-provider-machine/internal/safeguard"
)

// inFlight is how long a call of a process that was killed may still be on its way:
// the longest timeout of a call that an operation cannot look for by the machine's
// status, and then some.
const inFlight = 35 * time.Second

// act is one kind of operation on a machine.
type act interface {
	// check refuses what the request can never have. It makes no call.
	check(request machineops.OperationRequest) error
	// satisfied reports whether the machine is as the operation wants it, or on its way.
	satisfied(request machineops.OperationRequest, instance ecs.Instance) bool
	// prepare refuses what can be seen to fail, before the machine is touched, and
	// returns what the machine is like before the effect.
	prepare(ctx context.Context, o *operating, instance ecs.Instance) (string, error)
	// earliest is when the effect may take place; the zero time is now.
	earliest(instance ecs.Instance) time.Time
	// happened reports whether the effect took place since before. A PermanentError of
	// ReasonOutcomeUnknown says that this cannot be told.
	happened(ctx context.Context, o *operating, instance ecs.Instance, before string) (bool, error)
	// perform has the effect, and returns when ECS has accepted it.
	perform(ctx context.Context, o *operating, instance ecs.Instance, held intent) error
	// look says how far the operation has come.
	look(ctx context.Context, o *operating, instance ecs.Instance, token operationToken) (machineops.PollResult, error)
}

// operating is one request at work on its machine.
type operating struct {
	r       *registration
	client  *ecs.Client
	id      driver.ProviderID
	request machineops.OperationRequest
	key     string
	// held is our intent as the machine carries it; nil where it does not.
	held *intent
	// tag is what the machine's operation tag was seen to say.
	tag operationTag
	// observedAt is since when the machine may have become what was not seen.
	observedAt time.Time
	// seen is the machine as it was looked at last.
	seen ecs.Instance
	// image is what a new system disk is made from, once that was looked at.
	image *ecs.Image
}

// operationToken is the handle of an operation on a machine.
type operationToken struct {
	Version int    `json:"v"`
	Machine string `json:"machine"`
	Kind    string `json:"kind"`
	// UID is that of the intent; it is empty where there was nothing to do.
	UID string `json:"uid,omitempty"`
	// Before is what the machine was like before the effect.
	Before string `json:"before,omitempty"`
	// AskedAt is when the effect was asked for, at the latest.
	AskedAt time.Time `json:"asked_at"`
	// Done means that an earlier run has seen the end.
	Done bool `json:"done,omitempty"`
}

// always is the act of a kind that has one.
func always(a act) func(machineops.OperationRequest) act {
	return func(machineops.OperationRequest) act { return a }
}

// operate registers the act that is chosen for a request. Its Begin can be repeated in any process: it writes its
// intent on the machine before it does anything, and one that finds the intent looks
// whether the effect is there.
func (r *registration) operate(kind v1alpha3.OperationKind, choose func(machineops.OperationRequest) act) machineops.ProviderOption {
	return machineops.WithLongRunningOperation(kind,
		func(ctx context.Context, request machineops.OperationRequest) (machineops.BeginResult, error) {
			return r.beginAct(ctx, request, choose(request))
		},
		func(ctx context.Context, request machineops.OperationRequest, operation machineops.ProviderOperation) (machineops.PollResult, error) {
			return r.pollAct(ctx, request, operation, choose(request))
		},
		machineops.WithCleanup(r.cleanUpAct))
}

func (r *registration) operating(request machineops.OperationRequest, machine string) (*operating, error) {
	id, err := parseProviderID(machine, "")
	if err != nil {
		return nil, invalid(err)
	}

	client, err := r.plugin.NewECSClient(secretOf(request.Auth), id.Region)
	if err != nil {
		return nil, operationError(err)
	}

	return &operating{r: r, client: client, id: id, request: request, key: operationKey(string(request.OperationUID))}, nil
}

func (r *registration) beginAct(ctx context.Context, request machineops.OperationRequest, a act) (machineops.BeginResult, error) {
	if err := a.check(request); err != nil {
		return machineops.BeginResult{}, invalid(err)
	}

	o, err := r.operating(request, request.ProviderID)
	if err != nil {
		return machineops.BeginResult{}, err
	}

	instance, err := o.observe(ctx)
	if err != nil {
		return machineops.BeginResult{}, err
	}

	if safeguard.Missing(safeguard.Intent) {
		o.tag = operationTag{}
	}

	switch {
	case o.tag.hasDone(o.key):
		return o.begun(operationToken{Done: true, AskedAt: r.clock.Now().UTC()},
			fmt.Sprintf("%s of %s was seen to its end by an earlier run", o.kind(), o.id))
	case o.tag.current != nil && o.tag.current.key != o.key && o.succeeds(*o.tag.current):
		return o.takeOver(ctx, a, instance)
	case o.tag.current != nil && o.tag.current.key != o.key:
		return machineops.BeginResult{}, o.busy()
	case o.tag.current != nil:
		return o.goOn(ctx, a, instance)
	case a.satisfied(request, instance):
		return o.begun(operationToken{AskedAt: r.clock.Now().UTC()}, fmt.Sprintf("%s is %s already", o.id, instance.Status))
	}

	return o.beginAnew(ctx, a, instance)
}

// beginAnew writes the intent and has the effect.
func (o *operating) beginAnew(ctx context.Context, a act, instance ecs.Instance) (machineops.BeginResult, error) {
	before, err := a.prepare(ctx, o, instance)
	if err != nil {
		return machineops.BeginResult{}, machineops.Untouched(operationError(err))
	}

	if err := o.room(instance); err != nil {
		return machineops.BeginResult{}, machineops.Untouched(err)
	}

	return o.perform(ctx, a, o.newIntent(before), a.earliest(instance), false)
}

// goOn takes up an intent of this operation that an earlier Begin left.
func (o *operating) goOn(ctx context.Context, a act, instance ecs.Instance) (machineops.BeginResult, error) {
	found := *o.tag.current

	// What cannot be told now may be told when every call of the earlier run is over.
	happened, err := a.happened(ctx, o, instance, found.before)
	if err != nil && !outcomeUnknown(err) {
		return machineops.BeginResult{}, operationError(err)
	}

	if happened {
		return o.accepted(found)
	}

	found.holder = o.r.holder

	earliest := o.r.clock.Now().Add(inFlight)
	if of := a.earliest(instance); of.After(earliest) {
		earliest = of
	}

	return o.perform(ctx, a, found, earliest, true)
}

// perform has the effect once the intent stands on the machine and it is time. Of an
// operation that goes on, it looks for the effect once more.
func (o *operating) perform(ctx context.Context, a act, held intent, earliest time.Time, resumed bool) (machineops.BeginResult, error) {
	instance, err := o.hold(ctx, held, earliest)
	if err != nil && !resumed {
		err = machineops.Untouched(err)
	}

	if err != nil {
		return machineops.BeginResult{}, err
	}

	if resumed {
		happened, err := a.happened(ctx, o, instance, held.before)
		if err != nil {
			return machineops.BeginResult{}, o.abandoned(ctx, err)
		}

		if happened {
			return o.accepted(held)
		}
	}

	if err := a.perform(ctx, o, instance, held); err != nil {
		return machineops.BeginResult{}, o.abandoned(ctx, fmt.Errorf("%s of %s: %w", o.kind(), o.id, err))
	}

	// What was about to be done may have been told more exactly meanwhile.
	if o.held != nil {
		held = *o.held
	}

	return o.accepted(held)
}

func (o *operating) accepted(held intent) (machineops.BeginResult, error) {
	return o.begun(operationToken{UID: held.uid, Before: held.before, AskedAt: o.r.clock.Now().UTC()},
		fmt.Sprintf("%s of %s was accepted", o.kind(), o.id))
}

func (o *operating) begun(token operationToken, message string) (machineops.BeginResult, error) {
	token.Version, token.Machine, token.Kind = resumeTokenVersion, o.id.String(), string(o.request.Operation)

	encoded, err := encodeToken(token)
	if err != nil {
		return machineops.BeginResult{}, err
	}

	operationID := token.UID
	if operationID == "" {
		operationID = o.key
	}

	return machineops.BeginResult{
		Operation:    machineops.ProviderOperation{OperationID: operationID, ResumeToken: encoded},
		Message:      message,
		RequeueAfter: nextLook(o.r.clock),
	}, nil
}

func (r *registration) pollAct(ctx context.Context, request machineops.OperationRequest, operation machineops.ProviderOperation, a act) (machineops.PollResult, error) {
	token, err := decodeOperationToken(operation.ResumeToken, request.Operation)
	if err != nil {
		return machineops.PollResult{}, err
	}

	o, err := r.operating(request, token.Machine)
	if err != nil {
		return machineops.PollResult{}, err
	}

	instance, err := o.observe(ctx)
	if err != nil {
		return machineops.PollResult{}, o.lookFailed(err)
	}

	if o.tag.current != nil && o.tag.current.key == o.key {
		o.held = o.tag.current
	}

	result := machineops.PollResult{
		State:   machineops.ProviderOperationStateSucceeded,
		Message: fmt.Sprintf("an earlier run has seen %s of %s to its end; %s now", o.kind(), o.id, instance.Status),
	}

	if !token.Done {
		if result, err = a.look(ctx, o, instance, token); err != nil {
			return machineops.PollResult{}, o.lookFailed(err)
		}
	}

	result.Result.ProviderID = o.id.String()
	result.RequeueAfter = nextLook(r.clock)

	if result.State == machineops.ProviderOperationStateSucceeded && o.handsOver(instance) {
		return result, nil
	}

	if err := o.note(ctx, token, result.State); err != nil {
		return machineops.PollResult{}, o.lookFailed(err)
	}

	return result, nil
}

// lookFailed makes an error that ends nothing of what a look failed of: what ECS has
// accepted goes on whether or not it can be looked at, and giving it up would have it
// done again. Only a machine that is gone ends it.
func (o *operating) lookFailed(err error) error {
	var (
		permanent *machineops.PermanentError
		blocked   *machineops.BlockedError
	)

	if errors.As(err, &blocked) || (errors.As(err, &permanent) && permanent.Reason == v1alpha3.ReasonNotFound) {
		return err
	}

	return unfollowed(o.id, err, &lookFailedError{err: err})
}

// lookFailedError hides what its cause would tell of repeats.
type lookFailedError struct{ err error }

// Error tells the cause, without the reason, which is for programs.
func (e *lookFailedError) Error() string {
	var permanent *machineops.PermanentError
	if errors.As(e.err, &permanent) && permanent.Err != nil {
		return permanent.Err.Error()
	}

	return e.err.Error()
}

// Refused returns what ECS said, and to which request; see machineops.Refused.
func (e *lookFailedError) Refused() (said, requestID string) { return machineops.Refused(e.err) }

func decodeOperationToken(text string, kind v1alpha3.OperationKind) (operationToken, error) {
	var token operationToken

	err := decodeToken(text, &token)
	if err == nil {
		err = checkTokenVersion(token.Version)
	}

	if err == nil && token.Kind != string(kind) {
		err = tokenError(fmt.Errorf("it is that of %q, and not of %s", token.Kind, kind))
	}

	return token, err
}

// inProgress is the look at an operation that goes on.
func inProgress(reason, format string, arguments ...any) machineops.PollResult {
	return machineops.PollResult{
		State: machineops.ProviderOperationStateInProgress, Reason: reason, Message: fmt.Sprintf(format, arguments...),
	}
}

// succeededWith is the look at an operation whose end was seen.
func succeededWith(format string, arguments ...any) machineops.PollResult {
	return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded, Message: fmt.Sprintf(format, arguments...)}
}

// failedWith is the look at an operation that ended otherwise.
func failedWith(reason, format string, arguments ...any) machineops.PollResult {
	return machineops.PollResult{
		State: machineops.ProviderOperationStateFailed, Reason: reason, Message: fmt.Sprintf(format, arguments...),
	}
}
