package alicloud_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// plan checks a class without a call.
func (b *bench) plan(t *testing.T, edit func(map[string]any)) error {
	t.Helper()

	capacity, ok := b.cloud.Registration().Capacity()
	if !ok {
		t.Fatal("no capacity is registered")
	}

	_, err := capacity.PlanAllocation(t.Context(), machineops.AllocationPlanRequest{
		AllocationName: "worker-a", AllocationUID: "uid", ProviderConfig: class(t, edit),
	})

	return err
}

// set returns an edit of one attribute.
func set(name string, value any) func(map[string]any) {
	return func(c map[string]any) { c[name] = value }
}

func all(edits ...func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) {
		for _, edit := range edits {
			edit(c)
		}
	}
}

type object = map[string]any

func numbered(format string, count int) []string {
	values := make([]string, count)
	for i := range values {
		values[i] = fmt.Sprintf(format, i)
	}

	return values
}

func TestEveryInputOfAClassIsUnderstood(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	edit := all(
		func(c map[string]any) { delete(c, "instance_types"); delete(c, "image_id") },
		set("image_family", "acme-node"),
		set("requirements", object{
			"vcpus": object{"min": 4, "max": 8}, "memory_gib": object{"min": 0.5}, "memory_gib_per_vcpu": object{"max": 8}, "gpus": object{"min": 1},
			"gpu_models": []string{"NVIDIA V100"}, "gpu_memory_gib": object{"min": 16}, "architecture": "amd64", "families": []string{"ecs.gn6v"},
			"exclude_families": []string{"ecs.gn5"}, "exclude_instance_types": []string{"ecs.gn6v-c8g1.16xlarge"}, "burstable": "include", "local_disks": "only",
			"network_bandwidth_gbps": object{"min": 1.5},
		}),
		set("capacity_types", []string{"spot", "on_demand", "subscription"}),
		set("spot", object{"price_limit_per_hour": 0.125, "protection_hours": 0, "interruption": "stop"}),
		set("subscription", object{"period": 2, "unit": "year", "auto_renew": true, "auto_renew_period": 1}),
		set("type_order", "cheapest"), set("zone_order", "listed"),
		set("system_disk", object{
			"category": "cloud_auto", "size_gib": 40, "provisioned_iops": 1000, "burst_enabled": true, "encrypted": true, "kms_key_id": "key-1",
		}),
		set("data_disks", []object{
			{"category": "cloud_essd", "size_gib": 500, "performance_level": "PL2", "delete_with_instance": false, "encrypted": true},
			{"snapshot_id": "s-1"},
		}),
		set("internet", object{"bandwidth_out_mbps": 100, "charge_type": "bandwidth", "bandwidth_in_mbps": 100}),
		set("ipv6", object{"address_count": 1}), set("metadata_options", object{"http_tokens": "required", "http_endpoint": "enabled"}),
		set("deployment_set_id", "ds-1"), set("resource_group_id", "rg-acme"), set("private_pool", object{"match_criteria": "target", "id": "eap-1"}),
		set("credit_specification", "unlimited"), set("security_enhancement", false), set("tags", object{"team": "platform"}),
		set("key_pair_name", "acme-key"), set("ram_role_name", "role"))

	if err := b.plan(t, edit); err != nil {
		t.Error(err)
	}
}

func TestWhatAClassMayNotSayIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	if err := b.Close(); err != nil {
		t.Fatal(err)
	}

	disk := func(fields object) func(map[string]any) { return set("system_disk", fields) }
	dataDisk := func(fields object) func(map[string]any) { return set("data_disks", []object{fields}) }
	wants := func(fields object) func(map[string]any) {
		return all(func(c map[string]any) { delete(c, "instance_types") }, set("requirements", fields))
	}
	subscribed := func(fields object) func(map[string]any) {
		return all(set("capacity_types", []string{"subscription"}), set("subscription", fields))
	}
	tags := object{}

	for _, key := range numbered("key-%d", 13) {
		tags[key] = ""
	}

	for name, wrong := range map[string]struct {
		edit  func(map[string]any)
		texts []string
	}{
		"types in two ways":          {set("requirements", object{}), []string{"instance_types", "requirements"}},
		"types in no way":            {func(c map[string]any) { delete(c, "instance_types") }, []string{"instance_types is empty"}},
		"a key nobody knows":         {set("instance_typos", []string{}), []string{"instance_typos"}},
		"an element twice":           {set("vswitch_ids", []string{"vsw-a", "vsw-a"}), []string{"vswitch_ids", "vsw-a", "twice"}},
		"a blank":                    {set("vswitch_ids", []string{"vsw-a "}), []string{"vswitch_ids", `"vsw-a "`}},
		"17 groups":                  {set("security_group_ids", numbered("sg-%d", 17)), []string{"security_group_ids", "17", "16"}},
		"capacity type":              {set("capacity_types", []string{"free"}), []string{"capacity_types", "free", "subscription"}},
		"type order":                 {set("type_order", "random"), []string{"type_order", "random", "cheapest"}},
		"zone order":                 {set("zone_order", "random"), []string{"zone_order", "random", "spread"}},
		"13 user tags":               {set("tags", tags), []string{"tags", "13", "12"}},
		"reserved tag prefix":        {set("tags", object{"terraform-machine/owner": "x"}), []string{"tags", "terraform-machine/owner", "reserved"}},
		"range the wrong way":        {wants(object{"vcpus": object{"min": 8, "max": 4}}), []string{"requirements.vcpus", "min 8", "max 4"}},
		"empty range":                {wants(object{"memory_gib": object{}}), []string{"requirements.memory_gib", "neither"}},
		"negative range":             {wants(object{"gpus": object{"max": -1}}), []string{"requirements.gpus.max", "-1"}},
		"architecture":               {wants(object{"architecture": "x86"}), []string{"requirements.architecture", "x86", "amd64, arm64"}},
		"burstable":                  {wants(object{"burstable": "yes"}), []string{"requirements.burstable", "yes", "only"}},
		"local disks":                {wants(object{"local_disks": "yes"}), []string{"requirements.local_disks"}},
		"spot price":                 {set("spot", object{"price_limit_per_hour": 0.0125}), []string{"spot.price_limit_per_hour", "0.0125", "3 decimals"}},
		"spot at any price":          {set("spot", object{"price_limit_per_hour": json.Number("1e999999999")}), []string{"spot.price_limit_per_hour", "1e999999999"}},
		"spot for nothing":           {set("spot", object{"price_limit_per_hour": 0}), []string{"spot.price_limit_per_hour"}},
		"spot protection":            {set("spot", object{"protection_hours": 2}), []string{"spot.protection_hours", "2"}},
		"spot interruption":          {set("spot", object{"interruption": "sleep"}), []string{"spot.interruption", "sleep", "terminate, stop"}},
		"subscription without terms": {set("capacity_types", []string{"subscription"}), []string{"subscription", "period"}},
		"terms of no subscription":   {set("subscription", object{"period": 1}), []string{"subscription", "capacity_types"}},
		"subscription period":        {subscribed(object{"period": 10}), []string{"subscription.period", "10", "month"}},
		"subscription weeks":         {subscribed(object{"period": 5, "unit": "week"}), []string{"subscription.period", "5", "week"}},
		"subscription unit":          {subscribed(object{"period": 1, "unit": "day"}), []string{"subscription.unit", "day", "year"}},
		"renewal that is off":        {subscribed(object{"period": 1, "auto_renew_period": 1}), []string{"subscription.auto_renew_period", "auto_renew"}},
		"renewal period":             {subscribed(object{"period": 1, "auto_renew": true, "auto_renew_period": 4}), []string{"subscription.auto_renew_period", "4"}},
		"disk category":              {disk(object{"category": "ssd"}), []string{"system_disk.category", "ssd", "cloud_ssd"}},
		"data category of a system":  {disk(object{"category": "cloud_regional_disk_auto"}), []string{"system_disk.category"}},
		"disk too large":             {disk(object{"category": "cloud", "size_gib": 501}), []string{"system_disk.size_gib", "501", "20", "500"}},
		"disk of unknown kind":       {disk(object{"size_gib": 2049}), []string{"system_disk.size_gib", "2049", "2048"}},
		"disk too small for level":   {disk(object{"category": "cloud_essd", "performance_level": "PL2", "size_gib": 460}), []string{"system_disk.size_gib", "460", "461", "cloud_essd PL2"}},
		"no size for level":          {disk(object{"category": "cloud_essd", "performance_level": "PL3"}), []string{"system_disk.size_gib", "1261"}},
		"level of another category":  {disk(object{"category": "cloud_ssd", "performance_level": "PL1"}), []string{"system_disk.performance_level", "cloud_essd", "cloud_ssd"}},
		"level of no category":       {disk(object{"performance_level": "PL1"}), []string{"system_disk.performance_level", "not set"}},
		"level":                      {disk(object{"category": "cloud_essd", "performance_level": "PL4"}), []string{"system_disk.performance_level", "PL4"}},
		"IOPS of another category":   {disk(object{"category": "cloud_essd", "provisioned_iops": 1}), []string{"system_disk.provisioned_iops", "cloud_auto"}},
		"too many IOPS":              {disk(object{"category": "cloud_auto", "provisioned_iops": 50001}), []string{"system_disk.provisioned_iops", "50001"}},
		"burst of another category":  {disk(object{"category": "cloud_essd", "burst_enabled": true}), []string{"system_disk.burst_enabled", "cloud_auto"}},
		"key without encryption":     {disk(object{"kms_key_id": "key-1"}), []string{"system_disk.kms_key_id", "encrypted"}},
		"17 data disks":              {set("data_disks", make([]object, 17)), []string{"data_disks", "17", "16"}},
		"data disk of no size":       {dataDisk(object{"category": "cloud_essd"}), []string{"data_disks[0].size_gib", "snapshot_id"}},
		"data disk too large":        {dataDisk(object{"category": "cloud_ssd", "size_gib": 32769}), []string{"data_disks[0].size_gib", "32769", "32768"}},
		"data disk that stays":       {dataDisk(object{"category": "elastic_ephemeral_disk_premium", "size_gib": 64, "delete_with_instance": false}), []string{"data_disks[0].delete_with_instance"}},
		"level by the system disk": {
			all(disk(object{"category": "cloud_ssd"}), dataDisk(object{"size_gib": 40, "performance_level": "PL1"})),
			[]string{"data_disks[0].performance_level", "cloud_ssd"},
		},
		"bandwidth out":       {set("internet", object{"bandwidth_out_mbps": 101}), []string{"internet.bandwidth_out_mbps", "101"}},
		"no bandwidth out":    {set("internet", object{}), []string{"internet.bandwidth_out_mbps", "0"}},
		"bandwidth in":        {set("internet", object{"bandwidth_out_mbps": 5, "bandwidth_in_mbps": 11}), []string{"internet.bandwidth_in_mbps", "11", "10"}},
		"internet charge":     {set("internet", object{"bandwidth_out_mbps": 5, "charge_type": "free"}), []string{"internet.charge_type", "free"}},
		"IPv6 addresses":      {set("ipv6", object{"address_count": 11}), []string{"ipv6.address_count", "11"}},
		"metadata tokens":     {set("metadata_options", object{"http_tokens": "never"}), []string{"metadata_options.http_tokens", "never"}},
		"metadata endpoint":   {set("metadata_options", object{"http_endpoint": "never"}), []string{"metadata_options.http_endpoint", "never"}},
		"credits":             {set("credit_specification", "none"), []string{"credit_specification", "none"}},
		"pool without an ID":  {set("private_pool", object{"match_criteria": "target"}), []string{"private_pool.id", "target"}},
		"ID without a target": {set("private_pool", object{"match_criteria": "open", "id": "eap-1"}), []string{"private_pool.id", "open"}},
		"pool criteria":       {set("private_pool", object{"match_criteria": "any"}), []string{"private_pool.match_criteria", "any"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantPermanent(t, b.plan(t, wrong.edit), v1alpha3.ReasonInvalidConfiguration, wrong.texts...)
		})
	}
}

func TestEveryProblemOfAClassIsToldAtOnce(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	err := b.plan(t, all(set("type_order", "x"), set("ipv6", object{"address_count": 0}), set("system_disk", object{"category": "y"})))
	wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "type_order", "ipv6.address_count", "system_disk.category")
}
