package ecs

import "context"

// changeInstance makes a call that changes one instance. The call says its action, how
// it is repeated, and its request.
func (c *Client) changeInstance(ctx context.Context, region, id string, change call) error {
	region, err := c.regionOf(change.action, region)
	if err != nil {
		return err
	}

	if _, err := uniqueIDs(change.action, region, []string{id}); err != nil {
		return err
	}

	ctx, cancel := withPatience(ctx)
	defer cancel()

	change.product, change.region, change.mutates = productECS, region, true

	_, err = c.do(ctx, change)

	return err
}
