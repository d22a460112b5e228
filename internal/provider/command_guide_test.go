package provider_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// commandStopsAsTheGuideSays stops applies of the example where the guide "Getting
// started" has its readers stop one, and looks for each text that the guide promises.
func commandStopsAsTheGuideSays(t *testing.T, installation *terraformcli.Installation) {
	printed := ""

	for _, stop := range []struct {
		at      ecsemulator.Rule
		options ecsemulator.Options
	}{
		{at: ecsemulator.Rule{Action: "DescribeInstances"}},
		// The first look at what was launched: its ID is known, and it was not seen.
		{at: ecsemulator.Rule{Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}}},
		{at: ecsemulator.Rule{Action: "DescribeInstances", Parameters: map[string]string{"InstanceIds": "*i-*"}, First: 2}, options: tooSlow()},
	} {
		c := newCommand(t, installation, stop.options)

		for _, name := range []string{"main.tf", "cloud-init.yaml"} {
			content, err := os.ReadFile(filepath.Join("..", "..", "examples", "quickstart", name))
			if err != nil {
				t.Fatal(err)
			}

			// What was built here has the version that a test gives it.
			c.write(name, strings.NewReplacer(`["a", "b", "c"]`, `["d"]`, `version = "~> 0.1"`, "").Replace(string(content)))
		}

		c.run("init")
		printed += c.interrupted(stop.at, "apply", "-auto-approve")

		if stop.options.BootDuration != 0 {
			boot(t, c.cloud)
		}

		printed += c.run("apply", "-auto-approve").Stdout
		c.expectMachines(1)
		c.expectDestroyed()
	}

	// What is drawn beside a message breaks its lines.
	printed = strings.Join(strings.Fields(strings.NewReplacer("│", " ", "╷", " ", "╵", " ").Replace(printed)), " ")
	promised := promisesOfTheGuide(t)

	for _, text := range promised {
		if !strings.Contains(printed, text) {
			t.Errorf("the guide promises %q, which nobody says:\n%s", text, printed)
		}
	}

	if len(promised) != 8 {
		t.Errorf("the guide promises %q", promised)
	}
}

// promisesOfTheGuide are the texts that the step of the guide quotes in which an apply is
// stopped, but for what its reader types.
func promisesOfTheGuide(t *testing.T) []string {
	t.Helper()

	guide, err := os.ReadFile(filepath.Join("..", "..", "templates", "guides", "getting-started.md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}

	_, step, _ := strings.Cut(string(guide), "\n5. Stop an apply")
	step, _, _ = strings.Cut(step, "\n6. ")

	var promised []string

	for _, span := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(step, -1) {
		if span[1] != `"d"` {
			promised = append(promised, span[1])
		}
	}

	return promised
}
