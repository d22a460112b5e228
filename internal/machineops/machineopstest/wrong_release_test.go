package machineopstest_test

import (
	"context"
	"errors"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	unboundedv1alpha3 "github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// releasing puts another way of releasing in place of the right one.
func releasing(release func(*cloud, machineops.OperationRequest) error) func(*cloud, *callbacks) {
	return func(c *cloud, r *callbacks) {
		r.beginRelease = func(
			ctx context.Context, request machineops.OperationRequest,
		) (machineops.BeginResult, error) {
			if err := ctx.Err(); err != nil {
				return machineops.BeginResult{}, err
			}

			return begun(string(request.Allocation.UID)), release(c, request)
		}
		r.pollRelease = func(
			ctx context.Context, _ machineops.OperationRequest, _ machineops.ProviderOperation,
		) (machineops.PollResult, error) {
			return machineops.PollResult{State: machineops.ProviderOperationStateSucceeded}, ctx.Err()
		}
	}
}

func removeHost(c *cloud, id string) {
	c.remove(unboundedv1alpha3.ProviderOwnedResource{Kind: unboundedv1alpha3.OwnedResourceInstance, ID: id})
}

func removeOwned(c *cloud, request machineops.OperationRequest) {
	for _, owned := range request.Allocation.OwnedResources {
		c.remove(owned)
	}
}

func wrongRelease() []wrongRegistration {
	return []wrongRegistration{
		{"ReleaseGivesBackWhatIsOwned", "nothing is removed", releasing(
			func(*cloud, machineops.OperationRequest) error { return nil })},
		{"ReleaseGivesBackWhatIsOwned", "what outlives the host is left", releasing(
			func(c *cloud, request machineops.OperationRequest) error {
				if owned := request.Allocation.OwnedResources; len(owned) > 0 {
					c.remove(owned[0])
				}

				return nil
			})},
		{"ReleaseGivesBackWhatIsOwned", "the provider configuration is needed", releasing(
			func(c *cloud, request machineops.OperationRequest) error {
				if err := checkConfig(request.Allocation.ProviderConfig); err != nil {
					return err
				}

				removeOwned(c, request)

				return nil
			})},
		{"ReleaseTouchesOnlyWhatIsOwned", "the named host goes too", releasing(
			func(c *cloud, request machineops.OperationRequest) error {
				removeOwned(c, request)
				removeHost(c, hostID(request))

				return nil
			})},
		{"ReleaseTouchesOnlyWhatIsOwned", "all hosts go", releasing(
			func(c *cloud, request machineops.OperationRequest) error {
				removeOwned(c, request)

				for _, id := range c.hostIDs() {
					removeHost(c, id)
				}

				return nil
			})},
		{"ReleaseIsRepeatable", "absent is an error", releasing(
			func(c *cloud, request machineops.OperationRequest) error {
				for _, owned := range request.Allocation.OwnedResources {
					if !c.remove(owned) {
						return &machineops.PermanentError{Err: errors.New("not found")}
					}
				}

				return nil
			})},
		{"ReleaseIsRepeatable", "it removes again", releasing(
			func(c *cloud, request machineops.OperationRequest) error {
				removeOwned(c, request)

				defer c.called()()

				for _, owned := range request.Allocation.OwnedResources {
					c.record("force-remove", owned.Kind, owned.ID)
				}

				return nil
			})},
	}
}
