package provider

import (
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func disk(t *testing.T, sizeGiB int) attr.Value {
	t.Helper()

	return input(t, "system_disk", map[string]any{"size_gib": sizeGiB})
}

func launchedClass(t *testing.T) map[string]attr.Value {
	t.Helper()

	return map[string]attr.Value{
		"region": types.StringValue("cn-hangzhou"), "image_id": types.StringValue("m-1"), "system_disk": disk(t, 40),
		"instance_types": stringList([]string{"ecs.g7.large", "ecs.g6.large"}), "vswitch_ids": stringList([]string{"vsw-a", "vsw-b"}),
		"security_group_ids": stringList([]string{"sg-1"}),
	}
}

// plainly is a plain object.
type plainly = map[string]any

// launchedPlain is the class of the machines of these tests, in plain values.
func launchedPlain(changes plainly) plainly {
	class := plainly{
		"region": "cn-hangzhou", "image_id": "m-1", "system_disk": plainly{"size_gib": 40},
		"instance_types": []string{"ecs.g7.large", "ecs.g6.large"}, "vswitch_ids": []string{"vsw-a", "vsw-b"}, "security_group_ids": []string{"sg-1"},
		"data_disks": []any{plainly{"size_gib": 100, "category": "cloud_essd"}, plainly{"size_gib": 200}},
	}
	maps.Copy(class, changes)

	return class
}

// launchedMachine is ecs.g6.large in vsw-b, paid for so.
func launchedMachine(charge string) allocationModel {
	return allocationModel{
		InstanceType: types.StringValue("ecs.g6.large"), Charge: types.StringValue(charge), Offering: types.StringValue("ecs.g6.large/vsw-b/" + charge),
	}
}

// TestMismatch edits the class of a machine, which is ecs.g6.large in vsw-b on
// demand.
func TestMismatch(t *testing.T) {
	t.Parallel()

	first, second := plainly{"size_gib": 100, "category": "cloud_essd"}, plainly{"size_gib": 200}

	for name, test := range map[string]struct {
		change plainly
		want   []string
	}{
		"nothing":                       {nil, nil},
		"reordered":                     {plainly{"instance_types": []string{"ecs.g6.large", "ecs.g7.large"}}, nil},
		"grown":                         {plainly{"vswitch_ids": []string{"vsw-c", "vsw-b"}}, nil},
		"without another type":          {plainly{"instance_types": []string{"ecs.g6.large"}}, nil},
		"without its type":              {plainly{"instance_types": []string{"ecs.g7.large"}}, []string{"class.alicloud.instance_types no longer has the machine's own, ecs.g6.large"}},
		"without its vSwitch":           {plainly{"vswitch_ids": []string{"vsw-a"}}, []string{"class.alicloud.vswitch_ids no longer has the machine's own, vsw-b"}},
		"its way to pay is the default": {plainly{"capacity_types": []string{"on_demand"}}, nil},
		"another way to pay first":      {plainly{"capacity_types": []string{"spot", "on_demand"}, "spot": plainly{"price_limit_per_hour": 0.1}}, nil},
		"without its way to pay":        {plainly{"capacity_types": []string{"spot"}}, []string{"class.alicloud.capacity_types no longer has the machine's own, on_demand"}},
		"candidates that are not known": {plainly{"instance_types": notKnown{}}, nil},
		"one candidate not known":       {plainly{"instance_types": []any{"ecs.g7.large", notKnown{}}}, nil},
		"requirements instead of types": {plainly{"instance_types": nil, "requirements": plainly{"vcpus": plainly{"min": 2}}}, nil},
		"other orders":                  {plainly{"type_order": "cheapest", "zone_order": "listed"}, nil},
		"another image":                 {plainly{"image_id": "m-2"}, []string{"class.alicloud.image_id changes"}},
		"an image that is not known":    {plainly{"image_id": notKnown{}}, []string{"class.alicloud.image_id changes to what is known only after apply"}},
		"a family instead of the image": {plainly{"image_id": nil, "image_family": "f"}, []string{"class.alicloud.image_id changes", "class.alicloud.image_family changes"}},
		"another region":                {plainly{"region": "cn-shanghai"}, []string{"class.alicloud.region changes"}},
		"another system disk":           {plainly{"system_disk": plainly{"size_gib": 60, "category": "cloud_essd"}}, []string{"class.alicloud.system_disk.size_gib changes"}},
		"no system disk":                {plainly{"system_disk": nil}, nil},
		"data disks the other way":      {plainly{"data_disks": []any{second, first}}, nil},
		"one of them changed as well":   {plainly{"data_disks": []any{second, plainly{"size_gib": 101, "category": "cloud_essd"}}}, []string{"class.alicloud.data_disks[0].category changes", "class.alicloud.data_disks[0].size_gib changes", "class.alicloud.data_disks[1].size_gib changes"}},
		"the defaults of the disk":      {plainly{"system_disk": plainly{"size_gib": 40, "encrypted": false, "burst_enabled": false, "provisioned_iops": 0}}, nil},
		"the default of the level":      {plainly{"data_disks": []any{plainly{"size_gib": 100, "category": "cloud_essd", "performance_level": "PL1"}, second}}, nil},
		"another level":                 {plainly{"data_disks": []any{plainly{"size_gib": 100, "category": "cloud_essd", "performance_level": "PL0"}, second}}, []string{"class.alicloud.data_disks[0].performance_level changes"}},
		"a larger data disk":            {plainly{"data_disks": []any{first, plainly{"size_gib": 300}}}, []string{"class.alicloud.data_disks[1].size_gib changes"}},
		"one data disk more":            {plainly{"data_disks": []any{first, second, second}}, []string{"class.alicloud.data_disks changes"}},
		"no data disks":                 {plainly{"data_disks": nil}, []string{"class.alicloud.data_disks changes"}},
		"a data disk that stays":        {plainly{"data_disks": []any{plainly{"size_gib": 100, "category": "cloud_essd", "delete_with_instance": false}, second}}, nil},
		"an empty part":                 {plainly{"metadata_options": plainly{}}, nil},
		"a public address":              {plainly{"internet": plainly{"bandwidth_out_mbps": 5}}, []string{"class.alicloud.internet changes"}},
		"IPv6":                          {plainly{"ipv6": plainly{"address_count": 1}}, []string{"class.alicloud.ipv6 changes"}},
		"metadata by token only":        {plainly{"metadata_options": plainly{"http_tokens": "required", "http_endpoint": "enabled"}}, []string{"class.alicloud.metadata_options changes"}},
		"the defaults of metadata":      {plainly{"metadata_options": plainly{"http_tokens": "optional", "http_endpoint": "enabled"}}, nil},
		"a deployment set":              {plainly{"deployment_set_id": "ds-1"}, []string{"class.alicloud.deployment_set_id changes"}},
		"what machines keep": {plainly{
			"security_group_ids": []string{"sg-2"}, "key_pair_name": "k", "ram_role_name": "r", "resource_group_id": "rg-1",
			"private_pool": plainly{"match_criteria": "open"}, "credit_specification": "standard", "security_enhancement": true,
		}, nil},
		"tags": {plainly{"tags": plainly{"a": "b"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			before, after := plainClass(t, launchedPlain(nil)), plainClass(t, launchedPlain(test.change))

			if got := alicloudMismatch(before, after, launchedMachine("on_demand"), nil); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A list that comes out empty is the same as none: a machine without data disks stays
// what it is.
func TestAnEmptyListOfDisksIsNone(t *testing.T) {
	t.Parallel()

	none, empty := plainClass(t, launchedPlain(plainly{"data_disks": nil})), plainClass(t, launchedPlain(plainly{"data_disks": []any{}}))

	if got := alicloudMismatch(none, empty, launchedMachine("on_demand"), nil); got != nil {
		t.Errorf("it replaces the machine: %q", got)
	}

	if got := alicloudKept(none, empty, launchedMachine("on_demand")); got != nil {
		t.Errorf("it is told as kept: %q", got)
	}
}

func TestAMachineThatNeverWasOfTheListsIsNotReplacedForThem(t *testing.T) {
	t.Parallel()

	imported := allocationModel{InstanceType: types.StringValue("ecs.r6.large"), Charge: types.StringValue("spot"), Offering: types.StringNull()}
	before := plainClass(t, launchedPlain(nil))
	edits := plainly{"instance_types": []string{"ecs.c7.large"}, "vswitch_ids": []string{"vsw-c"}, "capacity_types": []string{"on_demand"}}

	for name, after := range map[string]types.Object{"the same class": before, "an edited one": plainClass(t, launchedPlain(edits))} {
		if got := alicloudMismatch(before, after, imported, nil); got != nil {
			t.Errorf("%s replaces it: %q", name, got)
		}
	}

	edits["image_id"] = "m-2"

	if got := alicloudMismatch(before, plainClass(t, launchedPlain(edits)), imported, nil); len(got) != 1 {
		t.Errorf("another image does not replace it: %q", got)
	}
}

// A class that names types after it had requirements keeps the machines whose types
// it names.
func TestTypesAfterRequirementsReplaceWhatTheyDoNotName(t *testing.T) {
	t.Parallel()

	before := plainClass(t, launchedPlain(plainly{"instance_types": nil, "requirements": plainly{"vcpus": plainly{"min": 2}}}))
	resized := launchedMachine("on_demand")
	resized.InstanceType = types.StringValue("ecs.r6.large")

	for name, test := range map[string]struct {
		machine allocationModel
		types   []string
		want    int
	}{
		"its type among them":     {launchedMachine("on_demand"), []string{"ecs.g6.large"}, 0},
		"its type not among them": {launchedMachine("on_demand"), []string{"ecs.g7.large"}, 1},
		"resized by hand":         {resized, []string{"ecs.g7.large"}, 0},
	} {
		after := plainClass(t, launchedPlain(plainly{"instance_types": test.types}))

		if got := alicloudMismatch(before, after, test.machine, nil); len(got) != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRequirementsAreComparedWithTheMachineOnlyWhereTheyChanged(t *testing.T) {
	t.Parallel()

	required := func(minimum any) plainly {
		return plainly{"instance_types": nil, "requirements": plainly{"vcpus": plainly{"min": minimum}}}
	}
	imported := launchedMachine("on_demand")
	imported.Offering = types.StringNull()

	for name, test := range map[string]struct {
		before, after plainly
		machine       allocationModel
		want          bool
	}{
		"the same":                {required(2), required(2), launchedMachine("on_demand"), false},
		"changed":                 {required(2), required(4), launchedMachine("on_demand"), true},
		"changed to what unknown": {required(2), required(notKnown{}), launchedMachine("on_demand"), false},
		"in place of its type":    {plainly{}, required(4), launchedMachine("on_demand"), true},
		"in place of other types": {plainly{"instance_types": []string{"ecs.c7.large"}}, required(4), launchedMachine("on_demand"), false},
		"an imported machine":     {required(2), required(4), imported, false},
		"types in their place":    {required(2), plainly{}, launchedMachine("on_demand"), false},
	} {
		before, after := plainClass(t, launchedPlain(test.before)), plainClass(t, launchedPlain(test.after))

		if got := alicloudRequirementsChanged(before, after, test.machine); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestWhatAMachineKeepsIsNamed(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change plainly
		charge string
		want   []string
	}{
		"nothing":           {nil, "on_demand", nil},
		"groups and access": {plainly{"security_group_ids": []string{"sg-1", "sg-2"}, "key_pair_name": "k", "ram_role_name": "r"}, "on_demand", nil},
		"the rest": {plainly{
			"resource_group_id": "rg-1", "private_pool": plainly{"match_criteria": "open"}, "credit_specification": "standard", "security_enhancement": true,
		}, "on_demand", []string{"resource_group_id", "private_pool", "credit_specification", "security_enhancement"}},
		"whether a disk stays": {
			plainly{"data_disks": []any{plainly{"size_gib": 100, "category": "cloud_essd", "delete_with_instance": false}, plainly{"size_gib": 200}}},
			"on_demand",
			[]string{"data_disks"},
		},
		"that a disk goes, as by default": {plainly{"data_disks": []any{plainly{"size_gib": 100, "category": "cloud_essd", "delete_with_instance": true}, plainly{"size_gib": 200}}}, "on_demand", nil},
		"a bid":                           {plainly{"spot": plainly{"price_limit_per_hour": 0.2}}, "spot", nil},
		"the defaults of spot":            {plainly{"spot": plainly{"protection_hours": 1, "interruption": "terminate"}}, "spot", nil},
		"protection of spot":              {plainly{"spot": plainly{"protection_hours": 0}}, "spot", []string{"spot"}},
		"protection of what is not":       {plainly{"spot": plainly{"protection_hours": 0}}, "on_demand", nil},
		"a period":                        {plainly{"subscription": plainly{"period": 2}}, "subscription", []string{"subscription"}},
		"a period of another machine":     {plainly{"subscription": plainly{"period": 2}}, "on_demand", nil},
		"what is not known":               {plainly{"key_pair_name": notKnown{}, "security_group_ids": notKnown{}}, "on_demand", nil},
		"orders, candidates and images":   {plainly{"zone_order": "listed", "instance_types": []string{"ecs.c7.large"}, "image_id": "m-2"}, "on_demand", nil},
	} {
		before, after := plainClass(t, launchedPlain(nil)), plainClass(t, launchedPlain(test.change))

		if got := alicloudKept(before, after, launchedMachine(test.charge)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestWhatAMachineFollowsIsNamed(t *testing.T) {
	t.Parallel()

	launched := plainly{"security_group_ids": []string{"sg-1", "sg-2"}, "key_pair_name": "k"}

	for name, test := range map[string]struct {
		change plainly
		want   []string
	}{
		"nothing":               {nil, nil},
		"groups in their order": {plainly{"security_group_ids": []string{"sg-2", "sg-1"}}, nil},
		"other groups":          {plainly{"security_group_ids": []string{"sg-1"}}, []string{"security_group_ids"}},
		"access":                {plainly{"key_pair_name": nil, "ram_role_name": "r"}, []string{"key_pair_name", "ram_role_name"}},
		"what is not known":     {plainly{"ram_role_name": notKnown{}}, []string{"ram_role_name"}},
		"what it keeps":         {plainly{"resource_group_id": "rg-1", "image_id": "m-2"}, nil},
	} {
		after := plainly{}
		maps.Copy(after, launched)
		maps.Copy(after, test.change)

		if got := alicloudChanged(plainClass(t, launchedPlain(launched)), plainClass(t, launchedPlain(after))); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestAnOfferingsIDIsTakenApart(t *testing.T) {
	t.Parallel()

	for offering, want := range map[string]launchOffering{
		"ecs.g6.large/vsw-b/on_demand": {"ecs.g6.large", "vsw-b", "on_demand"}, "": {}, "ecs.g6.large/vsw-b": {}, "a/b/c/d": {},
	} {
		if got := offeringParts(offering); got != want {
			t.Errorf("%q is %v, want %v", offering, got, want)
		}
	}
}

func TestEveryInputOfAClassIsDealtWithWhenItChanges(t *testing.T) {
	t.Parallel()

	// What replaces a machine, what it follows, what it keeps (told of), what is judged by
	// the machine, and what concerns launches alone.
	dealtWith := slices.Concat(alicloudImmutable(), alicloudFollowed(),
		[]string{"resource_group_id", "private_pool", "credit_specification", "security_enhancement"},
		[]string{"instance_types", "requirements", "capacity_types", "vswitch_ids"},
		[]string{"type_order", "zone_order", "spot", "subscription", "tags"})

	for name := range alicloudClassAttribute().Attributes {
		if !slices.Contains(dealtWith, name) {
			t.Errorf("nothing says what a change of %s does to a machine", name)
		}
	}

	for _, name := range dealtWith {
		if _, there := alicloudClassAttribute().Attributes[name]; !there {
			t.Errorf("a class has no %s", name)
		}
	}
}
