package alicloud

import (
	"context"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// UnmetRequirements implements driver.OfferingLister. It judges by the catalogue
// alone: what a type is does not depend on stock, and not on the image of a machine
// that runs.
func (r *resolver) UnmetRequirements(ctx context.Context, req *driver.UnmetRequirementsRequest) ([]string, error) {
	if req == nil || req.InstanceType == "" {
		return nil, driver.NewError(driver.CodeInvalidArgument, "the request names no instance type")
	}

	spec, err := decodeClass(machineops.ProviderConfig{Data: req.ProviderConfig})
	if err != nil {
		return nil, err
	}

	if spec.Requirements == nil {
		return nil, nil
	}

	client, err := r.plugin.NewECSClient(req.Secret, spec.Region)
	if err != nil {
		return nil, operationError(err)
	}

	catalogue, err := r.types.known(ctx, client, spec.Region, []string{req.InstanceType})
	if err != nil {
		return nil, operationError(fmt.Errorf("looking up the instance type in %s: %w", spec.Region, err))
	}

	instanceType, ok := catalogue[req.InstanceType]
	if !ok {
		return nil, driver.NewError(driver.CodeNotFound, "the catalogue of %s does not tell what %s is", spec.Region, req.InstanceType)
	}

	return spec.Requirements.misfits(instanceType, ""), nil
}
