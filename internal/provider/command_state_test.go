package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// updateState has the fixture written anew. A release that has been published keeps its own:
// what is written after it gets another name.
var updateState = flag.Bool("update-state", false, "write the state that this version stores to testdata")

// storedState is a state as version 0.1 stores it: a class, a machine of it, an
// operation and a readiness. The machine's ID is machineInFixture.
const (
	storedState      = "testdata/state_v0_1.tfstate"
	machineInFixture = "i-machineofthefixture"
)

// storedConfiguration is what the state was stored of.
func storedConfiguration() string {
	return acctest.Class(acctest.Arguments{"tags": `{ team = "core" }`}) +
		acctest.Allocation("worker-a", acctest.Arguments{"tags": `{ tier = "one" }`, "graceful_release": `"90s"`, "power_state": `"running"`}) +
		acctest.Operation("reboot", "HostReboot", "machine_allocation.worker-a.provider_id") + `
resource "machine_readiness" "all" {
  provider_ids = [machine_allocation.worker-a.provider_id]
}
`
}

// commandReadsStoredState reads what the first release stores: a later one that plans
// anything for it, or cannot release what it holds, has broken somebody's state.
func commandReadsStoredState(t *testing.T, installation *terraformcli.Installation) {
	c := newCommand(t, installation, ecsemulator.Options{})
	c.provider = "default_tags = { cost = \"a\" }\n"
	c.configure(storedConfiguration())
	c.run("init")

	file := filepath.Join(c.workspace.Directory, "terraform.tfstate")

	if *updateState {
		c.run("apply", "-auto-approve")
		c.run("apply", "-auto-approve")
		writeStored(t, file, storedState, only(t, c.cloud).ID, machineInFixture)
		c.expectDestroyed()

		return
	}

	tags := storedTags(t)
	machine := c.cloud.Existing(t, ecsemulator.NewInstance{
		Name: "worker-a", InstanceType: "ecs.g7.large", ImageID: "m-acme2", VSwitchID: "vsw-a", SecurityGroups: []string{"sg-1"}, AgeSeconds: 86400, Tags: tags,
	})
	writeStored(t, storedState, file, machineInFixture, machine.ID)

	c.run("plan", "-detailed-exitcode")
	c.run("apply", "-auto-approve")
	c.expectMachines(0)

	if reboots := c.cloud.Counts()["RebootInstance"]; reboots != 0 {
		t.Errorf("an operation that is done was carried out %d times more", reboots)
	}

	c.expectDestroyed()
}

// storedTags are the tags of the machine in the fixture.
func storedTags(t *testing.T) map[string]string {
	t.Helper()

	content, err := os.ReadFile(storedState)
	if err != nil {
		t.Fatal(err)
	}

	var state struct {
		Resources []struct {
			Type      string
			Instances []struct {
				Attributes struct {
					Name, Claim string
					Class       struct{ UID string }
				}
			}
		}
	}
	if err := json.Unmarshal(content, &state); err != nil {
		t.Fatal(err)
	}

	for _, resource := range state.Resources {
		if resource.Type != allocationType {
			continue
		}

		stored := resource.Instances[0].Attributes

		return map[string]string{
			"terraform-machine/owner": "acceptance/test", "terraform-machine/name": stored.Name, "terraform-machine/claim": stored.Claim,
			"terraform-machine/class-uid": stored.Class.UID, "terraform-machine/fingerprint": "fixture", "terraform-machine/settled": "true",
			"team": "core", "tier": "one", "cost": "a",
		}
	}

	t.Fatal("the fixture holds no machine")

	return nil
}

// writeStored copies a state with another ID in the place of the machine's, also in the
// private state of the resources.
func writeStored(t *testing.T, from, to, machine, other string) {
	t.Helper()

	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}

	var state map[string]any
	if err := json.Unmarshal(content, &state); err != nil {
		t.Fatal(err)
	}

	replaceStored(t, state, machine, other)

	written, err := json.MarshalIndent(state, "", "  ")
	if err != nil {
		t.Fatal(err)
	}

	if err := os.MkdirAll(filepath.Dir(to), 0o750); err != nil {
		t.Fatal(err)
	}

	renamed := strings.NewReplacer(machine, other, nodeNameOf(machine), nodeNameOf(other)).Replace(string(written))
	if err := os.WriteFile(to, append([]byte(renamed), '\n'), 0o600); err != nil {
		t.Fatal(err)
	}
}

// nodeNameOf is the name that ECS gives a machine's operating system.
func nodeNameOf(machine string) string { return "iz" + strings.TrimPrefix(machine, "i-") + "z" }

// replaceStored replaces the ID within private state, which is Base64 of an object of
// Base64.
func replaceStored(t *testing.T, value any, machine, other string) {
	t.Helper()

	switch v := value.(type) {
	case []any:
		for _, element := range v {
			replaceStored(t, element, machine, other)
		}
	case map[string]any:
		if private, ok := v["private"].(string); ok {
			v["private"] = replacePrivate(t, private, machine, other)
		}

		for _, element := range v {
			replaceStored(t, element, machine, other)
		}
	}
}

func replacePrivate(t *testing.T, encoded, machine, other string) string {
	t.Helper()

	decoded, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}

	var keys map[string][]byte
	if err := json.Unmarshal(decoded, &keys); err != nil {
		t.Fatalf("private state %s: %v", decoded, err)
	}

	for key, content := range keys {
		keys[key] = []byte(strings.ReplaceAll(string(content), machine, other))
	}

	whole, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}

	return base64.StdEncoding.EncodeToString(whole)
}
