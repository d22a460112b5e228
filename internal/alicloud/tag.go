package alicloud

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// TagMachine writes and removes tags of one machine. It removes first, so that a
// machine that carries as many tags as ECS allows can have one for another. Reserved
// tags are written by Identity alone: naming one by its key, or a tag that ECS would
// refuse, is an error of code CodeInvalidArgument, and nothing is written.
func (plugin *MachinePlugin) TagMachine(ctx context.Context, req *driver.TagMachineRequest) error {
	if req == nil {
		return driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	id, err := parseProviderID(req.ProviderID, "")
	if err != nil {
		return err
	}

	if err := checkTagChange(req); err != nil {
		return &driver.Error{Code: driver.CodeInvalidArgument, Err: err}
	}

	client, err := plugin.NewECSClient(req.Secret, id.Region)
	if err != nil {
		return driverError(err)
	}

	plugin.looks.forget(id)

	set := maps.Clone(req.Set)
	if req.Identity != nil {
		set = launchTags(set, *req.Identity)
	}

	remove := slices.DeleteFunc(slices.Clone(req.Remove), func(key string) bool {
		_, kept := set[key]

		return kept
	})

	if len(remove) > 0 {
		if err := client.UntagInstances(ctx, id.Region, []string{id.ResourceID}, remove); err != nil {
			return driverError(fmt.Errorf("removing tags from %s: %w", id, err))
		}
	}

	if len(set) > 0 {
		if err := client.TagInstances(ctx, id.Region, []string{id.ResourceID}, set); err != nil {
			return driverError(fmt.Errorf("writing tags on %s: %w", id, err))
		}
	}

	return nil
}

func checkTagChange(req *driver.TagMachineRequest) error {
	problems := []error{checkTags(req.Set)}

	for _, key := range req.Remove {
		if key == "" || strings.HasPrefix(key, driver.ReservedTagPrefix) {
			problems = append(problems, fmt.Errorf("tags: %q cannot be removed", key))
		}
	}

	return errors.Join(problems...)
}
