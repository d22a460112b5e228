package machineops

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ProviderOption configures a Provider registration.
type ProviderOption interface {
	applyProvider(*Provider) error
}

// OperationOption configures one registered operation.
type OperationOption interface {
	applyOperation(*Operation) error
}

type providerOptionFunc func(*Provider) error

func (f providerOptionFunc) applyProvider(p *Provider) error { return f(p) }

type operationOptionFunc func(*Operation) error

func (f operationOptionFunc) applyOperation(o *Operation) error { return f(o) }

// WithImmediateOperation registers an operation executed by one callback.
func WithImmediateOperation(
	kind unboundedv1alpha3.OperationKind,
	execute ExecuteFunc,
	options ...OperationOption,
) ProviderOption {
	options = slices.Clone(options)

	return providerOptionFunc(func(p *Provider) error {
		if execute == nil {
			return fmt.Errorf("operation %s: execute callback is nil", kind)
		}

		return p.register(&Operation{kind: kind, mode: OperationModeImmediate, execute: execute}, options)
	})
}

// WithLongRunningOperation registers an operation executed as begin and poll
// callbacks.
func WithLongRunningOperation(
	kind unboundedv1alpha3.OperationKind,
	begin BeginFunc,
	poll PollFunc,
	options ...OperationOption,
) ProviderOption {
	options = slices.Clone(options)

	return providerOptionFunc(func(p *Provider) error {
		switch {
		case begin == nil:
			return fmt.Errorf("operation %s: begin callback is nil", kind)
		case poll == nil:
			return fmt.Errorf("operation %s: poll callback is nil", kind)
		}

		return p.register(&Operation{kind: kind, mode: OperationModeLongRunning, begin: begin, poll: poll}, options)
	})
}

// WithCapacity registers class resolution and allocation planning. A provider
// that registers capacity must also register HostAllocate and HostRelease as
// long-running operations, and a provider that registers either kind must
// register capacity.
func WithCapacity(resolveClass ResolveClassFunc, planAllocation PlanAllocationFunc) ProviderOption {
	return providerOptionFunc(func(p *Provider) error {
		switch {
		case resolveClass == nil:
			return errors.New("capacity: resolve class callback is nil")
		case planAllocation == nil:
			return errors.New("capacity: plan allocation callback is nil")
		case p.capacity != nil:
			return errors.New("capacity is registered twice")
		}

		p.capacity = &Capacity{resolveClass: resolveClass, planAllocation: planAllocation}

		return nil
	})
}

// WithProviderMachineKind declares the provider-owned Machine GroupKind accepted
// through Machine.spec.host.external.machineRef. Providers may also accept
// host.external.providerID or the deprecated Machine.spec.providerID.
func WithProviderMachineKind(groupKind schema.GroupKind) ProviderOption {
	return providerOptionFunc(func(p *Provider) error {
		switch {
		case groupKind.Group == "" || groupKind.Kind == "":
			return errors.New("provider machine kind needs both a group and a kind")
		case p.machineKind != nil:
			return errors.New("provider machine kind is registered twice")
		}

		p.machineKind = &groupKind

		return nil
	})
}

// WithCleanup registers optional cleanup performed after the controller has
// applied the provider operation result.
func WithCleanup(cleanup CleanupFunc) OperationOption {
	return operationOptionFunc(func(o *Operation) error {
		switch {
		case cleanup == nil:
			return errors.New("cleanup callback is nil")
		case o.cleanup != nil:
			return errors.New("cleanup is registered twice")
		}

		o.cleanup = cleanup

		return nil
	})
}

// ReplaySafe declares that an immediate operation may be executed again when
// reconciliation resumes after its phase was persisted as InProgress.
func ReplaySafe() OperationOption {
	return operationOptionFunc(func(o *Operation) error {
		if o.mode != OperationModeImmediate {
			return errors.New("only an immediate operation can be replay-safe")
		}

		o.replaySafe = true

		return nil
	})
}

// RequiresReplaceUserData declares that the lifecycle controller must build host
// replacement bootstrap data before invoking the provider callback.
func RequiresReplaceUserData() OperationOption {
	return operationOptionFunc(func(o *Operation) error {
		if o.kind != unboundedv1alpha3.OperationHostReplace {
			return fmt.Errorf("only %s takes replacement user data", unboundedv1alpha3.OperationHostReplace)
		}

		o.requiresReplaceUserData = true

		return nil
	})
}
