package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const operationFile = "operation.tf"

// operationConfiguration reboots one of the machines.
const operationConfiguration = `
resource "machine_operation" "kernel" {
  name        = "kernel-2026-11"
  kind        = "HostReboot"
  provider_id = machine_allocation.worker["a"].provider_id
}
`

// rebootOne carries one operation out, and applies again to show that it is carried out
// once.
func (d *demonstration) rebootOne(ctx context.Context) (string, error) {
	path := filepath.Join(d.workspace.Directory, operationFile)
	if err := os.WriteFile(path, []byte(operationConfiguration), 0o600); err != nil {
		return "", err
	}

	for range 2 {
		if _, err := d.run(ctx, "apply", "-auto-approve"); err != nil {
			return "", err
		}
	}

	if reboots := d.account.calls()["RebootInstance"]; reboots != 1 {
		return "", fmt.Errorf("two applies of one reboot took %d calls: %s", reboots, d.account.describeCalls())
	}

	return `rebooted worker "a", and seen to run again; a second apply reboots nothing`, nil
}
