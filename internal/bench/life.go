package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// The bounds of the project's promise; see docs/benchmarks.md.
const (
	mostStartupMilliseconds = 150
	mostRefreshCalls        = 12
	mostFirstRefreshCalls   = 40
	mostPlanRatio           = 1.0
	mostCreateMutating      = 1.1
	mostCreateReading       = 0.5
	mostAccepted            = 1.3
	mostDestroy             = 0.7
	mostQuotaRatio          = 1.2
	mostMemory              = 80
	mostMemoryLarge         = 150
	mostConcurrentRatio     = 2
)

// measureLives measures whole lives of fleets: create, first and second refresh,
// and destroy.
func measureLives(ctx context.Context, l *laboratory, r *Report, options Options) error {
	for _, size := range options.Sizes {
		if err := measureLife(ctx, l, r, size); err != nil {
			return fmt.Errorf("a fleet of %d: %w", size, err)
		}
	}

	return nil
}

func measureLife(ctx context.Context, l *laboratory, r *Report, size int) (err error) {
	account, err := l.account(ctx, false)
	if err != nil {
		return err
	}

	defer func() { err = errors.Join(err, account.Close()) }()

	workspace, took, created, err := l.launch(ctx, account, fleet{machines: size, name: "worker"}, fmt.Sprintf("create-%d", size))
	if err != nil {
		return err
	}

	machines := float64(size)
	r.note("creating %d took %v", size, created.byAction)

	of := func(name string) string { return fmt.Sprintf("%s_%d", name, size) }
	bound := func(most float64) float64 {
		if size < many {
			// What is constant weighs more on a small fleet.
			return 0
		}

		return most
	}

	err = r.add(
		Line{named("create_mutating_calls_per_machine", size), float64(created.mutating) / machines, "calls", bound(mostCreateMutating)},
		Line{named("create_reading_calls_per_machine", size), float64(created.reading) / machines, "calls", bound(mostCreateReading)},
		Line{of("create_time_s"), took.Seconds(), "s", 0},
	)
	if err != nil {
		return err
	}

	if err := measureRefreshes(ctx, l, r, account, workspace, size); err != nil {
		return err
	}

	if err := account.pace(ctx, l.factorOf(size)); err != nil {
		return err
	}

	maps.Copy(workspace.Variables, account.variables())

	if _, err := run(ctx, workspace, "destroy", "-auto-approve"); err != nil {
		return err
	}

	destroyed := account.count(fmt.Sprintf("destroy-%d", size))
	r.note("destroying %d took %v", size, destroyed.byAction)

	if left := len(account.Instances()); left > 0 {
		return fmt.Errorf("%d machines are left after the destroy", left)
	}

	return r.Add(Line{named("destroy_calls_per_machine", size), float64(destroyed.all()) / machines, "calls", bound(mostDestroy)})
}

// launch applies a fleet in a workspace of its own, and returns how long that took, in
// the emulator's time, and the calls of that step.
func (l *laboratory) launch(ctx context.Context, account *account, of fleet, step string) (terraformcli.Workspace, time.Duration, calls, error) {
	workspace, err := l.space(ctx, of.configuration(), account.variables())
	if err != nil {
		return terraformcli.Workspace{}, 0, calls{}, err
	}

	account.count("init")

	began := account.Now()
	if _, err := run(ctx, workspace, "apply", "-auto-approve"); err != nil {
		return terraformcli.Workspace{}, 0, calls{}, err
	}

	took := account.Now().Sub(began)

	return workspace, took, account.count(step), nil
}

// named is a measurement's name, with its size but for the one that is promised.
func named(name string, size int) string {
	if size == many {
		return name
	}

	return fmt.Sprintf("%s_%d", name, size)
}

// plans is how often a plan's processor time is measured; the least counts, as all
// else that runs only ever adds to it.
const plans = 3

func measureRefreshes(ctx context.Context, l *laboratory, r *Report, account *account, workspace terraformcli.Workspace, size int) error {
	if _, err := run(ctx, workspace, "plan", "-detailed-exitcode"); err != nil {
		return err
	}

	first := account.count(fmt.Sprintf("first-refresh-%d", size))

	product, err := cheapest(ctx, workspace)
	if err != nil {
		return err
	}

	second := account.count(fmt.Sprintf("refresh-%d", size))
	r.note("refreshing %d took %v, then %v in %d plans", size, first.byAction, second.byAction, plans)

	twin, err := l.twin(ctx, workspace, ModeIdle)
	if err != nil {
		return err
	}

	floor, err := cheapest(ctx, twin)
	if err != nil {
		return err
	}

	own, err := l.space(ctx, orientation(size), nil)
	if err != nil {
		return err
	}

	if _, err := run(ctx, own, "apply", "-auto-approve"); err != nil {
		return err
	}

	terraforms, err := cheapest(ctx, own)
	if err != nil {
		return err
	}

	of := func(name string) string { return fmt.Sprintf("%s_%d", name, size) }
	bound := func(most float64) float64 {
		if size < many {
			return 0
		}

		return most
	}

	return r.add(
		Line{of("first_refresh_calls_per"), float64(first.all()), "calls", bound(mostFirstRefreshCalls)},
		Line{of("refresh_calls_per"), float64(second.all()) / plans, "calls", bound(mostRefreshCalls)},
		Line{of("plan_cpu_ratio"), product.CPU.Seconds() / floor.CPU.Seconds(), "ratio", bound(mostPlanRatio)},
		Line{of("plan_cpu_s"), product.CPU.Seconds(), "s", 0},
		Line{of("idle_plan_cpu_s"), floor.CPU.Seconds(), "s", 0},
		Line{of("terraform_data_plan_cpu_s"), terraforms.CPU.Seconds(), "s", 0},
		Line{of("plan_wall_s"), product.Elapsed.Seconds(), "s", 0},
		Line{of("idle_plan_wall_s"), floor.Elapsed.Seconds(), "s", 0},
		Line{of("provider_rss_mib"), float64(product.peak) / (1 << 20), "MiB", bound(mostMemory)},
		Line{of("idle_provider_rss_mib"), float64(floor.peak) / (1 << 20), "MiB", 0},
	)
}

// cheapest makes plans that must find nothing to do, and returns the cheapest.
func cheapest(ctx context.Context, workspace terraformcli.Workspace) (cost, error) {
	var least cost

	for round := range plans {
		// Status 2 would be a change.
		made, err := run(ctx, workspace, "plan", "-detailed-exitcode")
		if err != nil {
			return cost{}, err
		}

		if round == 0 || made.CPU < least.CPU {
			made.peak = max(made.peak, least.peak)
			least = made
		}
	}

	return least, nil
}
