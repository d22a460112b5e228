package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The saved plans, each in a file of its own so that all are searched in the end.
const (
	createPlan = "create.tfplan"
	importPlan = "import.tfplan"
)

// planned says what a plan is going to do, by resource address: create, update,
// delete, a replacement's pair of those, import, or import and update. What stays
// as it is is left out.
type planned map[string]string

// plan makes a plan, keeps it in file, and reads it as the CLI's JSON.
func (d *demonstration) plan(ctx context.Context, file string) (planned, error) {
	if _, err := d.run(ctx, "plan", "-out="+file); err != nil {
		return nil, err
	}

	result, err := d.run(ctx, "show", "-json", file)
	if err != nil {
		return nil, err
	}

	var document struct {
		ResourceChanges []struct {
			Address string
			Change  struct {
				Actions   []string
				Importing *struct{ ID string }
			}
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal([]byte(result.Stdout), &document); err != nil {
		return nil, fmt.Errorf("reading the plan: %w", err)
	}

	changes := planned{}

	for _, resource := range document.ResourceChanges {
		action := strings.Join(resource.Change.Actions, " and ")
		imported := resource.Change.Importing != nil

		switch {
		case imported && action == "no-op":
			changes[resource.Address] = "import"
		case imported:
			changes[resource.Address] = "import and " + action
		case action != "no-op":
			changes[resource.Address] = action
		}
	}

	return changes, nil
}

func (p planned) expect(want planned) error {
	if !maps.Equal(p, want) {
		return fmt.Errorf("the plan should be\n%sbut is\n%s", want, p)
	}

	return nil
}

// String lists the changes, one a line.
func (p planned) String() string {
	if len(p) == 0 {
		return "  no changes\n"
	}

	var text strings.Builder
	for _, address := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(&text, "  %s: %s\n", address, p[address])
	}

	return text.String()
}
