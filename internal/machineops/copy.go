package machineops

import (
	"maps"
	"slices"
)

// Callbacks get copies of what they are given: a registration that writes into a
// map or slice of its request must not reach its caller's record, nor race with
// an operation that was handed the same credentials.

func (r OperationRequest) copied() OperationRequest {
	r.Parameters = maps.Clone(r.Parameters)
	r.Auth = r.Auth.copied()

	if r.ProviderRef != nil {
		snapshot := *r.ProviderRef
		r.ProviderRef = &snapshot
	}

	if r.Allocation != nil {
		allocation := r.Allocation.copied()
		r.Allocation = &allocation
	}

	return r
}

func (r AllocationRequest) copied() AllocationRequest {
	r.ProviderConfig = r.ProviderConfig.copied()
	r.Offering = *r.Offering.DeepCopy()
	r.OwnedResources = slices.Clone(r.OwnedResources)

	return r
}

func (r AllocationPlanRequest) copied() AllocationPlanRequest {
	r.ProviderConfig = r.ProviderConfig.copied()
	r.Offering = *r.Offering.DeepCopy()

	return r
}

func (r ClassRequest) copied() ClassRequest {
	r.ProviderConfig = r.ProviderConfig.copied()
	r.Auth = r.Auth.copied()

	return r
}

func (c ProviderConfig) copied() ProviderConfig {
	return ProviderConfig{Data: maps.Clone(c.Data)}
}

func (a *OperationAuth) copied() *OperationAuth {
	if a == nil {
		return nil
	}

	return &OperationAuth{Mode: a.Mode, SecretData: maps.Clone(a.SecretData)}
}

func (r OperationResult) copied() OperationResult {
	if r.Allocation != nil {
		allocation := *r.Allocation
		allocation.OwnedResources = slices.Clone(allocation.OwnedResources)
		r.Allocation = &allocation
	}

	return r
}
