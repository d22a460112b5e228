package alicloud

import (
	"context"
	"errors"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// planAllocation computes the host identity of one allocation. It is pure: it
// calls nothing and depends on its request alone.
func planAllocation(_ context.Context, request machineops.AllocationPlanRequest) (machineops.AllocationPlan, error) {
	spec, err := decodeClass(request.ProviderConfig)
	if err != nil {
		return machineops.AllocationPlan{}, err
	}

	if request.AllocationUID == "" {
		return machineops.AllocationPlan{}, invalid(errors.New("the allocation has no UID"))
	}

	// A request may leave the names open; what it tells has to be launchable.
	problems := []error{checkHostName(request.HostName)}
	if request.AllocationName != "" {
		problems = append(problems, checkInstanceName(request.AllocationName))
	}

	if err := errors.Join(problems...); err != nil {
		return machineops.AllocationPlan{}, invalid(err)
	}

	image := spec.ImageID
	if image == "" {
		image = spec.ImageFamily
	}

	return machineops.AllocationPlan{
		ProviderID: fmt.Sprintf("%s/%s", spec.Region, request.AllocationUID),
		HostImage:  image,
	}, nil
}
