package ecsemulator_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// field gives one field of the instances that a launch made, in the order of their creation.
func (c *client) field(name string) []string {
	c.t.Helper()
	answer := c.ok("DescribeInstances", values{"PageSize": "100"})
	var found []string
	for n := range answer.list(c.t, "Instances", "Instance") {
		found = append(found, answer.text(c.t, "Instances", "Instance", n, name))
	}
	slices.Reverse(found)
	return found
}

// Source: the parameters InstanceName, HostName, HostNames.N and UniqueSuffix of the RunInstances page.
func TestNamesOfManyInstances(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		own         values
		names, host []string
	}{
		"unique suffix":          {values{"InstanceName": "web", "HostName": "host", "UniqueSuffix": "true"}, []string{"web001", "web002"}, []string{"host001", "host002"}},
		"no suffix":              {values{"InstanceName": "web", "HostName": "host"}, []string{"web", "web"}, []string{"host", "host"}},
		"numbers":                {values{"InstanceName": "web-[9,2]", "HostName": "host-[9,2]", "UniqueSuffix": "true"}, []string{"web-09", "web-10"}, []string{"host-09", "host-10"}},
		"numbers without bounds": {values{"InstanceName": "web-[,]x", "HostName": "host[,]"}, []string{"web-000000x", "web-000001x"}, []string{"host000000", "host000001"}},
		"host names":             {values{"InstanceName": "web", "HostNames.1": "one", "HostNames.2": "two"}, []string{"web", "web"}, []string{"one", "two"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, still(t, ecsemulator.Options{}))
			c.ok("RunInstances", launch().with(row.own).with(values{"Amount": "2"}))
			if got := c.field("InstanceName"); !slices.Equal(got, row.names) {
				t.Errorf("names %q, want %q", got, row.names)
			}
			if got := c.field("HostName"); !slices.Equal(got, row.host) {
				t.Errorf("host names %q, want %q", got, row.host)
			}
		})
	}
	c := newClient(t, still(t, ecsemulator.Options{}))
	c.refused("RunInstances", launch().with(values{"HostName": "host", "HostNames.1": "host"}), "InvalidParameter.Combination", 400)
	c.refused("RunInstances", launch().with(values{"HostNames.1": "one", "HostNames.2": "two"}), "InvalidParameter", 400)
}

// Source: PrivatePoolOptions of the RunInstances page, and ecs-api 5.1 and 5.4.
func TestPrivatePoolHoldsWhatItHolds(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	pool := launch().with(values{"PrivatePoolOptions.MatchCriteria": "Target", "PrivatePoolOptions.Id": "eap-1"})
	c.refused("RunInstances", pool.with(values{"PrivatePoolOptions.Id": "-"}), "MissingParameter.PrivatePoolOptionsId", 400)
	c.refused("RunInstances", pool.with(values{"PrivatePoolOptions.Id": "eap-none"}), "Invalid.PrivatePoolOptionsId", 400)
	c.refused("RunInstances", pool.with(values{"VSwitchId": "vsw-b"}), "Invalid.PrivatePoolOptionsId", 400)
	c.refused("RunInstances", pool.with(values{"PrivatePoolOptions.MatchCriteria": "Nearest"}), "InvalidParameter", 400)
	if err := server.SetStock(ecsemulator.Stock{StatusCategory: "WithoutStock"}); err != nil {
		t.Fatal(err)
	}
	c.refused("RunInstances", launch(), "OperationDenied.NoStock", 403)
	c.ok("RunInstances", pool.with(values{"Amount": "4"}))
	c.refused("RunInstances", pool.with(values{"Amount": "2"}), "Invalid.PrivatePoolOptions.NoStock", 400)
	if got := c.ok("RunInstances", pool.with(values{"Amount": "2", "MinAmount": "1"})).list(t, "InstanceIdSets", "InstanceIdSet"); len(got) != 1 {
		t.Errorf("%d launched, want the last one of five", len(got))
	}
}

// Source: ecs-api 5.1, and the page on deployment sets.
func TestDeploymentSetTakesTwentyInAZone(t *testing.T) {
	t.Parallel()
	c := newClient(t, still(t, ecsemulator.Options{}))
	set := launch().with(values{"DeploymentSetId": "ds-1"})
	c.ok("RunInstances", set.with(values{"Amount": "19"}))
	c.refused("RunInstances", set.with(values{"Amount": "2"}), "QuotaExceed.DeploymentSetInstanceQuotaFull", 403)
	c.ok("RunInstances", set)
	c.refused("RunInstances", set, "QuotaExceed.DeploymentSetInstanceQuotaFull", 403)
	c.ok("RunInstances", set.with(values{"VSwitchId": "vsw-b"}))
	c.ok("RunInstances", launch())
}

// Source: the rows of ecs-api 2.1 that no other table has.
func TestRunInstancesRefusesPlacementAndSpot(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		own    values
		code   string
		status int
	}{
		"unknown resource group":       {values{"ResourceGroupId": "rg-none"}, "InvalidResourceGroup.NotFound", 404},
		"unknown deployment set":       {values{"DeploymentSetId": "ds-none"}, "InvalidDeploymentSetId.NotFound", 400},
		"deployment set group":         {values{"DeploymentSetId": "ds-1", "DeploymentSetGroupNo": "8"}, "InvalidParameter", 400},
		"dedicated host":               {values{"DedicatedHostId": "dh-none"}, "InvalidDedicatedHostId.NotFound", 400},
		"cluster":                      {values{"HpcClusterId": "hpc-none"}, "InvalidHpcClusterId.NotFound", 400},
		"not I/O optimized":            {values{"IoOptimized": "none"}, "IoOptimized.NotSupported", 403},
		"device twice":                 {values{"DataDisk.1.Size": "20", "DataDisk.1.Device": "/dev/xvdc", "DataDisk.2.Size": "20", "DataDisk.2.Device": "/dev/xvdc"}, "InvalidDevice.InUse", 403},
		"tenancy":                      {values{"Tenancy": "lodger"}, "InvalidParameter", 400},
		"security enhancement":         {values{"SecurityEnhancementStrategy": "Perhaps"}, "InvalidParameter", 400},
		"template":                     {values{"LaunchTemplateId": "lt-none"}, "InvalidLaunchTemplate.NotFound", 404},
		"template by name":             {values{"LaunchTemplateName": "none"}, "InvalidLaunchTemplate.NotFound", 404},
		"version of a template":        {values{"LaunchTemplateId": "lt-acme", "LaunchTemplateVersion": "3"}, "InvalidLaunchTemplateVersion.NotFound", 404},
		"bid below the market":         {values{"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "0.05"}, "InvalidSpotPriceLimit.LowerThanPublicPrice", 400},
		"spot that stops, local disks": {values{"InstanceType": "ecs.i3.xlarge", "SpotStrategy": "SpotAsPriceGo", "SpotInterruptionBehavior": "Stop"}, "InvalidSpotInterruptionBehavior.LocalDiskNotSupport", 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newClient(t, still(t, ecsemulator.Options{})).refused("RunInstances", launch().with(row.own), row.code, row.status)
		})
	}
}

// Source: ecs-api 2.1, LaunchTemplateId.
func TestLaunchTemplateFillsInWhatIsNotSaid(t *testing.T) {
	t.Parallel()
	c := newClient(t, still(t, ecsemulator.Options{}))
	describe := func(own values) (reply, reply) {
		t.Helper()
		id := c.ok("RunInstances", own).text(t, "InstanceIdSets", "InstanceIdSet", 0)
		return c.ok("DescribeInstances", values{"InstanceIds": `["` + id + `"]`}), c.ok("DescribeDisks", values{"InstanceId": id})
	}
	instance, disks := describe(values{"LaunchTemplateId": "lt-acme"})
	if instance.text(t, "Instances", "Instance", 0, "ImageId") != "m-acme2" || instance.text(t, "Instances", "Instance", 0, "Tags", "Tag", 0, "TagKey") != "template" {
		t.Errorf("the default version: %s", instance.body)
	}
	if len(disks.list(t, "Disks", "Disk")) != 2 || disks.at(t, "Disks", "Disk", 1, "Size") != 60.0 {
		t.Errorf("the disks of the default version: %s", disks.body)
	}
	instance, disks = describe(values{"LaunchTemplateId": "lt-acme", "LaunchTemplateVersion": "1"})
	if instance.text(t, "Instances", "Instance", 0, "ImageId") != "m-acme1" || len(disks.list(t, "Disks", "Disk")) != 1 {
		t.Errorf("the first version: %s %s", instance.body, disks.body)
	}
	instance, disks = describe(values{
		"LaunchTemplateName": "acme-node", "InstanceType": "ecs.g7.xlarge", "ImageId": "m-acme1", "SecurityGroupIds.1": "sg-2", "SystemDisk.Size": "70",
		"DataDisk.1.Size": "30", "DataDisk.2.Size": "30",
	})
	if instance.text(t, "Instances", "Instance", 0, "InstanceType") != "ecs.g7.xlarge" || instance.text(t, "Instances", "Instance", 0, "ImageId") != "m-acme1" ||
		instance.text(t, "Instances", "Instance", 0, "SecurityGroupIds", "SecurityGroupId", 0) != "sg-2" {
		t.Errorf("what the call says must win: %s", instance.body)
	}
	if len(disks.list(t, "Disks", "Disk")) != 3 || disks.at(t, "Disks", "Disk", 2, "Size") != 70.0 || disks.at(t, "Disks", "Disk", 0, "Size") != 30.0 {
		t.Errorf("the disks of the call must replace the template's: %s", disks.body)
	}
}

// Source: the parameter SpotPriceLimit, and ecs-api 2.4.
func TestSpotPriceMayRiseAboveTheLimit(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	price := func() string {
		answer := c.ok("DescribePrice", values{"InstanceType": "ecs.g7.large", "SpotStrategy": "SpotAsPriceGo", "ZoneId": "cn-hangzhou-h"})
		return fmt.Sprint(answer.at(t, "PriceInfo", "Price", "DetailInfos", "DetailInfo", 0, "TradePrice"))
	}
	lowest := price()
	for range 5 { // the price moves through five values
		step(t, server, time.Hour)
		lowest = min(lowest, price())
	}
	for price() != lowest {
		step(t, server, time.Hour)
	}
	id := c.run(values{"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": lowest})
	step(t, server, time.Minute)
	c.ok("StopInstance", values{"InstanceId": id})
	step(t, server, time.Hour)
	c.refused("StartInstance", values{"InstanceId": id}, "OperationDenied.SpotPriceLowerThanPublicPrice", 403)
	c.refused("RunInstances", launch().with(values{"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": lowest}), "InvalidSpotPriceLimit.LowerThanPublicPrice", 400)
	for price() != lowest {
		step(t, server, time.Hour)
	}
	c.ok("StartInstance", values{"InstanceId": id})
}

// Source: the parameter DataDisk.N.Device of the RunInstances page.
func TestDevicesAreNamedOnce(t *testing.T) {
	t.Parallel()
	c := newClient(t, still(t, ecsemulator.Options{}))
	id := c.run(values{"DataDisk.1.Size": "20", "DataDisk.2.Size": "20", "DataDisk.2.Device": "/dev/xvdb", "DataDisk.3.Size": "20"})
	answer := c.ok("DescribeDisks", values{"InstanceId": id})
	var devices []string
	for n := range answer.list(t, "Disks", "Disk") {
		devices = append(devices, answer.text(t, "Disks", "Disk", n, "Device"))
	}
	slices.Reverse(devices)
	if want := []string{"/dev/xvda", "/dev/xvdc", "/dev/xvdb", "/dev/xvdd"}; !slices.Equal(devices, want) {
		t.Errorf("devices %q, want %q", devices, want)
	}
}

func TestTradePriceOfALaunch(t *testing.T) {
	t.Parallel()
	c := newClient(t, still(t, ecsemulator.Options{}))
	for name, row := range map[string]struct {
		own  values
		want float64
	}{
		"on demand": {values{"Amount": "2"}, 1.04},
		"a month":   {values{"InstanceChargeType": "PrePaid", "Period": "2"}, 374.4},
	} {
		if got := c.ok("RunInstances", launch().with(row.own)).at(t, "TradePrice"); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
}

func TestADiskOfASnapshotHasItsSize(t *testing.T) {
	t.Parallel()
	c := newClient(t, start(t, ecsemulator.Options{}))
	id := c.run(values{"DataDisk.1.SnapshotId": "s-1", "DataDisk.1.Encrypted": "true", "DataDisk.1.KMSKeyId": "key-1"})
	disk, isObject := c.ok("DescribeDisks", values{"InstanceId": id, "DiskType": "data"}).list(t, "Disks", "Disk")[0].(map[string]any)
	if !isObject || disk["Size"] != float64(100) || disk["KMSKeyId"] != "key-1" || disk["SourceSnapshotId"] != "s-1" {
		t.Errorf("the disk is %v", disk)
	}
}
