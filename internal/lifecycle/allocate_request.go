package lifecycle

import (
	"fmt"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// AllocateRequest asks for one host.
type AllocateRequest struct {
	Identity Identity
	// Region is where the class launches.
	Region     string
	Class      Class
	HostName   string
	Parameters map[string]string
	// UserData is first-boot data. It is handed to Begin and to nothing else.
	UserData string
	// Pending is what an earlier process recorded and did not finish.
	Pending *PendingOperation
	// PendingOffering is the offering that Pending was begun with, as far as known.
	PendingOffering v1alpha3.MachineClassOffering
	Recorder        Recorder
	// NewClass says that the class got its UID in this process. What an interrupted
	// first apply launched then has another class UID, and is the configuration's all
	// the same.
	NewClass bool
	// UntilSeen ends the wait as soon as the machine was seen once; it need not run.
	UntilSeen bool
}

// Allocated is what is known of an allocation. It is filled as far as possible
// with an error, too: what it names then has to be kept, to go on with or to be
// released.
type Allocated struct {
	// ProviderID names the machine; empty while none is known to be ours.
	ProviderID string
	Result     machineops.AllocationResult
	Offering   v1alpha3.MachineClassOffering
	// Claim was read on the machine, or is what its launch wrote.
	Claim string
	// Pending is set while the operation goes on at the provider.
	Pending *PendingOperation
	// Adopted is set where the machine was there before this launch.
	Adopted bool
	// Neighbors are the other machines that were met under the same name.
	Neighbors []Neighbor
	// Answered are all machines that launches of this call were answered with.
	Answered []string
	// Attempts are the launches that did not hold.
	Attempts []Attempt
	Stalled  bool
	// CleanupError is set where the host is there and the cleanup after its
	// allocation has failed for good; Pending then repeats it.
	CleanupError error
}

// Attempt is one launch that did not hold.
type Attempt struct {
	Offering v1alpha3.MachineClassOffering
	Reason   string
	Message  string
	// Said is what the provider said to it, without what was asked for, so that it is the
	// same of all that are refused alike; RequestID is the request it was said to. Both are
	// empty where the provider said nothing.
	Said, RequestID string
	// At is when the refusal was met.
	At time.Time
	// Remembered is set where the launch was not asked for, because the same
	// refusal was met before; Age is how long before.
	Remembered bool
	Age        time.Duration
}

// DuplicateError reports that one process was asked to allocate one identity
// twice.
type DuplicateError struct{ Name string }

// Error names the allocation.
func (e *DuplicateError) Error() string {
	return fmt.Sprintf("the allocation %q is created twice in one run", e.Name)
}
