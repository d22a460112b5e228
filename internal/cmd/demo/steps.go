package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

const (
	importFile      = "import.tf"
	importedAddress = "machine_allocation.existing"
)

// importConfiguration takes in the machine that the account already had.
const importConfiguration = `
import {
  to = machine_allocation.existing
  id = %q
}

resource "machine_allocation" "existing" {
  name  = "existing"
  class = machine_class.worker
}
`

func (d *demonstration) steps() []step {
	return []step{
		{"init", d.initialize},
		{"plan", d.planFirst},
		{"apply", d.applyFirst},
		{"output", d.readOutputs},
		{"plan", d.planNothing},
		{"reboot", d.rebootOne},
		{"import", d.importExisting},
		{"plan", d.planNothing},
		{"forget", d.forgetExisting},
		{"destroy", d.destroy},
		{"secrets", d.searchSecrets},
	}
}

func (d *demonstration) initialize(ctx context.Context) (string, error) {
	if _, err := d.run(ctx, "init"); err != nil {
		return "", err
	}

	source := terraformcli.MachineProvider()

	return fmt.Sprintf("installed %s %s from a mirror directory", source, providerVersion), d.expectCalls(0)
}

func (d *demonstration) planFirst(ctx context.Context) (string, error) {
	changes, err := d.plan(ctx, createPlan)
	if err != nil {
		return "", err
	}

	want := map[string]string{
		"machine_class.worker":           "create",
		`machine_allocation.worker["a"]`: "create",
		`machine_allocation.worker["b"]`: "create",
		`machine_allocation.worker["c"]`: "create",
	}
	if err := changes.expect(want); err != nil {
		return "", err
	}

	return "will create a class and three machines", d.account.expectUnchanged(d.account.existingID)
}

func (d *demonstration) applyFirst(ctx context.Context) (string, error) {
	if _, err := d.runTraced(ctx, "apply", createPlan); err != nil {
		return "", err
	}

	d.launched = slices.DeleteFunc(d.account.running(), func(id string) bool { return id == d.account.existingID })
	if len(d.launched) != 3 {
		return "", fmt.Errorf("3 machines should be running, the account has %s", d.account.describe())
	}

	if launches := d.account.calls()["RunInstances"]; launches != 3 {
		return "", fmt.Errorf("3 machines took %d launch calls", launches)
	}

	return fmt.Sprintf("launched %s: all running", strings.Join(d.launched, ", ")), d.account.expectUserData(d.launched, d.userData.sha256)
}

func (d *demonstration) readOutputs(ctx context.Context) (string, error) {
	result, err := d.run(ctx, "output", "-json")
	if err != nil {
		return "", err
	}

	var outputs struct {
		ProviderIDs struct{ Value map[string]string }   `json:"provider_ids"`
		PrivateIPs  struct{ Value map[string][]string } `json:"private_ips"`
	}
	if err := json.Unmarshal([]byte(result.Stdout), &outputs); err != nil {
		return "", fmt.Errorf("reading the outputs: %w", err)
	}

	var named, machines []string

	for _, key := range []string{"a", "b", "c"} {
		providerID, addresses := outputs.ProviderIDs.Value[key], outputs.PrivateIPs.Value[key]
		if len(addresses) == 0 {
			return "", fmt.Errorf("worker %s has no private address:\n%s", key, result.Stdout)
		}

		named = append(named, strings.TrimPrefix(providerID, d.account.region()+"."))
		machines = append(machines, fmt.Sprintf("%s = %s (%s)", key, providerID, strings.Join(addresses, ", ")))
	}

	slices.Sort(named)

	if !slices.Equal(named, d.launched) {
		return "", fmt.Errorf("the outputs name %v, running are %v", named, d.launched)
	}

	return strings.Join(machines, ", "), nil
}

func (d *demonstration) planNothing(ctx context.Context) (string, error) {
	result, err := d.run(ctx, "plan", "-detailed-exitcode")

	var exit *terraformcli.ExitError
	if errors.As(err, &exit) && result.ExitCode == 2 {
		return "", fmt.Errorf("no changes should be left: %w", err)
	}

	return "says no changes", err
}

func (d *demonstration) importExisting(ctx context.Context) (string, error) {
	providerID := d.account.region() + "." + d.account.existingID

	path := filepath.Join(d.workspace.Directory, importFile)
	if err := os.WriteFile(path, fmt.Appendf(nil, importConfiguration, providerID), 0o600); err != nil {
		return "", err
	}

	changes, err := d.plan(ctx, importPlan)
	if err != nil {
		return "", err
	}

	action := changes[importedAddress]
	if action != "import" && action != "import and update" {
		return "", fmt.Errorf("the import should change tags at most, the plan is to %s:\n%s", action, changes)
	}

	if err := changes.expect(map[string]string{importedAddress: action}); err != nil {
		return "", err
	}

	if _, err := d.run(ctx, "apply", importPlan); err != nil {
		return "", err
	}

	if err := d.account.expectUnchanged(append(slices.Clone(d.launched), d.account.existingID)...); err != nil {
		return "", err
	}

	return fmt.Sprintf("took over %s in place: nothing launched, stopped or released", providerID), d.account.expectOwnerTag()
}

func (d *demonstration) forgetExisting(ctx context.Context) (string, error) {
	if _, err := d.run(ctx, "state", "rm", importedAddress); err != nil {
		return "", err
	}

	if err := os.Remove(filepath.Join(d.workspace.Directory, importFile)); err != nil {
		return "", err
	}

	return "state rm lets go of the imported machine, so that it outlives this configuration", d.expectCalls(0)
}

func (d *demonstration) destroy(ctx context.Context) (string, error) {
	if _, err := d.run(ctx, "destroy", "-auto-approve"); err != nil {
		return "", err
	}

	if err := d.account.expectOnly(d.account.existingID); err != nil {
		return "", err
	}

	return fmt.Sprintf("released the three; the account has what it had before, %s", d.account.existingID), nil
}

func (d *demonstration) searchSecrets(context.Context) (string, error) {
	calls, err := d.account.callLog()
	if err != nil {
		return "", err
	}

	// Without the log the search would prove less than it says.
	trace, err := os.ReadFile(filepath.Join(d.workspace.Directory, traceFile))
	if err != nil {
		return "", err
	}

	if !strings.Contains(string(trace), "[TRACE]") {
		return "", fmt.Errorf("the TRACE log of the apply holds %d bytes and no TRACE line", len(trace))
	}

	printed := map[string]string{"the output of a command": d.transcript.String(), "the emulator's request log": calls}
	searched := 0

	for name, secret := range map[string]*secretText{"user data": d.userData, "the access key's secret": newSecretText(d.account.accessKeySecret())} {
		var found []string

		found, searched, err = secret.search(d.workspace.Directory)
		if err != nil {
			return "", err
		}

		for place, text := range printed {
			if secret.isIn([]byte(text)) {
				found = append(found, place)
			}
		}

		if len(found) > 0 {
			return "", fmt.Errorf("%s stands in %s", name, strings.Join(found, ", "))
		}
	}

	return fmt.Sprintf("user data and key stand in none of %d files (state, backup, plans, a TRACE log), no output, no request log", searched),
		d.expectCalls(0)
}

func (d *demonstration) expectCalls(want int) error {
	total := 0
	for _, count := range d.account.calls() {
		total += count
	}

	if total != want {
		return fmt.Errorf("%d API calls were expected: %s", want, d.account.describeCalls())
	}

	return nil
}
