package provider

import (
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// alicloudInlineClass is a class written into a data source.
func alicloudInlineClass() schema.SingleNestedAttribute {
	class := alicloudClassAttribute()

	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "The `alicloud` argument of a class, for what is not (or not yet) a class of its own. What a change does to machines is of no concern here.",
		Validators:          class.Validators,
		Attributes:          dataSourceAttributes(class.Attributes),
	}
}

func alicloudCapacityTypeFilter() schema.StringAttribute {
	return schema.StringAttribute{
		Optional:            true,
		MarkdownDescription: "Shows only offerings that are paid so: `on_demand`, `spot` or `subscription`.",
		Validators:          []validator.String{stringvalidator.OneOf(alicloudOnDemand, alicloudSpot, alicloudSubscription)},
	}
}

func alicloudOfferingAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":            computedText("The offering's ID: `<instance type>/<vswitch>/<capacity type>`, as in an allocation's `offering`."),
		"instance_type": computedText("Instance type, such as `ecs.g7.xlarge`."),
		"zone":          computedText("Zone of the vSwitch."),
		"vswitch_id":    computedText("vSwitch that the machine is put in."),
		"capacity_type": computedText("How it is paid for: `on_demand`, `spot` or `subscription`."),
		"availability": computedText("What ECS says of the stock: `Available`, `Low` (available, and running low), `SoldOut` (to be replenished), `Discontinued` (not to be replenished) or `Unknown`. " +
			"It is a hint: ECS can refuse a launch all the same."),
		"vcpus":        schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of vCPUs."},
		"memory_gib":   schema.Float64Attribute{Computed: true, MarkdownDescription: "Memory in GiB."},
		"gpus":         schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of GPUs."},
		"gpu_model":    computedText("GPU model; null where there is no GPU."),
		"architecture": computedText("Processor architecture: `amd64` or `arm64`."),
		"price_per_hour": schema.Float64Attribute{
			Computed: true,
			MarkdownDescription: "Price per hour of the machine, its disks not included, or market price of a spot machine; of a subscription, its price over the hours of its period. " +
				"Null where ECS does not tell it to these credentials, or where `include_prices` is `false`.",
		},
		"currency":    computedText("Currency of the price, such as `CNY` or `USD`; null without a price."),
		"valid_until": computedText("Until when the offering is believed, RFC 3339. Launches resolve the class anew after it."),
	}
}

func alicloudExcludedAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"instance_type": computedText("Instance type, such as `ecs.g7.xlarge`."),
		"zone":          computedText("Zone; null where the reason holds for all."),
		"vswitch_id":    computedText("vSwitch; null where the reason holds for all."),
		"capacity_type": computedText("Capacity type; null where the reason holds for all."),
		"reason":        computedText("Why it is left out."),
	}
}

func computedText(description string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: description}
}

// alicloudOfferings are offerings as the data source shows them.
func alicloudOfferings(offerings []driver.DescribedOffering) types.List {
	object, elements := objectOf(alicloudOfferingAttributes()), make([]attr.Value, 0, len(offerings))

	for _, offering := range offerings {
		price := types.Float64Null()
		if amount, priced := priceOf(offering); priced {
			price = types.Float64Value(amount)
		}

		elements = append(elements, types.ObjectValueMust(object.AttrTypes, map[string]attr.Value{
			"id": types.StringValue(offering.ID), "instance_type": types.StringValue(offering.InstanceType),
			"zone": types.StringValue(offering.Zone), "vswitch_id": types.StringValue(offering.Network),
			"capacity_type": types.StringValue(offering.CapacityType), "availability": types.StringValue(offering.Availability),
			"vcpus": types.Int64Value(offering.VCPUs), "memory_gib": types.Float64Value(offering.MemoryGiB),
			"gpus": types.Int64Value(offering.GPUs), "gpu_model": stringOrNull(offering.GPUModel), "architecture": stringOrNull(offering.Architecture),
			"price_per_hour": price, "currency": stringOrNull(offering.Currency),
			"valid_until": types.StringValue(offering.ValidUntil.UTC().Format(time.RFC3339)),
		}))
	}

	return types.ListValueMust(object, elements)
}

func alicloudExcluded(excluded []driver.ExcludedOffering) types.List {
	object, elements := objectOf(alicloudExcludedAttributes()), make([]attr.Value, 0, len(excluded))

	for _, left := range excluded {
		elements = append(elements, types.ObjectValueMust(object.AttrTypes, map[string]attr.Value{
			"instance_type": stringOrNull(left.InstanceType), "zone": stringOrNull(left.Zone), "vswitch_id": stringOrNull(left.Network),
			"capacity_type": stringOrNull(left.CapacityType), "reason": types.StringValue(left.Reason),
		}))
	}

	return types.ListValueMust(object, elements)
}

// priceOf returns what the offering costs in an hour, and whether that is known.
func priceOf(offering driver.DescribedOffering) (float64, bool) {
	price, err := strconv.ParseFloat(offering.PricePerHour, 64)

	return price, err == nil
}

// objectOf is the type of an object with the attributes.
func objectOf(attributes map[string]schema.Attribute) types.ObjectType {
	attributeTypes := make(map[string]attr.Type, len(attributes))
	for name, attribute := range attributes {
		attributeTypes[name] = attribute.GetType()
	}

	return types.ObjectType{AttrTypes: attributeTypes}
}
