package alicloud

import (
	"context"
	"fmt"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
)

// snapshotFailed is the status of a snapshot that no disk can be made from.
const snapshotFailed = "failed"

// The checks below look up what the class names and no offering depends on, so that a
// mistake in it is told before a machine is given up for one that cannot be launched.
// What the class leaves out costs no call.

func (c *classResolution) checkKeyPair(ctx context.Context) error {
	name := c.spec.KeyPairName
	if name == "" {
		return nil
	}

	return c.references.find(ctx, func(ctx context.Context) error {
		found, err := c.client.HasKeyPair(ctx, c.spec.Region, name)

		switch {
		case err != nil:
			return c.lookError("looking up the key pair", err)
		case !found:
			return invalid(c.missing("key_pair_name", "key pair", name))
		default:
			return nil
		}
	}, c.spec.Region, "key pair", name)
}

func (c *classResolution) checkDeploymentSet(ctx context.Context) error {
	id := c.spec.DeploymentSetID
	if id == "" {
		return nil
	}

	return c.references.find(ctx, func(ctx context.Context) error {
		found, err := c.client.HasDeploymentSet(ctx, c.spec.Region, id)

		switch {
		case err != nil:
			return c.lookError("looking up the deployment set", err)
		case !found:
			return invalid(c.missing("deployment_set_id", "deployment set", id))
		default:
			return nil
		}
	}, c.spec.Region, "deployment set", id)
}

// checkSnapshots looks up all that the data disks name in one call.
func (c *classResolution) checkSnapshots(ctx context.Context) error {
	ids, fields := c.spec.snapshots()
	if len(ids) == 0 {
		return nil
	}

	return c.references.find(ctx, func(ctx context.Context) error {
		found, err := c.client.Snapshots(ctx, c.spec.Region, ids)
		if err != nil {
			return c.lookError("looking up the snapshots", err)
		}

		var wrong mistakes

		for i, id := range ids {
			at := slices.IndexFunc(found, func(s ecs.Snapshot) bool { return s.ID == id })

			switch {
			case at < 0:
				wrong.add(c.missing(fields[i], "snapshot", id))
			case found[at].Status == snapshotFailed:
				wrong.add(fmt.Errorf("%s: making the snapshot %s failed, so no disk can be made from it", fields[i], id))
			}
		}

		return wrong.err()
	}, append([]string{c.spec.Region, "snapshots"}, ids...)...)
}

// lookError is callError for what need not be known: a caller without the permission
// goes on without.
func (c *classResolution) lookError(doing string, err error) error {
	if ecs.ClassOf(err) == ecs.ClassPermission && !ended(err) {
		return &notAskedError{err: err}
	}

	return c.callError(doing, err)
}

// snapshots are those that the data disks are made from, each once, and the first
// field that names each.
func (s *ClassSpec) snapshots() (ids, fields []string) {
	for i := range s.DataDisks {
		if id := s.DataDisks[i].SnapshotID; id != "" && !slices.Contains(ids, id) {
			ids, fields = append(ids, id), append(fields, fmt.Sprintf("data_disks[%d].snapshot_id", i))
		}
	}

	return ids, fields
}
