package ecsemulator_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func TestBuiltInCatalogueIsRich(t *testing.T) {
	t.Parallel()
	catalogue, err := ecsemulator.DefaultCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(catalogue.InstanceTypes); n < 150 {
		t.Errorf("%d instance types, want 150 at least", n)
	}
	families, arm, gpu, local := map[string]bool{}, 0, 0, 0
	for _, each := range catalogue.InstanceTypes {
		families[each.Family] = true
		if each.Architecture == "ARM" {
			arm++
		}
		if each.GPUs > 0 {
			gpu++
		}
		if each.LocalDisks > 0 {
			local++
		}
		if each.HourlyPrice <= 0 || each.SpotHourlyPrice <= 0 || each.SpotHourlyPrice >= each.HourlyPrice {
			t.Errorf("%s costs %v on demand and %v as spot", each.ID, each.HourlyPrice, each.SpotHourlyPrice)
		}
		if !strings.HasPrefix(each.ID, each.Family+".") && !strings.HasPrefix(each.ID, each.Family+"-") || each.NetworkInterfaces < 1 || each.PrivateAddressesPerInterface < 1 || each.Disks < 2 ||
			each.BandwidthKbps <= 0 || each.PacketsPerSecond <= 0 {
			t.Errorf("%s is not complete: %+v", each.ID, each)
		}
	}
	if len(families) < 20 || arm < 10 || gpu < 10 || local < 2 {
		t.Errorf("%d families, %d ARM, %d GPU, %d with local disks", len(families), arm, gpu, local)
	}
}

// A user's catalogue is refused with the name of what is wrong in it, all at once.
func TestCatalogueSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		change func(c *ecsemulator.Catalogue)
		want   string
	}{
		"no region":             {func(c *ecsemulator.Catalogue) { c.Regions, c.InstanceTypes, c.Images = nil, nil, nil }, "catalogue has no region"},
		"region twice":          {func(c *ecsemulator.Catalogue) { c.Regions[1].ID = "cn-hangzhou" }, "region cn-hangzhou is there twice"},
		"region without a zone": {func(c *ecsemulator.Catalogue) { c.Regions = append(c.Regions, ecsemulator.Region{ID: "moon"}) }, "region moon has no zone"},
		"zone of a vSwitch":     {func(c *ecsemulator.Catalogue) { c.Regions[0].VPCs[0].VSwitches[0].Zone = "moon-a" }, `vswitch vsw-a: zone "moon-a" is not in region cn-hangzhou`},
		"block of a vSwitch":    {func(c *ecsemulator.Catalogue) { c.Regions[0].VPCs[0].VSwitches[0].CIDR = "10.0.0.0/30" }, `vswitch vsw-a: "10.0.0.0/30" is not an IPv4 block of at least /29`},
		"IPv6 block":            {func(c *ecsemulator.Catalogue) { c.Regions[0].VPCs[0].VSwitches[0].IPv6CIDR = "10.0.0.0/8" }, `vswitch vsw-a: "10.0.0.0/8" is not an IPv6 block of at least /64`},
		"status of a vSwitch":   {func(c *ecsemulator.Catalogue) { c.Regions[0].VPCs[0].VSwitches[0].Status = "Gone" }, `vswitch vsw-a: status "Gone" is neither Available nor Pending`},
		"kind of a group":       {func(c *ecsemulator.Catalogue) { c.Regions[0].VPCs[0].SecurityGroups[0].Type = "club" }, `security group sg-1: type "club" is neither normal nor enterprise`},
		"type twice":            {func(c *ecsemulator.Catalogue) { c.InstanceTypes = append(c.InstanceTypes, c.InstanceTypes[0]) }, "instance type ecs.g7.large is there twice"},
		"type without a size":   {func(c *ecsemulator.Catalogue) { c.InstanceTypes[0].VCPUs = 0 }, `instance type "ecs.g7.large" needs an id, vcpus`},
		"architecture":          {func(c *ecsemulator.Catalogue) { c.InstanceTypes[0].Architecture = "x86" }, `instance type ecs.g7.large: architecture "x86" is neither X86 nor ARM`},
		"zone of a type":        {func(c *ecsemulator.Catalogue) { c.InstanceTypes[0].Zones = []string{"moon-a"} }, `instance type ecs.g7.large: zone "moon-a" is in no region`},
		"disk category":         {func(c *ecsemulator.Catalogue) { c.InstanceTypes[0].DiskCategories = []string{"floppy"} }, `instance type ecs.g7.large: disk category "floppy" is none of`},
		"price":                 {func(c *ecsemulator.Catalogue) { c.InstanceTypes[0].HourlyPrice = -1 }, "instance type ecs.g7.large: a price is negative"},
		"number":                {func(c *ecsemulator.Catalogue) { c.InstanceTypes[0].GPUs = -1 }, "instance type ecs.g7.large: a number is negative"},
		"image":                 {func(c *ecsemulator.Catalogue) { c.Images[0].OSType = "plan9" }, `os_type "plan9" is neither linux nor windows`},
		"image's architecture":  {func(c *ecsemulator.Catalogue) { c.Images[0].Architecture = "X86" }, `architecture "X86" is neither x86_64 nor arm64`},
		"image's size":          {func(c *ecsemulator.Catalogue) { c.Images[0].SizeGiB = 0 }, "size_gib 0 is less than 1"},
		"image's time":          {func(c *ecsemulator.Catalogue) { c.Images[0].Created = "last year" }, `created "last year" is no time like`},
		"image's region":        {func(c *ecsemulator.Catalogue) { c.Images[0].Regions = []string{"moon"} }, `region "moon" is not there`},
		"stock":                 {func(c *ecsemulator.Catalogue) { c.Stock = []ecsemulator.Stock{{StatusCategory: "Plenty"}} }, `stock entry 1: stock: status_category "Plenty" is none of`},
		"private pool":          {func(c *ecsemulator.Catalogue) { c.Regions[0].PrivatePools[0].InstanceType = "ecs.none" }, `private pool eap-1: zone "cn-hangzhou-h", instance_type "ecs.none"`},
		"template's version":    {func(c *ecsemulator.Catalogue) { c.Regions[0].LaunchTemplates[0].DefaultVersion = 3 }, "launch template lt-acme: default_version 3 is not one of its 2 versions"},
		"template's parameter": {func(c *ecsemulator.Catalogue) {
			c.Regions[0].LaunchTemplates[0].Versions[0]["Colour"] = "red"
		}, "launch template lt-acme, version 1: Colour is no parameter of RunInstances"},
		"template's value": {func(c *ecsemulator.Catalogue) {
			c.Regions[0].LaunchTemplates[0].Versions[0]["Amount"] = "many"
		}, "launch template lt-acme, version 1: Amount is no parameter of RunInstances, or its value is of the wrong kind"},
		"disk price":   {func(c *ecsemulator.Catalogue) { c.Prices.DiskGiBHour["cloud"] = -1 }, "prices: disk_gib_hour of cloud is negative"},
		"subscription": {func(c *ecsemulator.Catalogue) { c.Prices.SubscriptionHours["Moon"] = 1 }, `prices: subscription_hours of "Moon"`},
		"bandwidth":    {func(c *ecsemulator.Catalogue) { c.Prices.MbpsHour = -1 }, "prices: mbps_hour is negative"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			catalogue := rolesCatalogue(t)
			row.change(catalogue)
			text, err := json.Marshal(catalogue)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ecsemulator.ReadCatalogue(strings.NewReader(string(text))); err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("%v, want %s", err, row.want)
			}
			if _, err := ecsemulator.Start(t.Context(), ecsemulator.Options{Catalogue: catalogue}); err == nil {
				t.Error("a server started with it")
			}
		})
	}
	for text, want := range map[string]string{
		`{"regoins": []}`: `unknown field "regoins"`,
		`{"regions": 3}`:  "cannot unmarshal number",
		``:                "EOF",
		`{}{}`:            "there is more after the end",
	} {
		if _, err := ecsemulator.ReadCatalogue(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// A small catalogue of one's own is enough to launch from.
func TestCatalogueOfOnesOwn(t *testing.T) {
	t.Parallel()
	catalogue, err := ecsemulator.ReadCatalogue(strings.NewReader(`{
		"regions": [{"id": "moon-1", "zones": ["moon-1a"], "vpcs": [{"id": "vpc-m", "vswitches": [{"id": "vsw-m", "zone": "moon-1a", "cidr": "10.0.0.0/24"}], "security_groups": [{"id": "sg-m"}]}]}],
		"instance_types": [{"id": "ecs.tiny", "family": "ecs.t", "vcpus": 1, "memory_gib": 0.5, "architecture": "ARM", "disk_categories": ["cloud_essd"], "disks": 2, "network_interfaces": 1}],
		"images": [{"id": "m-moon", "os_type": "linux", "architecture": "arm64", "size_gib": 5, "created": "2026-01-01T00:00:00Z", "status": "Available"}],
		"stock": [{"zone": "moon-1a", "charge_mode": "Spot", "status_category": "WithoutStock"}]
	}`))
	if err != nil {
		t.Fatal(err)
	}
	server := still(t, ecsemulator.Options{Catalogue: catalogue, RegionID: "moon-1"})
	c := newClient(t, server)
	c.region = "moon-1"
	own := values{"InstanceType": "ecs.tiny", "ImageId": "m-moon", "VSwitchId": "vsw-m", "SecurityGroupId": "sg-m"}
	c.ok("RunInstances", own)
	c.refused("RunInstances", own.with(values{"SpotStrategy": "SpotAsPriceGo"}), "OperationDenied.NoStock", 403)
	c.refused("RunInstances", own.with(values{"NetworkInterface.1.InstanceType": "Secondary"}), "InvalidInstanceType.ElasticNetworkInterfaceNotSupported", 400)
	c.refused("DescribePrice", values{"InstanceType": "ecs.tiny"}, "PriceNotFound", 400)
	if got := c.ok("DescribeSpotPriceHistory", values{"InstanceType": "ecs.tiny", "NetworkType": "vpc"}).list(t, "SpotPrices", "SpotPriceType"); len(got) != 0 {
		t.Errorf("prices of what has none: %v", got)
	}
}

// Source: ecs-api 2.16.
func TestPricesAddUp(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	total := func(own values) any {
		return c.ok("DescribePrice", values{"InstanceType": "ecs.g7.large", "SystemDisk.Category": "cloud_essd", "SystemDisk.PerformanceLevel": "PL0", "SystemDisk.Size": "40"}.with(own)).at(t, "PriceInfo", "Price", "TradePrice")
	}
	for name, row := range map[string]struct {
		own  values
		want float64
	}{
		"an hour":             {nil, 0.562},
		"two hours":           {values{"Period": "2"}, 1.124},
		"a day":               {values{"PriceUnit": "Day"}, 13.488},
		"a week":              {values{"PriceUnit": "Week"}, 56.2},
		"a year of three":     {values{"PriceUnit": "Year", "Amount": "3"}, 6190.992},
		"with data disks":     {values{"DataDisk.1.Category": "cloud_essd", "DataDisk.1.Size": "100", "DataDisk.1.PerformanceLevel": "PL1"}, 0.772},
		"with bandwidth":      {values{"InternetChargeType": "PayByBandwidth", "InternetMaxBandwidthOut": "10"}, 1.192},
		"traffic is not told": {values{"InternetChargeType": "PayByTraffic", "InternetMaxBandwidthOut": "10"}, 0.562},
		"a disk alone":        {values{"ResourceType": "disk", "DataDisk.1.Category": "cloud_ssd", "DataDisk.1.Size": "1000"}, 1.4},
	} {
		if got := total(row.own); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	spot := c.ok("DescribePrice", values{"InstanceType": "ecs.g7.large", "SpotStrategy": "SpotAsPriceGo"})
	if spot.at(t, "PriceInfo", "Price", "DiscountPrice") == 0.0 {
		t.Errorf("spot saves nothing: %s", spot.body)
	}
}

// The history tells the price that a launch is held to. Source: ecs-api 2.16.
func TestSpotHistoryTellsTheMarket(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	now := server.Now()
	whole := values{
		"InstanceType": "ecs.g7.large", "NetworkType": "vpc", "StartTime": now.Add(-29 * 24 * time.Hour).Format("2006-01-02T15:04:05Z"),
		"EndTime": now.Format("2006-01-02T15:04:05Z"),
	}
	offset, points, distinct := "0", 0, map[any]bool{}
	for {
		answer := c.ok("DescribeSpotPriceHistory", whole.with(values{"Offset": offset}))
		page := answer.list(t, "SpotPrices", "SpotPriceType")
		for n := range page {
			price, ok := answer.at(t, "SpotPrices", "SpotPriceType", n, "SpotPrice").(float64)
			if !ok || price <= 0 || price >= 0.52 {
				t.Fatalf("a point of %v, on demand 0.52", price)
			}
			distinct[price] = true
		}
		points += len(page)
		next := answer.at(t, "NextOffset")
		if next == 0.0 {
			break
		}
		text, _ := json.Marshal(next)
		offset = string(text)
	}
	if points != 4*29*24 || len(distinct) < 5 {
		t.Errorf("%d points of %d prices, want one for each of four zones and 29 days of hours", points, len(distinct))
	}
	zone := c.ok("DescribeSpotPriceHistory", values{"InstanceType": "ecs.g7.large", "NetworkType": "vpc", "ZoneId": "cn-hangzhou-k"})
	for n := range zone.list(t, "SpotPrices", "SpotPriceType") {
		if zone.text(t, "SpotPrices", "SpotPriceType", n, "ZoneId") != "cn-hangzhou-k" {
			t.Errorf("another zone: %s", zone.body)
		}
	}
}
