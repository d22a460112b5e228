// Package driver lists what the document on the Alibaba Cloud machine driver
// tells of the driver contract: six methods, and the parameters of their requests
// and responses. A blank field stands for what it does not tell.
package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver/v1alpha1"
)

type Driver interface {
	CreateMachine(ctx context.Context, req *CreateMachineRequest) (*CreateMachineResponse, error)
	InitializeMachine(ctx context.Context, req *InitializeMachineRequest) (*InitializeMachineResponse, error)
	DeleteMachine(ctx context.Context, req *DeleteMachineRequest) (*DeleteMachineResponse, error)
	GetMachineStatus(ctx context.Context, req *GetMachineStatusRequest) (*GetMachineStatusResponse, error)
	ListMachines(ctx context.Context, req *ListMachinesRequest) (*ListMachinesResponse, error)
	GetVolumeIDs(ctx context.Context, req *GetVolumeIDsRequest) (*GetVolumeIDsResponse, error)
}

type CreateMachineRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

type CreateMachineResponse struct {
	ProviderID     string
	NodeName       string
	LastKnownState string
}

type DeleteMachineRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

type DeleteMachineResponse struct {
	LastKnownState string
}

type GetMachineStatusRequest struct {
	Machine      *v1alpha1.Machine
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

type GetMachineStatusResponse struct {
	ProviderID string
	NodeName   string
}

// The document's prose calls the parameter PVSpecList and PVSpecsList; the field
// of the contract is PVSpecs.
type GetVolumeIDsRequest struct {
	PVSpecs []*corev1.PersistentVolumeSpec
}

type GetVolumeIDsResponse struct {
	VolumeIDs []string
}

type InitializeMachineRequest struct {
	_ struct{}
}

type InitializeMachineResponse struct {
	_ struct{}
}

type ListMachinesRequest struct {
	MachineClass *v1alpha1.MachineClass
	Secret       *corev1.Secret
}

type ListMachinesResponse struct {
	MachineList map[string]string
}
