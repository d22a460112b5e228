package provider

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func disk(sizeGiB int64) types.Object {
	return types.ObjectValueMust(
		map[string]attr.Type{"category": types.StringType, "size_gib": types.Int64Type, "performance_level": types.StringType},
		map[string]attr.Value{"category": types.StringNull(), "size_gib": types.Int64Value(sizeGiB), "performance_level": types.StringNull()})
}

func launchedClass() map[string]attr.Value {
	return map[string]attr.Value{
		"region": types.StringValue("cn-hangzhou"), "image_id": types.StringValue("m-1"), "system_disk": disk(40),
		"instance_types": stringList([]string{"ecs.g7.large", "ecs.g6.large"}), "vswitch_ids": stringList([]string{"vsw-a", "vsw-b"}),
		"security_group_ids": stringList([]string{"sg-1"}),
	}
}

// TestMismatch edits the class of a machine, which is ecs.g6.large in vsw-b on
// demand.
func TestMismatch(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		change map[string]attr.Value
		want   []string
	}{
		"nothing":                       {nil, nil},
		"reordered":                     {map[string]attr.Value{"instance_types": stringList([]string{"ecs.g6.large", "ecs.g7.large"})}, nil},
		"grown":                         {map[string]attr.Value{"vswitch_ids": stringList([]string{"vsw-c", "vsw-b"})}, nil},
		"without another type":          {map[string]attr.Value{"instance_types": stringList([]string{"ecs.g6.large"})}, nil},
		"without its type":              {map[string]attr.Value{"instance_types": stringList([]string{"ecs.g7.large"})}, []string{"class.alicloud.instance_types no longer has the machine's own, ecs.g6.large"}},
		"without its vSwitch":           {map[string]attr.Value{"vswitch_ids": stringList([]string{"vsw-a"})}, []string{"class.alicloud.vswitch_ids no longer has the machine's own, vsw-b"}},
		"its way to pay is the default": {map[string]attr.Value{"capacity_types": stringList([]string{"on_demand"})}, nil},
		"without its way to pay":        {map[string]attr.Value{"capacity_types": stringList([]string{"spot"})}, []string{"class.alicloud.capacity_types no longer has the machine's own, on_demand"}},
		"candidates that are not known": {map[string]attr.Value{"instance_types": types.ListUnknown(types.StringType)}, nil},
		"another image":                 {map[string]attr.Value{"image_id": types.StringValue("m-2")}, []string{"class.alicloud.image_id changes"}},
		"an image that is not known":    {map[string]attr.Value{"image_id": types.StringUnknown()}, []string{"class.alicloud.image_id changes"}},
		"a family instead of the image": {map[string]attr.Value{"image_id": types.StringNull(), "image_family": types.StringValue("f")}, []string{"class.alicloud.image_id changes", "class.alicloud.image_family changes"}},
		"another region":                {map[string]attr.Value{"region": types.StringValue("cn-shanghai")}, []string{"class.alicloud.region changes"}},
		"another disk":                  {map[string]attr.Value{"system_disk": disk(60)}, []string{"class.alicloud.system_disk changes"}},
		"groups, key pair and role":     {map[string]attr.Value{"security_group_ids": stringList([]string{"sg-2"}), "key_pair_name": types.StringValue("k"), "ram_role_name": types.StringValue("r")}, nil},
		"tags":                          {map[string]attr.Value{"tags": numberedTags("new", 1)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			after := launchedClass()
			for attribute, value := range test.change {
				after[attribute] = value
			}

			machine := allocationModel{
				InstanceType: types.StringValue("ecs.g6.large"), Charge: types.StringValue("on_demand"),
				Offering: types.StringValue("ecs.g6.large/vsw-b/on_demand"),
			}

			if got := alicloudMismatch(alicloudObject(t, launchedClass()), alicloudObject(t, after), machine); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAMachineThatNeverWasOfTheListsIsNotReplacedForThem(t *testing.T) {
	t.Parallel()

	imported := allocationModel{InstanceType: types.StringValue("ecs.r6.large"), Charge: types.StringValue("spot"), Offering: types.StringNull()}
	before, edited := alicloudObject(t, launchedClass()), launchedClass()
	edited["instance_types"] = stringList([]string{"ecs.c7.large"})
	edited["vswitch_ids"] = stringList([]string{"vsw-c"})
	edited["capacity_types"] = stringList([]string{"on_demand"})

	for name, after := range map[string]types.Object{"the same class": before, "an edited one": alicloudObject(t, edited)} {
		if got := alicloudMismatch(before, after, imported); got != nil {
			t.Errorf("%s replaces it: %q", name, got)
		}
	}

	edited["image_id"] = types.StringValue("m-2")

	if got := alicloudMismatch(before, alicloudObject(t, edited), imported); len(got) != 1 {
		t.Errorf("another image does not replace it: %q", got)
	}
}

func TestVSwitchOfAnOffering(t *testing.T) {
	t.Parallel()

	for offering, want := range map[string]string{
		"ecs.g6.large/vsw-b/on_demand": "vsw-b", "": "", "ecs.g6.large/vsw-b": "", "a/b/c/d": "",
	} {
		if got := vswitchOf(offering); got != want {
			t.Errorf("%q is in %q, want %q", offering, got, want)
		}
	}
}

func TestEveryInputOfAClassIsDealtWithWhenItChanges(t *testing.T) {
	t.Parallel()

	dealtWith := append([]string{"instance_types", "capacity_types", "vswitch_ids", "tags", "security_group_ids", "key_pair_name", "ram_role_name"}, alicloudImmutable...)

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

	changed := launchedClass()
	changed["security_group_ids"] = stringList([]string{"sg-2"})
	changed["ram_role_name"] = types.StringValue("r")
	changed["key_pair_name"] = types.StringValue("k")

	if got := strings.Join(alicloudKept(alicloudObject(t, launchedClass()), alicloudObject(t, changed)), " "); got != "security_group_ids key_pair_name ram_role_name" {
		t.Errorf("kept are %s", got)
	}
}
