package provider_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// refusal is one mistake. What is not set is right.
type refusal struct {
	// provider, alicloud, class and machine change arguments of the provider block,
	// of its alicloud argument, of the class's and of the allocation.
	provider, alicloud, class, machine acctest.Arguments
	more                               string
	// planned wants the mistake to be found without an apply.
	planned bool
	want    []string
}

func (test refusal) run(t *testing.T) {
	t.Parallel()
	acctest.RequireCLI(t)

	cloud := acctest.Start(t, ecsemulator.Options{})

	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Factories(),
		Steps: []resource.TestStep{{
			Config: cloud.ProviderWith(test.provider, test.alicloud) + acctest.Class(test.class) +
				acctest.Allocation("worker-a", test.machine) + test.more,
			PlanOnly:    test.planned,
			ExpectError: acctest.Text(test.want...),
		}},
		CheckDestroy: cloud.CheckNothingLaunched(),
	})

	if err := cloud.CheckNothingLaunched()(nil); err != nil {
		t.Error(err)
	}

	// A plan looks the class up, and changes nothing.
	for action := range cloud.Counts() {
		if test.planned && !strings.HasPrefix(action, "Describe") {
			t.Errorf("a mistake that plan finds took a call of %s", action)
		}
	}
}

func TestAccWhoMayNotIsToldSo(t *testing.T) {
	t.Parallel()

	const remedy = "Check the AccessKey: alicloud.access_key_id and access_key_secret in the provider block, or ALIBABA_CLOUD_ACCESS_KEY_ID"

	for name, test := range map[string]refusal{
		"an unknown access key": {
			alicloud: acctest.Arguments{"access_key_id": `"LTAI5tUnknown"`},
			want:     []string{`The class "worker" cannot be resolved`, "InvalidAccessKeyId", "request", remedy},
		},
		"a wrong secret": {
			alicloud: acctest.Arguments{"access_key_secret": `"wrong"`},
			want:     []string{`The class "worker" cannot be resolved`, "SignatureDoesNotMatch", "request", remedy},
		},
		"no credentials at all": {
			alicloud: acctest.Arguments{"access_key_id": "", "access_key_secret": ""},
			want: []string{
				`The class "worker" cannot be resolved`, "no credentials: the provider's configuration gives none", "ALIBABA_CLOUD_ACCESS_KEY_ID",
				"ALIBABA_CLOUD_OIDC_TOKEN_FILE", "ALIBABA_CLOUD_CLI_PROFILE_DISABLED", "in the shared credentials file", "ALIBABA_CLOUD_CREDENTIALS_URI", "ALIBABA_CLOUD_ECS_METADATA_DISABLED",
				"Give credentials in one of the places named above",
			},
		},
		"an endpoint where nothing is": {
			alicloud: acctest.Arguments{"endpoints": fmt.Sprintf("{ ecs = %q, vpc = %q }", nowhere, nowhere)},
			want: []string{
				`The class "worker" cannot be resolved`, "no connection to http://" + nowhere + ", the ", " endpoint that alicloud.endpoints.", " of the provider block names", "connection refused",
				"Check the endpoint and the region",
			},
		},
		"half of the credentials": {
			alicloud: acctest.Arguments{"access_key_secret": ""}, planned: true,
			want: []string{"Invalid Attribute Combination", "access_key_secret"},
		},
		"two sources of credentials": {
			alicloud: acctest.Arguments{"ecs_role_name": `"r"`}, planned: true,
			want: []string{"Cannot use the credentials", "credentials are given twice: an AccessKey and an instance role; give one of them"},
		},
		"a profile that does not exist": {
			alicloud: acctest.Arguments{"access_key_id": "", "access_key_secret": "", "shared_credentials_file": `"/nowhere/config.json"`}, planned: true,
			want: []string{"Cannot use the credentials", "/nowhere/config.json", "no such file"},
		},
		"a proxy that is none": {
			alicloud: acctest.Arguments{"proxy": `"ftp://user:hidden@proxy"`},
			want:     []string{`the proxy's scheme "ftp" is none of http, https and socks5`},
		},
		"certificates that are none": {
			alicloud: acctest.Arguments{"ca_file": `"/nowhere/ca.pem"`},
			want:     []string{"reading the certificates to trust", "/nowhere/ca.pem"},
		},
		"a session that is too short": {
			alicloud: acctest.Arguments{"assume_role": `[{ role_arn = "acs:ram::1:role/r", session_expiration = 60 }]`}, planned: true,
			want: []string{"session_expiration", "between 900 and 43200"},
		},
		"no owner": {
			provider: acctest.Arguments{"owner": ""}, planned: true,
			want: []string{`The argument "owner" is required`},
		},
		"an owner that is no tag value": {
			provider: acctest.Arguments{"owner": `"the platform team"`}, planned: true,
			want: []string{"Attribute owner must be 1 to 100 letters, digits, dots, underscores, hyphens or slashes, such as platform/prod"},
		},
		"a protocol that is none": {
			alicloud: acctest.Arguments{"protocol": `"ftp"`}, planned: true,
			want: []string{"alicloud.protocol", `"https" "http"`},
		},
	} {
		t.Run(name, test.run)
	}
}

func TestAccWhatDoesNotExistIsNamed(t *testing.T) {
	t.Parallel()

	const (
		title  = `The class "worker" cannot be resolved`
		remedy = "Correct the configuration, then run the command again."
	)

	for name, test := range map[string]refusal{
		"a region": {
			alicloud: acctest.Arguments{"region": `"cn-nowhere"`},
			want:     []string{title, `"cn-nowhere" is not a region of Alibaba Cloud; correct alicloud.region`, remedy},
		},
		"another region's names": {
			class: acctest.Arguments{"region": `"cn-shanghai"`},
			want:  []string{title, `vswitch_ids: there is no vSwitch "vsw-a" in the region cn-shanghai`, remedy},
		},
		"an image": {
			class: acctest.Arguments{"image_id": `"m-missing"`},
			want:  []string{title, `image_id: there is no image "m-missing" in the region cn-hangzhou`, remedy},
		},
		"an image family": {
			class: acctest.Arguments{"image_id": "", "image_family": `"acme-missing"`},
			want:  []string{title, `image_family: there is no image of the family "acme-missing" in the region cn-hangzhou`, remedy},
		},
		"a vSwitch": {
			class: acctest.Arguments{"vswitch_ids": `["vsw-a", "vsw-missing"]`},
			want:  []string{title, `vswitch_ids: there is no vSwitch "vsw-missing" in the region cn-hangzhou`, remedy},
		},
		"a security group": {
			class: acctest.Arguments{"security_group_ids": `["sg-missing"]`},
			want:  []string{title, `security_group_ids: there is no security group "sg-missing" in the region cn-hangzhou`, remedy},
		},
		"an instance type": {
			class: acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.missing.large"]`},
			want:  []string{title, `instance_types: there is no instance type "ecs.missing.large" in the region cn-hangzhou`, remedy},
		},
		"one network": {
			class: acctest.Arguments{"vswitch_ids": `["vsw-a", "vsw-other"]`},
			want:  []string{title, "vsw-a is in the VPC vpc-1 and vsw-other in vpc-2; all have to be in one VPC", remedy},
		},
		"a group in the network": {
			class: acctest.Arguments{"security_group_ids": `["sg-other"]`},
			want:  []string{title, "sg-other is in the VPC vpc-2, and the vSwitches are in vpc-1", remedy},
		},
		"an image for the processor": {
			class: acctest.Arguments{"image_id": `"m-acme-arm"`},
			want:  []string{title, "ecs.g7.large has the architecture amd64, and the image m-acme-arm is for arm64", remedy},
		},
		"a zone that sells the type": {
			class: acctest.Arguments{"instance_types": `["ecs.gn6v-c8g1.2xlarge"]`, "vswitch_ids": `["vsw-c"]`},
			want:  []string{title, "ecs.gn6v-c8g1.2xlarge: not sold in cn-hangzhou-k as on_demand", remedy},
		},
		"a disk that holds the image": {
			class: acctest.Arguments{"system_disk": `{ category = "cloud_essd", performance_level = "PL0", size_gib = 10 }`},
			want:  []string{title, "system_disk.size_gib: 10 is smaller than the image m-acme2", remedy},
		},
		"room for the disks": {
			class: acctest.Arguments{"data_disks": `[for i in range(16) : { size_gib = 40 }]`},
			want:  []string{title, "it takes", "disks with the system disk, and the class has 17", remedy},
		},
		"types that meet the requirements": {
			class: acctest.Arguments{"instance_types": "", "requirements": "{ vcpus = { min = 1000 } }"},
			want:  []string{title, "requirements: none of the", "instance types of cn-hangzhou fits all of them", "vcpus leaves out", remedy},
		},
		"a family": {
			class: acctest.Arguments{"instance_types": "", "requirements": `{ families = ["ecs.g77"] }`},
			want:  []string{title, `requirements.families: there is no instance family "ecs.g77"`, remedy},
		},
		"burstable types for credits": {
			class: acctest.Arguments{"credit_specification": `"unlimited"`},
			want:  []string{title, "ecs.g7.large: it is not burstable, and the class has credit_specification", remedy},
		},
	} {
		test.planned = true
		t.Run(name, test.run)
	}
}

func TestAccMistakesAreFoundAtPlan(t *testing.T) {
	t.Parallel()

	tags := func(prefix, count string) string {
		return `{ for i in range(` + count + `) : "` + prefix + `-${i}" => "x" }`
	}

	for name, test := range map[string]refusal{
		"no region anywhere": {
			alicloud: acctest.Arguments{"region": ""},
			want:     []string{"No region", "Set alicloud.region in the class or in the provider block, or the environment variable ALIBABA_CLOUD_REGION"},
		},
		"a region that is a name": {
			class: acctest.Arguments{"region": `"Hangzhou"`},
			want:  []string{"must be a region ID such as cn-hangzhou"},
		},
		"no image": {
			class: acctest.Arguments{"image_id": ""},
			want:  []string{"No image", "Set image_id, or image_family for the newest image of a family"},
		},
		"seventeen data disks": {
			class: acctest.Arguments{"data_disks": `[for i in range(17) : { size_gib = 40 }]`},
			want:  []string{"data_disks list must contain at most 16 elements"},
		},
		"a disk that is none": {
			class: acctest.Arguments{"system_disk": `{ category = "cloud_essd", performance_level = "PL2", size_gib = 460 }`},
			want:  []string{"Disk size out of bounds", "A disk of cloud_essd PL2 has 461 to 2048 GiB, not 460"},
		},
		"a class without a size": {
			class: acctest.Arguments{"instance_types": "", "requirements": "{}"},
			want:  []string{"Requirements without a size", "Set at least one of vcpus, memory_gib"},
		},
		"a subscription for no time": {
			class: acctest.Arguments{"capacity_types": `["subscription"]`},
			want:  []string{"No period", "Set subscription = { period = 1 } for a month"},
		},
		"an instance type that does not exist": {
			class: acctest.Arguments{"instance_types": `["ecs.zzz"]`},
			want:  []string{`The class "worker" cannot be resolved`, `there is no instance type "ecs.zzz"`},
		},
		"a null among the candidates": {
			class: acctest.Arguments{"vswitch_ids": `[null]`},
			want:  []string{"Invalid list element", "machine_class.worker", "alicloud.vswitch_ids[0] is null", "compact(...)"},
		},
		"a timeout without a unit": {
			machine: acctest.Arguments{"timeouts": `{ create = "20" }`},
			want:    []string{"Invalid timeout", `timeouts.create: want a number and its unit, s, m or h, such as "90s", "20m"`},
		},
		"a timeout of zero": {
			machine: acctest.Arguments{"timeouts": `{ create = "0s" }`},
			want:    []string{"Invalid timeout", `"0s" leaves no time to do anything`},
		},
		"both ways to name an image": {
			class: acctest.Arguments{"image_family": `"acme-node"`},
			want:  []string{"image_id", "image_family"},
		},
		"no instance type": {
			class: acctest.Arguments{"instance_types": "[]"},
			want:  []string{"instance_types list must contain at least 1 elements"},
		},
		"an instance type twice": {
			class: acctest.Arguments{"instance_types": `["ecs.g7.large", "ecs.g7.large"]`},
			want:  []string{"Invalid list element", "machine_class.worker", `alicloud.instance_types[1] is "ecs.g7.large", as element 0 is already`},
		},
		"a name that no machine can have": {
			machine: acctest.Arguments{"name": `"1st"`},
			want:    []string{"Attribute name must be 2 to 100 letters, digits, dots, underscores or hyphens, and begin with a letter"},
		},
		"a reserved tag": {
			machine: acctest.Arguments{"tags": `{ "Terraform-Machine/owner" = "me" }`},
			want:    []string{"Invalid tag key", `Tags that begin with "terraform-machine/" are the provider's own`, "Choose another key"},
		},
		"a tag that ECS refuses": {
			class: acctest.Arguments{"tags": `{ "acs:x" = "y" }`},
			want:  []string{"Invalid tag key", "ECS refuses tag keys that begin with aliyun or acs:"},
		},
		"a tag that is null": {
			machine: acctest.Arguments{"tags": `{ a = null }`},
			want:    []string{"Invalid map element", "machine_allocation.worker-a", `tags["a"] is null`},
		},
		"a class's tag that is null": {
			class: acctest.Arguments{"tags": `{ a = null }`},
			want:  []string{"Invalid map element", "machine_class.worker", `alicloud.tags["a"] is null`},
		},
		"thirteen tags": {
			machine: acctest.Arguments{"tags": tags("own", "13")},
			want:    []string{"tags map must contain at most 12 elements"},
		},
		"thirteen tags together": {
			class: acctest.Arguments{"tags": tags("class", "7")}, machine: acctest.Arguments{"tags": tags("own", "6")},
			want: []string{"Too many tags", "give 13 tags together", "at most 12 fit beside the provider's own. Remove some of them"},
		},
		"too large user data": {
			machine: acctest.Arguments{"user_data_wo": `format("%032769d", 1)`, "user_data_wo_version": "1"},
			want:    []string{"Invalid first-boot data", "has 32769 bytes, and ECS takes at most 32768", "base64gzip"},
		},
		"too large user data in Base64": {
			machine: acctest.Arguments{"user_data_wo_base64": `base64encode(format("%032769d", 1))`, "user_data_wo_version": "1"},
			want:    []string{"Invalid first-boot data", "has 32769 bytes, and ECS takes at most 32768"},
		},
		"user data that is no Base64": {
			machine: acctest.Arguments{"user_data_wo_base64": `"#cloud-config"`, "user_data_wo_version": "1"},
			want:    []string{"Invalid first-boot data", "the value is not Base64", "Use base64encode(), or user_data_wo for plain text"},
		},
		"user data twice": {
			machine: acctest.Arguments{"user_data_wo": `"a"`, "user_data_wo_base64": `"YQ=="`, "user_data_wo_version": "1"},
			want:    []string{"user_data_wo_base64", "cannot be specified when", "user_data_wo"},
		},
		"user data without a version": {
			machine: acctest.Arguments{"user_data_wo": `"a"`},
			want:    []string{"user_data_wo_version", "must be specified when", "user_data_wo"},
		},
		"one name of two resources": {
			more: acctest.Allocation("other", acctest.Arguments{"name": `"worker-a"`}),
			want: []string{"Duplicate allocation name", `Two machine_allocation resources of this configuration are named "worker-a" in cn-hangzhou`, "put the for_each key or the count index into the name"},
		},
		"one name of a whole count": {
			machine: acctest.Arguments{"count": "2"},
			want:    []string{"Duplicate allocation name", `named "worker-a" in cn-hangzhou`},
		},
	} {
		test.planned = true
		t.Run(name, test.run)
	}
}

func TestAccANewDuplicateOfAMachineInStateIsFoundAtPlan(t *testing.T) {
	t.Parallel()

	cloud := acctest.Start(t, ecsemulator.Options{})
	config := cloud.Provider() + acctest.Class() + acctest.Allocation("worker-a")

	run(t, cloud, 1,
		resource.TestStep{Config: config},
		resource.TestStep{
			Config:      config + acctest.Allocation("other", acctest.Arguments{"name": `"worker-a"`}),
			PlanOnly:    true,
			ExpectError: acctest.Text("Duplicate allocation name"),
		},
		resource.TestStep{Config: config, Check: cloud.CheckMachines(1)},
	)
}
