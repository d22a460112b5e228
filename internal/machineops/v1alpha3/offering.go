package v1alpha3

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CapacityType is the way a host is paid for.
type CapacityType string

// The capacity types.
const (
	// CapacityTypeOnDemand is paid by use, without a term.
	CapacityTypeOnDemand CapacityType = "on_demand"
	// CapacityTypeSpot is paid by use at a market price and may be reclaimed.
	CapacityTypeSpot CapacityType = "spot"
	// CapacityTypeSubscription is paid ahead for a period.
	CapacityTypeSubscription CapacityType = "subscription"
)

// Availability says how likely a launch from an offering is to succeed.
type Availability string

// The availability values. They follow the four stock categories that ECS
// publishes (DescribeAvailableResource, StatusCategory), and one more for
// where nothing was published.
const (
	// AvailabilityAvailable means that stock is plentiful.
	AvailabilityAvailable Availability = "Available"
	// AvailabilityLow means that stock is available but running low.
	AvailabilityLow Availability = "Low"
	// AvailabilitySoldOut means sold out, to be replenished.
	AvailabilitySoldOut Availability = "SoldOut"
	// AvailabilityDiscontinued means sold out, not to be replenished.
	AvailabilityDiscontinued Availability = "Discontinued"
	// AvailabilityUnknown means that the provider publishes nothing.
	AvailabilityUnknown Availability = "Unknown"
)

// MachineClassOffering is one way to get a host of a class: one instance type
// in one zone and network, paid for in one way.
type MachineClassOffering struct {
	// ID identifies the offering within its class. It is stable between
	// resolutions of the same class content.
	ID string
	// InstanceType is the provider's name of the machine size.
	InstanceType string
	Region       string
	Zone         string
	// Network is the provider-native network (a vSwitch) the host is put in.
	Network      string
	CapacityType CapacityType
	Availability Availability
	// Resources are what one host offers, by Kubernetes resource name.
	Resources map[string]resource.Quantity
	// Architecture is the Kubernetes name of the processor architecture.
	Architecture string
	// Price is absent where the provider did not tell it.
	Price *Price
	// ValidUntil is the time after which consumers must not launch from this
	// offering and must resolve the class again.
	ValidUntil metav1.Time
}

// Price is what one host costs.
type Price struct {
	// PerHour is a decimal amount per hour.
	PerHour resource.Quantity
	// Currency is an ISO 4217 code.
	Currency string
}

// DeepCopy returns an offering that shares nothing with this one. On a nil
// receiver it returns nil.
func (o *MachineClassOffering) DeepCopy() *MachineClassOffering {
	if o == nil {
		return nil
	}

	offering := *o
	offering.ValidUntil = *o.ValidUntil.DeepCopy()

	if o.Resources != nil {
		offering.Resources = make(map[string]resource.Quantity, len(o.Resources))
		for name, quantity := range o.Resources {
			offering.Resources[name] = quantity.DeepCopy()
		}
	}

	if o.Price != nil {
		offering.Price = &Price{PerHour: o.Price.PerHour.DeepCopy(), Currency: o.Price.Currency}
	}

	return &offering
}
