package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver/v1alpha1"
)

// Driver does to machines what a machine controller asks for. Errors are of type
// *Error; CodeOf tells their code. A response may come with an error where it has a
// LastKnownState to hand back.
type Driver interface {
	// CreateMachine creates the machine, or returns the one that an earlier call
	// with the same request created.
	CreateMachine(ctx context.Context, req *CreateMachineRequest) (*CreateMachineResponse, error)
	// InitializeMachine prepares a created machine. Optional: a driver without it
	// answers CodeUnimplemented.
	InitializeMachine(ctx context.Context, req *InitializeMachineRequest) (*InitializeMachineResponse, error)
	// DeleteMachine deletes the machine. An absent machine is a deleted machine;
	// CodeUnavailable means that it cannot be deleted yet.
	DeleteMachine(ctx context.Context, req *DeleteMachineRequest) (*DeleteMachineResponse, error)
	// GetMachineStatus finds the machine. It answers CodeNotFound only where
	// absence is proven, and CodeOutOfRange, naming them, where several machines
	// answer to the request.
	GetMachineStatus(ctx context.Context, req *GetMachineStatusRequest) (*GetMachineStatusResponse, error)
	// ListMachines lists all machines that may have been created by a class, so that
	// those which no Machine stands for can be found.
	ListMachines(ctx context.Context, req *ListMachinesRequest) (*ListMachinesResponse, error)
	// GetVolumeIDs returns the cloud's volume IDs of those persistent volumes that
	// are the cloud's.
	GetVolumeIDs(ctx context.Context, req *GetVolumeIDsRequest) (*GetVolumeIDsResponse, error)
}

// CreateMachineRequest asks for a machine.
type CreateMachineRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	// Secret holds the credentials, and the first-boot data under "userData".
	Secret *corev1.Secret
}

// CreateMachineResponse names the created machine.
type CreateMachineResponse struct {
	ProviderID string
	NodeName   string
	// LastKnownState is to be handed back in later requests.
	LastKnownState string
}

// InitializeMachineRequest asks for the preparation of a created machine.
type InitializeMachineRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

// InitializeMachineResponse names the prepared machine.
type InitializeMachineResponse struct {
	ProviderID string
	NodeName   string
}

// DeleteMachineRequest asks for the deletion of a machine.
type DeleteMachineRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

// DeleteMachineResponse reports a deletion.
type DeleteMachineResponse struct {
	LastKnownState string
}

// GetMachineStatusRequest asks for a machine.
type GetMachineStatusRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

// GetMachineStatusResponse names the machine that was found.
type GetMachineStatusResponse struct {
	ProviderID string
	NodeName   string
}

// ListMachinesRequest asks for the machines of a class.
type ListMachinesRequest struct {
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

// ListMachinesResponse lists machines.
type ListMachinesResponse struct {
	// MachineList maps provider IDs to machine names.
	MachineList map[string]string
}

// GetVolumeIDsRequest asks for volume IDs.
type GetVolumeIDsRequest struct {
	PVSpecs []*corev1.PersistentVolumeSpec
}

// GetVolumeIDsResponse lists volume IDs.
type GetVolumeIDsResponse struct {
	VolumeIDs []string
}
