package alicloud_test

import (
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func pointer[T any](value T) *T { return &value }

// editBench has a machine and a second role for it.
func editBench(t *testing.T) (*bench, driver.ProviderID) {
	t.Helper()

	catalogue, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}

	catalogue.RAMRoles = append(catalogue.RAMRoles, "acme-other-role")
	b := newBench(t, ecsemulator.Options{Catalogue: catalogue})

	return b, b.add(t, old())
}

func (b *bench) edit(t *testing.T, id driver.ProviderID, request driver.EditMachineRequest) (*driver.ObservedMachine, error) {
	t.Helper()

	request.ProviderID, request.Secret = id.String(), b.secret()

	return b.cloud.Editor().EditMachine(t.Context(), &request)
}

// modified counts the changes of what machines are.
func (b *bench) modified() int {
	count := 0

	for _, entry := range b.Journal() {
		if entry.Effect == "modified" {
			count++
		}
	}

	return count
}

// role is the machine's role as ECS tells it.
func (b *bench) role(t *testing.T, id driver.ProviderID) string {
	t.Helper()

	client, err := b.spi(t).NewECSClient(b.secret(), id.Region)
	if err != nil {
		t.Fatal(err)
	}

	role, err := client.RAMRole(t.Context(), id.Region, id.ResourceID)
	if err != nil {
		t.Fatal(err)
	}

	return role
}

// Each change is one call, between the look before it and the one that reads it back;
// and what is so already is no call.
func TestAMachineIsEditedWithTheCallsThatItTakes(t *testing.T) {
	t.Parallel()

	b, id := editBench(t)

	for _, step := range []struct {
		name    string
		request driver.EditMachineRequest
		calls   map[string]int
		again   map[string]int
	}{
		{
			name:    "name, groups and protection",
			request: driver.EditMachineRequest{Name: pointer("renamed"), SecurityGroupIDs: []string{"sg-2", "sg-1"}, DeletionProtection: pointer(true)},
			calls:   map[string]int{"DescribeInstances": 2, "ModifyInstanceAttribute": 1}, again: map[string]int{"DescribeInstances": 1},
		},
		{
			name: "a key pair", request: driver.EditMachineRequest{KeyPairName: pointer("acme-key")},
			calls: map[string]int{"DescribeInstances": 2, "AttachKeyPair": 1}, again: map[string]int{"DescribeInstances": 1},
		},
		{
			name: "no key pair", request: driver.EditMachineRequest{KeyPairName: pointer("")},
			calls: map[string]int{"DescribeInstances": 2, "DetachKeyPair": 1}, again: map[string]int{"DescribeInstances": 1},
		},
		{
			name: "a role", request: driver.EditMachineRequest{RoleName: pointer("acme-node-role")},
			calls: map[string]int{"DescribeInstances": 1, "DescribeInstanceRamRole": 2, "AttachInstanceRamRole": 1},
			again: map[string]int{"DescribeInstances": 1, "DescribeInstanceRamRole": 1},
		},
		{
			name: "another role", request: driver.EditMachineRequest{RoleName: pointer("acme-other-role")},
			calls: map[string]int{"DescribeInstances": 1, "DescribeInstanceRamRole": 2, "DetachInstanceRamRole": 1, "AttachInstanceRamRole": 1},
			again: map[string]int{"DescribeInstances": 1, "DescribeInstanceRamRole": 1},
		},
		{
			name: "no role", request: driver.EditMachineRequest{RoleName: pointer("")},
			calls: map[string]int{"DescribeInstances": 1, "DescribeInstanceRamRole": 2, "DetachInstanceRamRole": 1},
			again: map[string]int{"DescribeInstances": 1, "DescribeInstanceRamRole": 1},
		},
	} {
		for _, calls := range []map[string]int{step.calls, step.again} {
			wantCounts(t, b.counted(func() {
				machine, err := b.edit(t, id, step.request)
				if err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}

				if key := step.request.KeyPairName; key != nil && machine.KeyPairName != *key {
					t.Errorf("%s: the key pair is %q", step.name, machine.KeyPairName)
				}
			}), calls)
		}

		if role := step.request.RoleName; role != nil && b.role(t, id) != *role {
			t.Errorf("%s: the role is %q", step.name, b.role(t, id))
		}
	}

	after := b.instance(t, id.ResourceID)
	if after.Name != "renamed" || !after.DeletionProtection || !slices.Equal(after.SecurityGroups, []string{"sg-2", "sg-1"}) {
		t.Errorf("the machine is %+v", after)
	}
}

// A run that is cut off between taking a role away and giving the new one leaves a
// machine without; asking again gives it the role.
func TestAnEditThatWasCutOffIsFinishedByAskingAgain(t *testing.T) {
	t.Parallel()

	b, id := editBench(t)

	if _, err := b.edit(t, id, driver.EditMachineRequest{RoleName: pointer("acme-node-role")}); err != nil {
		t.Fatal(err)
	}

	rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "AttachInstanceRamRole"})

	_, err := b.edit(t, id, driver.EditMachineRequest{RoleName: pointer("acme-other-role")})
	wantCode(t, err, driver.CodePermissionDenied, "the RAM role acme-other-role")

	if err := b.RemoveRule(rule); err != nil {
		t.Fatal(err)
	}

	if _, err := b.edit(t, id, driver.EditMachineRequest{RoleName: pointer("acme-other-role")}); err != nil {
		t.Fatal(err)
	}

	if role := b.role(t, id); role != "acme-other-role" {
		t.Errorf("the role is %q", role)
	}
}

func TestAnEditThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()

	b, id := editBench(t)
	gone := driver.ProviderID{Region: region, ResourceID: "i-absent"}

	for name, test := range map[string]struct {
		id      driver.ProviderID
		request driver.EditMachineRequest
		code    driver.Code
		text    string
	}{
		"a name with brackets":     {id, driver.EditMachineRequest{Name: pointer("a[1,2]")}, driver.CodeInvalidArgument, "brackets"},
		"no such group":            {id, driver.EditMachineRequest{SecurityGroupIDs: []string{"sg-none"}}, driver.CodeInvalidArgument, "InvalidSecurityGroupId.NotFound"},
		"a group of another VPC":   {id, driver.EditMachineRequest{SecurityGroupIDs: []string{"sg-other"}}, driver.CodeInvalidArgument, "InconsistentNetwork"},
		"no such key pair":         {id, driver.EditMachineRequest{KeyPairName: pointer("none")}, driver.CodeInvalidArgument, "InvalidKeyPairName.NotFound"},
		"no such role":             {id, driver.EditMachineRequest{RoleName: pointer("none")}, driver.CodeInvalidArgument, "InvalidRamRole.NotFound"},
		"a machine that is absent": {gone, driver.EditMachineRequest{Name: pointer("renamed")}, driver.CodeNotFound, "i-absent does not exist"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.edit(t, test.id, test.request)
			wantCode(t, err, test.code, test.text)
		})
	}

	if modified := b.modified(); modified != 0 {
		t.Errorf("the machine was changed %d times", modified)
	}
}
