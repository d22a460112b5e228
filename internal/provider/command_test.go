package provider_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// command is the real command at work in a directory and a cloud of its own.
type command struct {
	*testing.T

	cloud     *acctest.Cloud
	workspace terraformcli.Workspace
	// printed is all that commands wrote.
	printed []byte
	// provider are more lines of the provider block.
	provider string
	// old makes the machine old before it is dealt with.
	old bool
}

// TestCommand holds what the provider in process cannot show. One build serves all.
func TestCommand(t *testing.T) {
	t.Parallel()

	installation := acctest.NewInstallation(t)

	for name, test := range map[string]func(*testing.T, *terraformcli.Installation){
		"a timeout, untaint, and an apply that goes on": commandResumesAfterUntaint,
		"an interrupt, and an apply that goes on":       commandResumesAfterInterrupt,
		"an interrupt, as the guide has it":             commandStopsAsTheGuideSays,
		"a forced replacement":                          commandReplaces,
		"inputs that a machine keeps":                   commandWarnsOfKeptInputs,
		"a kill":                                        commandIsKilled,
		"secrets stay in memory":                        commandKeepsSecrets,
		"a fleet is refreshed together":                 commandRefreshesTogether,
		"operations are carried out once":               commandOperates,
		"machines are reshaped in place":                commandReshapesAMachine,
		"a reshape that is given up":                    commandGivesUpAReshape,
		"machines that may not be started":              commandMayNotStartWhatItChanged,
		"a reinstallation that ended, and is given up":  commandGivesUpAnEndedReinstall,
		"a resizing that ended, and is given up":        commandGivesUpAnEndedResize,
		"a reshape that gives way to another":           commandReshapesAnew,
		"no capacity, for every reason there is":        commandGetsPastCapacityCodes,
		"no addresses, for every reason there is":       commandGetsPastFullNetworks,
		"refusals that no other offering helps with":    commandStopsAtOtherCodes,
		"machines that are launched to be stopped":      commandStopsWhatItLaunches,
		"each change that replaces is named":            commandNamesWhatReplaces,
		"a check of a class that runs dry":              commandWarnsWhenAClassRunsDry,
		"a class that leaves out what there is not":     commandDoubtsWhatAClassLeavesOut,
		"advice that fits":                              commandAdvises,
		"a class that is wrong":                         commandKeepsTheMachinesOfAWrongClass,
		"a class that went wrong":                       commandKeepsAMachineWhoseClassWentWrong,
		"an operation that is wrong":                    commandDestroysAWrongOperation,
		"an operation that stands wrong":                commandRefusesWhatStandsWrong,
		"one operation of two resources":                commandRefusesAnOperationTwice,
		"an operation that cannot be looked at":         commandCannotLookAtMachines,
		"all mistakes of an operation":                  commandTellsAllMistakesOfAnOperation,
		"an operation that is given up":                 commandGivesUpAnOperation,
		"an operation that is right in the end":         commandCarriesOutWhatWasHeldWithTheNextApply,
		"a class that is right in the end":              commandReplacesWhatWasHeldWithTheNextApply,
		"a subscription":                                commandBuysASubscription,
		"data disks that stay":                          commandTellsOfDisksThatStay,
		"data disks that are kept":                      commandKeepsDataDisks,
		"data disks that would be kept too late":        commandRefusesToKeepDisksTooLate,
		"machines that are let go":                      commandLetsGoOfMachines,
		"a state that the first release has stored":     commandReadsStoredState,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, installation)
		})
	}
}

func newCommand(t *testing.T, installation *terraformcli.Installation, options ecsemulator.Options) *command {
	t.Helper()

	cloud := acctest.Start(t, options)

	return &command{T: t, cloud: cloud, workspace: installation.Workspace(t.TempDir(), cloud.Variables())}
}

// configure writes the configuration; the provider's arguments come from the
// environment.
func (c *command) configure(text string) {
	c.Helper()
	c.write("main.tf", acctest.RequiredProviders+"provider \"machine\" {\n  owner = \"acceptance/test\"\n"+c.provider+"}\n"+text)
}

func (c *command) write(name, content string) {
	c.Helper()

	if err := os.WriteFile(filepath.Join(c.workspace.Directory, name), []byte(content), 0o600); err != nil {
		c.Fatal(err)
	}
}

// run runs a command that has to succeed.
func (c *command) run(arguments ...string) terraformcli.Result {
	c.Helper()

	result, err := c.workspace.Run(c.Context(), arguments...)
	c.keep(result)

	if err != nil {
		c.Fatal(err)
	}

	return result
}

// fail runs a command that has to fail, with this text.
func (c *command) fail(want *regexp.Regexp, arguments ...string) {
	c.Helper()

	result, err := c.workspace.Run(c.Context(), arguments...)
	c.keep(result)

	var exit *terraformcli.ExitError
	if !errors.As(err, &exit) || !want.MatchString(result.Stderr) {
		c.Fatalf("%v: %v\nwant text: %s", arguments, err, want)
	}
}

func (c *command) keep(result terraformcli.Result) {
	c.printed = append(append(c.printed, result.Stdout...), result.Stderr...)
}

// object is one machine_allocation in the state file.
type object struct {
	Status     string
	Deposed    string
	Attributes struct {
		ID                 string
		ProviderResourceID string `json:"provider_resource_id"`
		Phase              string
		Claim              string
	}
}

// objects returns what the state file holds of machines.
func (c *command) objects() []object {
	c.Helper()

	content, err := os.ReadFile(filepath.Join(c.workspace.Directory, "terraform.tfstate"))
	if err != nil {
		c.Fatal(err)
	}

	var state struct {
		Resources []struct {
			Type      string
			Instances []object
		}
	}
	if err := json.Unmarshal(content, &state); err != nil {
		c.Fatal(err)
	}

	var objects []object

	for _, resource := range state.Resources {
		if resource.Type == "machine_allocation" {
			objects = append(objects, resource.Instances...)
		}
	}

	return objects
}

// expectMachines wants the machines alive to be exactly those in state, and as many
// as given to have been launched ever.
func (c *command) expectMachines(created int) {
	c.Helper()

	var recorded, alive []string
	for _, object := range c.objects() {
		recorded = append(recorded, object.Attributes.ProviderResourceID)
	}

	for _, machine := range c.cloud.Alive() {
		alive = append(alive, machine.ID)
	}

	slices.Sort(recorded)
	slices.Sort(alive)

	if !slices.Equal(recorded, alive) {
		c.Errorf("alive are %v, and in state %v", alive, recorded)
	}

	if got := c.cloud.Created(); got != created {
		c.Errorf("%d machines were launched, want %d", got, created)
	}
}

// expectDestroyed destroys, after which nothing may be alive.
func (c *command) expectDestroyed() {
	c.Helper()
	c.run("destroy", "-auto-approve")

	if left := c.cloud.Alive(); len(left) != 0 {
		c.Errorf("destroy left %v", left)
	}
}
