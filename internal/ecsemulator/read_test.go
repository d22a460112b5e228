package ecsemulator_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// fleet adds instances numbered from 0.
func fleet(t *testing.T, server *ecsemulator.Server, count int) {
	t.Helper()
	for n := range count {
		if _, err := server.AddInstance(ecsemulator.NewInstance{
			Name: "worker-" + strconv.Itoa(n), Tags: map[string]string{"n": strconv.Itoa(n), "parity": strconv.Itoa(n % 2)},
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// allByToken pages through with NextToken and returns the names and the number of pages.
func (c *client) allByToken(own values) (names []string, pages int) {
	c.t.Helper()
	token := values{}
	for {
		answer := c.ok("DescribeInstances", values{"MaxResults": "100"}.with(own).with(token))
		pages++
		for n := range answer.list(c.t, "Instances", "Instance") {
			names = append(names, answer.text(c.t, "Instances", "Instance", n, "InstanceName"))
		}
		next := answer.text(c.t, "NextToken")
		if next == "" {
			return names, pages
		}
		token = values{"NextToken": next}
	}
}

func TestPagingBothWaysOverAThousand(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	fleet(t, server, 1005)
	want := make([]string, 1005)
	for n := range want {
		want[n] = "worker-" + strconv.Itoa(1004-n)
	}
	if names, pages := c.allByToken(nil); !slices.Equal(names, want) || pages != 11 {
		t.Errorf("by token: %d names in %d pages", len(names), pages)
	}
	var names []string
	for page := 1; ; page++ {
		answer := c.ok("DescribeInstances", values{"PageSize": "100", "PageNumber": strconv.Itoa(page)})
		if got := answer.at(t, "TotalCount"); got != 1005.0 {
			t.Fatalf("TotalCount %v", got)
		}
		found := answer.list(t, "Instances", "Instance")
		if len(found) == 0 {
			break
		}
		for n := range found {
			names = append(names, answer.text(t, "Instances", "Instance", n, "InstanceName"))
		}
	}
	if !slices.Equal(names, want) {
		t.Errorf("by number: %d names", len(names))
	}
}

func TestMaxResultsIsClampedNotRefused(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	fleet(t, server, 120)
	for most, want := range map[string]int{"1": 10, "10": 10, "55": 55, "100": 100, "1000": 100} {
		if got := len(c.ok("DescribeInstances", values{"MaxResults": most}).list(t, "Instances", "Instance")); got != want {
			t.Errorf("MaxResults %s gives %d, want %d", most, got, want)
		}
	}
	if got := len(c.ok("DescribeInstances", nil).list(t, "Instances", "Instance")); got != 10 {
		t.Errorf("without paging parameters %d, want 10", got)
	}
	if got := len(c.ok("DescribeInstances", values{"MaxResults": "20", "PageNumber": "9"}).list(t, "Instances", "Instance")); got != 20 {
		t.Errorf("PageNumber beside MaxResults gives %d, want 20", got)
	}
}

func TestPagesDoNotShiftWhileInstancesCome(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	fleet(t, server, 30)
	first := c.ok("DescribeInstances", values{"MaxResults": "10"})
	fleet(t, server, 5)
	second := c.ok("DescribeInstances", values{"MaxResults": "10", "NextToken": first.text(t, "NextToken")})
	if got := second.text(t, "Instances", "Instance", 0, "InstanceName"); got != "worker-19" {
		t.Errorf("the second page begins with %s", got)
	}
}

func TestTagFilterIsRightForAThousandMatchesOnly(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	for range 1001 {
		if _, err := server.AddInstance(ecsemulator.NewInstance{Tags: map[string]string{"owner": "a"}}); err != nil {
			t.Fatal(err)
		}
	}
	if names, _ := c.allByToken(values{"Tag.1.Key": "owner", "Tag.1.Value": "a"}); len(names) != 1000 {
		t.Errorf("the tag filter finds %d", len(names))
	}
	if names, _ := c.allByToken(nil); len(names) != 1001 {
		t.Errorf("without a filter there are %d", len(names))
	}
	ids, token := map[string]bool{}, values{}
	for {
		answer := c.ok("ListTagResources", values{"ResourceType": "instance", "Tag.1.Key": "owner", "Tag.1.Value": "a"}.with(token))
		for n := range answer.list(t, "TagResources", "TagResource") {
			ids[answer.text(t, "TagResources", "TagResource", n, "ResourceId")] = true
		}
		if answer.text(t, "NextToken") == "" {
			break
		}
		token = values{"NextToken": answer.text(t, "NextToken")}
	}
	if len(ids) != 1001 {
		t.Errorf("ListTagResources finds %d", len(ids))
	}
}

func TestInstanceFilters(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	fleet(t, server, 4)
	odd, err := server.AddInstance(ecsemulator.NewInstance{
		Name: "odd", VSwitchID: "vsw-b", InstanceType: "ecs.c7.large", Stopped: true, SecurityGroups: []string{"sg-2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		own  values
		want int
	}{
		"none":            {nil, 5},
		"ids":             {values{"InstanceIds": `["` + odd.ID + `","i-none"]`}, 1},
		"no ids":          {values{"InstanceIds": `[]`}, 0},
		"absent ids":      {values{"InstanceIds": `["i-none"]`}, 0},
		"zone":            {values{"ZoneId": "cn-hangzhou-i"}, 1},
		"vswitch":         {values{"VSwitchId": "vsw-a"}, 4},
		"status":          {values{"Status": "Stopped"}, 1},
		"type":            {values{"InstanceType": "ecs.c7.large"}, 1},
		"family":          {values{"InstanceTypeFamily": "ecs.g6"}, 4},
		"name pattern":    {values{"InstanceName": "worker-*"}, 4},
		"group":           {values{"SecurityGroupId": "sg-2"}, 1},
		"tag":             {values{"Tag.1.Key": "parity", "Tag.1.Value": "1"}, 2},
		"tag key":         {values{"Tag.1.Key": "parity"}, 4},
		"two tags":        {values{"Tag.1.Key": "parity", "Tag.1.Value": "1", "Tag.2.Key": "n", "Tag.2.Value": "3"}, 1},
		"address":         {values{"PrivateIpAddresses": `["` + odd.PrivateAddress + `"]`}, 1},
		"tag and status":  {values{"Tag.1.Key": "parity", "Status": "Stopped"}, 0},
		"prepaid":         {values{"InstanceChargeType": "PrePaid"}, 0},
		"lock":            {values{"LockReason": "Recycling"}, 0},
		"created since":   {values{"Filter.3.Key": "CreationStartTime", "Filter.3.Value": server.Now().Add(-time.Hour).Format("2006-01-02T15:04Z")}, 5},
		"created until":   {values{"Filter.4.Key": "CreationEndTime", "Filter.4.Value": server.Now().Add(-time.Hour).Format("2006-01-02T15:04Z")}, 0},
		"several filters": {values{"VSwitchId": "vsw-b", "Status": "Stopped", "InstanceName": "odd"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newClient(t, server).ok("DescribeInstances", row.own).at(t, "TotalCount"); got != float64(row.want) {
				t.Errorf("%v match, want %d", got, row.want)
			}
		})
	}
	for name, row := range map[string]struct {
		own    values
		code   string
		status int
	}{
		"status":      {values{"Status": "Deleted"}, "InvalidStatus.NotFound", 404},
		"charge type": {values{"InstanceChargeType": "Spot"}, "InvalidInstanceChargeType.NotFound", 404},
		"lock":        {values{"LockReason": "mood"}, "InvalidLockReason.NotFound", 404},
		"zone":        {values{"ZoneId": "cn-shanghai-b"}, "InvalidZoneId.NotFound", 404},
		"dry run":     {values{"DryRun": "true"}, "DryRunOperation", 400},
		"filter key":  {values{"Filter.1.Key": "Mood", "Filter.1.Value": "x"}, "InvalidFilterKey.NotFound", 404},
		"filter time": {values{"Filter.3.Key": "CreationStartTime", "Filter.3.Value": "today"}, "InvalidParameter", 400},
	} {
		t.Run("refused "+name, func(t *testing.T) {
			t.Parallel()
			newClient(t, server).refused("DescribeInstances", row.own, row.code, row.status)
		})
	}
}

func TestDescribeInstanceStatus(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	fleet(t, server, 60)
	id := c.run(nil)
	answer := c.ok("DescribeInstanceStatus", values{"InstanceId.1": id, "InstanceId.2": "i-none"})
	if answer.at(t, "TotalCount") != 1.0 || answer.text(t, "InstanceStatuses", "InstanceStatus", 0, "Status") != "Pending" {
		t.Errorf("answered %s", answer.body)
	}
	if n := len(c.ok("DescribeInstanceStatus", values{"PageSize": "50"}).list(t, "InstanceStatuses", "InstanceStatus")); n != 50 {
		t.Errorf("%d on a page", n)
	}
	c.refused("DescribeInstanceStatus", values{"PageSize": "51"}, "InvalidParameter", 400)
}

// Sources: the pages TagResources, UntagResources and ListTagResources.
func TestTagRules(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(nil)
	on := values{"ResourceType": "instance", "ResourceId.1": id}
	many, ids := values{}, values{"ResourceType": "instance", "Tag.1.Key": "a"}
	for n := range 21 {
		many["Tag."+strconv.Itoa(n+1)+".Key"] = "k" + strconv.Itoa(n)
	}
	for n := range 51 {
		ids["ResourceId."+strconv.Itoa(n+1)] = "i-" + strconv.Itoa(n)
	}
	for name, row := range map[string]struct {
		action string
		own    values
		code   string
		status int
	}{
		"no type":         {"TagResources", values{"ResourceId.1": id, "Tag.1.Key": "a"}, "MissingParameter.ResourceType", 404},
		"unknown type":    {"TagResources", on.with(values{"ResourceType": "planet", "Tag.1.Key": "a"}), "InvalidResourceType.NotFound", 404},
		"no id":           {"TagResources", values{"ResourceType": "instance", "Tag.1.Key": "a"}, "MissingParameter.ResourceIds", 404},
		"no tag":          {"TagResources", on, "MissingParameter.Tags", 404},
		"unknown id":      {"TagResources", on.with(values{"ResourceId.2": "i-none", "Tag.1.Key": "a"}), "InvalidResourceId.NotFound", 404},
		"id twice":        {"TagResources", on.with(values{"ResourceId.2": id, "Tag.1.Key": "a"}), "Duplicate.ResourceId", 400},
		"51 ids":          {"TagResources", ids, "NumberExceed.ResourceIds", 400},
		"21 tags":         {"TagResources", on.with(many), "NumberExceed.Tags", 400},
		"reserved key":    {"TagResources", on.with(values{"Tag.1.Key": "aliyun"}), "InvalidTagKey.Malformed", 400},
		"key twice":       {"TagResources", on.with(values{"Tag.1.Key": "a", "Tag.2.Key": "a"}), "Duplicate.TagKey", 400},
		"long value":      {"TagResources", on.with(values{"Tag.1.Key": "a", "Tag.1.Value": strings.Repeat("ü", 129)}), "InvalidTagValue.Malformed", 400},
		"untag nothing":   {"UntagResources", on, "MissingParameter.TagKeys", 404},
		"list of all":     {"ListTagResources", values{"ResourceType": "instance"}, "MissingParameter.TagOrResourceId", 404},
		"list of no type": {"ListTagResources", values{"ResourceId.1": id}, "MissingParameter.ResourceType", 404},
	} {
		t.Run(name, func(t *testing.T) {
			newClient(t, server).refused(row.action, row.own, row.code, row.status)
		})
	}
	if tags := server.Instances()[0].Tags; len(tags) != 0 {
		t.Fatalf("refused calls set %v", tags)
	}
	delete(many, "Tag.21.Key")
	c.ok("TagResources", on.with(many))
	c.ok("TagResources", on.with(values{"Tag.1.Key": "k0", "Tag.1.Value": "again"}))
	c.refused("TagResources", on.with(values{"Tag.1.Key": "one-more"}), "QuotaExceed.Tags", 403)
	if tags := server.Instances()[0].Tags; len(tags) != 20 || tags["k0"] != "again" {
		t.Errorf("tags %v", tags)
	}
	c.ok("UntagResources", on.with(values{"TagKey.1": "k0", "TagKey.2": "never-there", "All": "true"}))
	if tags := server.Instances()[0].Tags; len(tags) != 19 {
		t.Errorf("All counted beside TagKey: %v", tags)
	}
	c.ok("UntagResources", on.with(values{"All": "true"}))
	if tags := server.Instances()[0].Tags; len(tags) != 0 {
		t.Errorf("left %v", tags)
	}
}

func TestCatalogueReads(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	for name, row := range map[string]struct {
		action string
		own    values
		path   []any
		want   string
	}{
		"type":             {"DescribeInstanceTypes", values{"InstanceTypes.1": "ecs.g8y.large"}, []any{"InstanceTypes", "InstanceType", 0, "CpuArchitecture"}, "ARM"},
		"type with a GPU":  {"DescribeInstanceTypes", values{"GPUSpec": "NVIDIA A10", "MaximumCpuCoreCount": "8"}, []any{"InstanceTypes", "InstanceType", 0, "InstanceTypeId"}, "ecs.gn7i-c8g1.2xlarge"},
		"image":            {"DescribeImages", values{"ImageId": "m-none,m-acme1"}, []any{"Images", "Image", 0, "ImageFamily"}, "acme-node"},
		"deprecated image": {"DescribeImages", values{"ImageFamily": "acme-node", "Status": "Deprecated"}, []any{"Images", "Image", 0, "ImageId"}, "m-acme-deprecated"},
		"family":           {"DescribeImageFromFamily", values{"ImageFamily": "acme-node"}, []any{"Image", "ImageId"}, "m-acme2"},
		"vswitch":          {"DescribeVSwitches", values{"VSwitchId": "vsw-b"}, []any{"VSwitches", "VSwitch", 0, "ZoneId"}, "cn-hangzhou-i"},
		"VPC":              {"DescribeVpcs", values{"VpcId": "vpc-1"}, []any{"Vpcs", "Vpc", 0, "VSwitchIds", "VSwitchId", 0}, "vsw-a"},
		"group":            {"DescribeSecurityGroups", values{"SecurityGroupIds": `["sg-2"]`}, []any{"SecurityGroups", "SecurityGroup", 0, "VpcId"}, "vpc-1"},
		"zone":             {"DescribeZones", values{"AcceptLanguage": "en-US"}, []any{"Zones", "Zone", 0, "LocalName"}, "China (Hangzhou) h"},
		"key pair":         {"DescribeKeyPairs", values{"KeyPairName": "acme-*"}, []any{"KeyPairs", "KeyPair", 0, "KeyPairName"}, "acme-key"},
		"deployment set":   {"DescribeDeploymentSets", values{"DeploymentSetIds": `["ds-1"]`}, []any{"DeploymentSets", "DeploymentSet", 0, "DeploymentSetId"}, "ds-1"},
		"snapshot":         {"DescribeSnapshots", values{"SnapshotIds": `["s-1"]`}, []any{"Snapshots", "Snapshot", 0, "SourceDiskSize"}, "100"},
		"identity":         {"GetCallerIdentity", nil, []any{"AccountId"}, ecsemulator.DefaultAccountID},
		"disk categories": {
			"DescribeAvailableResource",
			values{"DestinationResource": "SystemDisk", "InstanceType": "ecs.u1-c1m1.large"},
			[]any{"AvailableZones", "AvailableZone", 0, "AvailableResources", "AvailableResource", 0, "SupportedResources", "SupportedResource", 2, "Value"},
			"cloud_essd_entry",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newClient(t, server).ok(row.action, row.own).text(t, row.path...); got != row.want {
				t.Errorf("%q, want %q", got, row.want)
			}
		})
	}
	for name, row := range map[string]struct {
		action string
		own    values
		path   []any
	}{
		"unknown image":    {"DescribeImages", values{"ImageId": "m-none"}, []any{"Images", "Image"}},
		"unknown vswitch":  {"DescribeVSwitches", values{"VSwitchId": "vsw-none"}, []any{"VSwitches", "VSwitch"}},
		"unknown group":    {"DescribeSecurityGroups", values{"SecurityGroupIds": `["sg-none"]`}, []any{"SecurityGroups", "SecurityGroup"}},
		"unknown set":      {"DescribeDeploymentSets", values{"DeploymentSetIds": `["ds-none"]`}, []any{"DeploymentSets", "DeploymentSet"}},
		"unknown snapshot": {"DescribeSnapshots", values{"SnapshotIds": `["s-none"]`}, []any{"Snapshots", "Snapshot"}},
		"unknown type":     {"DescribeInstanceTypes", values{"InstanceTypes.1": "ecs.z9"}, []any{"InstanceTypes", "InstanceType"}},
		"type not there":   {"DescribeAvailableResource", values{"DestinationResource": "InstanceType", "InstanceType": "ecs.z9"}, []any{"AvailableZones", "AvailableZone"}},
	} {
		t.Run(name+" is an empty list", func(t *testing.T) {
			t.Parallel()
			if found := newClient(t, server).ok(row.action, row.own).list(t, row.path...); len(found) != 0 {
				t.Errorf("found %v", found)
			}
		})
	}
	if image, _ := c.ok("DescribeImageFromFamily", values{"ImageFamily": "none"}).at(t, "Image").(map[string]any); len(image) != 0 {
		t.Errorf("image of an empty family %v", image)
	}
	c.refused("DescribeAvailableResource", values{"DestinationResource": "Planet"}, "Invalid.DestinationResource", 404)
	c.refused("DescribeAvailableResource", values{"DestinationResource": "SystemDisk"}, "MissingParameter", 400)
	c.refused("DescribeInstanceTypes", tenAndOne("InstanceTypes"), "InvalidParameter", 400)
}

func tenAndOne(list string) values {
	own := values{}
	for n := range 11 {
		own[fmt.Sprintf("%s.%d", list, n+1)] = "ecs.g7.large"
	}
	return own
}

func TestInstanceTypesPage(t *testing.T) {
	t.Parallel()
	c := newClient(t, still(t, ecsemulator.Options{}))
	seen, token := map[string]bool{}, values{}
	for {
		answer := c.ok("DescribeInstanceTypes", values{"MaxResults": "30"}.with(token))
		for n := range answer.list(t, "InstanceTypes", "InstanceType") {
			seen[answer.text(t, "InstanceTypes", "InstanceType", n, "InstanceTypeId")] = true
		}
		if answer.text(t, "NextToken") == "" {
			break
		}
		token = values{"NextToken": answer.text(t, "NextToken")}
	}
	if len(seen) < 40 {
		t.Errorf("%d types", len(seen))
	}
}

func TestModifyInstanceAttributeChangesAllOrNothing(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := c.run(values{"InstanceName": "before"})
	step(t, server, time.Minute)
	c.refused("ModifyInstanceAttribute", values{"InstanceId": id, "InstanceName": "after", "SecurityGroupIds.1": "sg-none"}, "InvalidSecurityGroupId.NotFound", 404)
	if got := server.Instances()[0].Name; got != "before" {
		t.Errorf("name %s", got)
	}
	c.ok("ModifyInstanceAttribute", values{"InstanceId": id, "InstanceName": "after", "SecurityGroupIds.1": "sg-2", "UserData": "YQ=="})
	got := server.Instances()[0]
	if got.Name != "after" || !slices.Equal(got.SecurityGroups, []string{"sg-2"}) || got.UserDataBytes != 1 {
		t.Errorf("instance %+v", got)
	}
	journal := server.Journal()
	if last := journal[len(journal)-1]; last.Effect != "modified" || last.Detail != "InstanceName,SecurityGroupIds,UserData" {
		t.Errorf("journal %+v", last)
	}
}
