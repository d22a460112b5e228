package terraformcli_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// writeScript makes an executable that stands in for a CLI whose version command
// prints text.
func writeScript(t *testing.T, directory, name, body string) string {
	t.Helper()

	if runtime.GOOS == "windows" {
		t.Skip("needs a shell script as a stand-in for the CLI")
	}

	path := filepath.Join(directory, name)
	// A command that another test starts meanwhile would inherit the open file, and a
	// file that is open for writing cannot be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()

	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}

	return path
}

func TestFind(t *testing.T) {
	t.Parallel()

	const (
		printTerraform = `echo "Terraform v1.99.0"; echo "on linux_amd64"`
		printOpenTofu  = `echo "OpenTofu v1.88.0"; echo "on linux_amd64"`
	)

	t.Run("terraform comes before tofu wherever they stand on PATH", func(t *testing.T) {
		t.Parallel()

		first, second := t.TempDir(), t.TempDir()
		writeScript(t, first, "tofu", printOpenTofu)
		want := writeScript(t, second, "terraform", printTerraform)

		cli, err := terraformcli.Find(t.Context(), []string{"PATH=" + first + ":" + second})
		if err != nil {
			t.Fatal(err)
		}

		if cli != (terraformcli.CLI{Path: want, Product: terraformcli.Terraform, Version: "1.99.0"}) {
			t.Errorf("found %+v", cli)
		}
	})

	t.Run("tofu serves where terraform is not installed", func(t *testing.T) {
		t.Parallel()

		directory := t.TempDir()
		want := writeScript(t, directory, "tofu", printOpenTofu)

		cli, err := terraformcli.Find(t.Context(), []string{"PATH=" + directory})
		if err != nil {
			t.Fatal(err)
		}

		if cli != (terraformcli.CLI{Path: want, Product: terraformcli.OpenTofu, Version: "1.88.0"}) {
			t.Errorf("found %+v", cli)
		}
	})

	t.Run("the named path wins and its product is what it says itself", func(t *testing.T) {
		t.Parallel()

		directory := t.TempDir()
		writeScript(t, directory, "terraform", printTerraform)
		named := writeScript(t, directory, "terraform-of-mine", printOpenTofu)

		cli, err := terraformcli.Find(t.Context(), []string{"PATH=" + directory, terraformcli.PathVariable + "=" + named})
		if err != nil {
			t.Fatal(err)
		}

		if cli.Path != named || cli.Product != terraformcli.OpenTofu {
			t.Errorf("found %+v", cli)
		}
	})

	t.Run("a named path that cannot be run is an error, not a reason to look elsewhere", func(t *testing.T) {
		t.Parallel()

		directory := t.TempDir()
		writeScript(t, directory, "terraform", printTerraform)
		missing := filepath.Join(directory, "missing")

		_, err := terraformcli.Find(t.Context(), []string{"PATH=" + directory, terraformcli.PathVariable + "=" + missing})
		if err == nil || !strings.Contains(err.Error(), missing) || !strings.Contains(err.Error(), terraformcli.PathVariable) {
			t.Errorf("error %v does not name the variable and the path", err)
		}
	})

	t.Run("none installed says what to install", func(t *testing.T) {
		t.Parallel()

		_, err := terraformcli.Find(t.Context(), []string{"PATH=" + t.TempDir() + ":."})
		if !errors.Is(err, terraformcli.ErrNotFound) {
			t.Errorf("error is %v", err)
		}
	})

	t.Run("a program that is neither is refused with what it printed", func(t *testing.T) {
		t.Parallel()

		directory := t.TempDir()
		writeScript(t, directory, "terraform", `echo "Packer v1.0"`)

		_, err := terraformcli.Find(t.Context(), []string{"PATH=" + directory})
		if err == nil || !strings.Contains(err.Error(), "Packer v1.0") {
			t.Errorf("error is %v", err)
		}
	})

	t.Run("a program that fails is refused with its message", func(t *testing.T) {
		t.Parallel()

		directory := t.TempDir()
		writeScript(t, directory, "terraform", `echo "cannot load library" >&2; exit 3`)

		_, err := terraformcli.Find(t.Context(), []string{"PATH=" + directory})
		if err == nil || !strings.Contains(err.Error(), "cannot load library") {
			t.Errorf("error is %v", err)
		}
	})
}
