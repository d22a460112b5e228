package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/datasourcevalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

var (
	_ datasource.DataSourceWithConfigure        = (*offeringsDataSource)(nil)
	_ datasource.DataSourceWithConfigValidators = (*offeringsDataSource)(nil)
)

// offeringsDataSource shows what a class can get.
type offeringsDataSource struct{ client *client }

type offeringsModel struct {
	Class           types.Object  `tfsdk:"class"`
	Alicloud        types.Object  `tfsdk:"alicloud"`
	AvailableOnly   types.Bool    `tfsdk:"available_only"`
	CapacityType    types.String  `tfsdk:"capacity_type"`
	MaxPricePerHour types.Float64 `tfsdk:"max_price_per_hour"`
	IncludePrices   types.Bool    `tfsdk:"include_prices"`
	Offerings       types.List    `tfsdk:"offerings"`
	Excluded        types.List    `tfsdk:"excluded"`
}

func newOfferingsDataSource() datasource.DataSource { return &offeringsDataSource{} }

// Metadata implements datasource.DataSource.
func (d *offeringsDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_class_offerings"
}

// Schema implements datasource.DataSource.
func (d *offeringsDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "What a class can get now: every combination of instance type, vSwitch and capacity type that ECS sells, in the order in which a launch tries them, but for what is known to be sold out, which it leaves for last " +
			"(with `zone_order = \"spread\"` each machine begins at a vSwitch of its own). It launches nothing. " +
			"Terraform reads a data source that refers to a class with pending changes only during the apply: where `count` or `for_each` depend on it, write the class into a local value " +
			"that feeds both this data source (`alicloud`) and the class.",
		Attributes: map[string]schema.Attribute{
			"class": schema.ObjectAttribute{
				Optional: true, AttributeTypes: classObjectTypes(),
				MarkdownDescription: "The class, whole: `class = machine_class.worker`. Exactly one of `class` and `alicloud` has to be set.",
			},
			alicloudClassKey: alicloudInlineClass(),
			"available_only": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Shows only offerings that are `Available` or `Low`. Default `false`.",
			},
			"capacity_type": alicloudCapacityTypeFilter(),
			"max_price_per_hour": schema.Float64Attribute{
				Optional:            true,
				MarkdownDescription: "Shows only offerings that are known to cost no more in an hour, in the currency of the account. It needs prices, whatever `include_prices` says.",
				Validators:          []validator.Float64{float64validator.AtLeast(0)},
			},
			"include_prices": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Whether prices are looked up, which takes calls that ECS limits: one for each instance type and way to pay, kept for the rest of the run. " +
					"Default `true`; set it to `false` where requirements find many types.",
			},
			"offerings": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "The offerings, first choice first.",
				NestedObject: schema.NestedAttributeObject{Attributes: alicloudOfferingAttributes()},
			},
			"excluded": schema.ListNestedAttribute{
				Computed: true, MarkdownDescription: "What the class asks for and cannot get, whatever the filters say.",
				NestedObject: schema.NestedAttributeObject{Attributes: excludedAttributes()},
			},
		},
	}
}

// Configure implements datasource.DataSourceWithConfigure.
func (d *offeringsDataSource) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	d.client = configured(req.ProviderData, &resp.Diagnostics)
}

// ConfigValidators implements datasource.DataSourceWithConfigValidators.
func (d *offeringsDataSource) ConfigValidators(context.Context) []datasource.ConfigValidator {
	return []datasource.ConfigValidator{datasourcevalidator.ExactlyOneOf(path.MatchRoot("class"), path.MatchRoot(alicloudClassKey))}
}

// Read implements datasource.DataSource.
func (d *offeringsDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model offeringsModel

	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)

	if resp.Diagnostics.HasError() {
		return
	}

	if d.client == nil {
		resp.Diagnostics.AddError(unconfigured())

		return
	}

	class := d.class(model)

	if region := class.region(); region.ValueString() == "" {
		resp.Diagnostics.AddAttributeError(path.Root(alicloudClassKey).AtName("region"), "No region",
			"The class names no region, and the provider has none. Set alicloud.region here or in the provider block, or the environment variable ALIBABA_CLOUD_REGION.")

		return
	}

	resolvable, err := class.class()
	if err != nil {
		resp.Diagnostics.AddError("Cannot read the class", ownFault(err, "Nothing was asked for."))

		return
	}

	ctx, cancel := context.WithTimeout(ctx, resolution)
	defer cancel()

	listed, err := d.client.offerings(ctx, resolvable, model.wantsPrices())
	if err != nil {
		resp.Diagnostics.Append(classDiagnostic(resolvable.Name, err, advice{again: runAgain}))

		return
	}

	if listed.PricesDenied != nil {
		resp.Diagnostics.Append(pricesDeniedDiagnostic(listed.PricesDenied))
	}

	model.Offerings = alicloudOfferings(model.filtered(listed.Offerings))
	model.Excluded = excludedList(listed.Excluded)
	resp.Diagnostics.Append(resp.State.Set(ctx, model)...)
}

func excludedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"reason": computedText("Why it is left out."),
		"names":  schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "What the reason holds for: instance types, or vSwitches."},
	}
}

func computedText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

func excludedList(excluded []driver.Exclusion) types.List {
	object, elements := objectOf(excludedAttributes()), make([]attr.Value, 0, len(excluded))

	for _, exclusion := range excluded {
		elements = append(elements, types.ObjectValueMust(object.AttrTypes, map[string]attr.Value{
			"reason": types.StringValue(exclusion.Reason), "names": stringList(exclusion.Names),
		}))
	}

	return types.ListValueMust(object, elements)
}

// objectOf is the type of an object with the attributes.
func objectOf(attributes map[string]schema.Attribute) types.ObjectType {
	attributeTypes := make(map[string]attr.Type, len(attributes))
	for name, attribute := range attributes {
		attributeTypes[name] = attribute.GetType()
	}

	return types.ObjectType{AttrTypes: attributeTypes}
}

// inlineClassName stands for the name of a class that has none.
const inlineClassName = "(inline)"

// class is the class that the data source asks about; one written into it is in the
// provider's region unless it says otherwise.
func (d *offeringsDataSource) class(model offeringsModel) classModel {
	if class, ok := (allocationModel{Class: model.Class}).classModel(); ok {
		return class
	}

	attributes := maps.Clone(model.Alicloud.Attributes())

	if region, ok := attributes["region"].(types.String); ok && region.IsNull() && d.client.region != "" {
		attributes["region"] = types.StringValue(d.client.region)
	}

	return classModel{Name: types.StringValue(inlineClassName), Alicloud: types.ObjectValueMust(classPartTypes(), attributes)}
}

func (m offeringsModel) wantsPrices() bool {
	return m.IncludePrices.IsNull() || m.IncludePrices.ValueBool() || !m.MaxPricePerHour.IsNull()
}

// filtered are the offerings that the filters let through, in their order.
func (m offeringsModel) filtered(offerings []driver.Offering) []driver.Offering {
	return slices.DeleteFunc(slices.Clone(offerings), func(offering driver.Offering) bool {
		price, priced := priceOf(offering)

		switch availability := v1alpha3.Availability(offering.Availability); {
		case m.AvailableOnly.ValueBool() && availability != v1alpha3.AvailabilityAvailable && availability != v1alpha3.AvailabilityLow:
			return true
		case !m.CapacityType.IsNull() && offering.CapacityType != m.CapacityType.ValueString():
			return true
		default:
			return !m.MaxPricePerHour.IsNull() && (!priced || price > m.MaxPricePerHour.ValueFloat64())
		}
	})
}
