package alicloud_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// TestResolutionOffersExactlyWhatALaunchWouldGet draws catalogues, stock and classes,
// and tries every way to launch each class: what is offered as available has to be
// accepted, and nothing else may be (F045, F047).
func TestResolutionOffersExactlyWhatALaunchWouldGet(t *testing.T) {
	t.Parallel()

	rapid.Check(t, func(r *rapid.T) {
		world := drawWorld(t, r)
		edit, wanted := world.drawClass(r)

		server, err := ecsemulator.Start(t.Context(), ecsemulator.Options{Catalogue: world.catalogue, PendingDuration: -1, BootDuration: -1, ReleaseDuration: -1})
		if err != nil {
			r.Fatal(err)
		}

		defer func() {
			if err := server.Close(); err != nil {
				r.Error(err)
			}
		}()

		b := &bench{Server: server, log: &log{}, key: ecsemulator.AccessKey{ID: ecsemulator.DefaultAccessKeyID, Secret: ecsemulator.DefaultAccessKeySecret}}
		b.cloud = b.process(t)

		for range world.taken {
			if _, err := b.AddInstance(ecsemulator.NewInstance{InstanceType: world.types[0], VSwitchID: "vsw-small"}); err != nil {
				break // It is full.
			}
		}

		offerings, err := b.resolve(t, edit)
		if err != nil && !strings.Contains(err.Error(), "nothing is left") && !strings.Contains(err.Error(), "none of") {
			r.Fatal(err)
		}

		offered := map[string]bool{}

		for _, offering := range offerings {
			if offering.Availability == v1alpha3.AvailabilityAvailable || offering.Availability == v1alpha3.AvailabilityLow {
				offered[offering.ID] = true
			}
		}

		accepted := map[string]bool{}

		for _, candidate := range wanted {
			if b.wouldLaunch(t, r, edit, candidate) {
				accepted[candidate.ID] = true
			}
		}

		if !maps.Equal(offered, accepted) {
			r.Errorf("offered are %v, and a launch gets %v; resolving said: %v", slices.Sorted(maps.Keys(offered)), slices.Sorted(maps.Keys(accepted)), err)
		}
	})
}

// wouldLaunch launches a machine, and takes it away again.
func (b *bench) wouldLaunch(t *testing.T, r *rapid.T, edit func(map[string]any), offering v1alpha3.MachineClassOffering) bool {
	request := b.allocation(t, "worker-a")
	request.Allocation.ProviderConfig, request.Allocation.Offering = class(t, edit), offering
	request.Allocation.UID, request.OperationUID = types.UID(offering.ID), types.UID(offering.ID)

	_, err := b.begin(t.Context(), t, request)
	if err != nil {
		return false
	}

	alive := b.alive()
	if err := b.RemoveInstance(alive[len(alive)-1]); err != nil {
		r.Fatal(err)
	}

	return true
}

// world is a drawn catalogue.
type world struct {
	catalogue *ecsemulator.Catalogue
	types     []string
	// taken is how many addresses of the smallest vSwitch are.
	taken int
}

func drawWorld(t *testing.T, r *rapid.T) world {
	zones := []string{"cn-hangzhou-h", "cn-hangzhou-i", "cn-hangzhou-j", "cn-hangzhou-k"}
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"ecs.g7.large", "ecs.g7.xlarge", "ecs.g6.large", "ecs.c6.xlarge", "ecs.r6.large", "ecs.t6-c1m2.large", "ecs.t6-c1m1.large", "ecs.i3.xlarge",
		"ecs.u1-c1m1.large", "ecs.e-c1m2.large", "ecs.g8y.large", "ecs.c8y.large", "ecs.gn6v-c8g1.2xlarge", "ecs.gn7e-c16g1.4xlarge",
	}), 3, 7, rapid.ID).Draw(r, "types")

	w := world{types: chosen, taken: rapid.SampledFrom([]int{0, 8}).Draw(r, "taken")}
	w.catalogue = catalogue(t, func(c *ecsemulator.Catalogue) {
		c.InstanceTypes = slices.DeleteFunc(c.InstanceTypes, func(i ecsemulator.InstanceType) bool { return !slices.Contains(chosen, i.ID) })
		c.Regions[0].PrivatePools = nil

		for i := range c.InstanceTypes {
			instanceType := &c.InstanceTypes[i]
			instanceType.Zones = rapid.SliceOfDistinct(rapid.SampledFrom(zones), rapid.ID).Draw(r, "zones of "+instanceType.ID)
			instanceType.Disks = rapid.SampledFrom([]int{2, 3, 17}).Draw(r, "disks of "+instanceType.ID)
			instanceType.IPv6AddressesPerInterface = rapid.IntRange(1, 3).Draw(r, "IPv6 of "+instanceType.ID)
		}

		for range rapid.IntRange(0, 6).Draw(r, "stock entries") {
			c.Stock = append(c.Stock, ecsemulator.Stock{
				Zone:           rapid.SampledFrom(append(zones, "")).Draw(r, "zone"),
				InstanceType:   rapid.SampledFrom(append(chosen, "")).Draw(r, "type"),
				ChargeMode:     rapid.SampledFrom([]string{"", "PostPaid", "PrePaid", "Spot"}).Draw(r, "mode"),
				StatusCategory: rapid.SampledFrom([]string{"WithStock", "ClosedWithStock", "WithoutStock", "ClosedWithoutStock"}).Draw(r, "category"),
			})
		}
	})

	return w
}

// drawClass returns a class, and every way to launch it that the class allows.
func (w world) drawClass(r *rapid.T) (func(map[string]any), []v1alpha3.MachineClassOffering) {
	arm := rapid.Bool().Draw(r, "arm")
	image := map[bool]string{true: "m-acme-arm", false: "m-acme2"}[arm]
	vswitches := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"vsw-a", "vsw-b", "vsw-c", "vsw-small"}), 1, 4, rapid.ID).Draw(r, "vSwitches")
	ways := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"spot", "on_demand", "subscription"}), 1, 3, rapid.ID).Draw(r, "ways to pay")

	candidates, choose := w.drawTypes(r, arm)
	edits := []func(map[string]any){set("image_id", image), set("vswitch_ids", vswitches), set("capacity_types", ways), choose, drawDisks(r)}

	if slices.Contains(ways, "subscription") {
		edits = append(edits, set("subscription", object{"period": 1}))
	}

	if rapid.Bool().Draw(r, "with IPv6") {
		edits = append(edits, set("ipv6", object{"address_count": rapid.IntRange(1, 3).Draw(r, "addresses")}))
	}

	if rapid.IntRange(0, 3).Draw(r, "with credits") == 0 {
		edits = append(edits, set("credit_specification", "standard"))
	}

	if rapid.Bool().Draw(r, "stops") {
		edits = append(edits, set("spot", object{"interruption": "stop"}))
	}

	zones := map[string]string{"vsw-a": "cn-hangzhou-h", "vsw-b": "cn-hangzhou-i", "vsw-c": "cn-hangzhou-k", "vsw-small": "cn-hangzhou-h"}

	var wanted []v1alpha3.MachineClassOffering

	for _, id := range candidates {
		for _, vswitch := range vswitches {
			for _, way := range ways {
				wanted = append(wanted, v1alpha3.MachineClassOffering{
					ID: fmt.Sprintf("%s/%s/%s", id, vswitch, way), InstanceType: id, Region: region, Zone: zones[vswitch], Network: vswitch,
					CapacityType: v1alpha3.CapacityType(way),
				})
			}
		}
	}

	return all(edits...), wanted
}

// drawTypes chooses types by name or by requirements, and says which they are by the
// catalogue's own words.
func (w world) drawTypes(r *rapid.T, arm bool) ([]string, func(map[string]any)) {
	fits := func(i ecsemulator.InstanceType) bool { return (i.Architecture == "ARM") == arm }

	if !rapid.Bool().Draw(r, "by requirements") {
		var named []string

		for _, i := range w.catalogue.InstanceTypes {
			if fits(i) {
				named = append(named, i.ID)
			}
		}

		if len(named) > 0 {
			named = rapid.SliceOfNDistinct(rapid.SampledFrom(named), 1, len(named), rapid.ID).Draw(r, "named types")

			return named, set("instance_types", named)
		}
	}

	least, most := float64(rapid.IntRange(0, 4).Draw(r, "vCPUs")), float64(rapid.IntRange(4, 130).Draw(r, "memory"))
	burstable := rapid.SampledFrom([]string{"", "exclude", "include", "only"}).Draw(r, "burstable")
	local := rapid.SampledFrom([]string{"", "exclude", "include", "only"}).Draw(r, "local disks")
	gpus := rapid.IntRange(0, 2).Draw(r, "with GPUs") == 0

	wants := object{"vcpus": object{"min": least}, "memory_gib": object{"max": most}, "burstable": burstable, "local_disks": local}
	if gpus {
		wants["gpus"] = object{"min": 1}
	}

	kind := func(word string, isOne bool) bool { return word == "include" || isOne == (word == "only") }

	var chosen []string

	for _, i := range w.catalogue.InstanceTypes {
		if fits(i) && float64(i.VCPUs) >= least && i.MemoryGiB <= most && (i.GPUs > 0) == gpus && kind(burstable, i.BaselineCredit > 0) && kind(local, i.LocalDisks > 0) {
			chosen = append(chosen, i.ID)
		}
	}

	return chosen, requirements(wants)
}

func drawDisks(r *rapid.T) func(map[string]any) {
	categories := []string{"", "cloud_efficiency", "cloud_ssd", "cloud_essd", "cloud_auto", "cloud_essd_entry"}
	edits := []func(map[string]any){}

	if category := rapid.SampledFrom(categories).Draw(r, "system disk"); category != "" {
		edits = append(edits, set("system_disk", object{"category": category, "size_gib": 40}))
	}

	disks := make([]object, rapid.IntRange(0, 3).Draw(r, "data disks"))
	for i := range disks {
		disks[i] = object{"size_gib": 40}
		if category := rapid.SampledFrom(append(categories, "elastic_ephemeral_disk_standard")).Draw(r, "data disk"); category != "" {
			disks[i]["category"], disks[i]["size_gib"] = category, 64
		}
	}

	return all(append(edits, set("data_disks", disks))...)
}
