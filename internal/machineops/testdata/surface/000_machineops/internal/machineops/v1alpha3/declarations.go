// Package v1alpha3 lists the names that the document on resumable machine
// operations takes from its package of data types. Of the operation kinds it
// names HostAllocate and HostRelease; the others are those that registrations
// know besides.
package v1alpha3

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type OperationKind string

const (
	OperationNodeReboot   OperationKind = "NodeReboot"
	OperationAgentUpgrade OperationKind = "AgentUpgrade"
	OperationHostReboot   OperationKind = "HostReboot"
	OperationHostPowerOff OperationKind = "HostPowerOff"
	OperationHostPowerOn  OperationKind = "HostPowerOn"
	OperationHostReplace  OperationKind = "HostReplace"
	OperationHostAllocate OperationKind = "HostAllocate"
	OperationHostRelease  OperationKind = "HostRelease"
)

type OperationPhase string

const (
	OperationPhaseInProgress OperationPhase = "InProgress"
)

type MachineOperationCredentialAuthMode string

// The document names the following structs without showing them whole: a blank
// field stands for what it does not show.

type MachineClassOffering struct {
	_          struct{}
	ValidUntil metav1.Time
}

type MachineOperationAllocationResult struct {
	ProviderResourceID string
	InstanceType       string
	Zone               string
	Image              string
	OwnedResources     []ProviderOwnedResource
}

type ProviderMachineSnapshot struct {
	_ struct{}
}

type ProviderOwnedResource struct {
	_ struct{}
}
