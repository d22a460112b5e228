package alicloud

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// ListOfferings implements driver.OfferingLister. Its errors are those of resolving
// the class.
func (r *resolver) ListOfferings(ctx context.Context, req *driver.ListOfferingsRequest) (*driver.OfferingList, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	spec, err := decodeClass(machineops.ProviderConfig{Data: req.ProviderConfig})
	if err != nil {
		return nil, err
	}

	found, err := r.resolve(ctx, spec, req.Secret, req.Prices)
	if err != nil {
		return nil, err
	}

	offerings := make([]driver.Offering, 0, len(found.offerings))

	for i := range found.offerings {
		from := &found.offerings[i]
		instanceType := found.types[from.InstanceType]

		offering := driver.Offering{
			ID:           from.ID,
			InstanceType: from.InstanceType,
			Region:       from.Region,
			Zone:         from.Zone,
			Network:      from.Network,
			CapacityType: string(from.CapacityType),
			Availability: string(from.Availability),
			Architecture: from.Architecture,
			VCPUs:        instanceType.VCPUs,
			MemoryGiB:    instanceType.MemoryGiB,
			GPUs:         instanceType.GPUs,
			GPUModel:     instanceType.GPUModel,
			GPUMemoryGiB: instanceType.GPUMemoryGiB,
			ValidUntil:   from.ValidUntil.Time,
		}

		if price, ok := found.hourly(from); ok {
			offering.PricePerHour, offering.Currency = decimal(price.Amount), price.Currency
		}

		offerings = append(offerings, offering)
	}

	listed := &driver.OfferingList{Offerings: offerings, Excluded: found.exclusions.list()}
	if found.priced {
		listed.PricesDenied = driverError(found.prices.denial())
	}

	return listed, nil
}
