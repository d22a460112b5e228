package alicloud_test

import (
	"context"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
)

// priced gives three types prices that contradict the order in which classes name
// them.
func priced(t *testing.T) ecsemulator.Options {
	t.Helper()

	options := settled()
	options.Catalogue = catalogue(t, func(c *ecsemulator.Catalogue) {
		prices := map[string][2]float64{"ecs.g7.large": {0.9, 0.1}, "ecs.g6.large": {0.5, 0.3}, "ecs.t6-c1m2.large": {0.7, 0}}

		for i := range c.InstanceTypes {
			if price, ok := prices[c.InstanceTypes[i].ID]; ok {
				c.InstanceTypes[i].HourlyPrice, c.InstanceTypes[i].SpotHourlyPrice = price[0], price[1]
			}
		}
	})

	return options
}

func cheapest(capacityTypes ...string) func(map[string]any) {
	return all(set("instance_types", []string{"ecs.g7.large", "ecs.t6-c1m2.large", "ecs.g6.large"}), set("capacity_types", capacityTypes), set("type_order", "cheapest"))
}

func TestTheCheapestTypeComesFirstWhereTheClassWantsThat(t *testing.T) {
	t.Parallel()

	b := newBench(t, priced(t))

	for name, test := range map[string]struct {
		capacityTypes []string
		want          []string
	}{
		"on demand":                  {[]string{"on_demand"}, []string{"ecs.g6.large", "ecs.t6-c1m2.large", "ecs.g7.large"}},
		"spot, by the market":        {[]string{"spot", "on_demand"}, []string{"ecs.g7.large", "ecs.g6.large", "ecs.t6-c1m2.large"}},
		"without a price comes last": {[]string{"spot"}, []string{"ecs.g7.large", "ecs.g6.large", "ecs.t6-c1m2.large"}},
	} {
		offerings, err := b.resolve(t, cheapest(test.capacityTypes...))
		if got := typesOf(offerings); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: the types are %q, %v, want %q", name, got, err, test.want)
		}
	}
}

func TestAPriceIsThatOfTheMachineAloneByTheHour(t *testing.T) {
	t.Parallel()

	b := newBench(t, priced(t))

	offerings, err := b.resolve(t, all(
		set("instance_types", []string{"ecs.g6.large"}), set("capacity_types", []string{"on_demand", "subscription", "spot"}), set("type_order", "cheapest"),
		set("subscription", object{"period": 1, "unit": "year"}), set("vswitch_ids", []string{"vsw-a", "vsw-b"})))
	if err != nil {
		t.Fatal(err)
	}

	got := map[string]string{}

	for _, offering := range offerings {
		if offering.Price != nil {
			got[offering.ID] = offering.Price.PerHour.String() + " " + offering.Price.Currency
		}
	}

	// A year is charged as 3,672 hours, and has 8,760. Spot prices differ by zone.
	for id, want := range map[string]string{
		"ecs.g6.large/vsw-a/on_demand": "500m CNY", "ecs.g6.large/vsw-b/on_demand": "500m CNY", "ecs.g6.large/vsw-a/subscription": "209589u CNY",
	} {
		if got[id] != want {
			t.Errorf("the price of %s is %q, want %q", id, got[id], want)
		}
	}

	if a, b := got["ecs.g6.large/vsw-a/spot"], got["ecs.g6.large/vsw-b/spot"]; a == "" || b == "" || a == b {
		t.Errorf("spot prices are %q and %q, want one for each zone", a, b)
	}
}

func TestPricesAreAskedForOnceAndOnlyWhereTheyAreNeeded(t *testing.T) {
	t.Parallel()

	b := newBench(t, priced(t))

	counts := b.counted(func() {
		if _, err := b.resolve(t, all(cheapest("spot", "on_demand"), set("type_order", "listed"))); err != nil {
			t.Fatal(err)
		}
	})
	if counts["DescribePrice"]+counts["DescribeSpotPriceHistory"] != 0 {
		t.Errorf("prices were asked for where nobody looks at them: %v", counts)
	}

	counts = b.counted(func() {
		for range 3 {
			if _, err := b.resolve(t, cheapest("spot", "on_demand")); err != nil {
				t.Fatal(err)
			}
		}
	})

	if counts["DescribePrice"] != 3 || counts["DescribeSpotPriceHistory"] != 3 {
		t.Errorf("%v, want one call for each type and way to pay", counts)
	}
}

func TestAnAbsentPriceIsNoError(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		rule ecsemulator.Rule
		// most is how often prices are asked for at most, in two resolutions.
		most int
	}{
		"without the permission": {ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribePrice"}, 3},
		"not found":              {ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DescribePrice", Code: "PriceNotFound", HTTPStatus: 400}, 3},
		"not for the account":    {ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DescribePrice", Code: "RegionUnauthorized", HTTPStatus: 403}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, priced(t))
			b.rule(t, test.rule)

			counts := b.counted(func() {
				for range 2 {
					offerings, err := b.resolve(t, cheapest("on_demand"))
					if err != nil {
						t.Fatal(err)
					}

					// Without prices the order is the class's.
					if got := typesOf(offerings); !slices.Equal(got, []string{"ecs.g7.large", "ecs.t6-c1m2.large", "ecs.g6.large"}) || offerings[0].Price != nil {
						t.Errorf("the offerings are %+v", offerings)
					}
				}
			})

			if counts["DescribePrice"] > test.most {
				t.Errorf("prices that are not to be had were asked for %d times", counts["DescribePrice"])
			}
		})
	}
}

func TestACancelledWaitForPricesEnds(t *testing.T) {
	t.Parallel()

	b := newBench(t, priced(t))
	held := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "DescribePrice"})

	capacity, ok := b.cloud.Registration().Capacity()
	if !ok {
		t.Fatal("no capacity is registered")
	}

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)

	go func() {
		_, err := capacity.ResolveClass(ctx, machineops.ClassRequest{ClassName: "worker", ProviderConfig: class(t, cheapest("on_demand")), Auth: b.auth()})
		done <- err
	}()

	if _, err := b.WaitHold(t.Context(), held); err != nil {
		t.Fatal(err)
	}

	cancel()
	wantRetried(t, <-done, "interrupted")
}

func TestAnOlderTypeIsPricedWithADiskThatItTakes(t *testing.T) {
	t.Parallel()

	options := priced(t)
	for i := range options.Catalogue.InstanceTypes {
		if instanceType := &options.Catalogue.InstanceTypes[i]; instanceType.ID == "ecs.g6.large" {
			instanceType.DiskCategories = []string{"cloud_efficiency"}
		}
	}

	b := newBench(t, options)

	offerings, err := b.resolve(t, all(set("instance_types", []string{"ecs.g6.large"}), set("type_order", "cheapest")))
	if err != nil || len(offerings) != 1 || offerings[0].Price == nil || offerings[0].Price.PerHour.String() != "500m" {
		t.Errorf("the offerings are %+v, %v", offerings, err)
	}
}

func TestPartialPriceAnswers(t *testing.T) {
	t.Parallel()

	point := func(fields string) string { return `{"ZoneId":"cn-hangzhou-h"` + fields + `}` }

	for name, test := range map[string]struct {
		price, history string
		// onDemand and spot are the prices by the hour; empty where there is none.
		onDemand, spot string
	}{
		"nothing at all":                 {`"Unknown":1`, `"Unknown":1`, "", ""},
		"no details and no currency":     {`"PriceInfo":{"Price":{"TradePrice":0.4}}`, `"SpotPrices":{"SpotPriceType":[]}`, "400m ", ""},
		"the machine among other things": {`"PriceInfo":{"Price":{"TradePrice":9,"Currency":"CNY","DetailInfos":{"DetailInfo":[{"Resource":"systemDisk","TradePrice":8},{"Resource":"instanceType","TradePrice":1}]}}}`, `"SpotPrices":{}`, "1 CNY", ""},
		"a price of zero":                {`"PriceInfo":{"Price":{"TradePrice":0,"Currency":"CNY"}}`, `"SpotPrices":{"SpotPriceType":[` + point(`,"SpotPrice":0,"Timestamp":"2026-01-01T00:00:00Z"`) + `]}`, "", ""},
		"the latest of several, in no order": {
			`"Unknown":1`, `"Currency":"USD","NextOffset":3,"SpotPrices":{"SpotPriceType":[` + point(`,"SpotPrice":2,"Timestamp":"2026-01-01T02:00:00Z"`) + `,` +
				point(`,"SpotPrice":1,"Timestamp":"2026-01-01T01:00:00Z"`) + `,` + point(`,"SpotPrice":7`) + `,` + point(`,"SpotPrice":8,"Timestamp":"yesterday"`) + `]}`, "", "2 USD",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			answers := catalogueAnswers()
			answers["DescribePrice"], answers["DescribeSpotPriceHistory"] = test.price, test.history
			b, api := newScripted(t, answers)

			offerings, err := b.resolve(t, all(set("capacity_types", []string{"on_demand", "spot"}), set("type_order", "cheapest")))
			if err != nil || len(offerings) != 2 {
				t.Fatalf("the offerings are %+v, %v", offerings, err)
			}

			for i, want := range []string{test.onDemand, test.spot} {
				got := ""
				if price := offerings[i].Price; price != nil {
					got = price.PerHour.String() + " " + price.Currency
				}

				if got != want {
					t.Errorf("the price %s is %q, want %q", offerings[i].CapacityType, got, want)
				}
			}

			if pages := api.counts()["DescribeSpotPriceHistory"]; pages > 2 {
				t.Errorf("a page that names itself as the next one was asked for %d times", pages)
			}
		})
	}
}
