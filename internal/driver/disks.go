package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// DiskLister tells what disks machines have. It is optional.
type DiskLister interface {
	// MachineDisks returns the disks of a machine: the system disk first, then the
	// others in the order in which the machine has them. None proves nothing: who may
	// not list them sees none. Machines of one class cost no more calls than their disks
	// have pages.
	MachineDisks(ctx context.Context, req *MachineDisksRequest) ([]MachineDisk, error)
}

// MachineDisksRequest asks for the disks of one machine.
type MachineDisksRequest struct {
	ProviderID string
	// ClassUID is the class of the machine, by which the disks of all its machines are
	// found together; empty where it has none.
	ClassUID string
	Secret   *corev1.Secret
}

// MachineDisk is a disk as the cloud made it. What is not known is zero.
type MachineDisk struct {
	System   bool
	Category string
	// PerformanceLevel is empty where the category has none.
	PerformanceLevel string
	SizeGiB          int64
}
