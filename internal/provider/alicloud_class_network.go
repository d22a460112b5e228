package provider

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func alicloudNetworkAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"security_group_ids": schema.ListAttribute{
			Required: true, ElementType: types.StringType,
			MarkdownDescription: "Security groups of the vSwitches' VPC (`SecurityGroupIds`), all basic or all advanced. ECS lets a machine have 5 unless the account's quota is higher. " + followedInPlace,
			Validators:          append(idList("sg-bp1abc"), listvalidator.SizeAtMost(mostSecurityGroups)),
		},
		"internet": alicloudInternetAttribute(),
		"ipv6": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "IPv6 addresses of the machine, from its vSwitch, which has to have an IPv6 range. Default: none. " + replacesMachines,
			Attributes: map[string]schema.Attribute{
				"address_count": schema.Int64Attribute{
					CustomType:          wholeNumberType{},
					Required:            true,
					MarkdownDescription: "Number of addresses (`Ipv6AddressCount`), 1 to 10; instance types allow fewer or none.",
					Validators:          []validator.Int64{int64validator.Between(1, 10)},
				},
			},
		},
		"metadata_options": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "The metadata service that the machine sees at 100.100.100.200. " + replacesMachines,
			Attributes: map[string]schema.Attribute{
				"http_endpoint": schema.StringAttribute{
					Optional:            true,
					MarkdownDescription: "Whether it answers (`HttpEndpoint`): `enabled` (default) or `disabled`.",
					Validators:          []validator.String{stringvalidator.OneOf("enabled", "disabled")},
				},
				"http_tokens": schema.StringAttribute{
					Optional:            true,
					MarkdownDescription: "Whether it answers only who brings a session token (`HttpTokens`, IMDSv2): `optional` (default) or `required`.",
					Validators:          []validator.String{stringvalidator.OneOf("optional", "required")},
				},
			},
		},
	}
}

func alicloudInternetAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "A public IPv4 address of the machine's own. Default: none. " + replacesMachines,
		Validators: []validator.Object{objectRule{
			description: "the bandwidth into the machine is such as ECS gives",
			check: func(internet part) []problem {
				// RunInstances, "InternetMaxBandwidthIn": up to 10, or up to the bandwidth out of
				// the machine where that is more.
				in, hasIn := internet.number("bandwidth_in_mbps")
				out, hasOut := internet.number("bandwidth_out_mbps")

				if !hasIn || !hasOut || in <= max(10, out) {
					return nil
				}

				return []problem{{
					"bandwidth_in_mbps", "Too much bandwidth",
					fmt.Sprintf("ECS gives at most 10 Mbit/s into a machine, or as much as out of it where that is more: with bandwidth_out_mbps = %g it gives %g, not %g.", out, max(10, out), in),
				}}
			},
		}},
		Attributes: map[string]schema.Attribute{
			"bandwidth_out_mbps": schema.Int64Attribute{
				CustomType:          wholeNumberType{},
				Required:            true,
				MarkdownDescription: "Bandwidth out of the machine in Mbit/s (`InternetMaxBandwidthOut`), 1 to 100.",
				Validators:          []validator.Int64{int64validator.Between(1, 100)},
			},
			"charge_type": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "What is paid for (`InternetChargeType`): `traffic` (default) or `bandwidth`.",
				Validators:          []validator.String{stringvalidator.OneOf("traffic", "bandwidth")},
			},
			"bandwidth_in_mbps": schema.Int64Attribute{
				CustomType:          wholeNumberType{},
				Optional:            true,
				MarkdownDescription: "Bandwidth into the machine in Mbit/s (`InternetMaxBandwidthIn`), 1 to 10, or to `bandwidth_out_mbps` where that is more, which is the default.",
				Validators:          []validator.Int64{int64validator.Between(1, 100)},
			},
		},
	}
}
