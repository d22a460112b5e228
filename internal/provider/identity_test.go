package provider_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestTheIdentityOfAMachineIsItsRegionAndItsID(t *testing.T) {
	t.Parallel()

	p := newProtocol(t, acctest.Start(t, ecsemulator.Options{}))

	schemas, err := p.server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		t.Fatal(err)
	}

	p.expectNone(schemas.Diagnostics)

	got := map[string][2]bool{}
	for _, attribute := range schemas.IdentitySchemas[allocationType].IdentityAttributes {
		got[attribute.Name] = [2]bool{attribute.RequiredForImport, attribute.OptionalForImport}
	}

	if len(got) != 2 || got["instance_id"] != [2]bool{true, false} || got["region"] != [2]bool{false, true} {
		t.Errorf("the identity is %v", got)
	}
}

func TestAMachineIsImportedByItsIdentity(t *testing.T) {
	t.Parallel()

	for name, region := range map[string]string{"with a region": ecsemulator.DefaultRegionID, "without one": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, foundMachine())
			p := newProtocol(t, cloud)

			imported, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: allocationType, Identity: p.identity(region, machine.ID)})
			if err != nil {
				t.Fatal(err)
			}

			p.expectNone(imported.Diagnostics)

			object := imported.ImportedResources[0]
			p.expectIdentity(object.Identity, machine)

			read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{
				TypeName: allocationType, CurrentState: object.State, Private: object.Private, CurrentIdentity: object.Identity,
			})
			if err != nil {
				t.Fatal(err)
			}

			p.expectNone(read.Diagnostics)
			p.expectIdentity(read.NewIdentity, machine)

			attributes := p.attributes(p.objectType(p.schemas.ResourceSchemas[allocationType]), read.NewState)
			if id := p.text(attributes, "provider_id"); id != "cn-hangzhou."+machine.ID {
				t.Errorf("the machine is %s", id)
			}
		})
	}
}

// A state that an earlier version, or an earlier Terraform, wrote knows no identity.
func TestAnObjectWithoutAnIdentityGetsOneWhenItIsRead(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine := cloud.Existing(t, foundMachine())
	p := newProtocol(t, cloud)

	imported, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: allocationType, ID: machine.ID})
	if err != nil {
		t.Fatal(err)
	}

	object := imported.ImportedResources[0]

	read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: allocationType, CurrentState: object.State, Private: object.Private})
	if err != nil {
		t.Fatal(err)
	}

	p.expectNone(read.Diagnostics)
	p.expectIdentity(read.NewIdentity, machine)

	// Once more, after the machine is gone: that is no fault of the identity.
	if err := cloud.RemoveInstance(machine.ID); err != nil {
		t.Fatal(err)
	}

	gone, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: allocationType, CurrentState: read.NewState, Private: read.Private})
	if err != nil {
		t.Fatal(err)
	}

	p.expectNone(gone.Diagnostics)
}

func TestAnIdentityThatNamesNoMachineIsRefused(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	p := newProtocol(t, cloud)

	for name, test := range map[string]struct{ region, instance, want string }{
		"no instance":               {"cn-hangzhou", "", `is not a provider ID`},
		"text that is no instance":  {"cn-hangzhou", "worker-a", `is not a provider ID`},
		"a region that is no word":  {"Hangzhou", "i-bp1abc", `"Hangzhou" is not a region`},
		"a whole ID as an instance": {"", "cn-hangzhou.", `is not a provider ID`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			imported, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: allocationType, Identity: p.identity(test.region, test.instance)})
			if err != nil {
				t.Fatal(err)
			}

			(&protocol{T: t}).expectError(imported.Diagnostics, "Malformed provider ID", test.want)
		})
	}
}

func TestAccTheIdentityIsInState(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})

	resource.UnitTest(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: acctest.Factories(),
		CheckDestroy:             cloud.CheckNothingLeft(1),
		Steps: []resource.TestStep{{
			Config: cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a"),
			ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectIdentity(machineA, map[string]knownvalue.Check{"region": knownvalue.StringExact("cn-hangzhou"), "instance_id": knownvalue.NotNull()}),
			},
		}},
	})
}

func TestAccImportByIdentityTakesAMachineOver(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine := cloud.Existing(t, foundMachine())
	block := fmt.Sprintf("import {\n  to = %s\n  identity = {\n    region = %q\n    instance_id = %q\n  }\n}\n", machineA, "cn-hangzhou", machine.ID)

	resource.UnitTest(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)},
		ProtoV6ProviderFactories: acctest.Factories(),
		CheckDestroy:             cloud.CheckNothingLeft(0),
		Steps: []resource.TestStep{{
			Config:            cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a") + block,
			ConfigPlanChecks:  planned(machineA, plancheck.ResourceActionUpdate),
			ConfigStateChecks: []statecheck.StateCheck{value("id", knownvalue.StringExact("cn-hangzhou."+machine.ID))},
			Check:             cloud.CheckMachines(0),
		}},
	})
}
