package provider

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/listvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The capacity types, as a class writes them.
const (
	alicloudOnDemand     = "on_demand"
	alicloudSpot         = "spot"
	alicloudSubscription = "subscription"
)

func alicloudCapacityAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"capacity_types": schema.ListAttribute{
			Optional: true, ElementType: types.StringType,
			MarkdownDescription: "Ways to pay, in the order in which they are tried for each instance type: `on_demand` (`PostPaid`), `spot` (`SpotStrategy`; ECS may take the machine back with " +
				"some five minutes' notice) and `subscription` (`PrePaid`; paid ahead, and not released before its period ends). Default: `[\"on_demand\"]`. " +
				"A machine is replaced only when its own is no longer among them.",
			Validators: []validator.List{
				listvalidator.SizeAtLeast(1),
				noNullElements(),
				uniqueElements(),
				listvalidator.ValueStringsAre(stringvalidator.OneOf(alicloudOnDemand, alicloudSpot, alicloudSubscription)),
			},
		},
		"spot":         alicloudSpotAttribute(),
		"subscription": alicloudSubscriptionAttribute(),
	}
}

func alicloudSpotAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional:            true,
		MarkdownDescription: "How spot machines are bid for. Used where `capacity_types` holds `spot`; a warning tells where it does not.",
		Attributes: map[string]schema.Attribute{
			"price_limit_per_hour": schema.Float64Attribute{
				Optional: true,
				MarkdownDescription: "The most to pay for a machine in an hour (`SpotPriceLimit`), in the currency of the account, with at most three decimals. Default: the market price, whatever it is " +
					"(never above the on-demand price). A bid below the market is refused, and the next offering is tried. A change replaces nothing.",
				Validators: []validator.Float64{hourlyPrice{}},
			},
			"protection_hours": schema.Int64Attribute{
				CustomType:          wholeNumberType{},
				Optional:            true,
				MarkdownDescription: "For how many hours ECS does not take the machine back (`SpotDuration`): 1 (ECS's default) or 0, which is cheaper. " + newMachinesOnly,
				Validators:          []validator.Int64{int64validator.OneOf(0, 1)},
			},
			"interruption": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "What becomes of a machine that ECS takes back (`SpotInterruptionBehavior`): `terminate` (default) releases it; `stop` stops it and keeps its disks, " +
					"which types with local disks cannot. " + newMachinesOnly,
				Validators: []validator.String{stringvalidator.OneOf("terminate", "stop")},
			},
		},
	}
}

func alicloudSubscriptionAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Optional: true,
		MarkdownDescription: "What is paid ahead. Required if and only if `capacity_types` holds `subscription`. ECS releases a subscription only after its end, so a destroy before that is refused. " +
			newMachinesOnly,
		Validators: []validator.Object{objectRule{
			description: "the periods are such as ECS sells",
			check:       subscriptionProblems,
		}},
		Attributes: map[string]schema.Attribute{
			"period": schema.Int64Attribute{
				CustomType:          wholeNumberType{},
				Required:            true,
				MarkdownDescription: "Number of units (`Period`): 1 to 4 weeks; 1 to 9, 12, 24, 36, 48 or 60 months; 1 to 5 years.",
			},
			"unit": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "Unit of the periods (`PeriodUnit`): `week`, `month` (default) or `year`, which is bought as twelve months.",
				Validators:          []validator.String{stringvalidator.OneOf("week", "month", "year")},
			},
			"auto_renew": schema.BoolAttribute{
				Optional:            true,
				MarkdownDescription: "Whether ECS renews the subscription by itself (`AutoRenew`). Default `false`.",
			},
			"auto_renew_period": schema.Int64Attribute{
				CustomType:          wholeNumberType{},
				Optional:            true,
				MarkdownDescription: "Number of units of a renewal (`AutoRenewPeriod`): 1 to 3 weeks; 1, 2, 3, 6, 12, 24, 36, 48 or 60 months; 1 to 5 years. With `auto_renew` only. Default: 1.",
			},
		},
	}
}

// subscriptionProblems finds periods that ECS does not sell (RunInstances, "Period"
// and "AutoRenewPeriod").
func subscriptionProblems(subscription part) []problem {
	if !subscription.known("unit") {
		return nil
	}

	unit := subscription.text("unit")
	periods := map[string][]float64{
		"week": {1, 2, 3, 4}, "month": {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 36, 48, 60}, "year": {1, 2, 3, 4, 5},
	}
	renewals := map[string][]float64{
		"week": {1, 2, 3}, "month": {1, 2, 3, 6, 12, 24, 36, 48, 60}, "year": {1, 2, 3, 4, 5},
	}

	if unit == "" {
		unit = "month"
	}

	if periods[unit] == nil {
		return nil // The attribute's own validator says so.
	}

	var problems []problem

	if period, known := subscription.number("period"); known && !slices.Contains(periods[unit], period) {
		problems = append(problems, problem{
			"period", "Period that is not sold",
			fmt.Sprintf("ECS sells no subscription of %g %ss; in %ss it sells %s.", period, unit, unit, alternatives(periods[unit])),
		})
	}

	if !subscription.has("auto_renew_period") {
		return problems
	}

	if subscription.known("auto_renew") && !subscription.flag("auto_renew") {
		problems = append(problems, problem{"auto_renew_period", "Renewal without a use", "auto_renew_period is set and auto_renew is not true. Set auto_renew = true, or remove auto_renew_period."})
	}

	if period, known := subscription.number("auto_renew_period"); known && !slices.Contains(renewals[unit], period) {
		problems = append(problems, problem{
			"auto_renew_period", "Period that is not sold",
			fmt.Sprintf("ECS renews no subscription by %g %ss; in %ss it renews by %s.", period, unit, unit, alternatives(renewals[unit])),
		})
	}

	return problems
}

// alternatives writes numbers as a choice.
func alternatives(numbers []float64) string {
	text := ""

	for i, number := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			text += " or "
		case i > 0:
			text += ", "
		}

		text += fmt.Sprintf("%g", number)
	}

	return text
}

// payment takes a class whose subscription is there exactly where it is used.
func payment() objectRule {
	return objectRule{
		description: "subscription is set if and only if capacity_types holds subscription",
		check: func(class part) []problem {
			if !class.known("capacity_types", "subscription") {
				return nil
			}

			paidAhead := slices.Contains(class.texts("capacity_types"), alicloudSubscription)

			switch {
			case paidAhead && !class.has("subscription"):
				return []problem{{"subscription", "No period", "capacity_types holds subscription, and nothing says for how long. Set subscription = { period = 1 } for a month."}}
			case !paidAhead && class.has("subscription") && (!class.has("capacity_types") || class.complete("capacity_types")):
				return []problem{{"subscription", "Subscription without a use", "subscription is set, and capacity_types does not hold it. Add \"subscription\" to capacity_types, or remove subscription."}}
			default:
				return nil
			}
		},
		doubt: spotWithoutUse,
	}
}

// spotWithoutUse warns of terms for spot machines that no machine is launched on. They
// may be left in place while spot is taken out for a time.
func spotWithoutUse(class part) []problem {
	if !class.has("spot") || !class.known("capacity_types") || slices.Contains(class.texts("capacity_types"), alicloudSpot) || (class.has("capacity_types") && !class.complete("capacity_types")) {
		return nil
	}

	return []problem{{"spot", "Spot terms without a use", "spot is set, and capacity_types does not hold it, so no spot machine is asked for. Add \"spot\" to capacity_types, or remove spot."}}
}

// thousandths reports whether a number has at most three decimals, as binary numbers
// come near to them.
func thousandths(number float64) bool {
	scaled := number * 1000

	return math.Abs(scaled-math.Round(scaled)) < 1e-6
}
