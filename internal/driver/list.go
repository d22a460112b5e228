package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Mark is a tag that says something of a machine by being there.
type Mark string

// The marks.
const (
	// MarkSettled means that a stored state holds the machine.
	MarkSettled Mark = "settled"
	// MarkReleasing means that a run has begun to release the machine.
	MarkReleasing Mark = "releasing"
	// MarkReplacing means that a run has begun to launch the machine's successor beside
	// it.
	MarkReplacing Mark = "replacing"
)

// Lister lists machines by whose they are. It is optional.
type Lister interface {
	// ListOwnedMachines returns every machine of the owner in the region that is
	// listed, from calls that began after it was called. An empty list is proven to
	// be one: the caller may list.
	ListOwnedMachines(ctx context.Context, req *ListOwnedMachinesRequest) ([]*ObservedMachine, error)
	// ListAllMachines returns every machine in the region, whosoever it is. An empty
	// list is proven to be one.
	ListAllMachines(ctx context.Context, req *ListAllMachinesRequest) ([]*ObservedMachine, error)
}

// ListOwnedMachinesRequest says whose machines to list, and where.
type ListOwnedMachinesRequest struct {
	Region string
	Owner  string
	Secret *corev1.Secret
}

// ListAllMachinesRequest says where to list.
type ListAllMachinesRequest struct {
	Region string
	Secret *corev1.Secret
}

// Marker writes marks. It is optional.
type Marker interface {
	// MarkMachines puts the mark on each of the machines, or takes it off. Doing
	// either twice changes nothing. An error says nothing of which of the machines
	// have it.
	MarkMachines(ctx context.Context, req *MarkMachinesRequest) error
}

// MarkMachinesRequest asks for a change of one mark on several machines.
type MarkMachinesRequest struct {
	ProviderIDs []string
	Mark        Mark
	// Remove takes the mark off.
	Remove bool
	Secret *corev1.Secret
}

// Accountant tells whose credentials they are. It is optional.
type Accountant interface {
	// AccountID returns the account of the credentials, asked in the region. It needs
	// no permission.
	AccountID(ctx context.Context, secret *corev1.Secret, region string) (string, error)
}
