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

// PhaseReason says why a machine is in its phase, where there is something to say.
type PhaseReason string

// The phase reasons.
const (
	// PhaseReasonPoweredOff means that the machine was shut down by somebody, from
	// without or from within.
	PhaseReasonPoweredOff PhaseReason = "PoweredOff"
	// PhaseReasonSpotReclaim means that the cloud is taking a spot machine back.
	PhaseReasonSpotReclaim PhaseReason = "SpotReclaim"
	// PhaseReasonFinancial means that the account, or the owner of the machine's host,
	// owes money.
	PhaseReasonFinancial PhaseReason = "Financial"
	// PhaseReasonSecurity means that the cloud has locked the machine as dangerous.
	PhaseReasonSecurity PhaseReason = "Security"
	// PhaseReasonRefunded means that the machine's subscription was refunded.
	PhaseReasonRefunded PhaseReason = "Refunded"
	// PhaseReasonExpired means that the machine's subscription is over.
	PhaseReasonExpired PhaseReason = "Expired"
	// PhaseReasonOther means a lock that this version does not know.
	PhaseReasonOther PhaseReason = "Other"
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
	NodeName string
	Identity MachineIdentity
	Phase    MachinePhase
	// PhaseReason is empty where the phase says it all.
	PhaseReason PhaseReason
	LockReasons []string
	// Starting is set while the machine was told to start and is not said to run yet,
	// by its first start or a later one. Its phase may already be Running.
	Starting bool
	// StoppedMode tells how a machine that is powered off is paid for, in the cloud's
	// own word.
	StoppedMode string
	// ReclaimNotice is how long before its end a spot machine that is being reclaimed
	// is told of it; 0 for any other.
	ReclaimNotice time.Duration
	InstanceType  string
	Zone          string
	Image         string
	// CapacityType is how the machine is paid for.
	CapacityType string
	// OfferingID is that of the offering which the machine is as it runs; empty where
	// that cannot be told.
	OfferingID string
	PrivateIPs []string
	PublicIP   string
	// SubnetID is the network that the machine is attached to, SecurityGroupIDs and
	// KeyPairName what it was launched with or was given since.
	SubnetID         string
	SecurityGroupIDs []string
	KeyPairName      string
	// DeletionProtection means that the cloud refuses to release the machine.
	DeletionProtection bool
	CreatedAt          time.Time
	// ExpiresAt is the end of a subscription; zero where there is none.
	ExpiresAt time.Time
	// Tags are the tags without the reserved ones.
	Tags map[string]string
	// TagCount is the number of all tags, the reserved ones included.
	TagCount int
	// Settled, Releasing and Replacing say which marks the machine carries.
	Settled   bool
	Releasing bool
	Replacing bool
	// Unfinished is what a run has begun to do to the machine for its allocation, and
	// was not seen to end.
	Unfinished Unfinished
	// Reinstalled means that its allocation has had it given another system disk, and that
	// the record of that is not known to be stored.
	Reinstalled bool
	// Resized means that its allocation has had it made of the type that it is, with a record
	// of which the same is so.
	Resized bool
	// LeftStopped means that the machine is powered off, which an operation left it that
	// was given up, or has failed while the machine shut down, and did not start it again.
	LeftStopped bool
	// UnderWay is the operation that somebody has begun on it otherwise and that was not
	// seen to end, as a user calls it; it is empty where there is none.
	UnderWay string
	// UnderWayKey tells that operation from others, in a form of the cloud's own.
	UnderWayKey string
}

// Unfinished is a change in place whose end nobody has seen.
type Unfinished string

// The changes in place that an allocation causes.
const (
	UnfinishedNone Unfinished = ""
	// UnfinishedResize makes the machine one of another type.
	UnfinishedResize Unfinished = "resize"
	// UnfinishedReinstall gives it a new system disk.
	UnfinishedReinstall Unfinished = "reinstall"
	// UnfinishedPower switches it on or off.
	UnfinishedPower Unfinished = "power"
)

// Observer looks at machines.
type Observer interface {
	// ObserveMachine returns the machine, or an error of code CodeNotFound where
	// its absence is proven: the look was permitted, in the right region, and the
	// cloud confirmed that the machine does not exist. An answer that does not
	// show the machine and proves nothing is an error of another code.
	ObserveMachine(ctx context.Context, req *ObserveMachineRequest) (*ObservedMachine, error)
	// ObserveMachines returns those of the machines that the cloud shows, by provider
	// ID, in one call for a hundred. That one is missing proves nothing.
	ObserveMachines(ctx context.Context, req *ObserveMachinesRequest) (map[string]*ObservedMachine, error)
	// ParseProviderID returns the canonical form of an identification that a user
	// wrote, completing a missing region with defaultRegion.
	ParseProviderID(text, defaultRegion string) (ProviderID, error)
	// DefaultNodeName is the name under which the machine registers with Kubernetes
	// where it was given no host name. It makes no call.
	DefaultNodeName(id ProviderID) string
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

// ObserveMachinesRequest asks for several machines.
type ObserveMachinesRequest struct {
	// ProviderIDs are in canonical form.
	ProviderIDs []string
	Secret      *corev1.Secret
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
