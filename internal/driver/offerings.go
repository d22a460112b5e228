package driver

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// OfferingLister tells what a class can get now. It is optional.
type OfferingLister interface {
	// ListOfferings returns the ways to get a machine of the class, in the order in
	// which they are tried, and what was left out. It launches nothing. A class that is
	// wrong is the same error as where it is resolved for a launch; one that leaves
	// nothing to offer is an empty list.
	ListOfferings(ctx context.Context, req *ListOfferingsRequest) (*OfferingList, error)
	// UnmetRequirements names the requirements of the class that an instance type does
	// not meet; none where it meets all, or where the class has none. It judges by what
	// the type is, never by stock, and errs where that is not known.
	UnmetRequirements(ctx context.Context, req *UnmetRequirementsRequest) ([]string, error)
	// UnknownExclusions names what the class leaves out and the region's catalogue does
	// not have, as `field "name"`: what is misspelled is not left out. Where the class
	// leaves nothing out it makes no call.
	UnknownExclusions(ctx context.Context, req *ClassRequest) ([]string, error)
}

// ClassRequest asks about a class.
type ClassRequest struct {
	// ProviderConfig is the class's configuration, as allocations get it.
	ProviderConfig map[string]string
	Secret         *corev1.Secret
}

// OfferingList is what a class can get, and what it asks for and cannot get.
type OfferingList struct {
	Offerings []Offering
	Excluded  []Exclusion
	// PricesDenied is the refusal because of which prices that were asked for are
	// missing; nil where the caller may see them.
	PricesDenied error
}

// Exclusion is one reason to leave something out, and what it holds for: instance
// types, or networks.
type Exclusion struct {
	Reason string
	Names  []string
}

// UnmetRequirementsRequest asks whether an instance type meets a class.
type UnmetRequirementsRequest struct {
	// ProviderConfig is the class's configuration, as allocations get it.
	ProviderConfig map[string]string
	InstanceType   string
	Secret         *corev1.Secret
}

// ListOfferingsRequest asks for the offerings of a class.
type ListOfferingsRequest struct {
	// ProviderConfig is the class's configuration, as allocations get it.
	ProviderConfig map[string]string
	// Prices asks for prices too, which are rate limited and cost calls of their own.
	Prices bool
	Secret *corev1.Secret
}

// Offering is one way to get a machine, with all that is known of it. What is not
// known is zero.
type Offering struct {
	// ID is `<instance type>/<network>/<capacity type>`.
	ID           string
	InstanceType string
	Region       string
	Zone         string
	// Network is the subnet that the machine is put in.
	Network      string
	CapacityType string
	// Availability is Available, Low, SoldOut, Discontinued or Unknown.
	Availability string
	// Architecture is the Kubernetes name of the processor architecture.
	Architecture string
	VCPUs        int64
	MemoryGiB    float64
	GPUs         int64
	GPUModel     string
	// GPUMemoryGiB is the memory of one GPU.
	GPUMemoryGiB float64
	// PricePerHour is a decimal amount of what the machine alone costs, without disks
	// and traffic; empty where it is not known.
	PricePerHour string
	// Currency is an ISO 4217 code.
	Currency   string
	ValidUntil time.Time
}
