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

// UnknownExclusions implements driver.OfferingLister. A name that the catalogue no
// longer has is as harmless in the list as one that is misspelled is not, so neither is
// an error.
func (r *resolver) UnknownExclusions(ctx context.Context, req *driver.ClassRequest) ([]string, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	spec, err := decodeClass(machineops.ProviderConfig{Data: req.ProviderConfig})
	if err != nil {
		return nil, err
	}

	wants := spec.Requirements
	if wants == nil || len(wants.ExcludeFamilies)+len(wants.ExcludeInstanceTypes) == 0 {
		return nil, nil
	}

	client, err := r.plugin.NewECSClient(req.Secret, spec.Region)
	if err != nil {
		return nil, operationError(err)
	}

	catalogue, err := r.types.known(ctx, client, spec.Region, nil)
	if err != nil {
		return nil, operationError(fmt.Errorf("looking up the instance types in %s: %w", spec.Region, err))
	}

	families := map[string]bool{}
	for _, instanceType := range catalogue {
		families[instanceType.Family] = true
	}

	var unknown []string

	for _, family := range wants.ExcludeFamilies {
		if !families[family] {
			unknown = append(unknown, fmt.Sprintf("requirements.exclude_families %q", family))
		}
	}

	for _, id := range wants.ExcludeInstanceTypes {
		if _, ok := catalogue[id]; !ok {
			unknown = append(unknown, fmt.Sprintf("requirements.exclude_instance_types %q", id))
		}
	}

	return unknown, nil
}
