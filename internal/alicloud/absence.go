package alicloud

import (
	"context"
	"fmt"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// ECS answers an empty list to a caller who lost the permission to list, and to one
// who asks in the wrong region (DescribeInstances, "Description" of 2021), and it
// leaves new machines out for some seconds. So an empty answer alone proves nothing.

// provePermission returns nil where an empty answer in the region was an answer, and
// not a refusal.
func provePermission(ctx context.Context, client *ecs.Client, region, what string) error {
	if err := client.ProveListPermission(ctx, region); err != nil {
		return fmt.Errorf("ECS lists nothing for %s, and whether it may list machines of %s to us could not be confirmed, so nothing is taken to be gone: %w", what, region, err)
	}

	return nil
}

// proveReleased returns nil where ECS itself says that a machine which it does not
// list does not exist.
func proveReleased(ctx context.Context, client *ecs.Client, id driver.ProviderID) error {
	if err := provePermission(ctx, client, id.Region, id.String()); err != nil {
		return err
	}

	released, err := client.ProveReleased(ctx, id.Region, id.ResourceID)

	switch {
	case err != nil:
		return &unconfirmedError{id: id, err: err}
	case !released:
		return fmt.Errorf("ECS does not list %s, and says that it exists; look again later", id)
	}

	return nil
}

// unconfirmedError is a machine that is not listed to a caller who may list, and
// whose release ECS did not confirm.
type unconfirmedError struct {
	id  driver.ProviderID
	err error
}

// Error names the machine and what kept the confirmation.
func (e *unconfirmedError) Error() string {
	return fmt.Sprintf("ECS does not list %s, and its release could not be confirmed; the machine is taken to be there: %v", e.id, e.err)
}

// Unwrap returns the failed call.
func (e *unconfirmedError) Unwrap() error { return e.err }
