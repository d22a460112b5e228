package bench

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// A fleet of any size is one that the command can plan: its functions have limits.
func TestAFleetHasAsManyKeysAsMachines(t *testing.T) {
	t.Parallel()

	cli, err := terraformcli.Find(t.Context(), os.Environ())
	if errors.Is(err, terraformcli.ErrNotFound) {
		t.Skipf("this test runs the real command, and make test does not start without one: %v", err)
	}

	if err != nil {
		t.Fatal(err)
	}

	sizes := []int{1, 999, 1000, 1001, 2048}

	var text strings.Builder

	for _, size := range sizes {
		fmt.Fprintf(&text, `
locals {
  keys_%[1]d = sort(%[2]s)
}

output "keys_%[1]d" {
  value = join(" ", [length(local.keys_%[1]d), local.keys_%[1]d[0], local.keys_%[1]d[%[1]d - 1]])
}
`, size, keys(size))
	}

	directory := t.TempDir()
	if err := os.WriteFile(filepath.Join(directory, "main.tf"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	workspace := terraformcli.Workspace{CLI: cli, Directory: directory, Home: directory, ConfigFile: os.DevNull}

	for _, arguments := range [][]string{{"init"}, {"apply", "-auto-approve"}} {
		if _, err := workspace.Run(t.Context(), arguments...); err != nil {
			t.Fatal(err)
		}
	}

	for _, size := range sizes {
		got, err := workspace.Run(t.Context(), "output", "-raw", fmt.Sprintf("keys_%d", size))
		if err != nil {
			t.Fatal(err)
		}

		if want := fmt.Sprintf("%d 00000 %05d", size, size-1); got.Stdout != want {
			t.Errorf("a fleet of %d has the keys %q, want %q", size, got.Stdout, want)
		}
	}
}
