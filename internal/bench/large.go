package bench

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// largePart is how many machines one resource has. Of Terraform's own time a resource of
// 1,000 instances takes seven times as much as five of 200.
const largePart = 250

// measureLarge measures plans of a state that is generated, as to launch so many
// machines would take hours: one machine is launched, and its object in the state,
// and the machine itself, are copied.
func measureLarge(ctx context.Context, l *laboratory, r *Report, options Options) (err error) {
	account, err := l.roomyAccount(ctx)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	workspace, err := l.space(ctx, fleet{machines: 1, name: "worker"}.configuration(), account.variables())
	if err != nil {
		return err
	}

	for _, arguments := range [][]string{{"apply", "-auto-approve"}, {"plan"}} {
		if _, err := run(ctx, workspace, arguments...); err != nil {
			return err
		}
	}

	if err := multiply(account, workspace, fleet{machines: options.Large, most: cmp.Or(options.LargePart, largePart), name: "worker"}); err != nil {
		return fmt.Errorf("generating the state: %w", err)
	}

	account.count("large-init")

	made, err := run(ctx, workspace, "plan", "-detailed-exitcode")
	if err != nil {
		return err
	}

	refreshed := account.count("large-refresh")

	twin, err := l.twin(ctx, workspace, ModeIdle)
	if err != nil {
		return err
	}

	floor, err := run(ctx, twin, "plan", "-detailed-exitcode")
	if err != nil {
		return err
	}

	of := func(name string) string { return fmt.Sprintf("%s_%d", name, options.Large) }

	return r.add(
		Line{of("refresh_calls_per"), float64(refreshed.all()), "calls", 0},
		Line{of("plan_cpu_ratio"), made.CPU.Seconds() / floor.CPU.Seconds(), "ratio", 0},
		Line{of("plan_wall_s"), made.Elapsed.Seconds(), "s", 0},
		Line{of("idle_plan_wall_s"), floor.Elapsed.Seconds(), "s", 0},
		Line{of("provider_rss_mib"), float64(made.peak) / (1 << 20), "MiB", mostMemoryLarge},
		Line{of("idle_provider_rss_mib"), float64(floor.peak) / (1 << 20), "MiB", 0},
	)
}

// multiply copies the one machine of a workspace, in account and state, so that both
// hold the fleet.
func multiply(account *account, workspace terraformcli.Workspace, of fleet) error {
	file := filepath.Join(workspace.Directory, "terraform.tfstate")

	text, err := os.ReadFile(file) //nolint:gosec // G304: a workspace of the laboratory's own.
	if err != nil {
		return err
	}

	var state map[string]any
	if err := json.Unmarshal(text, &state); err != nil {
		return err
	}

	original := account.Instances()[0]

	allocations, err := allocationsOf(state)
	if err != nil {
		return err
	}

	instances, ok := allocations["instances"].([]any)
	if !ok || len(instances) != 1 {
		return fmt.Errorf("the state holds %d machines", len(instances))
	}

	template, err := json.Marshal(instances[0])
	if err != nil {
		return err
	}

	for number := 1; number < of.machines; number++ {
		name := of.name + "-" + key(number)

		copied, err := copyInstance(account, original, name, number)
		if err != nil {
			return err
		}

		// The original's key, 00000, stands in its name only.
		object := strings.NewReplacer(original.ID, copied.ID, strings.TrimPrefix(original.ID, "i-"), strings.TrimPrefix(copied.ID, "i-"),
			"worker-00000", name, `"index_key":"00000"`, `"index_key":"`+key(number)+`"`, original.PrivateAddress+`"`, copied.PrivateAddress+`"`).Replace(string(template))

		var instance any
		if err := json.Unmarshal([]byte(object), &instance); err != nil {
			return err
		}

		instances = append(instances, instance)
	}

	divide(state, allocations, instances, of)

	if text, err = json.Marshal(state); err != nil {
		return err
	}

	if err := os.WriteFile(file, text, 0o600); err != nil {
		return err
	}

	return write(workspace.Directory, of.configuration())
}

// divide puts the instances into the resources of the fleet, of which the state has the
// first.
func divide(state, first map[string]any, instances []any, of fleet) {
	resources, _ := state["resources"].([]any)

	for _, part := range of.parts()[1:] {
		further := maps.Clone(first)
		further["name"], further["instances"] = part.name, instances[part.from:part.to]
		resources = append(resources, further)
	}

	first["instances"] = instances[:of.parts()[0].to]
	state["resources"] = resources
}

// copyInstance adds an instance like another. Its shard is that of its name, which
// only the provider can tell: the tag is the same for all names of one shard, so
// that machines are spread evenly here.
func copyInstance(account *account, original ecsemulator.Instance, name string, number int) (ecsemulator.Instance, error) {
	const prefix = "terraform-machine/"

	tags := map[string]string{}

	for key, value := range original.Tags {
		switch key {
		case prefix + "name":
			value = name
		case prefix + "shard":
			value = fmt.Sprintf("%02d", number%shards)
		}

		tags[key] = value
	}

	return account.AddInstance(ecsemulator.NewInstance{
		RegionID: original.RegionID, Name: name, InstanceType: original.InstanceType, ImageID: original.ImageID,
		VSwitchID: original.VSwitchID, Tags: tags, AgeSeconds: 3600,
	})
}

// shards is into how many parts an owner's machines fall.
const shards = 32

// allocationsOf finds the allocations of a state.
func allocationsOf(state map[string]any) (map[string]any, error) {
	resources, ok := state["resources"].([]any)
	if !ok {
		return nil, errors.New("the state has no resources")
	}

	for _, one := range resources {
		if resource, ok := one.(map[string]any); ok && resource["type"] == "machine_allocation" {
			return resource, nil
		}
	}

	return nil, errors.New("the state has no allocations")
}
