package alicloud_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// requirements returns an edit that chooses types by what they are.
func requirements(fields object) func(map[string]any) {
	return all(func(c map[string]any) { delete(c, "instance_types") }, set("requirements", fields))
}

func from(least float64) object { return object{"min": least} }
func upTo(most float64) object  { return object{"max": most} }
func just(value float64) object { return object{"min": value, "max": value} }

// typesOf returns the instance types of the offerings, each once, in order.
func typesOf(offerings []v1alpha3.MachineClassOffering) []string {
	var types []string

	for _, offering := range offerings {
		if !slices.Contains(types, offering.InstanceType) {
			types = append(types, offering.InstanceType)
		}
	}

	return types
}

func TestRequirementsChooseTypesByWhatTheyAre(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, test := range map[string]struct {
		edit func(map[string]any)
		want []string
	}{
		"families in order among equals": {
			requirements(object{"vcpus": just(4), "memory_gib": just(16), "families": []string{"ecs.g7", "ecs.g6"}}),
			[]string{"ecs.g7.xlarge", "ecs.g6.xlarge"},
		},
		"and in the other order": {
			requirements(object{"vcpus": just(4), "memory_gib": just(16), "families": []string{"ecs.g6", "ecs.g7"}}),
			[]string{"ecs.g6.xlarge", "ecs.g7.xlarge"},
		},
		"the smallest first": {
			requirements(object{"vcpus": upTo(8), "families": []string{"ecs.r7", "ecs.c7"}}),
			[]string{"ecs.c7.large", "ecs.r7.large", "ecs.c7.xlarge", "ecs.r7.xlarge", "ecs.c7.2xlarge", "ecs.r7.2xlarge"},
		},
		"memory of one vCPU": {
			requirements(object{"vcpus": just(2), "memory_gib_per_vcpu": just(8), "families": []string{"ecs.c7", "ecs.g7", "ecs.r7"}}),
			[]string{"ecs.r7.large"},
		},
		"a model in any case": {
			requirements(object{"vcpus": upTo(8), "gpu_models": []string{"nvidia v100"}}), []string{"ecs.gn6v-c8g1.2xlarge"},
		},
		"memory of one GPU":  {requirements(object{"gpu_memory_gib": from(80), "gpus": upTo(2)}), []string{"ecs.gn7e-c16g1.4xlarge", "ecs.gn7e-c16g1.8xlarge"}},
		"burstable types":    {requirements(object{"burstable": "only"}), []string{"ecs.t6-c1m1.large", "ecs.t6-c1m2.large", "ecs.t6-c1m4.large"}},
		"local disks":        {requirements(object{"local_disks": "only", "vcpus": upTo(8)}), []string{"ecs.i3.xlarge", "ecs.i3.2xlarge"}},
		"what is taken out":  {requirements(object{"vcpus": just(2), "families": []string{"ecs.g7", "ecs.g6"}, "exclude_instance_types": []string{"ecs.g7.large"}}), []string{"ecs.g6.large"}},
		"a family taken out": {requirements(object{"local_disks": "include", "vcpus": just(4), "memory_gib": just(32), "families": []string{"ecs.i3", "ecs.r7"}, "exclude_families": []string{"ecs.r7"}}), []string{"ecs.i3.xlarge"}},
		"bandwidth": {
			requirements(object{"vcpus": upTo(8), "families": []string{"ecs.g7"}, "network_bandwidth_gbps": from(4)}), []string{"ecs.g7.2xlarge"},
		},
		"the image's architecture": {
			all(requirements(object{"vcpus": just(2), "memory_gib": just(4)}), set("image_id", "m-acme-arm")), []string{"ecs.c8y.large"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			offerings, err := b.resolve(t, test.edit)
			if got := typesOf(offerings); err != nil || !slices.Equal(got, test.want) {
				t.Errorf("the types are %q, %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestTypesWithGPUsBurstsAndLocalDisksComeOnlyWhereTheyAreWanted(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	offerings, err := b.resolve(t, requirements(object{}))
	if err != nil || len(offerings) < 50 {
		t.Fatalf("%d offerings, %v", len(offerings), err)
	}

	for _, id := range typesOf(offerings) {
		for _, family := range []string{"ecs.gn", "ecs.t6", "ecs.i3", "ecs.g8y", "ecs.c8y"} {
			if strings.HasPrefix(id, family) {
				t.Errorf("%s is among the types, and nothing asks for it", id)
			}
		}
	}
}

func TestRequirementsThatNothingMeetsSayWhatLeavesOutHowMany(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, wrong := range map[string]struct {
		edit  func(map[string]any)
		texts []string
	}{
		"too large": {
			requirements(object{"vcpus": from(1000), "memory_gib": just(16)}), []string{"requirements", "none of the 163 instance types of cn-hangzhou", "vcpus leaves out 163", "memory_gib leaves out 1"},
		},
		"family nobody has": {requirements(object{"families": []string{"ecs.g7", "ecs.g77"}}), []string{"requirements.families", `"ecs.g77"`, region}},
		"another architecture than the image's": {
			requirements(object{"architecture": "arm64"}), []string{"requirements.architecture", "arm64", "m-acme2", "amd64"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := b.resolve(t, wrong.edit)
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, wrong.texts...)
		})
	}
}

func TestWhatCanNeverBeLaunchedIsLeftOutAndTold(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	disks := make([]object, 10)
	for i := range disks {
		disks[i] = object{"category": "cloud_essd", "size_gib": 20}
	}

	for name, test := range map[string]struct {
		edit  func(map[string]any)
		types []string
		told  string
	}{
		"too many disks": {
			all(set("instance_types", []string{"ecs.g7.large", "ecs.g7.8xlarge"}), set("data_disks", disks)),
			[]string{"ecs.g7.8xlarge"},
			"ecs.g7.large: it takes 9 disks with the system disk, and the class has 11",
		},
		"a category that the type does not take": {
			all(set("instance_types", []string{"ecs.g7.large", "ecs.g6.large"}), set("system_disk", object{"category": "cloud_efficiency"})),
			[]string{"ecs.g6.large"},
			"ecs.g7.large: not sold in cn-hangzhou-h as on_demand with a system disk of the category cloud_efficiency",
		},
		"categories that no type takes together with others": {
			all(set("instance_types", []string{"ecs.g6.large", "ecs.u1-c1m1.large"}), set("data_disks", []object{
				{"category": "cloud_essd", "size_gib": 20}, {"category": "cloud_ssd", "size_gib": 20},
			})),
			[]string{"ecs.g6.large"},
			"ecs.u1-c1m1.large: not sold in cn-hangzhou-h as on_demand with data disks of the category cloud_essd and cloud_ssd",
		},
		"credits of a type that has none": {
			all(set("instance_types", []string{"ecs.t6-c1m2.large", "ecs.g7.large"}), set("credit_specification", "unlimited")),
			[]string{"ecs.t6-c1m2.large"},
			"ecs.g7.large: it is not burstable, and the class has credit_specification",
		},
		"more IPv6 addresses than the type takes": {
			all(set("instance_types", []string{"ecs.gn7e-c16g1.4xlarge", "ecs.g7.large"}), set("ipv6", object{"address_count": 2}), set("vswitch_ids", []string{"vsw-a", "vsw-c"})),
			[]string{"ecs.g7.large"},
			"vsw-a: IPv6 is not turned on in the vSwitch, and the class has ipv6",
		},
		"spot machines that stop with local disks": {
			all(set("instance_types", []string{"ecs.i3.xlarge", "ecs.g7.large"}), set("capacity_types", []string{"spot"}), set("spot", object{"interruption": "stop"})),
			[]string{"ecs.g7.large"},
			"ecs.i3.xlarge: it has local disks, and spot.interruption is stop (spot)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			offerings, err := b.resolve(t, test.edit)
			if got := typesOf(offerings); err != nil || !slices.Equal(got, test.types) {
				t.Errorf("the types are %q, %v, want %q", got, err, test.types)
			}

			if !strings.Contains(b.log.String(), test.told) {
				t.Errorf("the log lacks %q", test.told)
			}
		})
	}
}

func TestAClassOfNothingTellsWhyForEach(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, wrong := range map[string]struct {
		edit  func(map[string]any)
		texts []string
	}{
		"no zone": {
			all(set("instance_types", []string{"ecs.gn6v-c8g1.2xlarge"}), set("vswitch_ids", []string{"vsw-c"}), set("capacity_types", []string{"spot", "on_demand"})),
			[]string{"nothing is left", "ecs.gn6v-c8g1.2xlarge: not sold in cn-hangzhou-k as spot", "ecs.gn6v-c8g1.2xlarge: not sold in cn-hangzhou-k as on_demand"},
		},
		"no vSwitch": {set("ipv6", object{"address_count": 1}), []string{"vswitch_ids", "none of them can be used", "vsw-a: IPv6"}},
		"a small disk": {
			set("system_disk", object{"category": "cloud_essd", "size_gib": 39}), []string{"system_disk.size_gib: 39 is smaller than the image m-acme2, which has 40 GiB"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			_, err := b.resolve(t, wrong.edit)
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, wrong.texts...)
		})
	}
}

func TestAFullVSwitchCountsAsSoldOutUntilItHasRoom(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	b.add(t, ecsemulator.NewInstance{VSwitchID: "vsw-small"})

	find := func() map[string]v1alpha3.Availability {
		offerings, err := b.resolve(t, set("vswitch_ids", []string{"vsw-small", "vsw-a"}))
		if err != nil {
			t.Fatal(err)
		}

		found := map[string]v1alpha3.Availability{}
		for _, offering := range offerings {
			found[offering.Network] = offering.Availability
		}

		return found
	}

	for range 10 {
		if found := find(); found["vsw-small"] == v1alpha3.AvailabilitySoldOut {
			if found["vsw-a"] != v1alpha3.AvailabilityAvailable {
				t.Errorf("the other vSwitch is %s", found["vsw-a"])
			}

			return
		}

		b.add(t, ecsemulator.NewInstance{VSwitchID: "vsw-small"})
	}

	t.Error("a vSwitch without a free address is offered as available")
}

func TestTheTypesOfARegionAreAskedForOnce(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	counts := b.counted(func() {
		var all sync.WaitGroup

		for i := range 8 {
			all.Go(func() {
				if _, err := b.resolve(t, requirements(object{"vcpus": from(float64(i + 1))})); err != nil {
					t.Error(err)
				}
			})
		}

		all.Wait()

		// What is named by ID is known by then.
		if _, err := b.resolve(t, nil); err != nil {
			t.Error(err)
		}
	})

	if pages := 2; counts["DescribeInstanceTypes"] != pages {
		t.Errorf("%d calls for the catalogue, want its %d pages", counts["DescribeInstanceTypes"], pages)
	}
}

// largeRegion has six zones with a vSwitch each, and sells every x86 type without
// GPUs and the like in all of them.
func largeRegion(t testing.TB) *ecsemulator.Catalogue {
	t.Helper()

	return catalogue(t, func(c *ecsemulator.Catalogue) {
		hangzhou := &c.Regions[0]

		for i, zone := range []string{"cn-hangzhou-m", "cn-hangzhou-n", "cn-hangzhou-o"} {
			hangzhou.Zones = append(hangzhou.Zones, zone)
			hangzhou.VPCs[0].VSwitches = append(hangzhou.VPCs[0].VSwitches, ecsemulator.VSwitch{
				ID: fmt.Sprintf("vsw-%d", i), Zone: zone, CIDR: fmt.Sprintf("10.9.%d.0/24", i),
			})
		}

		like := c.InstanceTypes[0]
		for i := range 160 {
			like.ID, like.Family, like.VCPUs = fmt.Sprintf("ecs.x%d.large", i), "ecs.x", 2+i%8
			c.InstanceTypes = append(c.InstanceTypes, like)
		}
	})
}

func largeClass() func(map[string]any) {
	return all(
		requirements(object{"families": []string{"ecs.x"}}), set("capacity_types", []string{"spot", "on_demand"}),
		set("vswitch_ids", []string{"vsw-a", "vsw-b", "vsw-c", "vsw-0", "vsw-1", "vsw-2"}))
}

func TestAClassOfManyTypesZonesAndWaysToPayResolvesInSixCalls(t *testing.T) {
	t.Parallel()

	options := settled()
	options.Catalogue = largeRegion(t)
	b := newBench(t, options)

	var offerings []v1alpha3.MachineClassOffering

	counts := b.counted(func() {
		var err error
		if offerings, err = b.resolve(t, largeClass()); err != nil {
			t.Fatal(err)
		}
	})

	if want := 160 * 6 * 2; len(offerings) != want {
		t.Errorf("%d offerings, want %d", len(offerings), want)
	}

	// 323 types come 100 a page.
	wantCounts(t, counts, map[string]int{
		"DescribeVSwitches": 2, "DescribeSecurityGroups": 1, "DescribeImages": 1, "DescribeAvailableResource": 2, "DescribeInstanceTypes": 4,
	})
}

func TestALookUpThatIsRefusedIsNeverALackOfCapacity(t *testing.T) {
	t.Parallel()

	for action, code := range map[string]string{
		"DescribeInstanceTypes": "InvalidInstanceType.ValueNotSupported", "DescribeAvailableResource": "InvalidResourceType.NotSupported",
	} {
		b := newBench(t, settled())
		b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: action, Code: code, HTTPStatus: 403})

		_, err := b.resolve(t, nil)
		wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, code)
	}
}
