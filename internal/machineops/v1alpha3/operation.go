package v1alpha3

// OperationKind names what a machine operation does.
type OperationKind string

// The operation kinds. A registration may support any subset, except that
// OperationHostAllocate and OperationHostRelease come together.
const (
	// OperationNodeReboot reboots a host through its Kubernetes node.
	OperationNodeReboot OperationKind = "NodeReboot"
	// OperationAgentUpgrade upgrades the agent that runs on a host.
	OperationAgentUpgrade OperationKind = "AgentUpgrade"
	// OperationHostReboot reboots a host through its provider.
	OperationHostReboot OperationKind = "HostReboot"
	// OperationHostPowerOff powers a host off.
	OperationHostPowerOff OperationKind = "HostPowerOff"
	// OperationHostPowerOn powers a host on.
	OperationHostPowerOn OperationKind = "HostPowerOn"
	// OperationHostReplace reinstalls a host.
	OperationHostReplace OperationKind = "HostReplace"
	// OperationHostAllocate allocates a host of a machine class.
	OperationHostAllocate OperationKind = "HostAllocate"
	// OperationHostRelease gives an allocated host back.
	OperationHostRelease OperationKind = "HostRelease"
)

// OperationKinds lists every kind, in a stable order.
func OperationKinds() []OperationKind {
	return []OperationKind{
		OperationNodeReboot,
		OperationAgentUpgrade,
		OperationHostReboot,
		OperationHostPowerOff,
		OperationHostPowerOn,
		OperationHostReplace,
		OperationHostAllocate,
		OperationHostRelease,
	}
}

// OperationPhase is how far an operation has come, as a user sees it.
type OperationPhase string

// The operation phases.
const (
	// OperationPhasePending means that the operation has not begun.
	OperationPhasePending OperationPhase = "Pending"
	// OperationPhaseInProgress means that the provider has accepted the operation.
	OperationPhaseInProgress OperationPhase = "InProgress"
	// OperationPhaseComplete means that the end state was observed.
	OperationPhaseComplete OperationPhase = "Complete"
	// OperationPhaseFailed means that the operation ended without its end state.
	OperationPhaseFailed OperationPhase = "Failed"
)

// MachineOperationCredentialAuthMode says how a provider obtains the
// credentials of an operation. Provider packages own the set of modes.
type MachineOperationCredentialAuthMode string
