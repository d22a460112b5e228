package acctest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const installedVersion = "0.0.1"

// NewInstallation builds the provider and installs it for the real command, where
// `init` finds it without a network. It skips the test where there is no command.
func NewInstallation(t testing.TB) *terraformcli.Installation {
	t.Helper()
	RequireCLI(t)

	root, err := terraformcli.ModuleRoot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}

	cli, err := terraformcli.Find(t.Context(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}

	directory := t.TempDir()
	binary := filepath.Join(directory, "provider")

	if err := terraformcli.BuildProvider(t.Context(), root, binary, installedVersion); err != nil {
		t.Fatal(err)
	}

	installation, err := terraformcli.Install(t.Context(), cli, terraformcli.MachineProvider(), binary, installedVersion, filepath.Join(directory, "installation"))
	if err != nil {
		t.Fatal(err)
	}

	return installation
}

// RequiredProviders names the provider as a user of the real command does.
const RequiredProviders = `terraform {
  required_providers {
    machine = { source = "terraform-machine/machine" }
  }
}
`
