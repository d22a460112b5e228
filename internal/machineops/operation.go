package machineops

import (
	"context"
	"errors"
	"fmt"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// OperationMode identifies how the lifecycle controller executes an operation.
type OperationMode string

const (
	// OperationModeImmediate executes an operation in one provider callback.
	OperationModeImmediate OperationMode = "Immediate"
	// OperationModeLongRunning starts an operation and polls its persisted handle.
	OperationModeLongRunning OperationMode = "LongRunning"
)

// ExecuteFunc executes an immediate provider operation.
type ExecuteFunc func(context.Context, OperationRequest) (OperationResult, error)

// BeginFunc starts a long-running provider operation. It must be idempotent for
// a stable OperationRequest.OperationUID: repeated calls must return a usable
// handle for the same logical operation until that handle has been persisted.
type BeginFunc func(context.Context, OperationRequest) (BeginResult, error)

// PollFunc observes a previously accepted long-running provider operation.
// Ordinary errors are retried with the same persisted handle. A PermanentError
// terminates the MachineOperation.
type PollFunc func(context.Context, OperationRequest, ProviderOperation) (PollResult, error)

// CleanupFunc performs optional provider cleanup after an operation result has
// been applied to the Machine.
type CleanupFunc func(context.Context, OperationRequest, OperationResult) error

// Operation is an immutable lifecycle strategy registered for one operation kind.
type Operation struct {
	kind                    unboundedv1alpha3.OperationKind
	mode                    OperationMode
	execute                 ExecuteFunc
	begin                   BeginFunc
	poll                    PollFunc
	cleanup                 CleanupFunc
	replaySafe              bool
	requiresReplaceUserData bool
}

// Begin invokes the registered long-running operation begin callback with a copy
// of request. Only HostAllocate is given the allocation's provider configuration
// and user data, and only HostAllocate and HostRelease an allocation at all.
//
// It is a PermanentError on a nil receiver, for an immediate operation, and for a
// request of another kind or without the allocation that the kind needs.
func (o *Operation) Begin(ctx context.Context, request OperationRequest) (BeginResult, error) {
	if err := o.admit(OperationModeLongRunning, request); err != nil {
		return BeginResult{}, err
	}

	if o.kind == unboundedv1alpha3.OperationHostAllocate {
		return o.begin(ctx, request.copied())
	}

	return o.begin(ctx, o.withoutBeginInput(request))
}

// Poll invokes the registered long-running operation poll callback with a copy of
// request from which the allocation's provider configuration and user data are
// taken away. It fails as Begin does.
func (o *Operation) Poll(ctx context.Context, request OperationRequest, operation ProviderOperation) (PollResult, error) {
	if err := o.admit(OperationModeLongRunning, request); err != nil {
		return PollResult{}, err
	}

	return o.poll(ctx, o.withoutBeginInput(request), operation)
}

// Execute invokes the registered immediate operation callback with a copy of
// request. It is a PermanentError on a nil receiver, for a long-running
// operation, and for a request of another kind.
func (o *Operation) Execute(ctx context.Context, request OperationRequest) (OperationResult, error) {
	if err := o.admit(OperationModeImmediate, request); err != nil {
		return OperationResult{}, err
	}

	return o.execute(ctx, o.withoutBeginInput(request))
}

// Cleanup invokes the operation's optional cleanup callback with copies of
// request and result; the allocation's provider configuration and user data are
// taken away. Without a callback it returns nil. It is a PermanentError on a nil
// receiver and for a request of another kind.
func (o *Operation) Cleanup(ctx context.Context, request OperationRequest, result OperationResult) error {
	if err := o.admit(o.Mode(), request); err != nil {
		return err
	}

	if o.cleanup == nil {
		return nil
	}

	return o.cleanup(ctx, o.withoutBeginInput(request), result.copied())
}

// Mode returns the lifecycle strategy used for the operation, or the empty mode
// on a nil receiver.
func (o *Operation) Mode() OperationMode {
	if o == nil {
		return ""
	}

	return o.mode
}

// ReplaySafe reports whether an immediate operation may be executed again after
// reconciliation resumes from InProgress.
func (o *Operation) ReplaySafe() bool { return o != nil && o.replaySafe }

// RequiresReplaceUserData reports whether replacement bootstrap data is needed.
func (o *Operation) RequiresReplaceUserData() bool { return o != nil && o.requiresReplaceUserData }

// admit refuses calls that can never be right. The errors are permanent, since a
// caller retries ordinary ones to its deadline.
func (o *Operation) admit(mode OperationMode, request OperationRequest) error {
	switch {
	case o == nil || o.kind == "":
		return &PermanentError{
			Reason: unboundedv1alpha3.ReasonUnsupported,
			Err:    errors.New("no operation is registered"),
		}
	case o.mode != mode:
		return &PermanentError{
			Reason: unboundedv1alpha3.ReasonUnsupported,
			Err:    fmt.Errorf("operation %s is registered as %s, not %s", o.kind, o.mode, mode),
		}
	case request.Operation != "" && request.Operation != o.kind:
		return &PermanentError{
			Reason: unboundedv1alpha3.ReasonUnsupported,
			Err:    fmt.Errorf("operation %s was given a request for %s", o.kind, request.Operation),
		}
	case isCapacityKind(o.kind) && request.Allocation == nil:
		return &PermanentError{
			Reason: unboundedv1alpha3.ReasonInvalidConfiguration,
			Err:    fmt.Errorf("operation %s was given a request without an allocation", o.kind),
		}
	default:
		return nil
	}
}

// withoutBeginInput copies request and takes away what only the beginning of
// HostAllocate may see, so that no caller can hand secrets on by oversight.
func (o *Operation) withoutBeginInput(request OperationRequest) OperationRequest {
	request = request.copied()

	if !isCapacityKind(o.kind) {
		request.Allocation = nil

		return request
	}

	request.Allocation.ProviderConfig = ProviderConfig{}
	request.Allocation.UserData = ""

	return request
}

// isCapacityKind reports whether kind comes only together with WithCapacity.
func isCapacityKind(kind unboundedv1alpha3.OperationKind) bool {
	return kind == unboundedv1alpha3.OperationHostAllocate || kind == unboundedv1alpha3.OperationHostRelease
}
