package alicloud_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func (b *bench) disks(t *testing.T, id driver.ProviderID, classUID string) ([]driver.MachineDisk, error) {
	t.Helper()

	return b.cloud.DiskLister().MachineDisks(t.Context(), &driver.MachineDisksRequest{ProviderID: id.String(), ClassUID: classUID, Secret: b.secret()})
}

// launchWithDisks launches a machine with a system disk of 40 GiB and data disks of 50 and
// 60 GiB.
func (b *bench) launchWithDisks(t *testing.T, name string) driver.ProviderID {
	t.Helper()

	request := b.allocation(t, name)
	request.Allocation.ProviderConfig = class(t, set("data_disks", []object{{"size_gib": 50}, {"size_gib": 60, "category": "cloud_auto"}}))
	id, _ := b.launch(t, request)

	return id
}

func TestDisksOfAClassAreListedTogether(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	machines := []driver.ProviderID{b.launchWithDisks(t, "worker-a"), b.launchWithDisks(t, "worker-b"), b.launchWithDisks(t, "worker-c")}
	want := []driver.MachineDisk{
		{System: true, Category: "cloud_essd", PerformanceLevel: "PL0", SizeGiB: 40}, {Category: "cloud_essd", PerformanceLevel: "PL1", SizeGiB: 50}, {Category: "cloud_auto", SizeGiB: 60},
	}

	counts := b.counted(func() {
		var looking sync.WaitGroup

		for _, id := range machines {
			looking.Go(func() {
				if got, err := b.disks(t, id, "class-uid"); err != nil || !slices.Equal(got, want) {
					t.Errorf("the disks of %s are %+v, %v", id, got, err)
				}
			})
		}

		looking.Wait()
	})
	wantCounts(t, counts, map[string]int{"DescribeDisks": 1})

	// One that was not launched by its class carries no tags.
	counts = b.counted(func() {
		if got, err := b.disks(t, b.add(t, ecsemulator.NewInstance{}), "class-uid"); err != nil || len(got) == 0 || !got[0].System {
			t.Errorf("the disks are %+v, %v", got, err)
		}
	})
	wantCounts(t, counts, map[string]int{"DescribeDisks": 1})
}

func TestDisksThatCannotBeListedAreAnError(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	id := b.launchWithDisks(t, "worker-a")
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeDisks"})

	for _, classUID := range []string{"", "class-uid"} {
		_, err := b.disks(t, id, classUID)
		wantCode(t, err, driver.CodePermissionDenied, "DescribeDisks", id.String())
	}

	if _, err := b.cloud.DiskLister().MachineDisks(t.Context(), nil); driver.CodeOf(err) != driver.CodeInvalidArgument {
		t.Errorf("no request is %v", err)
	}

	if _, err := b.disks(t, driver.ProviderID{ResourceID: "x"}, ""); err == nil || !strings.Contains(err.Error(), "x") {
		t.Errorf("what is no machine is %v", err)
	}
}
