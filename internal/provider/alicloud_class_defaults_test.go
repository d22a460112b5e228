package provider

import (
	"maps"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// TestWhatIsWrittenDownOfDisksIsComparedWithThem edits what a class says of disks that
// ECS chose: the machine has a system disk of cloud_essd PL0 with 60 GiB, and data disks
// of cloud_essd PL1 with 100 GiB and of cloud_auto with 200 GiB.
func TestWhatIsWrittenDownOfDisksIsComparedWithThem(t *testing.T) {
	t.Parallel()

	machine := []driver.MachineDisk{
		{System: true, Category: "cloud_essd", PerformanceLevel: "PL0", SizeGiB: 60},
		{Category: "cloud_essd", PerformanceLevel: "PL1", SizeGiB: 100},
		{Category: "cloud_auto", SizeGiB: 200},
	}
	snapshot := plainly{"snapshot_id": "s-1"}

	for name, test := range map[string]struct {
		before, after plainly
		// asks is that the machine has to be looked at, want what is then to be replaced,
		// and unseen what is where the look failed.
		asks         bool
		want, unseen []string
	}{
		"nothing":                       {plainly{}, plainly{}, false, nil, nil},
		"what the machine has":          {plainly{}, plainly{"system_disk": plainly{"category": "cloud_essd", "performance_level": "PL0", "size_gib": 60}}, true, nil, nil},
		"a part of it":                  {plainly{}, plainly{"system_disk": plainly{"size_gib": 60}}, true, nil, nil},
		"another category":              {plainly{}, plainly{"system_disk": plainly{"category": "cloud_ssd"}}, true, []string{"class.alicloud.system_disk.category changes"}, nil},
		"the category without a level":  {plainly{}, plainly{"system_disk": plainly{"category": "cloud_essd"}}, true, nil, nil},
		"the default level, written":    {plainly{}, plainly{"system_disk": plainly{"category": "cloud_essd", "performance_level": "PL1"}}, true, []string{"class.alicloud.system_disk.performance_level changes"}, nil},
		"another level":                 {plainly{}, plainly{"system_disk": plainly{"category": "cloud_essd", "performance_level": "PL2"}}, true, []string{"class.alicloud.system_disk.performance_level changes"}, nil},
		"another size":                  {plainly{}, plainly{"system_disk": plainly{"size_gib": 80}}, true, []string{"class.alicloud.system_disk.size_gib changes"}, nil},
		"the default size":              {plainly{}, plainly{"system_disk": plainly{"size_gib": 40}}, false, nil, nil},
		"the default size taken away":   {plainly{"system_disk": plainly{"size_gib": 40}}, plainly{"system_disk": plainly{}}, false, nil, nil},
		"another size taken away":       {plainly{"system_disk": plainly{"size_gib": 80}}, plainly{}, false, []string{"class.alicloud.system_disk changes"}, []string{"class.alicloud.system_disk changes"}},
		"a size that was written":       {plainly{"system_disk": plainly{"size_gib": 60}}, plainly{"system_disk": plainly{"size_gib": 80}}, false, []string{"class.alicloud.system_disk.size_gib changes"}, []string{"class.alicloud.system_disk.size_gib changes"}},
		"encryption":                    {plainly{}, plainly{"system_disk": plainly{"encrypted": true}}, false, []string{"class.alicloud.system_disk changes"}, []string{"class.alicloud.system_disk changes"}},
		"encryption of what is written": {plainly{}, plainly{"system_disk": plainly{"size_gib": 60, "encrypted": true}}, true, []string{"class.alicloud.system_disk.encrypted changes"}, []string{"class.alicloud.system_disk.encrypted changes"}},
		"what the data disks have": {
			plainly{"data_disks": []any{snapshot, plainly{"size_gib": 200}}},
			plainly{"data_disks": []any{plainly{"snapshot_id": "s-1", "category": "cloud_essd"}, plainly{"size_gib": 200, "category": "cloud_auto"}}},
			true, nil, nil,
		},
		"the default level of a data disk": {
			plainly{"data_disks": []any{snapshot, plainly{"size_gib": 200}}},
			plainly{"data_disks": []any{plainly{"snapshot_id": "s-1", "category": "cloud_essd", "performance_level": "PL1"}, plainly{"size_gib": 200}}},
			true, nil, nil,
		},
		"what one data disk has not": {
			plainly{"data_disks": []any{snapshot, plainly{"size_gib": 200}}},
			plainly{"data_disks": []any{snapshot, plainly{"size_gib": 200, "category": "cloud_ssd"}}},
			true,
			[]string{"class.alicloud.data_disks[1].category changes"},
			nil,
		},
		"the system disk's category": {
			plainly{"system_disk": plainly{"category": "cloud_auto", "size_gib": 60}, "data_disks": []any{plainly{"size_gib": 200}}},
			plainly{"system_disk": plainly{"category": "cloud_auto", "size_gib": 60}, "data_disks": []any{plainly{"size_gib": 200, "category": "cloud_auto"}}},
			false, nil, nil,
		},
		"a public address with its defaults": {
			plainly{"internet": plainly{"bandwidth_out_mbps": 5}}, plainly{"internet": plainly{"bandwidth_out_mbps": 5, "bandwidth_in_mbps": 10, "charge_type": "traffic"}}, false, nil, nil,
		},
		"a fast one with its defaults": {plainly{"internet": plainly{"bandwidth_out_mbps": 50}}, plainly{"internet": plainly{"bandwidth_out_mbps": 50, "bandwidth_in_mbps": 50}}, false, nil, nil},
		"a fast one that is slower": {
			plainly{"internet": plainly{"bandwidth_out_mbps": 50}},
			plainly{"internet": plainly{"bandwidth_out_mbps": 50, "bandwidth_in_mbps": 10}},
			false,
			[]string{"class.alicloud.internet.bandwidth_in_mbps changes"},
			[]string{"class.alicloud.internet.bandwidth_in_mbps changes"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			of := func(change plainly) plainly {
				class := plainly{"system_disk": nil, "data_disks": nil}
				maps.Copy(class, change)

				return launchedPlain(class)
			}
			before, after := plainClass(t, of(test.before)), plainClass(t, of(test.after))

			if asks := alicloudWritesDisksDown(before, after); asks != test.asks {
				t.Errorf("that the machine is looked at is %t", asks)
			}

			if got := alicloudMismatch(before, after, launchedMachine("on_demand"), machine); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}

			if got := alicloudMismatch(before, after, launchedMachine("on_demand"), nil); !slices.Equal(got, test.unseen) {
				t.Errorf("without a look: got %q, want %q", got, test.unseen)
			}
		})
	}
}
