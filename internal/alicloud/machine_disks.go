package alicloud

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// diskListLifetime is for how long a list of disks serves: as long as one plan asks.
const diskListLifetime = time.Minute

// diskLists tells what disks machines have, and keeps the list of a class in a region
// for all of its machines.
type diskLists struct {
	plugin *MachinePlugin
	// ofClasses are the disks by machine.
	ofClasses *answers[map[string][]ecs.InstanceDisk]
}

func newDiskLists(plugin *MachinePlugin, c clock.PassiveClock) *diskLists {
	return &diskLists{plugin: plugin, ofClasses: newAnswers[map[string][]ecs.InstanceDisk](c, diskListLifetime)}
}

// MachineDisks implements driver.DiskLister. A launch puts the machine's tags on its
// disks (RunInstances, "Tag.N"), so those of a class are listed together; a machine
// that is not among them, as one that was imported, is asked about alone.
func (l *diskLists) MachineDisks(ctx context.Context, req *driver.MachineDisksRequest) ([]driver.MachineDisk, error) {
	if req == nil {
		return nil, driver.NewError(driver.CodeInvalidArgument, "there is no request")
	}

	id, err := parseProviderID(req.ProviderID, "")
	if err != nil {
		return nil, err
	}

	client, err := l.plugin.NewECSClient(req.Secret, id.Region)
	if err != nil {
		return nil, driverError(err)
	}

	found, err := l.ofClass(ctx, client, id, req.ClassUID)
	if err == nil && len(found) == 0 {
		found, err = client.DisksOf(ctx, id.Region, id.ResourceID)
	}

	if err != nil {
		return nil, driverError(fmt.Errorf("looking at the disks of %s: %w", id, err))
	}

	disks := make([]driver.MachineDisk, 0, len(found))
	for _, disk := range inMachineOrder(found) {
		disks = append(disks, driver.MachineDisk{System: disk.System, Category: disk.Category, PerformanceLevel: disk.PerformanceLevel, SizeGiB: disk.SizeGiB})
	}

	return disks, nil
}

func inMachineOrder(disks []ecs.InstanceDisk) []ecs.InstanceDisk {
	return slices.SortedStableFunc(slices.Values(disks), func(a, b ecs.InstanceDisk) int {
		switch {
		case a.System != b.System && a.System:
			return -1
		case a.System != b.System:
			return 1
		default:
			return cmp.Or(cmp.Compare(len(a.Device), len(b.Device)), cmp.Compare(a.Device, b.Device))
		}
	})
}

// ofClass returns what the list of the class has of the machine.
func (l *diskLists) ofClass(ctx context.Context, client *ecs.Client, id driver.ProviderID, classUID string) ([]ecs.InstanceDisk, error) {
	if classUID == "" {
		return nil, nil
	}

	listed, err := l.ofClasses.get(ctx, id.Region+"\x00"+classUID, func(ctx context.Context) (map[string][]ecs.InstanceDisk, error) {
		found, err := client.DisksByTags(ctx, id.Region, map[string]string{tagClassUID: classUID})
		if err != nil {
			return nil, err
		}

		disks := map[string][]ecs.InstanceDisk{}
		for _, disk := range found {
			disks[disk.InstanceID] = append(disks[disk.InstanceID], disk)
		}

		return disks, nil
	})

	return listed[id.ResourceID], err
}
