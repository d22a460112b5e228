package provider

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// leastAdoptWithin leaves an interrupted apply the time to be applied again.
const leastAdoptWithin = 10 * time.Minute

// TypeName is the provider's type name, which begins the names of its resources.
const TypeName = "machine"

// ownerPattern is what an owner may look like: it is a tag value on every machine.
var ownerPattern = regexp.MustCompile(`^[A-Za-z0-9._/-]{1,100}$`)

// New returns the provider's constructor. Version is what was built; connector is
// how Alibaba Cloud is reached.
func New(version string, connector AlicloudConnector, options ...Option) func() provider.Provider {
	return func() provider.Provider {
		p := &machineProvider{version: version, connector: connector, lookupEnv: os.LookupEnv}
		for _, option := range options {
			option(p)
		}

		return p
	}
}

// Option is an option of New.
type Option func(*machineProvider)

// WithBackground lets the caller end work that outlives the RPC that caused it.
func WithBackground(background *Background) Option {
	return func(p *machineProvider) { p.background = background }
}

type machineProvider struct {
	version   string
	connector AlicloudConnector
	lookupEnv func(string) (string, bool)

	background *Background
}

var _ provider.Provider = (*machineProvider)(nil)

type providerModel struct {
	Owner    types.String           `tfsdk:"owner"`
	Alicloud *alicloudProviderModel `tfsdk:"alicloud"`

	DefaultTags types.Map    `tfsdk:"default_tags"`
	AdoptWithin types.String `tfsdk:"adopt_within"`
	MarkSettled types.Bool   `tfsdk:"mark_settled"`
}

// Metadata implements provider.Provider.
func (p *machineProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = TypeName
	resp.Version = p.version
}

// Schema implements provider.Provider.
func (p *machineProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Declares machines on Alibaba Cloud: what kind of machine is wanted, where it may run, and how many of them.",
		Attributes: map[string]schema.Attribute{
			"owner": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "Whose machines these are, such as `platform/prod`. It is written as a tag on every machine, and together with a machine class's `uid` and " +
					"an allocation's `name` it is how a machine is found again after an interrupted apply. Letters, digits and `. _ - /`, at most 100 characters. " +
					"Configurations that share an owner have to give their allocations different names.",
				Validators: []validator.String{
					stringvalidator.RegexMatches(ownerPattern, "must be 1 to 100 letters, digits, dots, underscores, hyphens or slashes, such as platform/prod"),
				},
			},
			"alicloud": alicloudProviderAttribute(),
			"default_tags": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: fmt.Sprintf("Tags of every machine; those of its class and its allocation are over them. A change is made in place, by one update of each machine. "+
					"At most %d with the others; keys must not begin with `aliyun`, `acs:` or `%s`.", maximumUserTags, driver.ReservedTagPrefix),
				Validators: tagsValidators(),
			},
			"adopt_within": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "For how long a machine that no state is known to hold is taken for what an interrupted apply left, as a duration such as `72h` (the default). " +
					"Within it the next apply takes such a machine over, and destroying its class releases it; an older one is left alone. At least `10m`.",
				Validators: []validator.String{durationValidator{least: leastAdoptWithin}},
			},
			"mark_settled": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether a machine that is found in a stored state gets the tag `terraform-machine/settled`. Default `true`. The tag keeps machines that belong to a state " +
					"apart from what an interrupted apply left; it is written in the background, by plans too. Without it, and without the permission to write tags, see the guide on interrupted applies.",
			},
		},
	}
}

// Configure implements provider.Provider. It makes no call.
func (p *machineProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel

	// A value that is not known yet (a plan before the thing exists that it comes
	// from) leaves the provider unconfigured; apply configures it again.
	if !req.Config.Raw.IsFullyKnown() {
		return
	}

	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)

	if resp.Diagnostics.HasError() {
		return
	}

	settings, auth := p.alicloudSettings(ctx, model, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}

	cloud, err := p.connector.Connect(settings)
	if err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("alicloud"), "Cannot connect to Alibaba Cloud",
			"The provider's alicloud argument cannot be used: "+err.Error())

		return
	}

	configured := newClient(clientOptions{
		owner:       model.Owner.ValueString(),
		defaultTags: stringMap(model.DefaultTags),
		adoptWithin: durationOf(model.AdoptWithin),
		markSettled: model.MarkSettled.IsNull() || model.MarkSettled.ValueBool(),
	}, settings, cloud, auth)
	p.background.add(configured)
	resp.ResourceData = configured
	resp.DataSourceData = resp.ResourceData
	resp.ListResourceData = resp.ResourceData
}

// Resources implements provider.Provider.
func (p *machineProvider) Resources(context.Context) []func() resource.Resource {
	operation := func() resource.Resource { return &operationResource{unconfigured: p.unconfigured} }

	return []func() resource.Resource{newClassResource, newAllocationResource, operation, newReadinessResource}
}

// DataSources implements provider.Provider.
func (p *machineProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{newOfferingsDataSource, newInstancesDataSource, newInstanceDataSource}
}

// userAgentVariable is what users append to the user agent of every call, to find the
// calls of a pipeline in ActionTrail; other providers read it, too.
const userAgentVariable = "TF_APPEND_USER_AGENT"

func (p *machineProvider) userAgent() string {
	agent := driver.UserAgentName + "/" + p.version

	if appended, _ := p.lookupEnv(userAgentVariable); strings.TrimSpace(appended) != "" {
		agent += " " + strings.TrimSpace(appended)
	}

	return agent
}
