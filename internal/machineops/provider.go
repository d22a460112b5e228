package machineops

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// Provider is an immutable registration of one provider's supported
// MachineOperation lifecycle strategies.
type Provider struct {
	name        string
	operations  map[unboundedv1alpha3.OperationKind]*Operation
	capacity    *Capacity
	machineKind *schema.GroupKind
}

// NewProvider validates and constructs an immutable provider registration.
// Capacity is all or nothing: WithCapacity requires long-running HostAllocate
// and HostRelease registrations, and those kinds require WithCapacity.
//
// It is an error if name is empty or has white space around it, if no operation
// is registered, if anything is registered twice, if an option or callback is
// nil, if a kind is unknown, if ReplaySafe is asked of a long-running operation
// or RequiresReplaceUserData of another kind than HostReplace, and if a provider
// machine kind lacks its group or kind.
func NewProvider(name string, options ...ProviderOption) (*Provider, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return nil, errors.New("provider registration needs a name")
	case strings.TrimSpace(name) != name:
		// A name is matched as it stands, so this one would never be found.
		return nil, fmt.Errorf("provider name %q begins or ends with white space", name)
	}

	p := &Provider{name: name, operations: map[unboundedv1alpha3.OperationKind]*Operation{}}

	for _, option := range options {
		apply, made := option.(providerOptionFunc)
		if !made || apply == nil {
			return nil, fmt.Errorf("provider %s: an option is nil or was not made by this package", name)
		}

		if err := apply.applyProvider(p); err != nil {
			return nil, fmt.Errorf("provider %s: %w", name, err)
		}
	}

	if len(p.operations) == 0 {
		return nil, fmt.Errorf("provider %s: no operation is registered", name)
	}

	if err := p.validateCapacity(); err != nil {
		return nil, fmt.Errorf("provider %s: %w", name, err)
	}

	return p, nil
}

// Name returns the external provider name matched against
// Machine.spec.host.external.provider or a deprecated Machine.spec.provider. It
// is empty on a nil receiver.
func (p *Provider) Name() string {
	if p == nil {
		return ""
	}

	return p.name
}

// Operation returns the lifecycle strategy registered for kind, and whether there
// is one. There is none on a nil receiver.
func (p *Provider) Operation(kind unboundedv1alpha3.OperationKind) (*Operation, bool) {
	if p == nil {
		return nil, false
	}

	operation, ok := p.operations[kind]

	return operation, ok
}

// Capacity returns the registered capacity lifecycle, and whether there is one.
// There is none on a nil receiver.
func (p *Provider) Capacity() (*Capacity, bool) {
	if p == nil || p.capacity == nil {
		return nil, false
	}

	return p.capacity, true
}

// ProviderMachineKind returns the declared provider-owned Machine kind, and
// whether one was declared. None was on a nil receiver.
func (p *Provider) ProviderMachineKind() (schema.GroupKind, bool) {
	if p == nil || p.machineKind == nil {
		return schema.GroupKind{}, false
	}

	return *p.machineKind, true
}

func (p *Provider) register(operation *Operation, options []OperationOption) error {
	switch {
	case operation.kind == "":
		return errors.New("operation kind is empty")
	case !slices.Contains(unboundedv1alpha3.OperationKinds(), operation.kind):
		// Nobody asks for a kind that does not exist, so this is a misspelling.
		return fmt.Errorf("operation kind %q is unknown", operation.kind)
	}

	if _, exists := p.operations[operation.kind]; exists {
		return fmt.Errorf("operation %s is registered twice", operation.kind)
	}

	for _, option := range options {
		apply, made := option.(operationOptionFunc)
		if !made || apply == nil {
			return fmt.Errorf("operation %s: an option is nil or was not made by this package", operation.kind)
		}

		if err := apply.applyOperation(operation); err != nil {
			return fmt.Errorf("operation %s: %w", operation.kind, err)
		}
	}

	p.operations[operation.kind] = operation

	return nil
}

func (p *Provider) validateCapacity() error {
	for _, kind := range []unboundedv1alpha3.OperationKind{
		unboundedv1alpha3.OperationHostAllocate,
		unboundedv1alpha3.OperationHostRelease,
	} {
		operation, registered := p.operations[kind]

		switch {
		case p.capacity == nil && registered:
			return fmt.Errorf("operation %s needs capacity to be registered", kind)
		case p.capacity != nil && !registered:
			return fmt.Errorf("capacity needs operation %s to be registered", kind)
		case p.capacity != nil && operation.mode != OperationModeLongRunning:
			return fmt.Errorf("capacity needs operation %s to be long-running", kind)
		}
	}

	return nil
}
