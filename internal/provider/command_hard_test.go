package provider_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// TestCommandInHardCases holds what befalls runs of the real command at work: kills,
// orphans, neighbors, faults, and what is changed between them. One build serves all.
func TestCommandInHardCases(t *testing.T) {
	t.Parallel()

	installation := acctest.NewInstallation(t)

	for name, test := range map[string]func(*testing.T, *terraformcli.Installation){
		"one machine in two resources":               commandSharesAMachine,
		"one name again and again":                   commandLaunchesAgain,
		"interrupts":                                 commandIsInterrupted,
		"a kill in a graceful release":               commandIsKilledInAGracefulRelease,
		"a fault in each call after the launch":      commandMeetsFaults,
		"a fault in an adoption":                     commandMeetsFaultsInAnAdoption,
		"classes that change under their machines":   commandChangesClasses,
		"a kill where nothing is marked":             commandIsKilledUnmarked,
		"no permission to write tags":                commandMayNotTag,
		"an allocation that is removed after a kill": commandRemovesWhatWasKilled,
		"an orphan":                     commandMeetsAnOrphan,
		"a neighbor of the same name":   commandMeetsANeighbor,
		"machines that are listed late": commandLaunchesUnseen,
		"a twin that is listed late":    commandMeetsALateTwin,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, installation)
		})
	}
}
