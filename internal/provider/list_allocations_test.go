package provider_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// query lists machines as `terraform query` does.
func (p *protocol) query(arguments map[string]tftypes.Value, include bool, limit int64) []tfprotov6.ListResourceResult {
	p.Helper()

	server, ok := p.server.(tfprotov6.ListResourceServer)
	if !ok {
		p.Fatal("the provider lists nothing")
	}

	kind := p.objectType(p.schemas.ListResourceSchemas[allocationType])
	config := p.encode(kind, objectOf(kind, arguments))

	validated, err := server.ValidateListResourceConfig(p.Context(), &tfprotov6.ValidateListResourceConfigRequest{TypeName: allocationType, Config: config})
	if err != nil {
		p.Fatal(err)
	}

	p.expectNone(validated.Diagnostics)

	stream, err := server.ListResource(p.Context(), &tfprotov6.ListResourceRequest{TypeName: allocationType, Config: config, IncludeResource: include, Limit: limit})
	if err != nil {
		p.Fatal(err)
	}

	return slices.Collect(stream.Results)
}

func text(value string) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }

func TestAQueryFindsWhatCanBeTakenOver(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	found := map[string]ecsemulator.Instance{}

	for i := range 120 {
		machine := foundMachine()
		machine.Name = fmt.Sprintf("pet-%d", i)

		added := cloud.Existing(t, machine)
		found[added.ID] = added
	}

	p := newProtocol(t, cloud)
	results := p.query(map[string]tftypes.Value{"owner": text("*")}, true, 0)

	// Every page, each machine once.
	seen := map[string]bool{}

	for _, result := range results {
		p.expectNone(result.Diagnostics)

		instance := p.text(p.attributes(identityType(), result.Identity.IdentityData), "instance_id")
		machine, there := found[instance]

		if !there || seen[instance] {
			t.Fatalf("%s was listed and is none of the machines, or twice", instance)
		}

		seen[instance] = true
		p.expectIdentity(result.Identity, machine)

		if want := machine.Name + " (cn-hangzhou." + instance + ")"; result.DisplayName != want {
			t.Errorf("it is shown as %q, want %q", result.DisplayName, want)
		}
	}

	if len(results) != len(found) {
		t.Errorf("%d machines were listed, want %d", len(results), len(found))
	}

	if calls := cloud.Counts(); !maps.Equal(calls, map[string]int{"DescribeInstances": 2}) {
		t.Errorf("120 machines took the calls %v", calls)
	}

	if few := p.query(map[string]tftypes.Value{"owner": text("*")}, false, 7); len(few) != 7 || few[0].Resource != nil {
		t.Errorf("a limit of 7 gave %d, the first with %v", len(few), few[0].Resource)
	}
}

// What a query shows of a machine is what importing it stores.
func TestAQueryShowsAMachineAsAnImportDoes(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	machine := cloud.Existing(t, foundMachine())
	p := newProtocol(t, cloud)

	results := p.query(map[string]tftypes.Value{"owner": text("*"), "name": text("pe*")}, true, 0)
	if len(results) != 1 {
		t.Fatalf("%d machines were listed", len(results))
	}

	imported, err := p.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: allocationType, Identity: results[0].Identity})
	if err != nil {
		t.Fatal(err)
	}

	object := imported.ImportedResources[0]

	read, err := p.server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: allocationType, CurrentState: object.State, Private: object.Private, CurrentIdentity: object.Identity})
	if err != nil {
		t.Fatal(err)
	}

	kind := p.objectType(p.schemas.ResourceSchemas[allocationType])
	shown, stored := p.attributes(kind, results[0].Resource), p.attributes(kind, read.NewState)

	for name, value := range stored {
		if !shown[name].Equal(value) {
			t.Errorf("a query shows %s as %s, and importing %s stores %s", name, shown[name], machine.ID, value)
		}
	}

	// And Terraform can make a configuration of it.
	generated, err := p.server.GenerateResourceConfig(t.Context(), &tfprotov6.GenerateResourceConfigRequest{TypeName: allocationType, State: results[0].Resource})
	if err != nil {
		t.Fatal(err)
	}

	p.expectNone(generated.Diagnostics)

	validated, err := p.server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: allocationType, Config: generated.Config})
	if err != nil {
		t.Fatal(err)
	}

	p.expectNone(validated.Diagnostics)
}

func TestAQueryIsNarrowedLikeADataSource(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	owned := foundMachine()
	owned.Tags = map[string]string{driver.ReservedTagPrefix + "owner": acctest.Owner, driver.ReservedTagPrefix + "name": "worker-a", "team": "a"}
	ours := cloud.Existing(t, owned)
	cloud.Existing(t, foundMachine())

	p := newProtocol(t, cloud)

	for name, arguments := range map[string]map[string]tftypes.Value{
		"by the provider's owner": nil,
		"by a tag":                {"owner": text("*"), "tags": tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"team": text("a")})},
		"by the name":             {"name": text("worker-*")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			p := &protocol{T: t, server: p.server, schemas: p.schemas}

			results := p.query(arguments, false, 0)
			if len(results) != 1 {
				t.Fatalf("%d machines were listed, want one", len(results))
			}

			p.expectIdentity(results[0].Identity, ours)
		})
	}
}

func TestAQueryThatMaySeeNothingIsAnError(t *testing.T) {
	t.Parallel()

	for _, denial := range []ecsemulator.Denial{ecsemulator.DenialEmpty, ecsemulator.DenialForbidden} {
		for _, owner := range []string{"*", acctest.Owner, "somebody/else"} {
			t.Run(string(denial)+" of "+owner, func(t *testing.T) {
				t.Parallel()

				cloud := acctest.Start(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{DeniedDescribe: denial}})
				cloud.Existing(t, foundMachine())
				cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"})

				p := newProtocol(t, cloud)

				results := p.query(map[string]tftypes.Value{"owner": text(owner)}, false, 0)
				if len(results) != 1 {
					t.Fatalf("the results are %v", results)
				}

				p.expectError(results[0].Diagnostics, "Cannot list machines", "Grant the RAM user or role the permission")
			})
		}
	}
}

func TestAQueryThatFindsNothingIsEmpty(t *testing.T) {
	t.Parallel()

	p := newProtocol(t, acctest.Start(t, ecsemulator.Options{}))

	if results := p.query(map[string]tftypes.Value{"owner": text("*")}, true, 0); len(results) != 0 {
		t.Errorf("the results are %v", results)
	}
}

func TestAQueryRefusesWhatIsNoFilter(t *testing.T) {
	t.Parallel()

	p := newProtocol(t, acctest.Start(t, ecsemulator.Options{}))

	server, ok := p.server.(tfprotov6.ListResourceServer)
	if !ok {
		t.Fatal("the provider lists nothing")
	}

	kind := p.objectType(p.schemas.ListResourceSchemas[allocationType])

	for name, arguments := range map[string]map[string]tftypes.Value{
		"a phase that is none":    {"phases": tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, []tftypes.Value{text("Asleep")})},
		"an age that is none":     {"older_than": text("long")},
		"a region that is none":   {"region": text("Hangzhou")},
		"an owner of no length":   {"owner": text("")},
		"an owner without an end": {"owner": text(strings.Repeat("o", 101))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			validated, err := server.ValidateListResourceConfig(t.Context(), &tfprotov6.ValidateListResourceConfigRequest{
				TypeName: allocationType, Config: p.encode(kind, objectOf(kind, arguments)),
			})
			if err != nil {
				t.Fatal(err)
			}

			if len(validated.Diagnostics) == 0 {
				t.Error("it was taken")
			}
		})
	}
}
