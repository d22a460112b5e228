package terraformcli_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

func findCLI(t *testing.T) terraformcli.CLI {
	t.Helper()

	cli, err := terraformcli.Find(t.Context(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}

	return cli
}

func TestBuiltProviderIsInstalledAndRunByTheRealCLI(t *testing.T) {
	t.Parallel()

	cli := findCLI(t)
	directory := t.TempDir()
	binary := filepath.Join(directory, "provider")

	if err := terraformcli.BuildProvider(t.Context(), filepath.Join("testdata", "provider"), binary, "1.2.3"); err != nil {
		t.Fatal(err)
	}

	installation, err := terraformcli.Install(t.Context(), cli, terraformcli.MachineProvider(), binary, "1.2.3", filepath.Join(directory, "installation"))
	if err != nil {
		t.Fatal(err)
	}

	work := t.TempDir()
	writeConfiguration(t, work, `
terraform {
  required_providers {
    machine = {
      source  = "terraform-machine/machine"
      version = "~> 1.2"
    }
  }
}

output "version" {
  value = provider::machine::version()
}
`)

	workspace := installation.Workspace(work, nil)
	for _, arguments := range [][]string{{"init"}, {"apply", "-auto-approve"}} {
		if result, err := workspace.Run(t.Context(), arguments...); err != nil {
			t.Fatal(err)
		} else if result.Stderr != "" {
			t.Errorf("%v complained:\n%s", arguments, result.Stderr)
		}
	}

	result, err := workspace.Run(t.Context(), "output", "-json")
	if err != nil {
		t.Fatal(err)
	}

	var outputs map[string]struct{ Value string }
	if err := json.Unmarshal([]byte(result.Stdout), &outputs); err != nil {
		t.Fatal(err)
	}

	if got := outputs["version"].Value; got != "1.2.3" {
		t.Errorf("the provider that ran says it is version %q", got)
	}
}

func TestNothingButTheMirrorIsReachable(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	binary := filepath.Join(directory, "provider")

	if err := os.WriteFile(binary, []byte("not run in this test"), 0o600); err != nil {
		t.Fatal(err)
	}

	installation, err := terraformcli.Install(t.Context(), findCLI(t), terraformcli.MachineProvider(), binary, "1.2.3", filepath.Join(directory, "installation"))
	if err != nil {
		t.Fatal(err)
	}

	work := t.TempDir()
	writeConfiguration(t, work, `
terraform {
  required_providers {
    other = { source = "terraform-machine/other" }
  }
}
`)

	result, err := installation.Workspace(work, nil).Run(t.Context(), "init")

	var exit *terraformcli.ExitError
	if !errors.As(err, &exit) || !strings.Contains(result.Stderr, "terraform-machine/other") ||
		!strings.Contains(strings.Join(strings.Fields(result.Stderr), " "), installation.MirrorDirectory) {
		t.Errorf("init of a provider that is not in the mirror: %v", err)
	}
}

func TestInstallInMirrorReplacesAnOlderBuild(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	binary := filepath.Join(directory, "provider")

	var place string

	for _, content := range []string{"first build", "second build"} {
		if err := os.WriteFile(binary, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}

		var err error
		if place, err = terraformcli.InstallInMirror(directory, "example.com", terraformcli.MachineProvider(), binary, "1.2.3"); err != nil {
			t.Fatal(err)
		}
	}

	content, err := os.ReadFile(place)
	if err != nil {
		t.Fatal(err)
	}

	if string(content) != "second build" {
		t.Errorf("installed is %q", content)
	}

	entries, err := os.ReadDir(filepath.Dir(place))
	if err != nil {
		t.Fatal(err)
	}

	if len(entries) != 1 {
		t.Errorf("the mirror holds %v beside the provider", entries)
	}
}

func TestInstallInMirrorNamesAMissingBinary(t *testing.T) {
	t.Parallel()

	missing := filepath.Join(t.TempDir(), "missing")

	_, err := terraformcli.InstallInMirror(t.TempDir(), "example.com", terraformcli.MachineProvider(), missing, "1.2.3")
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("error is %v", err)
	}
}

func TestBuildProviderShowsTheCompilersWords(t *testing.T) {
	t.Parallel()

	directory := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":  "module example.com/broken\n\ngo 1.26\n",
		"main.go": "package main\n\nfunc main() { undefinedName() }\n",
	} {
		if err := os.WriteFile(filepath.Join(directory, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	err := terraformcli.BuildProvider(t.Context(), directory, filepath.Join(directory, "provider"), "1.2.3")
	if err == nil || !strings.Contains(err.Error(), "undefinedName") {
		t.Errorf("error is %v", err)
	}
}

func TestBuildProviderStopsWithItsContext(t *testing.T) {
	t.Parallel()

	cause := errors.New("the user went away")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)

	err := terraformcli.BuildProvider(ctx, filepath.Join("testdata", "provider"), filepath.Join(t.TempDir(), "provider"), "1.2.3")
	if !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
}

func TestModuleRoot(t *testing.T) {
	t.Parallel()

	root, err := terraformcli.ModuleRoot(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}

	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Error(err)
	}

	if _, err := terraformcli.ModuleRoot(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "checkout") {
		t.Errorf("outside a module: error is %v", err)
	}
}

func writeConfiguration(t *testing.T, directory, text string) {
	t.Helper()

	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
