package v1alpha3

// OwnedResourceKind names what sort of provider resource is owned.
type OwnedResourceKind string

// The owned resource kinds.
const (
	// OwnedResourceInstance is a host.
	OwnedResourceInstance OwnedResourceKind = "Instance"
	// OwnedResourceDisk is a disk.
	OwnedResourceDisk OwnedResourceKind = "Disk"
	// OwnedResourceNetworkInterface is a network card.
	OwnedResourceNetworkInterface OwnedResourceKind = "NetworkInterface"
)

// ProviderOwnedResource is one provider resource that was created for an
// allocation and that its release must give back.
type ProviderOwnedResource struct {
	Kind OwnedResourceKind `json:"kind"`
	// ID is the provider-native identity.
	ID     string `json:"id"`
	Region string `json:"region"`
	// OutlivesHost is true where releasing the host leaves the resource behind.
	OutlivesHost bool `json:"outlives_host,omitempty"`
}

// ProviderMachineSnapshot is a copy, taken when an operation began, of the
// reference to a provider-owned machine object.
type ProviderMachineSnapshot struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
	UID        string `json:"uid,omitempty"`
}

// MachineOperationAllocationResult is an allocation's result as it is stored.
// Field names match machineops.AllocationResult.
type MachineOperationAllocationResult struct {
	ProviderResourceID string                  `json:"providerResourceID"`
	InstanceType       string                  `json:"instanceType,omitempty"`
	Zone               string                  `json:"zone,omitempty"`
	Image              string                  `json:"image,omitempty"`
	OwnedResources     []ProviderOwnedResource `json:"ownedResources,omitempty"`
}
