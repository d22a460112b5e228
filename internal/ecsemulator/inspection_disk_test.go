package ecsemulator_test

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// A disk that somebody attached is one like those that a launch made: it is listed with its instance, can be told what becomes of it,
// and does when the instance is released.
func TestAnAttachedDisk(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		goes, told bool
		left       int
	}{
		"stays by default":            {left: 1},
		"goes where it was said":      {goes: true},
		"stays where it was told to":  {goes: true, told: true, left: 1},
		"stays although told so anew": {told: true, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := still(t, ecsemulator.Options{})
			c := newClient(t, server)
			id := instanceIn(t, server, c, "Running", launch())
			disk, err := server.AddDisk(ecsemulator.NewDisk{InstanceID: id, SizeGiB: 100, Category: "cloud_auto", DeleteWithInstance: row.goes})
			if err != nil {
				t.Fatal(err)
			}
			answer := c.ok("DescribeDisks", values{"InstanceId": id, "DiskType": "data"})
			if answer.text(t, "Disks", "Disk", 0, "DiskId") != disk.ID || answer.text(t, "Disks", "Disk", 0, "Device") != "/dev/xvdb" || answer.text(t, "Disks", "Disk", 0, "Status") != "In_use" {
				t.Errorf("%s", answer.body)
			}
			if row.told {
				c.ok("ModifyDiskAttribute", values{"DiskIds.1": disk.ID, "DeleteWithInstance": "false"})
			}
			c.ok("DeleteInstance", values{"InstanceId": id, "Force": "true"})
			step(t, server, time.Minute)
			if left := server.Disks(); len(left) != row.left || row.left > 0 && (left[0].ID != disk.ID || left[0].InstanceID != "" || left[0].Status != "Available") {
				t.Errorf("left are %+v", left)
			}
		})
	}
}

func TestADiskThatCannotBeAttached(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	c := newClient(t, server)
	id := instanceIn(t, server, c, "Running", launch())
	if _, err := server.AddDisk(ecsemulator.NewDisk{InstanceID: id, Category: "tape"}); err == nil {
		t.Error("a category that there is not was taken")
	}
	for range 25 {
		if _, err := server.AddDisk(ecsemulator.NewDisk{InstanceID: id}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := server.AddDisk(ecsemulator.NewDisk{InstanceID: id}); err == nil {
		t.Error("a 26th data disk was attached")
	}
}
