package driver

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Offerer tells what a class can get now, and what it needs. It is optional.
type Offerer interface {
	// DescribeOfferings resolves the class and tells of each of its offerings what a
	// person chooses by. It launches nothing. A class that can get nothing at all is
	// an empty list, with what was excluded; a class that names what does not exist is
	// an error.
	DescribeOfferings(ctx context.Context, req *DescribeOfferingsRequest) (*DescribeOfferingsResponse, error)
	// UnmetRequirements tells which requirements of the class the instance type does
	// not meet, each as `<attribute>: <why>`; none where it meets all, or where the
	// class has no requirements. It judges by what the type is, never by stock.
	UnmetRequirements(ctx context.Context, req *UnmetRequirementsRequest) ([]string, error)
}

// DescribeOfferingsRequest names a class.
type DescribeOfferingsRequest struct {
	ClassName string
	// ProviderConfig is the class's configuration, as its allocations carry it.
	ProviderConfig map[string]string
	// Prices asks for prices, which take calls of their own.
	Prices bool
	Secret *corev1.Secret
}

// DescribeOfferingsResponse is what a class can get, in the order in which it would
// be tried, zones as the class lists them.
type DescribeOfferingsResponse struct {
	Offerings []DescribedOffering
	// Excluded is what the class asks for and cannot get.
	Excluded []ExcludedOffering
}

// DescribedOffering is one way to get a machine.
type DescribedOffering struct {
	// ID is `<instance type>/<network>/<capacity type>`.
	ID           string
	InstanceType string
	Zone         string
	Network      string
	CapacityType string
	// Availability is one of the words of a class's offerings: Available, Low, SoldOut,
	// Discontinued, Unknown.
	Availability string
	VCPUs        int64
	MemoryGiB    float64
	GPUs         int64
	// GPUModel is empty where there is no GPU.
	GPUModel     string
	Architecture string
	// PricePerHour is a decimal amount; it and Currency are empty where the price was
	// not asked for or is not known.
	PricePerHour string
	Currency     string
	ValidUntil   time.Time
}

// ExcludedOffering is one combination that was left out. Zone, Network and
// CapacityType are empty where the reason holds for all of them.
type ExcludedOffering struct {
	InstanceType string
	Zone         string
	Network      string
	CapacityType string
	Reason       string
}

// UnmetRequirementsRequest asks whether an instance type meets a class.
type UnmetRequirementsRequest struct {
	ProviderConfig map[string]string
	InstanceType   string
	Secret         *corev1.Secret
}
