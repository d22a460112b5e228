package acctest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// CheckMachines checks that the machines alive are exactly those in state, and
// that as many were ever launched as given.
func (c *Cloud) CheckMachines(created int) resource.TestCheckFunc {
	return func(state *terraform.State) error {
		var recorded []string

		for _, module := range state.Modules {
			for _, object := range module.Resources {
				if object.Type == "machine_allocation" && object.Primary != nil {
					recorded = append(recorded, object.Primary.Attributes["provider_resource_id"])
				}
			}
		}

		return c.compare(recorded, created)
	}
}

// CheckNothingLeft checks, after a destroy, that no machine is alive, and that as
// many were ever launched as given.
func (c *Cloud) CheckNothingLeft(created int) resource.TestCheckFunc {
	return func(*terraform.State) error { return c.compare(nil, created) }
}

// CheckNothingLaunched checks that no launch was asked for, and that nothing
// happened to any machine but the given effects.
func (c *Cloud) CheckNothingLaunched(allowed ...string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		if launches := c.Counts()["RunInstances"]; launches != 0 {
			return fmt.Errorf("RunInstances was called %d times", launches)
		}

		for _, effect := range c.Journal() {
			if effect.Effect != "added" && !slices.Contains(allowed, effect.Effect) {
				return fmt.Errorf("%s was %s by %s", effect.InstanceID, effect.Effect, effect.Action)
			}
		}

		return nil
	}
}

func (c *Cloud) compare(recorded []string, created int) error {
	var alive []string

	for _, instance := range c.Alive() {
		alive = append(alive, instance.ID)
	}

	slices.Sort(alive)
	slices.Sort(recorded)

	if !slices.Equal(alive, recorded) {
		return fmt.Errorf("alive are %v, and in state %v", alive, recorded)
	}

	if got := c.Created(); got != created {
		return fmt.Errorf("%d machines were launched in all, want %d", got, created)
	}

	return nil
}

// Text returns a pattern that finds the phrases, in their order, in what a command
// prints, however it breaks the lines.
func Text(phrases ...string) *regexp.Regexp {
	patterns := make([]string, 0, len(phrases))

	for _, phrase := range phrases {
		words := strings.Fields(phrase)
		for i, word := range words {
			words[i] = regexp.QuoteMeta(word)
		}

		patterns = append(patterns, strings.Join(words, `[\s│]+`))
	}

	return regexp.MustCompile(`(?s)` + strings.Join(patterns, `.*`))
}
