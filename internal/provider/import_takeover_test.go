package provider

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
)

// Any field of an answer may be missing (F077, F117).
func TestAMachineOfWhichLittleIsToldIsTakenOver(t *testing.T) {
	t.Parallel()

	resource := &allocationResource{client: &client{owner: "platform/prod"}}
	machine := &driver.ObservedMachine{ProviderID: "cn-hangzhou.i-1", Region: "cn-hangzhou", ResourceID: "i-1"}
	model := modelOf(t)
	imported, record := &importRecord{}, &lifecycle.Record{}

	model.observed(machine)
	resource.takeOver(t.Context(), &model, record, imported, machine)

	if got := model.Name.ValueString(); got != "i-1" {
		t.Errorf("the name is %q", got)
	}

	if part, known := model.classPart(); !known {
		t.Error("it has no class")
	} else {
		for _, name := range []string{"image_id", "instance_types", "vswitch_ids", "security_group_ids", "key_pair_name"} {
			if value := part.Attributes()[name]; !value.IsNull() {
				t.Errorf("%s is %s", name, value)
			}
		}
	}

	if owned := model.ownedResources(); len(owned) != 1 || owned[0].ID != "i-1" {
		t.Errorf("owned are %v", owned)
	}

	state := emptyState(t)
	if diagnostics := state.Set(t.Context(), model); diagnostics.HasError() {
		t.Error(diagnostics)
	}
}

func TestTheNameOfAnImportedMachineIsOneThatAnAllocationCanHave(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct{ allocation, instance, want string }{
		"its allocation's":          {"worker-a", "pet", "worker-a"},
		"its own":                   {"", "pet", "pet"},
		"its ID, for other letters": {"", "节点 [1]", "i-1"},
		"its ID, for one letter":    {"", "a", "i-1"},
		"its ID, without a name":    {"", "", "i-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			machine := &driver.ObservedMachine{ResourceID: "i-1", Name: test.instance, Identity: driver.MachineIdentity{Allocation: test.allocation}}
			if got := importedName(machine); got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
		})
	}
}

// The first Read takes over the claim that it finds. A later one does only where the
// claim is what our own update would have written, and no state holds the machine.
func TestAClaimIsTakenOverOnce(t *testing.T) {
	t.Parallel()

	ours := importClaim("uid-1", "i-1")

	for name, test := range map[string]struct {
		read     bool
		identity driver.MachineIdentity
		settled  bool
		want     string
	}{
		"by the first read":                    {false, driver.MachineIdentity{Claim: "another", Owner: "somebody/else"}, true, "another"},
		"a claim that came later":              {true, driver.MachineIdentity{Claim: "another", Owner: "platform/prod", ClassUID: "uid-1"}, false, "before"},
		"what an update of ours wrote":         {true, driver.MachineIdentity{Claim: ours, Owner: "platform/prod", ClassUID: "uid-1"}, false, ours},
		"the same, of another owner":           {true, driver.MachineIdentity{Claim: ours, Owner: "somebody/else", ClassUID: "uid-1"}, false, "before"},
		"the same, of another class":           {true, driver.MachineIdentity{Claim: ours, Owner: "platform/prod", ClassUID: "uid-2"}, false, "before"},
		"the same, that a state holds by now":  {true, driver.MachineIdentity{Claim: ours, Owner: "platform/prod", ClassUID: "uid-1"}, true, "before"},
		"no claim, where there was one before": {true, driver.MachineIdentity{Owner: "platform/prod", ClassUID: "uid-1"}, false, "before"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			resource := &allocationResource{client: &client{owner: "platform/prod"}}
			model := modelOf(t)
			model.Claim = types.StringValue("before")
			record := &lifecycle.Record{}

			resource.takeOver(t.Context(), &model, record, &importRecord{Read: test.read}, &driver.ObservedMachine{
				ProviderID: "cn-hangzhou.i-1", Region: "cn-hangzhou", ResourceID: "i-1", Identity: test.identity, Settled: test.settled,
			})

			if got := model.Claim.ValueString(); got != test.want || record.Claim != test.want {
				t.Errorf("the claim is %q, and %q in the record, want %q", got, record.Claim, test.want)
			}
		})
	}
}

func TestTagsTogetherCountsEachKeyOnce(t *testing.T) {
	t.Parallel()

	record := &importRecord{Tags: []string{"a", "b"}}
	if got := record.tagsTogether(map[string]string{"b": "2", "c": "3"}); got != 3+reservedTags {
		t.Errorf("there are %d", got)
	}
}

func TestTheRegionOfAZone(t *testing.T) {
	t.Parallel()

	for zone, want := range map[string]string{
		"cn-hangzhou-h":          "cn-hangzhou",
		"cn-shanghai-b":          "cn-shanghai",
		"ap-southeast-1a":        "ap-southeast-1",
		"us-east-1b":             "us-east-1",
		"cn-shanghai-finance-1k": "cn-shanghai-finance-1",
		"cn-hangzhou-finance-h":  "cn-hangzhou-finance",
		"cn-wulanchabu-c":        "cn-wulanchabu",
		"":                       "",
		"somewhere":              "",
		"cn-hangzhou-MAZ1(b,c)":  "",
		"-h":                     "",
	} {
		t.Run(fmt.Sprintf("%q", zone), func(t *testing.T) {
			t.Parallel()

			if got := alicloudRegionOf(zone); got != want {
				t.Errorf("it is %q, want %q", got, want)
			}
		})
	}
}
