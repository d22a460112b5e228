package ecsemulator_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Source: the parameter table and the error codes of the RunInstances page.
func TestRunInstancesRefuses(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	big := base64.StdEncoding.EncodeToString(make([]byte, 32<<10+1))
	many := values{}
	for n := range 21 {
		many["Tag."+strconv.Itoa(n+1)+".Key"] = "k" + strconv.Itoa(n)
	}
	disks := values{}
	for n := range 17 {
		disks["DataDisk."+strconv.Itoa(n+1)+".Size"] = "20"
	}
	for name, row := range map[string]struct {
		own    values
		code   string
		status int
	}{
		"no region":              {values{"RegionId": "-"}, "MissingParameter", 400},
		"no type":                {values{"InstanceType": "-"}, "MissingParameter", 400},
		"no image":               {values{"ImageId": "-"}, "MissingParameter", 400},
		"no vswitch":             {values{"VSwitchId": "-"}, "MissingParameter", 400},
		"no group":               {values{"SecurityGroupId": "-"}, "MissingParameter", 400},
		"unknown image":          {values{"ImageId": "m-none"}, "InvalidImageId.NotFound", 404},
		"image and family":       {values{"ImageFamily": "acme-node"}, "UnexpectedImageFamily.ImageIdSupplied", 400},
		"empty family":           {values{"ImageId": "-", "ImageFamily": "none"}, "InvalidImageFamily.MissingAvailableImage", 403},
		"image of other chips":   {values{"ImageId": "m-acme-arm"}, "ImageNotSupportInstanceType", 403},
		"type of other chips":    {values{"InstanceType": "ecs.g8y.large"}, "ImageNotSupportInstanceType", 403},
		"unknown type":           {values{"InstanceType": "ecs.z9.large"}, "InvalidInstanceType.ValueNotSupported", 400},
		"type not in the zone":   {values{"InstanceType": "ecs.gn6v-c8g1.2xlarge", "VSwitchId": "vsw-c"}, "InvalidInstanceType.ZoneNotSupported", 403},
		"unknown vswitch":        {values{"VSwitchId": "vsw-none"}, "InvalidVSwitchId.NotFound", 404},
		"unknown zone":           {values{"ZoneId": "cn-hangzhou-z"}, "InvalidZoneId.NotFound", 404},
		"another zone":           {values{"ZoneId": "cn-hangzhou-i"}, "InvalidParameter.Mismatch", 400},
		"unknown group":          {values{"SecurityGroupId": "sg-none"}, "InvalidSecurityGroupId.NotFound", 404},
		"group of another VPC":   {values{"SecurityGroupId": "sg-other"}, "OperationDenied.InconsistentNetwork", 403},
		"group twice over":       {values{"SecurityGroupIds.1": "sg-2"}, "InvalidParameter.Combination", 400},
		"amount 0":               {values{"Amount": "0"}, "InvalidMaxAmount.Malformed", 400},
		"amount 101":             {values{"Amount": "101"}, "InvalidMaxAmount.Malformed", 400},
		"amount 101, dry":        {values{"Amount": "101", "DryRun": "true"}, "DryRun.InvalidAmount", 403},
		"minimum over amount":    {values{"Amount": "2", "MinAmount": "3"}, "InvalidMinAmount.Malformed", 400},
		"short name":             {values{"InstanceName": "a"}, "InvalidInstanceName.Malformed", 400},
		"name from a digit":      {values{"InstanceName": "1abc"}, "InvalidInstanceName.Malformed", 400},
		"name like an address":   {values{"InstanceName": "http://a"}, "InvalidInstanceName.Malformed", 400},
		"long name":              {values{"InstanceName": strings.Repeat("a", 129)}, "InvalidInstanceName.Malformed", 400},
		"host name with a hole":  {values{"HostName": "a..b"}, "InvalidHostName.Malformed", 400},
		"host name with a blank": {values{"HostName": "a b"}, "InvalidHostName.Malformed", 400},
		"short description":      {values{"Description": "x"}, "InvalidDescription.Malformed", 400},
		"weak password":          {values{"Password": "abcdefgh"}, "InvalidPassword.Malformed", 400},
		"two passwords":          {values{"Password": "Abcdefg1", "PasswordInherit": "true"}, "InvalidPasswordParam.Mismatch", 400},
		"unknown key pair":       {values{"KeyPairName": "none"}, "InvalidKeyPairName.NotFound", 404},
		"unknown role":           {values{"RamRoleName": "none"}, "InvalidRamRole.NotFound", 404},
		"user data not encoded":  {values{"UserData": "#!/bin/sh"}, "InvalidUserData.Base64FormatInvalid", 400},
		"user data too long":     {values{"UserData": big}, "InvalidUserData.SizeExceeded", 400},
		"no cloud-init":          {values{"ImageId": "m-acme-plain", "UserData": "YQ=="}, "ImageNotSupportCloudInit", 400},
		"unknown charge type":    {values{"InstanceChargeType": "Free"}, "InvalidInstanceChargeType.NotFound", 404},
		"prepaid, no period":     {values{"InstanceChargeType": "PrePaid"}, "InvalidPeriod", 400},
		"prepaid, 10 months":     {values{"InstanceChargeType": "PrePaid", "Period": "10"}, "InvalidPeriod", 400},
		"prepaid, 5 weeks":       {values{"InstanceChargeType": "PrePaid", "Period": "5", "PeriodUnit": "Week"}, "InvalidPeriod", 400},
		"prepaid, by the day":    {values{"InstanceChargeType": "PrePaid", "Period": "5", "PeriodUnit": "Day"}, "InvalidPeriodType.ValueNotSupported", 400},
		"renewal of 5 months": {
			values{"InstanceChargeType": "PrePaid", "Period": "1", "AutoRenew": "true", "AutoRenewPeriod": "5"},
			"InvalidAutoRenewPeriod.ValueNotSupported", 400,
		},
		"postpaid, unpaid":      {values{"AutoPay": "false"}, "InvalidParameter", 400},
		"unknown spot strategy": {values{"SpotStrategy": "Cheap"}, "InvalidSpotStrategy", 400},
		"spot and prepaid":      {values{"SpotStrategy": "SpotAsPriceGo", "InstanceChargeType": "PrePaid", "Period": "1"}, "InvalidSpotPrepaid", 400},
		"spot price too fine":   {values{"SpotStrategy": "SpotWithPriceLimit", "SpotPriceLimit": "0.1234"}, "InvalidSpotPriceLimit", 400},
		"spot for 2 hours":      {values{"SpotStrategy": "SpotAsPriceGo", "SpotDuration": "2"}, "InvalidSpotDuration", 400},
		"spot that hibernates": {
			values{"SpotStrategy": "SpotAsPriceGo", "SpotInterruptionBehavior": "Hibernate"}, "InvalidSpotInterruptionBehavior", 400,
		},
		"protected spot":     {values{"SpotStrategy": "SpotAsPriceGo", "DeletionProtection": "true"}, "InvalidChargeType.ValueNotSupported", 403},
		"reserved tag key":   {values{"Tag.1.Key": "acs:x"}, "InvalidTagKey.Malformed", 400},
		"vendor's tag key":   {values{"Tag.1.Key": "Aliyun-x"}, "InvalidTagKey.Malformed", 400},
		"tag without a key":  {values{"Tag.1.Value": "x"}, "InvalidTagKey.Malformed", 400},
		"long tag value":     {values{"Tag.1.Key": "a", "Tag.1.Value": strings.Repeat("x", 129)}, "InvalidTagValue.Malformed", 400},
		"address for a tag":  {values{"Tag.1.Key": "a", "Tag.1.Value": "see https://a"}, "InvalidTagValue.Malformed", 400},
		"tag key twice":      {values{"Tag.1.Key": "a", "Tag.2.Key": "a"}, "Duplicate.TagKey", 400},
		"21 tags":            {many, "NumberExceed.Tags", 400},
		"bandwidth 101":      {values{"InternetMaxBandwidthOut": "101"}, "InvalidInternetMaxBandwidthOut.Malformed", 400},
		"unknown traffic":    {values{"InternetChargeType": "PayByMood"}, "InvalidInternetChargeType.ValueNotSupported", 400},
		"unknown IMDS":       {values{"HttpTokens": "never"}, "InvalidHttpTokens.NotSupported", 400},
		"hop limit 65":       {values{"HttpPutResponseHopLimit": "65"}, "InvalidHttpPutResponseHopLimit.NotSupported", 400},
		"pool without id":    {values{"PrivatePoolOptions.MatchCriteria": "Target"}, "MissingParameter.PrivatePoolOptionsId", 400},
		"unknown template":   {values{"LaunchTemplateId": "lt-none"}, "InvalidLaunchTemplate.NotFound", 404},
		"address elsewhere":  {values{"PrivateIpAddress": "192.168.1.1"}, "InvalidPrivateIpAddress", 400},
		"reserved address":   {values{"PrivateIpAddress": "10.0.0.0"}, "InvalidPrivateIpAddress", 400},
		"address at the end": {values{"PrivateIpAddress": "10.0.15.253"}, "InvalidPrivateIpAddress", 400},
		"no address":         {values{"PrivateIpAddress": "here"}, "InvalidPrivateIpAddress.Malformed", 400},
		"credit for g7":      {values{"CreditSpecification": "Unlimited"}, "InvalidParameter.CreditSpecification", 400},
		"IPv6":               {values{"Ipv6AddressCount": "1"}, "InvalidVSwitch.Ipv6NotTurnOn", 403},
		"17 data disks":      {disks, "InstanceDiskNumber.LimitExceed", 400},
		"long token":         {values{"ClientToken": strings.Repeat("a", 65)}, "InvalidClientToken.ValueNotSupported", 400},
		"token not ASCII":    {values{"ClientToken": "ü"}, "InvalidClientToken.ValueNotSupported", 400},
		"all well, dry":      {values{"DryRun": "true"}, "DryRunOperation", 400},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, server)
			if row.own["RegionId"] != "" {
				c.region = ""
			}
			c.refused("RunInstances", launch().with(row.own), row.code, row.status)
		})
	}
	t.Cleanup(func() {
		if n := len(server.Journal()); n != 0 {
			t.Errorf("%d effects of refused launches", n)
		}
	})
}

// Source: the rows SystemDisk.Size and DataDisk.N.Size of the RunInstances page.
func TestDiskSizes(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	for _, row := range []struct {
		prefix, category, level string
		size                    int
		code                    string
	}{
		{"SystemDisk.", "cloud_essd", "", 40, ""},
		{"SystemDisk.", "cloud_essd", "", 39, "InvalidSystemDiskSize.LessThanImageSize"},
		{"SystemDisk.", "cloud_essd", "PL1", 2048, ""},
		{"SystemDisk.", "cloud_essd", "PL1", 2049, "InvalidSystemDiskSize.MoreThanMaxSize"},
		{"SystemDisk.", "cloud_essd", "PL2", 460, "InvalidSystemDiskSize.LessThanMinSize"},
		{"SystemDisk.", "cloud_essd", "PL2", 461, ""},
		{"SystemDisk.", "cloud_essd", "PL3", 1260, "InvalidSystemDiskSize.LessThanMinSize"},
		{"SystemDisk.", "cloud_essd", "PL3", 1261, ""},
		{"SystemDisk.", "cloud_essd", "PL9", 40, "InvalidPerformanceLevel.ValueNotSupported"},
		{"SystemDisk.", "cloud_auto", "PL1", 40, "OperationDenied.PerformanceLevelNotMatch"},
		{"SystemDisk.", "cloud_ssd", "", 40, "InvalidDiskCategory.NotSupported"},
		{"SystemDisk.", "floppy", "", 40, "InvalidSystemDiskCategory.ValueNotSupported"},
		{"DataDisk.1.", "cloud_essd", "PL0", 1, ""},
		{"DataDisk.1.", "cloud_essd", "PL1", 19, "InvalidDataDiskSize.ValueNotSupported"},
		{"DataDisk.1.", "cloud_essd", "PL1", 65536, ""},
		{"DataDisk.1.", "cloud_essd", "PL1", 65537, "InvalidDataDiskSize.ValueNotSupported"},
		{"DataDisk.1.", "cloud_essd", "PL3", 1260, "InvalidDataDiskSize.ValueNotSupported"},
		{"DataDisk.1.", "cloud_auto", "", 1, ""},
		{"DataDisk.1.", "cloud_auto", "", 0, "InvalidDataDiskSize.ValueNotSupported"},
		{"DataDisk.1.", "cloud", "", 5, "InvalidDiskCategory.NotSupported"},
		{"DataDisk.1.", "elastic_ephemeral_disk_standard", "", 64, ""},
		{"DataDisk.1.", "floppy", "", 40, "InvalidDataDiskCategory.ValueNotSupported"},
	} {
		t.Run(fmt.Sprint(row.prefix, row.category, row.level, row.size), func(t *testing.T) {
			t.Parallel()
			c := newClient(t, server)
			own := launch().with(values{row.prefix + "Category": row.category, row.prefix + "Size": strconv.Itoa(row.size)})
			if row.level != "" {
				own[row.prefix+"PerformanceLevel"] = row.level
			}
			if row.code == "" {
				c.ok("RunInstances", own)
			} else if answer := c.call("RunInstances", own); answer.Code != row.code {
				t.Errorf("%s, want %s", answer.body, row.code)
			}
		})
	}
}

func TestWhatIsLaunchedIsWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(values{
		"ImageId": "-", "ImageFamily": "acme-node", "InstanceName": "worker-[7,3]", "HostName": "node-${instance_id}", "ZoneId": "cn-hangzhou-h",
		"SystemDisk.Size": "60", "DataDisk.1.Category": "cloud_essd", "DataDisk.1.Size": "100", "DataDisk.1.DeleteWithInstance": "false",
		"Tag.1.Key": "b", "Tag.1.Value": "2", "Tag.2.Key": "a", "KeyPairName": "acme-key", "SpotStrategy": "SpotWithPriceLimit",
		"SpotPriceLimit": "0.970000", "InternetMaxBandwidthOut": "5", "HttpTokens": "required", "PrivateIpAddress": "10.0.0.9",
		"UserData": base64.StdEncoding.EncodeToString([]byte("#cloud-config")), "RamRoleName": "acme-node-role",
	})
	answer := c.ok("DescribeInstances", values{"InstanceIds": `["` + id + `"]`, "AdditionalAttributes.1": "META_OPTIONS"})
	for want, path := range map[string][]any{
		"m-acme2":        {"ImageId"},
		"worker-007":     {"InstanceName"},
		"node-" + id:     {"HostName"},
		"cn-hangzhou-h":  {"ZoneId"},
		"PostPaid":       {"InstanceChargeType"},
		"10.0.0.9":       {"VpcAttributes", "PrivateIpAddress", "IpAddress", 0},
		"vsw-a":          {"VpcAttributes", "VSwitchId"},
		"sg-1":           {"SecurityGroupIds", "SecurityGroupId", 0},
		"a":              {"Tags", "Tag", 0, "TagKey"},
		"2":              {"Tags", "Tag", 1, "TagValue"},
		"required":       {"MetadataOptions", "HttpTokens"},
		"acme-key":       {"KeyPairName"},
		"Terminate":      {"SpotInterruptionBehavior"},
		"ecs.g7":         {"InstanceTypeFamily"},
		"Not-applicable": {"StoppedMode"},
	} {
		if got := answer.text(t, append([]any{"Instances", "Instance", 0}, path...)...); got != want {
			t.Errorf("%v is %q, want %q", path, got, want)
		}
	}
	if got := answer.at(t, "Instances", "Instance", 0, "SpotPriceLimit"); got != 0.97 {
		t.Errorf("SpotPriceLimit %v", got)
	}
	if got := answer.at(t, "Instances", "Instance", 0, "Memory"); got != 8192.0 {
		t.Errorf("Memory %v", got)
	}
	if got := c.ok("DescribeUserData", values{"InstanceId": id}).text(t, "UserData"); got != "I2Nsb3VkLWNvbmZpZw==" {
		t.Errorf("user data %q", got)
	}
	if len(answer.list(t, "Instances", "Instance", 0, "PublicIpAddress", "IpAddress")) != 1 {
		t.Error("no public address")
	}
	step(t, server, time.Minute)
	c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	step(t, server, time.Minute)
	disks := c.ok("DescribeDisks", nil)
	if len(disks.list(t, "Disks", "Disk")) != 1 || disks.text(t, "Disks", "Disk", 0, "Status") != "Available" {
		t.Errorf("the disk that outlives its instance: %s", disks.body)
	}
}

func TestStockDecidesHowManyThereAre(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	left := 3
	if err := server.SetStock(ecsemulator.Stock{Zone: "cn-hangzhou-h", InstanceType: "ecs.g7.*", ChargeMode: "Spot", StatusCategory: "WithStock", Left: &left}); err != nil {
		t.Fatal(err)
	}
	spot := launch().with(values{"SpotStrategy": "SpotAsPriceGo", "Amount": "5"})
	c.refused("RunInstances", spot, "OperationDenied.NoStock", 403)
	if n := len(c.ok("RunInstances", spot.with(values{"MinAmount": "2"})).list(t, "InstanceIdSets", "InstanceIdSet")); n != 3 {
		t.Errorf("%d launched of 3 in stock", n)
	}
	c.refused("RunInstances", spot.with(values{"Amount": "1"}), "OperationDenied.NoStock", 403)
	c.ok("RunInstances", launch())
	c.ok("RunInstances", spot.with(values{"VSwitchId": "vsw-b"}))
	available := func(own values) string {
		own = values{"DestinationResource": "InstanceType", "InstanceType": "ecs.g7.large", "ZoneId": "cn-hangzhou-h"}.with(own)
		return c.ok("DescribeAvailableResource", own).text(t, "AvailableZones", "AvailableZone", 0, "AvailableResources", "AvailableResource", 0,
			"SupportedResources", "SupportedResource", 0, "StatusCategory")
	}
	if got := available(values{"SpotStrategy": "SpotAsPriceGo"}); got != "WithoutStock" {
		t.Errorf("spot: %s", got)
	}
	if got := available(nil); got != "WithStock" {
		t.Errorf("on demand: %s", got)
	}
	if err := server.SetStock(ecsemulator.Stock{StatusCategory: "Plenty"}); err == nil {
		t.Error("an unknown category was taken")
	}
}

func TestAddressesAreTakenAndGivenBack(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	free := func() float64 {
		n, _ := c.ok("DescribeVSwitches", values{"VSwitchId": "vsw-small"}).at(t, "VSwitches", "VSwitch", 0, "AvailableIpAddressCount").(float64)
		return n
	}
	small := launch().with(values{"VSwitchId": "vsw-small"})
	if free() != 4 {
		t.Fatalf("%v free in a /29, want 4", free())
	}
	ids := c.ok("RunInstances", small.with(values{"Amount": "4"})).list(t, "InstanceIdSets", "InstanceIdSet")
	if free() != 0 {
		t.Errorf("%v free, want 0", free())
	}
	if err := server.SetBehavior(ecsemulator.Behavior{NoAddressCode: "InvalidVSwitchId.IpNotEnough"}); err != nil {
		t.Fatal(err)
	}
	c.refused("RunInstances", small, "InvalidVSwitchId.IpNotEnough", 403)
	if err := server.SetBehavior(ecsemulator.Behavior{}); err != nil {
		t.Fatal(err)
	}
	c.refused("RunInstances", small, "QuotaExceeded.PrivateIpAddress", 400)
	c.refused("RunInstances", launch().with(values{"VSwitchId": "vsw-small", "PrivateIpAddress": "10.1.0.1"}), "QuotaExceeded.PrivateIpAddress", 400)
	step(t, server, time.Minute)
	c.ok("DeleteInstance", values{"InstanceId": fmt.Sprint(ids[0]), "Force": "true"})
	c.refused("RunInstances", small, "QuotaExceeded.PrivateIpAddress", 400)
	step(t, server, time.Minute)
	if free() != 1 {
		t.Errorf("%v free after a release, want 1", free())
	}
	c.refused("RunInstances", small.with(values{"PrivateIpAddress": "10.1.0.2"}), "InvalidPrivateIpAddress.Duplicated", 400)
	c.ok("RunInstances", small)
}

func TestStopChargingNeedsStockToStartAgain(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(nil)
	step(t, server, time.Minute)
	c.ok("StopInstance", values{"InstanceId": id, "StoppedMode": "StopCharging"})
	step(t, server, time.Minute)
	if got := c.ok("DescribeInstances", nil).text(t, "Instances", "Instance", 0, "StoppedMode"); got != "StopCharging" {
		t.Errorf("StoppedMode %s", got)
	}
	if err := server.SetStock(ecsemulator.Stock{StatusCategory: "ClosedWithoutStock"}); err != nil {
		t.Fatal(err)
	}
	c.refused("StartInstance", values{"InstanceId": id}, "OperationDenied.NoStock", 403)
}
