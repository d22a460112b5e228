package driver

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// UserAgentName is the product name in the user agent of every call.
const UserAgentName = "terraform-provider-machine"

// ReservedTagPrefix begins the keys of the tags that the driver writes for its
// own use. Users may not set such tags.
const ReservedTagPrefix = "terraform-machine/"

// MachinePhase is what a machine is doing, as a user sees it.
type MachinePhase string

// The machine phases.
const (
	// MachinePhaseAllocating means accepted and not yet running for the first time.
	MachinePhaseAllocating MachinePhase = "Allocating"
	// MachinePhaseRunning means powered on.
	MachinePhaseRunning MachinePhase = "Running"
	// MachinePhaseStopped means powered off, or on the way there.
	MachinePhaseStopped MachinePhase = "Stopped"
	// MachinePhaseReclaiming means that the cloud is taking a spot machine back.
	MachinePhaseReclaiming MachinePhase = "Reclaiming"
	// MachinePhaseLocked means that the cloud refuses operations on the machine.
	MachinePhaseLocked MachinePhase = "Locked"
	// MachinePhaseReleasing means that the machine is being given back.
	MachinePhaseReleasing MachinePhase = "Releasing"
	// MachinePhaseUnknown means a status this version does not know.
	MachinePhaseUnknown MachinePhase = "Unknown"
)

// MachineIdentity is what the reserved tags of a machine say. Any field is empty
// where the tag is absent, which is not the same as being another's.
type MachineIdentity struct {
	Owner       string
	ClassUID    string
	Allocation  string
	Fingerprint string
	Claim       string
}

// ObservedMachine is what a cloud tells of one machine at one moment.
type ObservedMachine struct {
	// ProviderID is the canonical identification of the machine.
	ProviderID string
	Region     string
	// ResourceID is the cloud's own identification.
	ResourceID string
	Name       string
	// NodeName is the name under which the machine registers with Kubernetes.
	NodeName     string
	Identity     MachineIdentity
	Phase        MachinePhase
	LockReasons  []string
	InstanceType string
	Zone         string
	Image        string
	// CapacityType is how the machine is paid for.
	CapacityType string
	// OfferingID is that of the offering which the machine is as it runs; empty where
	// that cannot be told.
	OfferingID string
	PrivateIPs []string
	PublicIP   string
	CreatedAt  time.Time
	// Tags are the tags without the reserved ones.
	Tags map[string]string
	// TagCount is the number of all tags, the reserved ones included.
	TagCount int
	// Settled, Releasing and Replacing say which marks the machine carries.
	Settled   bool
	Releasing bool
	Replacing bool
}

// Observer looks at machines.
type Observer interface {
	// ObserveMachine returns the machine, or an error of code CodeNotFound where
	// its absence is proven: the look was permitted, in the right region, and the
	// cloud confirmed that the machine does not exist. An answer that does not
	// show the machine and proves nothing is an error of another code.
	ObserveMachine(ctx context.Context, req *ObserveMachineRequest) (*ObservedMachine, error)
	// ParseProviderID returns the canonical form of an identification that a user
	// wrote, completing a missing region with defaultRegion.
	ParseProviderID(text, defaultRegion string) (ProviderID, error)
}

// ProviderID is a machine's identification, taken apart.
type ProviderID struct {
	Region     string
	ResourceID string
}

// String returns the canonical form.
func (p ProviderID) String() string { return p.Region + "." + p.ResourceID }

// ObserveMachineRequest asks for one machine.
type ObserveMachineRequest struct {
	ProviderID string
	Secret     *corev1.Secret
}

// Tagger writes the tags of a machine.
type Tagger interface {
	// TagMachine makes the tags in Set so and takes those in Remove away; other
	// tags are left alone. It returns when both are done.
	TagMachine(ctx context.Context, req *TagMachineRequest) error
}

// TagMachineRequest asks for a change of tags. The reserved tags are not named by
// key: Identity is written where it is not nil, each non-empty field as one tag.
type TagMachineRequest struct {
	ProviderID string
	Secret     *corev1.Secret
	Set        map[string]string
	Remove     []string
	Identity   *MachineIdentity
}
