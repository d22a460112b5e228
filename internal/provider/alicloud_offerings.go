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
		"vcpus":          schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of vCPUs."},
		"memory_gib":     schema.Float64Attribute{Computed: true, MarkdownDescription: "Memory in GiB."},
		"gpus":           schema.Int64Attribute{Computed: true, MarkdownDescription: "Number of GPUs."},
		"gpu_memory_gib": schema.Float64Attribute{Computed: true, MarkdownDescription: "Memory of one GPU in GiB; null where there is no GPU."},
		"gpu_model":      computedText("GPU model; null where there is no GPU."),
		"architecture":   computedText("Processor architecture: `amd64` or `arm64`."),
		"price_per_hour": schema.Float64Attribute{
			Computed: true,
			MarkdownDescription: "Price per hour of the machine, its disks not included, or market price of a spot machine; of a subscription, its price over the hours of its period. " +
				"Null where ECS does not tell it to these credentials, or where `include_prices` is `false`.",
		},
		"currency":    computedText("Currency of the price, such as `CNY` or `USD`; null without a price."),
		"valid_until": computedText("Until when the offering is believed, RFC 3339. Launches resolve the class anew after it."),
	}
}

// alicloudOfferings are offerings as the data source shows them.
func alicloudOfferings(offerings []driver.Offering) types.List {
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
			"gpus": types.Int64Value(offering.GPUs), "gpu_model": stringOrNull(offering.GPUModel), "architecture": stringOrNull(offering.Architecture), "gpu_memory_gib": types.Float64PointerValue(positive(offering.GPUMemoryGiB)),
			"price_per_hour": price, "currency": stringOrNull(offering.Currency),
			"valid_until": types.StringValue(offering.ValidUntil.UTC().Format(time.RFC3339)),
		}))
	}

	return types.ListValueMust(object, elements)
}

// positive returns nil for what is not told.
func positive(number float64) *float64 {
	if number <= 0 {
		return nil
	}

	return &number
}

// priceOf returns what the offering costs in an hour, and whether that is known.
func priceOf(offering driver.Offering) (float64, bool) {
	price, err := strconv.ParseFloat(offering.PricePerHour, 64)

	return price, err == nil
}
