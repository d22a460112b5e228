package driver

import (
	"context"

	corev1 "k8s.io/api/core/v1"
)

// Editor changes in place what a machine is. It is optional.
type Editor interface {
	// EditMachine makes the machine so, calls for nothing that it is already, and returns
	// it as it was read back. What was accepted and does not show is an error of code
	// CodeAborted. Asking again for the same finishes what was cut off.
	EditMachine(ctx context.Context, req *EditMachineRequest) (*ObservedMachine, error)
}

// EditMachineRequest says what is to be changed; nil leaves it as it is.
type EditMachineRequest struct {
	ProviderID string
	Secret     *corev1.Secret
	// Name is the machine's name in the cloud, which is told apart from its allocation's.
	Name *string
	// SecurityGroupIDs are all groups that the machine is to be in, in any order.
	SecurityGroupIDs []string
	// KeyPairName is the key pair to log in by; empty takes it away. A machine that runs
	// takes it at its next reboot.
	KeyPairName *string
	// RoleName is the role that the machine acts in; empty takes it away.
	RoleName *string
	// DeletionProtection keeps the machine from being released.
	DeletionProtection *bool
}

// Empty reports whether nothing is asked for.
func (r *EditMachineRequest) Empty() bool {
	return r.Name == nil && len(r.SecurityGroupIDs) == 0 && r.KeyPairName == nil && r.RoleName == nil && r.DeletionProtection == nil
}
