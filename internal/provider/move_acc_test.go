package provider_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	tfresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// vendorProvider stands in for the vendor's provider: it has the resource
// alicloud_instance, whose state is what its configuration says.
type vendorProvider struct{}

func (vendorProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "alicloud"
}

func (vendorProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (vendorProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (vendorProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (vendorProvider) Resources(context.Context) []func() tfresource.Resource {
	return []func() tfresource.Resource{func() tfresource.Resource { return vendorInstance{} }}
}

type vendorInstance struct{}

func (vendorInstance) Metadata(_ context.Context, _ tfresource.MetadataRequest, resp *tfresource.MetadataResponse) {
	resp.TypeName = "alicloud_instance"
}

func (vendorInstance) Schema(_ context.Context, _ tfresource.SchemaRequest, resp *tfresource.SchemaResponse) {
	attributes := map[string]schema.Attribute{"id": schema.StringAttribute{Computed: true}}
	for _, name := range []string{"existing_id", "instance_name", "availability_zone", "instance_type", "image_id", "user_data"} {
		attributes[name] = schema.StringAttribute{Optional: true}
	}

	resp.Schema = schema.Schema{Attributes: attributes}
}

func (vendorInstance) Create(ctx context.Context, req tfresource.CreateRequest, resp *tfresource.CreateResponse) {
	var id string

	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("existing_id"), &id)...)
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), id)...)
}

func (vendorInstance) Read(context.Context, tfresource.ReadRequest, *tfresource.ReadResponse) {}

func (vendorInstance) Update(context.Context, tfresource.UpdateRequest, *tfresource.UpdateResponse) {}

func (vendorInstance) Delete(context.Context, tfresource.DeleteRequest, *tfresource.DeleteResponse) {}

// bothProviders are the vendor's provider and this one.
func bothProviders() map[string]func() (tfprotov6.ProviderServer, error) {
	factories := acctest.Factories()
	factories["alicloud"] = providerserver.NewProtocol6WithError(vendorProvider{})

	return factories
}

// vendorFleet is how the vendor's provider has the machines.
func vendorFleet(machines []ecsemulator.Instance) string {
	var text strings.Builder

	for _, machine := range machines {
		fmt.Fprintf(&text, "    { id = %q, zone = %q },\n", machine.ID, machine.ZoneID)
	}

	return "locals {\n  fleet = [\n" + text.String() + "  ]\n}\n" +
		"resource \"alicloud_instance\" \"fleet\" {\n  count = length(local.fleet)\n  existing_id = local.fleet[count.index].id\n  availability_zone = local.fleet[count.index].zone\n" +
		"  instance_name = \"pet\"\n  instance_type = \"ecs.r6.large\"\n  image_id = \"m-acme1\"\n  user_data = \"secret-of-the-vendor\"\n}\n"
}

// movedFleet is how this provider has them.
func movedFleet(machines []ecsemulator.Instance) string {
	locals, _, _ := strings.Cut(vendorFleet(machines), "resource ")

	return locals + "moved {\n  from = alicloud_instance.fleet\n  to = machine_allocation.fleet\n}\n" + acctest.Class() +
		acctest.Allocation("fleet", acctest.Arguments{"count": "length(local.fleet)", "name": `"worker-${count.index}"`})
}

func TestAccAFleetMovesFromTheVendorsProvider(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	const machines = 50

	cloud := acctest.Start(t, ecsemulator.Options{})

	var fleet []ecsemulator.Instance
	for range machines {
		fleet = append(fleet, cloud.Existing(t, foundMachine()))
	}

	updates := make([]plancheck.PlanCheck, 0, machines)
	for i := range fleet {
		updates = append(updates, plancheck.ExpectResourceAction(fmt.Sprintf("machine_allocation.fleet[%d]", i), plancheck.ResourceActionUpdate))
	}

	resource.UnitTest(t, resource.TestCase{
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		ProtoV6ProviderFactories: bothProviders(),
		CheckDestroy:             cloud.CheckNothingLeft(0),
		Steps: []resource.TestStep{
			{Config: cloud.Provider() + vendorFleet(fleet)},
			{
				// Each is updated in place, once; the plan after that is empty.
				Config:           cloud.Provider() + movedFleet(fleet),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: updates},
				Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(0), cloud.CheckNothingLaunched("tagged"), func(state *terraform.State) error {
					if strings.Contains(state.String(), "secret-of-the-vendor") {
						return fmt.Errorf("the state holds what the vendor's provider knew of user data")
					}

					return nil
				}),
			},
			{
				// Who goes releases its own machine, and no other.
				Config: cloud.Provider() + movedFleet(fleet[:machines-1]),
				Check: resource.ComposeTestCheckFunc(cloud.CheckMachines(0), func(*terraform.State) error {
					for _, machine := range cloud.Alive() {
						if machine.ID == fleet[machines-1].ID {
							return fmt.Errorf("%s is alive", machine.ID)
						}
					}

					return nil
				}),
			},
		},
	})
}

func TestAccAMoveWithoutARefresh(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})
	fleet := []ecsemulator.Instance{cloud.Existing(t, foundMachine())}

	resource.UnitTest(t, resource.TestCase{
		TerraformVersionChecks:    []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
		ProtoV6ProviderFactories:  bothProviders(),
		CheckDestroy:              cloud.CheckNothingLeft(0),
		AdditionalCLIOptions:      &resource.AdditionalCLIOptions{Plan: resource.PlanOptions{NoRefresh: true}},
		PreventPostDestroyRefresh: true,
		Steps: []resource.TestStep{
			{Config: cloud.Provider() + vendorFleet(fleet)},
			{
				Config:           cloud.Provider() + movedFleet(fleet),
				ConfigPlanChecks: planned("machine_allocation.fleet[0]", plancheck.ResourceActionUpdate),
				Check:            resource.ComposeTestCheckFunc(cloud.CheckMachines(0), cloud.CheckNothingLaunched("tagged")),
			},
		},
	})
}

func TestAccAMoveThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		zone string
		want []string
	}{
		"of a machine without a zone":    {zone: "", want: []string{"Cannot move the machine", `availability zone ""`, "-refresh-only"}},
		"of a zone that is none":         {zone: "somewhere", want: []string{"Cannot move the machine", `availability zone "somewhere"`}},
		"of a zone of another region":    {zone: "cn-shanghai-b", want: []string{"There is no such machine", "does not exist in the region cn-shanghai"}},
		"of a zone with another pattern": {zone: "ap-southeast-1a", want: []string{"There is no such machine", "does not exist in the region ap-southeast-1,"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			acctest.RequireCLI(t)

			cloud := acctest.Start(t, ecsemulator.Options{})
			machine := cloud.Existing(t, foundMachine())
			machine.ZoneID = test.zone
			fleet := []ecsemulator.Instance{machine}

			resource.UnitTest(t, resource.TestCase{
				TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
				ProtoV6ProviderFactories: bothProviders(),
				CheckDestroy:             cloud.CheckNothingLaunched(),
				Steps: []resource.TestStep{
					{Config: cloud.Provider() + vendorFleet(fleet)},
					{Config: cloud.Provider() + movedFleet(fleet), ExpectError: acctest.Text(test.want...)},
					{Config: cloud.Provider() + vendorFleet(fleet)},
				},
			})
		})
	}
}
