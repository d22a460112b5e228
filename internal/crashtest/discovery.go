package crashtest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Discoverer finds the calls of a scenario in a setting.
type Discoverer func(ctx context.Context, scenario string, setting Setting) ([]Call, error)

// discovery is what was discovered, by scenario and setting.
type discovery map[string]map[Setting][]Call

// discoverAll discovers the scenarios in the settings, so many at once. A scenario
// that may fail in a setting has the calls up to that.
func discoverAll(ctx context.Context, scenarios []Scenario, settings []Setting, parallel int, discover Discoverer) (discovery, error) {
	var mu sync.Mutex

	found := discovery{}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(parallel, 1))

	for _, scenario := range scenarios {
		found[scenario.Name] = map[Setting][]Call{}
	}

	for _, scenario := range scenarios {
		for _, setting := range settings {
			if !scenario.runsIn(setting) {
				continue
			}

			group.Go(func() error {
				calls, err := discover(ctx, scenario.Name, setting)
				if err != nil && !scenario.mayFail(setting) {
					return fmt.Errorf("setting %s: %w", setting.Name(), err)
				}

				mu.Lock()
				defer mu.Unlock()

				found[scenario.Name][setting] = calls

				return nil
			})
		}
	}

	if err := group.Wait(); err != nil {
		return nil, err
	}

	return found, nil
}

// vary discovers the scenarios, whose plain setting is known, in the settings of the
// table that each of them has, and returns the tables by scenario. Those that launch or
// release nothing have a table of their own.
func (d discovery) vary(
	ctx context.Context, scenarios []Scenario, table, withoutLaunch []variation, parallel int, discover Discoverer,
) (map[string][]variation, error) {
	tables := map[string][]variation{}

	for _, launches := range []bool{true, false} {
		var group []Scenario

		if !launches {
			table = withoutLaunch
		}

		for _, scenario := range scenarios {
			if launchesOrReleases(d[scenario.Name][Setting{}]) == launches {
				group = append(group, scenario)
				tables[scenario.Name] = table
			}
		}

		varied, err := discoverAll(ctx, group, settingsOf(table), parallel, discover)
		if err != nil {
			return nil, err
		}

		for name, calls := range varied {
			maps.Copy(d[name], calls)
		}
	}

	return tables, nil
}

// launchesOrReleases reports whether the calls make machines, or end them.
func launchesOrReleases(calls []Call) bool {
	return slices.ContainsFunc(calls, func(call Call) bool {
		return call.Action == "RunInstances" || strings.HasPrefix(call.Action, "DeleteInstance")
	})
}

// settingsOf are the settings of variations, each once.
func settingsOf(variations []variation) []Setting {
	var settings []Setting

	seen := map[Setting]bool{}

	for _, variation := range variations {
		if !seen[variation.setting] {
			settings = append(settings, variation.setting)
		}

		seen[variation.setting] = true
	}

	return settings
}
