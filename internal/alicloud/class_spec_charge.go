package alicloud

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// The units of a subscription. ECS knows weeks and months (RunInstances,
// "PeriodUnit"); a year travels as twelve months.
const (
	unitWeek  = "week"
	unitMonth = "month"
	unitYear  = "year"
)

const monthsOfYear = 12

// The bounds of a price that is taken for one. ECS knows three decimals
// (RunInstances, "SpotPriceLimit").
const (
	smallestPrice = 0.001
	largestPrice  = 1e6
)

func capacityTypeNames() []string {
	return []string{string(v1alpha3.CapacityTypeOnDemand), string(v1alpha3.CapacityTypeSpot), string(v1alpha3.CapacityTypeSubscription)}
}

func (s *ClassSpec) validateSpot() error {
	if s.Spot == nil {
		return nil
	}

	problems := []error{checkWord("spot.interruption", s.Spot.Interruption, []string{"terminate", "stop"})}

	if hours := s.Spot.ProtectionHours; hours != nil && *hours != 0 && *hours != 1 {
		problems = append(problems, fmt.Errorf("spot.protection_hours: %d is neither 0 nor 1", *hours))
	}

	return errors.Join(append(problems, s.Spot.validatePriceLimit())...)
}

func (s *SpotSpec) validatePriceLimit() error {
	text := s.PriceLimitPerHour.String()
	if text == "" {
		return nil
	}

	// What is no price is told by the number first: as a fraction it may be immense.
	amount, err := s.PriceLimitPerHour.Float64()
	if err != nil || amount < smallestPrice || amount > largestPrice {
		return fmt.Errorf("spot.price_limit_per_hour: it is %.20s, and not a price from %g to %g", text, smallestPrice, largestPrice)
	}

	limit, ok := new(big.Rat).SetString(text)
	if !ok || !new(big.Rat).Mul(limit, big.NewRat(1000, 1)).IsInt() {
		return fmt.Errorf("spot.price_limit_per_hour: %.20s has more than 3 decimals, which ECS refuses", text)
	}

	return nil
}

// priceLimit returns the limit as ECS reads it; empty where there is none.
func (s *SpotSpec) priceLimit() string {
	limit, ok := new(big.Rat).SetString(s.PriceLimitPerHour.String())
	if !ok {
		return ""
	}

	return limit.FloatString(3)
}

func (s *ClassSpec) validateSubscription() error {
	wanted := slices.Contains(s.CapacityTypes, string(v1alpha3.CapacityTypeSubscription))

	switch {
	case wanted && s.Subscription == nil:
		return errors.New("subscription: it is not set, and capacity_types names subscription, which needs its period")
	case !wanted && s.Subscription != nil:
		return errors.New("subscription: it is set, and capacity_types does not name subscription")
	case !wanted:
		return nil
	}

	return s.Subscription.validate()
}

func (s *SubscriptionSpec) validate() error {
	problems := []error{checkWord("subscription.unit", s.Unit, []string{unitWeek, unitMonth, unitYear})}
	if problems[0] != nil {
		return problems[0]
	}

	periods, renewals := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 36, 48, 60}, []int{1, 2, 3, 6, 12, 24, 36, 48, 60}

	switch s.Unit {
	case unitWeek:
		periods, renewals = []int{1, 2, 3, 4}, []int{1, 2, 3}
	case unitYear:
		periods, renewals = []int{1, 2, 3, 4, 5}, []int{1, 2, 3, 4, 5}
	}

	unit := s.Unit
	if unit == "" {
		unit = unitMonth
	}

	if !slices.Contains(periods, s.Period) {
		problems = append(problems, fmt.Errorf("subscription.period: %d is not one of %v, which ECS sells by the %s", s.Period, periods, unit))
	}

	switch {
	case s.AutoRenewPeriod == 0:
	case !s.AutoRenew:
		problems = append(problems, errors.New("subscription.auto_renew_period: it is set, and auto_renew is not"))
	case !slices.Contains(renewals, s.AutoRenewPeriod):
		problems = append(problems, fmt.Errorf("subscription.auto_renew_period: %d is not one of %v, by which ECS renews what is sold by the %s", s.AutoRenewPeriod, renewals, unit))
	}

	return errors.Join(problems...)
}

// asSold returns period, unit and renewal as ECS sells them.
func (s *SubscriptionSpec) asSold() (period int, unit string, renewal int) {
	renewal = s.AutoRenewPeriod
	if renewal == 0 && s.AutoRenew {
		renewal = 1
	}

	switch s.Unit {
	case unitWeek:
		return s.Period, "Week", renewal
	case unitYear:
		return s.Period * monthsOfYear, "Month", renewal * monthsOfYear
	default:
		return s.Period, "Month", renewal
	}
}
