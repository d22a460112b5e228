package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Machine is a machine as its controller records it.
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSpec   `json:"spec,omitempty"`
	Status MachineStatus `json:"status,omitempty"`
}

// MachineSpec is what is wanted of a machine.
type MachineSpec struct {
	// ProviderID is the machine's identification at the cloud, once known.
	ProviderID string `json:"providerID,omitempty"`
}

// MachineStatus is what was last known of a machine.
type MachineStatus struct {
	// LastKnownState is what an earlier driver response asked to be handed back.
	LastKnownState string `json:"lastKnownState,omitempty"`
}

// MachineClass says what kind of machine is wanted.
type MachineClass struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Provider is the name of the provider that interprets ProviderSpec.
	Provider string `json:"provider,omitempty"`
	// ProviderSpec is the provider's own description of the machine, as JSON.
	ProviderSpec runtime.RawExtension `json:"providerSpec"`
}
