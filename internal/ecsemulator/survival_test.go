package ecsemulator_test

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// what lists what an account has, by name, with its status.
func (c *client) things(action string, path []any, name string) map[string]string {
	c.t.Helper()
	found := map[string]string{}
	answer := c.ok(action, nil)
	for n := range answer.list(c.t, path...) {
		found[answer.text(c.t, append(slices.Clone(path), n, name)...)] = answer.text(c.t, append(slices.Clone(path), n, "Status")...)
	}
	return found
}

// What survives the release of an instance. Source: ecs-api 3.4.
func TestWhatSurvivesARelease(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		launch values
		lock   string
		keep   bool // the system disk is told to stay by ModifyDiskAttribute
		disks  []string
		cards  []string
	}{
		"nothing but the system disk": {disks: nil},
		"system disk that was told to stay": {
			launch: values{"SystemDisk.DiskName": "root"}, keep: true, disks: []string{"root"},
		},
		"data disks by their flag": {
			launch: values{
				"DataDisk.1.Size": "20", "DataDisk.1.DiskName": "default", "DataDisk.2.Size": "20", "DataDisk.2.DiskName": "goes", "DataDisk.2.DeleteWithInstance": "true",
				"DataDisk.3.Size": "20", "DataDisk.3.DiskName": "stays", "DataDisk.3.DeleteWithInstance": "false",
			},
			disks: []string{"stays"},
		},
		"ephemeral disk": {launch: values{"DataDisk.1.Size": "64", "DataDisk.1.Category": "elastic_ephemeral_disk_premium", "DataDisk.1.DiskName": "fast"}},
		"no disk of an instance locked for security": {
			launch: values{"DataDisk.1.Size": "20", "DataDisk.1.DiskName": "stays", "DataDisk.1.DeleteWithInstance": "false"}, lock: "security",
		},
		"network interfaces by their flag": {
			launch: values{
				"NetworkInterface.1.NetworkInterfaceName": "goes", "NetworkInterface.2.NetworkInterfaceName": "stays",
				"NetworkInterface.2.DeleteOnRelease": "false",
			},
			cards: []string{"stays"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{})
			c := newClient(t, server)
			id := instanceIn(t, server, c, "Running", row.launch.with(values{"Tag.1.Key": "team", "Tag.1.Value": "a"}))
			if row.keep {
				disk := c.ok("DescribeDisks", values{"DiskType": "system"}).text(t, "Disks", "Disk", 0, "DiskId")
				c.ok("ModifyDiskAttribute", values{"DiskId": disk, "DeleteWithInstance": "false"})
			}
			if row.lock != "" {
				if _, err := server.AddIncident(id, ecsemulator.Incident{Kind: ecsemulator.IncidentLock, Reason: row.lock}); err != nil {
					t.Fatal(err)
				}
			}
			c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
			step(t, server, time.Minute)
			disks := c.things("DescribeDisks", []any{"Disks", "Disk"}, "DiskName")
			cards := c.things("DescribeNetworkInterfaces", []any{"NetworkInterfaceSets", "NetworkInterfaceSet"}, "NetworkInterfaceName")
			for kind, pair := range map[string]struct {
				got  map[string]string
				want []string
			}{"disks": {disks, row.disks}, "interfaces": {cards, row.cards}} {
				if len(pair.got) != len(pair.want) {
					t.Errorf("%s left: %v, want %v", kind, pair.got, pair.want)
				}
				for _, name := range pair.want {
					if pair.got[name] != "Available" {
						t.Errorf("%s %q is %q, want Available", kind, name, pair.got[name])
					}
				}
			}
			if len(row.disks) > 0 {
				answer := c.ok("DescribeDisks", nil)
				if answer.text(t, "Disks", "Disk", 0, "Tags", "Tag", 0, "TagValue") != "a" || answer.text(t, "Disks", "Disk", 0, "InstanceId") != "" {
					t.Errorf("a disk that is left keeps its tags and belongs to nobody: %s", answer.body)
				}
			}
		})
	}
}

// An address is free again once its instance is gone, not before. Source: ecs-api 3.4.
func TestAddressesOfInterfacesComeBack(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	free := func() any {
		return c.ok("DescribeVSwitches", values{"VSwitchId": "vsw-c"}).at(t, "VSwitches", "VSwitch", 0, "AvailableIpAddressCount")
	}
	id := instanceIn(t, server, c, "Running", values{
		"VSwitchId": "-", "SecurityGroupId": "-", "NetworkInterface.1.InstanceType": "Primary", "NetworkInterface.1.VSwitchId": "vsw-c",
		"NetworkInterface.1.SecurityGroupId": "sg-1", "NetworkInterface.1.PrimaryIpAddress": "10.0.32.77", "NetworkInterface.1.SecondaryPrivateIpAddressCount": "2",
		"NetworkInterface.1.Ipv6Address.1": "2408:4005:300:1c00::77", "NetworkInterface.2.InstanceType": "Secondary",
		"NetworkInterface.2.SecondaryPrivateIpAddressCount": "1", "NetworkInterface.2.PrimaryIpAddress": "10.0.32.1", "NetworkInterface.2.DeleteOnRelease": "false",
	})
	if free() != 4087.0 {
		t.Errorf("%v free, want 4087", free())
	}
	cards := c.ok("DescribeNetworkInterfaces", values{"InstanceId": id})
	for want, path := range map[string][]any{
		"10.0.32.77":             {"NetworkInterfaceSets", "NetworkInterfaceSet", 0, "PrivateIpAddress"},
		"2408:4005:300:1c00::77": {"NetworkInterfaceSets", "NetworkInterfaceSet", 0, "Ipv6Sets", "Ipv6Set", 0, "Ipv6Address"},
		"10.0.32.1":              {"NetworkInterfaceSets", "NetworkInterfaceSet", 1, "PrivateIpAddress"},
	} {
		if got := cards.text(t, path...); got != want {
			t.Errorf("%v is %s, want %s", path, got, want)
		}
	}
	c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
	if free() != 4087.0 {
		t.Errorf("%v free while it goes away, want 4087", free())
	}
	step(t, server, time.Minute)
	if free() != 4090.0 {
		t.Errorf("%v free, want 4090: the interface that stays holds two", free())
	}
	left := c.ok("DescribeNetworkInterfaces", nil).text(t, "NetworkInterfaceSets", "NetworkInterfaceSet", 0, "NetworkInterfaceId")
	again := c.run(values{"VSwitchId": "vsw-c", "NetworkInterface.1.NetworkInterfaceId": left, "Ipv6Address.1": "2408:4005:300:1c00::77"})
	status := func() string {
		return c.ok("DescribeNetworkInterfaces", values{"NetworkInterfaceId.1": left}).text(t, "NetworkInterfaceSets", "NetworkInterfaceSet", 0, "Status")
	}
	if status() != "Attaching" {
		t.Errorf("the interface is %s while its instance is Pending, want Attaching", status())
	}
	step(t, server, time.Minute)
	if status() != "InUse" {
		t.Errorf("the interface is %s, want InUse", status())
	}
	c.ok("DeleteInstance", values{"InstanceId": again, "Force": "true"})
	step(t, server, time.Minute)
	if free() != 4092.0 {
		t.Errorf("%v free, want all 4092", free())
	}
}

// Status of a network interface that outlives its instance: ecs-api 3.3.
func TestInterfaceDetachesWhileItsInstanceGoes(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := instanceIn(t, server, c, "releasing", values{"NetworkInterface.1.DeleteOnRelease": "false", "NetworkInterface.1.NetworkInterfaceName": "stays"})
	if got := c.things("DescribeNetworkInterfaces", []any{"NetworkInterfaceSets", "NetworkInterfaceSet"}, "NetworkInterfaceName")["stays"]; got != "Detaching" {
		t.Errorf("the interface of %s is %s, want Detaching", id, got)
	}
}

func TestTagsOfInterfacesAreTheirOwn(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := instanceIn(t, server, c, "Running", values{"NetworkInterface.1.NetworkInterfaceName": "second", "Tag.1.Key": "team"})
	names := namesOf(t, c, id)
	for _, card := range []string{names.Replace("{primary}"), names.Replace("{eni}")} {
		c.ok("TagResources", values{"ResourceType": "eni", "ResourceId.1": card, "Tag.1.Key": "card", "Tag.1.Value": "1"})
		found := c.ok("DescribeNetworkInterfaces", values{"Tag.1.Key": "card", "NetworkInterfaceId.1": card})
		if len(found.list(t, "NetworkInterfaceSets", "NetworkInterfaceSet")) != 1 {
			t.Errorf("no interface with the tag: %s", found.body)
		}
		if got := len(c.ok("ListTagResources", values{"ResourceType": "eni", "ResourceId.1": card}).list(t, "TagResources", "TagResource")); got != 2 {
			t.Errorf("%d tags, want team and card", got)
		}
	}
	if got := c.ok("DescribeInstances", nil).list(t, "Instances", "Instance", 0, "Tags", "Tag"); len(got) != 1 {
		t.Errorf("the instance has the tags %v, want team alone", got)
	}
	c.refused("TagResources", values{"ResourceType": "eni", "ResourceId.1": "eni-none", "Tag.1.Key": "a"}, "InvalidResourceId.NotFound", 404)
}
