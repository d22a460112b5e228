package machineops

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// OperationRequest is the generic provider-facing view of a MachineOperation.
type OperationRequest struct {
	MachineName       string
	MachineUID        types.UID
	MachineGeneration int64
	OperationName     string
	OperationUID      types.UID
	// ProviderRef snapshots Machine.spec.host.external.machineRef when present.
	ProviderRef *unboundedv1alpha3.ProviderMachineSnapshot
	// ProviderID is the current canonical or legacy provider-specific host ID.
	ProviderID string
	HostImage  string
	Operation  unboundedv1alpha3.OperationKind
	Parameters map[string]string
	// ReplaceUserData is as secret as AllocationRequest.UserData.
	ReplaceUserData string `json:"-"`
	Auth            *OperationAuth
	// Allocation is the allocation input for HostAllocate and HostRelease. It
	// is nil for every other operation kind.
	Allocation *AllocationRequest
}

// AllocationRequest is the allocation input passed with HostAllocate and
// HostRelease operations.
type AllocationRequest struct {
	Name string
	// UID is the MachineAllocation incarnation that owns every provider effect.
	// Begin must key replay on it as well as on OperationRequest.OperationUID.
	UID       types.UID
	ClassName string
	ClassUID  types.UID
	// HostName is the planned name of the allocation's Machine.
	HostName string
	// ProviderConfig is supplied only when HostAllocate begins. For Poll and for
	// HostRelease it is the zero ProviderConfig.
	ProviderConfig ProviderConfig
	Offering       unboundedv1alpha3.MachineClassOffering
	// UserData is first-boot data that may contain credentials: providers must
	// never log it, persist it, or copy it into a ResumeToken, status message or
	// error. It is supplied only when HostAllocate begins and is empty for Poll
	// and for HostRelease.
	UserData string `json:"-"`
	// OwnedResources are the resources recorded as owned by the allocation,
	// including those a failed HostAllocate reported. HostRelease may act only on
	// these.
	OwnedResources []unboundedv1alpha3.ProviderOwnedResource
}

// AllocationPlanRequest asks a provider for the host identity of one allocation.
type AllocationPlanRequest struct {
	AllocationName string
	AllocationUID  types.UID
	// HostName is the planned name of the allocation's Machine.
	HostName       string
	ProviderConfig ProviderConfig
	Offering       unboundedv1alpha3.MachineClassOffering
}

// ClassRequest asks a provider to resolve a MachineClass into offerings.
type ClassRequest struct {
	ClassName string
	ClassUID  types.UID
	SiteName  string
	// ProviderConfig is the content of the class's immutable provider
	// configuration.
	ProviderConfig ProviderConfig
	Auth           *OperationAuth
}

// ProviderConfig is the class's provider configuration, which only the provider
// interprets. Further optional fields, for example a structured object for typed
// per-provider config resources, may be added later as an additive change.
type ProviderConfig struct {
	// Data is the data of the ConfigMap that MachineClass.spec.providerConfigRef
	// names, the only kind of reference accepted today.
	Data map[string]string
}

// OperationAuth is the provider-facing credential material resolved for an
// operation. Provider packages own the interpretation of SecretData.
type OperationAuth struct {
	Mode       unboundedv1alpha3.MachineOperationCredentialAuthMode
	SecretData map[string]string `json:"-"`
}

// RequiredSecretValue returns a non-empty provider-specific secret value. A
// missing or empty value is an error that names the key and never the value; so
// is a nil receiver.
func (a *OperationAuth) RequiredSecretValue(key string) (string, error) {
	if a == nil {
		return "", fmt.Errorf("operation has no credentials to take %q from", key)
	}

	value := a.SecretData[key]
	if value == "" {
		return "", fmt.Errorf("credentials lack a value for %q", key)
	}

	return value, nil
}
