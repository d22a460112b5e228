package machineops

import (
	"time"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ProviderOperation is the provider-neutral representation of a resumable
// external operation.
type ProviderOperation struct {
	// OperationID names the operation at the provider.
	OperationID string
	// ResumeToken is everything Poll needs to go on in another process. It holds
	// no secret.
	ResumeToken string
}

// ProviderOperationState is the provider-neutral lifecycle of a resumable
// operation.
type ProviderOperationState string

// The states of a resumable operation.
const (
	ProviderOperationStateInProgress ProviderOperationState = "InProgress"
	ProviderOperationStateSucceeded  ProviderOperationState = "Succeeded"
	ProviderOperationStateFailed     ProviderOperationState = "Failed"
	ProviderOperationStateCanceled   ProviderOperationState = "Canceled"
)

// BeginResult contains the durable handle returned by an idempotent Begin
// callback. The controller may invoke Begin again with the same OperationUID
// until a handle for the same logical operation has been persisted.
type BeginResult struct {
	Operation    ProviderOperation
	Message      string
	RequeueAfter time.Duration
}

// PollResult describes one status observation for a resumable provider
// operation. Result may be filled while the operation is still in progress with
// what is known so far.
type PollResult struct {
	State        ProviderOperationState
	Result       OperationResult
	Reason       string
	Message      string
	RequeueAfter time.Duration
}

// OperationResult describes provider-side changes that must be reflected after
// execution, such as replacement of an underlying cloud resource identity.
type OperationResult struct {
	ProviderID        string
	CleanupProviderID string
	// Allocation is the allocation result reported by HostAllocate. It is nil for
	// every other operation kind.
	Allocation *AllocationResult
}

// AllocationResult reports the host confirmed by HostAllocate. Field names match
// v1alpha3.MachineOperationAllocationResult.
type AllocationResult struct {
	// ProviderResourceID is the provider-native host identifier.
	ProviderResourceID string
	InstanceType       string
	Zone               string
	Image              string
	// OwnedResources are the resources created for the allocation, with
	// provider-native identity. A failed HostAllocate may still report them so
	// release can clean them up.
	OwnedResources []unboundedv1alpha3.ProviderOwnedResource
}

// AllocationPlan is the planned identity of an allocation's host.
type AllocationPlan struct {
	// ProviderID is the pre-host locator used as the Machine's
	// host.external.providerID before the host exists. It is not necessarily a
	// native instance ID.
	ProviderID string
	// HostImage is the provider-interpreted image the host launches with.
	HostImage string
}

// ClassResolution is the provider's normalized view of a class. Offerings must
// carry truthful availability and a ValidUntil after which consumers must not
// launch from them.
type ClassResolution struct {
	Offerings []unboundedv1alpha3.MachineClassOffering
}
