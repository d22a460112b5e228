package provider

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// validated returns what the provider says of a machine_class with this alicloud
// argument, as Terraform asks it before anything else.
func validated(t *testing.T, alicloud plainly) []*tfprotov6.Diagnostic {
	t.Helper()

	server, err := providerserver.NewProtocol6WithError(New("test", AlicloudConnector{})())()
	if err != nil {
		t.Fatal(err)
	}

	kind := classSchema().Type().TerraformType(t.Context())

	config, err := terraformValue(kind, plainly{"name": "worker", alicloudClassKey: alicloud})
	if err != nil {
		t.Fatal(err)
	}

	value, err := tfprotov6.NewDynamicValue(kind, config)
	if err != nil {
		t.Fatal(err)
	}

	response, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "machine_class", Config: &value})
	if err != nil {
		t.Fatal(err)
	}

	return response.Diagnostics
}

// smallClass is a class without mistakes.
func smallClass(changes plainly) plainly {
	class := plainly{
		"image_id": "m-1", "instance_types": []string{"ecs.g7.large"}, "vswitch_ids": []string{"vsw-a"}, "security_group_ids": []string{"sg-1"},
	}
	maps.Copy(class, changes)

	return class
}

func systemDisk(disk plainly) plainly { return plainly{"system_disk": disk} }

func dataDisk(disk plainly) plainly {
	return plainly{"data_disks": []any{plainly{"size_gib": 40}, disk}}
}

func required(requirements plainly) plainly {
	return plainly{"instance_types": nil, "requirements": requirements}
}

func paidAhead(subscription plainly) plainly {
	return plainly{"capacity_types": []string{"on_demand", "subscription"}, "subscription": subscription}
}

// classMistake is a change of smallClass, and what has to be said of it, and where.
type classMistake struct {
	change plainly
	at     string
	want   string
}

func TestMistakesInAClassAreNamedBeforeAnythingIsAsked(t *testing.T) {
	t.Parallel()

	const below = `AttributeName("alicloud").`

	for name, test := range classMistakes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			var found []string

			for _, diagnostic := range validated(t, smallClass(test.change)) {
				text := diagnostic.Summary + ": " + diagnostic.Detail
				where := strings.TrimPrefix(diagnostic.Attribute.String(), below)

				if strings.Contains(text, test.want) && (test.at == "" || strings.HasPrefix(where, test.at)) {
					return
				}

				found = append(found, where+" "+text)
			}

			t.Errorf("%q is not said at %s, but %q", test.want, test.at, found)
		})
	}
}

func classMistakes() map[string]classMistake {
	all := map[string]classMistake{}

	for _, group := range []map[string]classMistake{imageAndTypeMistakes(), capacityMistakes(), diskMistakes(), networkMistakes()} {
		maps.Copy(all, group)
	}

	return all
}

func imageAndTypeMistakes() map[string]classMistake {
	return map[string]classMistake{
		"no image":                    {plainly{"image_id": nil}, "", "Set image_id, or image_family"},
		"two images":                  {plainly{"image_family": "f"}, "", "image_id and image_family are both set"},
		"no types":                    {plainly{"instance_types": nil}, "", "Set instance_types, or requirements"},
		"types in two ways":           {plainly{"requirements": plainly{"vcpus": plainly{"min": 2}}}, "", "instance_types and requirements are both set"},
		"an empty list of types":      {plainly{"instance_types": []string{}}, `AttributeName("instance_types")`, "at least 1 elements"},
		"requirements of nothing":     {required(plainly{}), `AttributeName("requirements")`, "Set at least one of vcpus, memory_gib"},
		"requirements without a size": {required(plainly{"burstable": "include"}), `AttributeName("requirements")`, "Nothing bounds what a machine may be"},
		"a range the wrong way":       {required(plainly{"vcpus": plainly{"min": 8, "max": 4}}), `AttributeName("requirements").AttributeName("vcpus")`, "min is 8 and max is 4"},
		"a range of halves":           {required(plainly{"memory_gib": plainly{"min": 1, "max": 0.5}}), `AttributeName("requirements").AttributeName("memory_gib")`, "min is 1 and max is 0.5"},
		"a range without bounds":      {required(plainly{"vcpus": plainly{}}), `AttributeName("requirements").AttributeName("vcpus")`, "Set min, max or both"},
		"no vCPUs at all":             {required(plainly{"vcpus": plainly{"max": 0}}), `AttributeName("requirements").AttributeName("vcpus").AttributeName("max")`, "at least 1"},
		"negative memory":             {required(plainly{"memory_gib": plainly{"min": -1}}), `AttributeName("requirements").AttributeName("memory_gib").AttributeName("min")`, "at least 0"},
		"a type among the families":   {required(plainly{"families": []string{"ecs.g7.large"}}), `AttributeName("requirements").AttributeName("families")`, "must be an instance family such as ecs.g7"},
		"a family among the types":    {required(plainly{"vcpus": plainly{"min": 2}, "exclude_instance_types": []string{"ecs.g7"}}), `AttributeName("requirements").AttributeName("exclude_instance_types")`, "must be an instance type such as ecs.g7.large"},
		"no family at all":            {required(plainly{"families": []string{}}), `AttributeName("requirements").AttributeName("families")`, "at least 1 elements"},
		"a family in and out": {
			required(plainly{"families": []string{"ecs.g7"}, "exclude_families": []string{"ecs.g7"}}),
			`AttributeName("requirements").AttributeName("exclude_families")`, "ecs.g7 is in families and in exclude_families",
		},
		"an unknown architecture": {required(plainly{"vcpus": plainly{"min": 2}, "architecture": "x86_64"}), `AttributeName("requirements").AttributeName("architecture")`, `"amd64" "arm64"`},
		"burstable as a boolean":  {required(plainly{"vcpus": plainly{"min": 2}, "burstable": "true"}), `AttributeName("requirements").AttributeName("burstable")`, `"exclude" "include" "only"`},
		"an unknown order":        {plainly{"type_order": "cheap"}, `AttributeName("type_order")`, `"listed" "cheapest"`},
		"an unknown zone order":   {plainly{"zone_order": "random"}, `AttributeName("zone_order")`, `"spread" "listed"`},
	}
}

func capacityMistakes() map[string]classMistake {
	bid := func(price float64) plainly {
		return plainly{"capacity_types": []string{"spot"}, "spot": plainly{"price_limit_per_hour": price}}
	}

	return map[string]classMistake{
		"an unknown capacity type":      {plainly{"capacity_types": []string{"reserved"}}, `AttributeName("capacity_types")`, `"on_demand" "spot" "subscription"`},
		"a capacity type twice":         {plainly{"capacity_types": []string{"spot", "spot"}}, `AttributeName("capacity_types")`, "as element 0 is already. Take one of them out"},
		"subscription without a period": {plainly{"capacity_types": []string{"subscription"}}, `AttributeName("subscription")`, "nothing says for how long"},
		"a period without subscription": {plainly{"subscription": plainly{"period": 1}}, `AttributeName("subscription")`, "capacity_types does not hold it"},
		"ten months":                    {paidAhead(plainly{"period": 10}), `AttributeName("subscription").AttributeName("period")`, "no subscription of 10 months; in months it sells 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 24, 36, 48 or 60"},
		"five weeks":                    {paidAhead(plainly{"period": 5, "unit": "week"}), `AttributeName("subscription").AttributeName("period")`, "in weeks it sells 1, 2, 3 or 4"},
		"six years":                     {paidAhead(plainly{"period": 6, "unit": "year"}), `AttributeName("subscription").AttributeName("period")`, "in years it sells 1, 2, 3, 4 or 5"},
		"days":                          {paidAhead(plainly{"period": 1, "unit": "day"}), `AttributeName("subscription").AttributeName("unit")`, `"week" "month" "year"`},
		"a renewal by four weeks":       {paidAhead(plainly{"period": 1, "unit": "week", "auto_renew": true, "auto_renew_period": 4}), `AttributeName("subscription").AttributeName("auto_renew_period")`, "renews no subscription by 4 weeks"},
		"a renewal that is off":         {paidAhead(plainly{"period": 1, "auto_renew_period": 1}), `AttributeName("subscription").AttributeName("auto_renew_period")`, "Set auto_renew = true"},
		"a bid of nothing":              {bid(0), `AttributeName("spot").AttributeName("price_limit_per_hour")`, "above zero and has at most three decimals"},
		"a negative bid":                {bid(-0.1), `AttributeName("spot").AttributeName("price_limit_per_hour")`, "-0.1 is none"},
		"a bid of four decimals":        {bid(0.1234), `AttributeName("spot").AttributeName("price_limit_per_hour")`, "0.1234 is none"},
		"two hours of protection":       {plainly{"spot": plainly{"protection_hours": 2}}, `AttributeName("spot").AttributeName("protection_hours")`, "one of"},
		"hibernation of spot":           {plainly{"spot": plainly{"interruption": "hibernate"}}, `AttributeName("spot").AttributeName("interruption")`, `"terminate" "stop"`},
	}
}

func diskMistakes() map[string]classMistake {
	const system, second = `AttributeName("system_disk").`, `AttributeName("data_disks").ElementKeyInt(1).`

	seventeen := slices.Repeat([]any{plainly{"size_gib": 40}}, 17)

	return map[string]classMistake{
		"seventeen data disks":              {plainly{"data_disks": seventeen}, `AttributeName("data_disks")`, "at most 16 elements"},
		"an unknown category":               {systemDisk(plainly{"category": "gp3"}), system + `AttributeName("category")`, `"cloud_essd"`},
		"a data disk category for a system": {systemDisk(plainly{"category": "elastic_ephemeral_disk_premium"}), system + `AttributeName("category")`, "value must be one of"},
		"a system disk beyond all":          {systemDisk(plainly{"size_gib": 2049}), system + `AttributeName("size_gib")`, "1 to 2048 GiB, not 2049"},
		"an old system disk too small":      {systemDisk(plainly{"category": "cloud_efficiency", "size_gib": 19}), system + `AttributeName("size_gib")`, "A disk of cloud_efficiency has 20 to 2048 GiB, not 19"},
		"a PL1 disk too small":              {systemDisk(plainly{"category": "cloud_essd", "size_gib": 19}), system + `AttributeName("size_gib")`, "A disk of cloud_essd PL1 has 20 to 2048 GiB, not 19"},
		"a PL2 disk too small":              {systemDisk(plainly{"category": "cloud_essd", "performance_level": "PL2", "size_gib": 460}), system + `AttributeName("size_gib")`, "461 to 2048 GiB, not 460"},
		"a PL3 disk without a size":         {systemDisk(plainly{"category": "cloud_essd", "performance_level": "PL3"}), system + `AttributeName("size_gib")`, "Set size_gib, at least 1261"},
		"a level without a category":        {systemDisk(plainly{"performance_level": "PL0"}), system + `AttributeName("performance_level")`, `Set category = "cloud_essd"`},
		"a level of another category":       {systemDisk(plainly{"category": "cloud_auto", "performance_level": "PL0"}), system + `AttributeName("performance_level")`, `Set category = "cloud_essd"`},
		"bursts of another category":        {systemDisk(plainly{"category": "cloud_essd", "burst_enabled": true}), system + `AttributeName("burst_enabled")`, `Set category = "cloud_auto"`},
		"IOPS of another category":          {systemDisk(plainly{"category": "cloud_essd", "provisioned_iops": 100}), system + `AttributeName("provisioned_iops")`, `Set category = "cloud_auto"`},
		"more IOPS than the size gives":     {systemDisk(plainly{"category": "cloud_auto", "size_gib": 10, "provisioned_iops": 7701}), system + `AttributeName("provisioned_iops")`, "at most 7700 IOPS beyond its baseline of 2300, not 7701"},
		"a key without encryption":          {systemDisk(plainly{"kms_key_id": "k"}), system + `AttributeName("kms_key_id")`, "Set encrypted = true"},
		"a key with encryption off":         {dataDisk(plainly{"size_gib": 40, "kms_key_id": "k", "encrypted": false}), second + `AttributeName("kms_key_id")`, "Set encrypted = true"},
		"a data disk without a size":        {dataDisk(plainly{"category": "cloud_essd"}), second + `AttributeName("size_gib")`, "Set size_gib, or snapshot_id"},
		"a size beside a snapshot":          {dataDisk(plainly{"size_gib": 40, "snapshot_id": "s-1"}), second + `AttributeName("size_gib")`, "The snapshot gives the disk its size"},
		"an old data disk too large":        {dataDisk(plainly{"category": "cloud", "size_gib": 2001}), second + `AttributeName("size_gib")`, "5 to 2000 GiB, not 2001"},
		"a data disk beyond all":            {dataDisk(plainly{"size_gib": 65537}), second + `AttributeName("size_gib")`, "1 to 65536 GiB, not 65537"},
		"an ephemeral disk that stays":      {dataDisk(plainly{"category": "elastic_ephemeral_disk_premium", "size_gib": 64, "delete_with_instance": false}), second + `AttributeName("delete_with_instance")`, "always goes with its machine"},
		"the system disk's category decides": {
			plainly{"system_disk": plainly{"category": "cloud"}, "data_disks": []any{plainly{"size_gib": 40}, plainly{"size_gib": 2001}}},
			second + `AttributeName("size_gib")`, "A disk of cloud has 5 to 2000 GiB, not 2001",
		},
	}
}

func networkMistakes() map[string]classMistake {
	groups := make([]string, 0, 17)
	for i := range 17 {
		groups = append(groups, "sg-"+strings.Repeat("x", i+1))
	}

	return map[string]classMistake{
		"seventeen groups":          {plainly{"security_group_ids": groups}, `AttributeName("security_group_ids")`, "at most 16"},
		"no bandwidth":              {plainly{"internet": plainly{"bandwidth_out_mbps": 0}}, `AttributeName("internet").AttributeName("bandwidth_out_mbps")`, "between 1 and 100"},
		"too much bandwidth":        {plainly{"internet": plainly{"bandwidth_out_mbps": 101}}, `AttributeName("internet").AttributeName("bandwidth_out_mbps")`, "between 1 and 100"},
		"more in than out":          {plainly{"internet": plainly{"bandwidth_out_mbps": 20, "bandwidth_in_mbps": 21}}, `AttributeName("internet").AttributeName("bandwidth_in_mbps")`, "with bandwidth_out_mbps = 20 it gives 20, not 21"},
		"more in than ten":          {plainly{"internet": plainly{"bandwidth_out_mbps": 5, "bandwidth_in_mbps": 11}}, `AttributeName("internet").AttributeName("bandwidth_in_mbps")`, "with bandwidth_out_mbps = 5 it gives 10, not 11"},
		"payment by the address":    {plainly{"internet": plainly{"bandwidth_out_mbps": 5, "charge_type": "PayByTraffic"}}, `AttributeName("internet").AttributeName("charge_type")`, `"traffic" "bandwidth"`},
		"eleven IPv6 addresses":     {plainly{"ipv6": plainly{"address_count": 11}}, `AttributeName("ipv6").AttributeName("address_count")`, "between 1 and 10"},
		"tokens as a boolean":       {plainly{"metadata_options": plainly{"http_tokens": "true"}}, `AttributeName("metadata_options").AttributeName("http_tokens")`, `"optional" "required"`},
		"a pool without an ID":      {plainly{"private_pool": plainly{"match_criteria": "target"}}, `AttributeName("private_pool").AttributeName("id")`, "needs the ID of the pool"},
		"a pool that is not used":   {plainly{"private_pool": plainly{"match_criteria": "open", "id": "eap-1"}}, `AttributeName("private_pool").AttributeName("id")`, `Only match_criteria = "target"`},
		"credits as ECS spells it":  {plainly{"credit_specification": "Unlimited"}, `AttributeName("credit_specification")`, `"standard" "unlimited"`},
		"a reserved tag":            {plainly{"tags": plainly{"terraform-machine/owner": "me"}}, `AttributeName("tags")`, "are the provider's own"},
		"a key pair of one letter":  {plainly{"key_pair_name": "k"}, `AttributeName("key_pair_name")`, "between 2 and 128"},
		"a vSwitch with a blank":    {plainly{"vswitch_ids": []string{" vsw-a"}}, `AttributeName("vswitch_ids")`, "must not begin or end with a blank"},
		"an empty deployment set":   {plainly{"deployment_set_id": ""}, `AttributeName("deployment_set_id")`, "at least 1"},
		"an empty resource group":   {plainly{"resource_group_id": ""}, `AttributeName("resource_group_id")`, "at least 1"},
		"a role with too long name": {plainly{"ram_role_name": strings.Repeat("r", 65)}, `AttributeName("ram_role_name")`, "between 1 and 64"},
	}
}

func TestClassesWithoutMistakesAreTaken(t *testing.T) {
	t.Parallel()

	for name, change := range map[string]plainly{
		"the least": nil,
		"all of it": {
			"capacity_types": []string{"spot", "on_demand", "subscription"}, "spot": plainly{"price_limit_per_hour": 0.125, "protection_hours": 0, "interruption": "stop"},
			"subscription": plainly{"period": 12, "unit": "month", "auto_renew": true, "auto_renew_period": 6},
			"type_order":   "cheapest", "zone_order": "listed",
			"system_disk": plainly{"category": "cloud_auto", "size_gib": 40, "provisioned_iops": 1000, "burst_enabled": true, "encrypted": true, "kms_key_id": "k"},
			"data_disks": []any{
				plainly{"category": "cloud_essd", "performance_level": "PL3", "size_gib": 1261, "delete_with_instance": false},
				plainly{"category": "elastic_ephemeral_disk_standard", "size_gib": 64, "delete_with_instance": true},
				plainly{"snapshot_id": "s-1"},
			},
			"key_pair_name": "acme", "ram_role_name": "node", "internet": plainly{"bandwidth_out_mbps": 50, "charge_type": "bandwidth", "bandwidth_in_mbps": 50},
			"ipv6": plainly{"address_count": 1}, "tags": plainly{"a": "b"}, "metadata_options": plainly{"http_tokens": "required", "http_endpoint": "enabled"},
			"deployment_set_id": "ds-1", "resource_group_id": "rg-1", "private_pool": plainly{"match_criteria": "target", "id": "eap-1"},
			"credit_specification": "unlimited", "security_enhancement": false,
		},
		"requirements": required(plainly{
			"vcpus": plainly{"min": 2, "max": 2}, "memory_gib": plainly{"min": 0.5}, "memory_gib_per_vcpu": plainly{"max": 8}, "gpus": plainly{"min": 0}, "gpu_models": []string{"NVIDIA T4"},
			"gpu_memory_gib": plainly{"min": 16}, "architecture": "amd64", "families": []string{"ecs.g7", "ecs.gn6v-c8g1"}, "exclude_families": []string{"ecs.t6"},
			"exclude_instance_types": []string{"ecs.t5-lc2m1.nano"}, "burstable": "include", "local_disks": "only", "network_bandwidth_gbps": plainly{"min": 1.5},
		}),
		"options that are off":           systemDisk(plainly{"category": "cloud_essd", "provisioned_iops": 0, "burst_enabled": false, "encrypted": false}),
		"a data disk by the system's":    {"system_disk": plainly{"category": "cloud_essd"}, "data_disks": []any{plainly{"size_gib": 461, "performance_level": "PL2"}}},
		"lists that came out empty":      {"data_disks": []any{}, "tags": plainly{}},
		"exclusions that came out empty": required(plainly{"vcpus": plainly{"max": 2}, "exclude_families": []string{}, "exclude_instance_types": []string{}}),
		"two years":                      paidAhead(plainly{"period": 2, "unit": "year"}),
		"all that is not known yet":      {"image_id": notKnown{}, "image_family": notKnown{}, "instance_types": notKnown{}, "requirements": notKnown{}, "capacity_types": notKnown{}, "subscription": notKnown{}, "system_disk": notKnown{}, "data_disks": notKnown{}, "internet": notKnown{}, "private_pool": notKnown{}},
		"parts that are not known yet":   {"system_disk": plainly{"category": notKnown{}, "size_gib": notKnown{}, "performance_level": "PL3", "burst_enabled": true}, "data_disks": []any{notKnown{}, plainly{"size_gib": notKnown{}, "snapshot_id": notKnown{}, "category": notKnown{}}}},
		"a subscription not known to be": {"capacity_types": []any{"on_demand", notKnown{}}, "subscription": plainly{"period": 1}},
		"bounds that are not known yet":  required(plainly{"vcpus": plainly{"min": notKnown{}, "max": 4}, "families": notKnown{}}),
		"a unit that is not known yet":   paidAhead(plainly{"period": 7, "unit": notKnown{}, "auto_renew": notKnown{}, "auto_renew_period": 3}),
		"a pool that is not known yet":   {"private_pool": plainly{"match_criteria": notKnown{}, "id": "eap-1"}},
		"a key whose use is not known":   systemDisk(plainly{"encrypted": notKnown{}, "kms_key_id": "k"}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for _, diagnostic := range validated(t, smallClass(change)) {
				t.Errorf("%s %s: %s", diagnostic.Attribute, diagnostic.Summary, diagnostic.Detail)
			}
		})
	}
}
