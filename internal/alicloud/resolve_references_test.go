package alicloud_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// encrypted is a disk with a key of its own.
func encrypted(key string) object {
	return object{"category": "cloud_essd", "size_gib": 40, "encrypted": true, "kms_key_id": key}
}

// everyReference names all that a class can name and no offering depends on, and that
// there is.
func everyReference() func(map[string]any) {
	return all(
		set("key_pair_name", "acme-key"), set("deployment_set_id", "ds-1"), set("data_disks", []object{{"snapshot_id": "s-1"}, {"size_gib": 40}}),
		set("ram_role_name", "acme-node-role"), set("resource_group_id", "rg-acme"), set("system_disk", encrypted("key-1")),
		set("instance_types", []string{"ecs.g7.large"}), set("private_pool", object{"match_criteria": "target", "id": "eap-1"}),
	)
}

func TestWhatAClassNamesIsLookedUpBeforeALaunch(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, wrong := range map[string]struct {
		edit  func(map[string]any)
		texts []string
	}{
		"key pair":         {set("key_pair_name", "acme-keys"), []string{`key_pair_name: there is no key pair "acme-keys" in the region cn-hangzhou`}},
		"key pair pattern": {set("key_pair_name", "acme*"), []string{`key_pair_name: there is no key pair "acme*"`}},
		"deployment set":   {set("deployment_set_id", "ds-2"), []string{`deployment_set_id: there is no deployment set "ds-2"`}},
		"snapshot": {
			set("data_disks", []object{{"size_gib": 40}, {"snapshot_id": "s-1"}, {"snapshot_id": "s-2"}}),
			[]string{`data_disks[2].snapshot_id: there is no snapshot "s-2"`},
		},
		"RAM role":        {set("ram_role_name", "nobody"), []string{"ram_role_name: ECS would refuse a launch with it", "InvalidRamRole.NotFound", "request"}},
		"resource group":  {set("resource_group_id", "rg-2"), []string{"resource_group_id: ECS would refuse a launch with it", "InvalidResourceGroup.NotFound"}},
		"key of a disk":   {set("system_disk", encrypted("key-2")), []string{"kms_key_id: ECS would refuse a launch with it", "InvalidParameter.KMSKeyId.NotFound"}},
		"key of another":  {set("data_disks", []object{encrypted("key-2")}), []string{"data_disks[0].kms_key_id", "InvalidParameter.KMSKeyId.NotFound"}},
		"pool":            {set("private_pool", object{"match_criteria": "target", "id": "eap-2"}), []string{"private_pool: ECS would refuse a launch from it", "Invalid.PrivatePoolOptionsId"}},
		"pool of another": {set("private_pool", object{"match_criteria": "target", "id": "eap-1"}), []string{"private_pool", "ecs.g7.xlarge/vsw-a/on_demand"}},
		"all at once":     {all(everyReference(), set("ram_role_name", "nobody")), []string{"ram_role_name"}},
		"several at once": {
			all(set("key_pair_name", "acme-keys"), set("deployment_set_id", "ds-2"), set("image_id", "m-none"), set("vswitch_ids", []string{"vsw-a", "vsw-none", "vsw-nowhere"}),
				set("security_group_ids", []string{"sg-none", "sg-other"}), set("instance_types", []string{"ecs.none.large"})),
			[]string{
				`key_pair_name: there is no key pair "acme-keys"`, `deployment_set_id: there is no deployment set "ds-2"`, `image_id: there is no image "m-none"`,
				`there is no vSwitch "vsw-none"`, `there is no vSwitch "vsw-nowhere"`, `there is no security group "sg-none"`, "sg-other is in the VPC vpc-2",
				`there is no instance type "ecs.none.large"`,
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := b.resolve(t, wrong.edit)
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, wrong.texts...)
		})
	}

	if alive := b.alive(); len(alive) > 0 {
		t.Errorf("looking launched %v", alive)
	}
}

// Each is asked for once in a process, however many classes name it, and what a class
// leaves out is not asked for at all.
func TestWhatClassesNameIsLookedUpOnceForAllOfThem(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	counts := b.counted(func() {
		var resolving sync.WaitGroup

		for range 5 {
			resolving.Go(func() {
				if _, err := b.resolve(t, everyReference()); err != nil {
					t.Error(err)
				}
			})
		}

		resolving.Wait()

		// Another class, with some of it in common.
		if _, err := b.resolve(t, all(set("key_pair_name", "acme-key"), set("deployment_set_id", "ds-1"), set("instance_types", []string{"ecs.g6.large"}))); err != nil {
			t.Error(err)
		}
	})

	for action, want := range map[string]int{"DescribeKeyPairs": 1, "DescribeDeploymentSets": 1, "DescribeSnapshots": 1, "RunInstances": 1} {
		if counts[action] != want {
			t.Errorf("%s was called %d times, want %d", action, counts[action], want)
		}
	}

	another := &bench{Server: b.Server, log: b.log, key: b.key, cloud: b.process(t)}

	if counts := b.counted(func() {
		if _, err := another.resolve(t, nil); err != nil {
			t.Error(err)
		}
	}); counts["DescribeKeyPairs"]+counts["DescribeDeploymentSets"]+counts["DescribeSnapshots"]+counts["RunInstances"] != 0 {
		t.Errorf("a class that names nothing took %v", counts)
	}

	if alive := b.alive(); len(alive) > 0 {
		t.Errorf("looking launched %v", alive)
	}
}

// Who may launch need not be able to look at all that a launch names.
func TestALookThatMayNotBeMadeIsNoError(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, action := range []string{"DescribeKeyPairs", "DescribeDeploymentSets", "DescribeSnapshots", "RunInstances"} {
		b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: action})
	}

	counts := b.counted(func() {
		for range 2 {
			if offerings, err := b.resolve(t, everyReference()); err != nil || len(offerings) != 1 {
				t.Errorf("%d offerings, %v", len(offerings), err)
			}
		}
	})

	for _, action := range []string{"DescribeKeyPairs", "DescribeDeploymentSets", "DescribeSnapshots", "RunInstances"} {
		if counts[action] != 1 {
			t.Errorf("%s was called %d times, and is denied", action, counts[action])
		}

		if !strings.Contains(b.log.String(), action) {
			t.Errorf("the log does not say that %s is denied", action)
		}
	}
}

func TestALookThatFailsIsNoVerdict(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, action := range []string{"DescribeKeyPairs", "DescribeDeploymentSets", "DescribeSnapshots"} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: action, Code: "InvalidAccessKeyId.Inactive", HTTPStatus: 400})

		_, err := b.resolve(t, everyReference())
		wantPermanent(t, err, v1alpha3.ReasonCredentialsRefused, action)

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}

// What a checked launch is refused for decides only where it is about what it was made
// for.
func TestACheckedLaunchIsJudgedByWhatItIsRefusedFor(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		code   string
		status int
		// calls is how many offerings are tried; reason what the class is refused for.
		calls  int
		reason string
	}{
		"sold out everywhere":       {"OperationDenied.NoStock", 403, 4, ""},
		"a full deployment set":     {"QuotaExceed.DeploymentSetInstanceQuotaFull", 403, 4, ""},
		"a quota":                   {"QuotaExceed.AfterpayInstance", 403, 1, ""},
		"an account without money":  {"InvalidAccountStatus.NotEnoughBalance", 403, 1, ""},
		"something of another kind": {"InvalidInstanceName.Malformed", 400, 1, ""},
		"a role not to be passed":   {"InvalidUser.PassRoleForbidden", 403, 1, v1alpha3.ReasonPermissionDenied},
		"a role that trusts others": {"InvalidRamRole.NotEcsRole", 401, 1, v1alpha3.ReasonInvalidConfiguration},
		"a key that is off":         {"InvalidParameter.KMSKeyId.CMKNotEnabled", 403, 1, v1alpha3.ReasonInvalidConfiguration},
		"bad credentials":           {"InvalidAccessKeyId.Inactive", 400, 1, v1alpha3.ReasonCredentialsRefused},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: test.code, HTTPStatus: test.status})

			var err error

			counts := b.counted(func() {
				_, err = b.resolve(t, all(set("ram_role_name", "acme-node-role"), set("vswitch_ids", []string{"vsw-a", "vsw-b", "vsw-c"}), set("instance_types", []string{"ecs.g7.large", "ecs.g6.large"})))
			})

			if test.reason != "" {
				wantPermanent(t, err, test.reason, test.code)
			} else if err != nil {
				t.Error(err)
			}

			if counts["RunInstances"] != test.calls {
				t.Errorf("%d launches were checked, want %d", counts["RunInstances"], test.calls)
			}
		})
	}
}

// What was found is believed for a while, and what was missing is looked at again.
func TestWhatIsMissingIsLookedAtAgainAndWhatIsThereAfterAWhile(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, settled())

	look := func(name string) (int, error) {
		var err error

		counts := b.counted(func() { _, err = b.resolve(t, set("key_pair_name", name)) })

		return counts["DescribeKeyPairs"], err
	}

	for step, test := range []struct {
		name   string
		after  time.Duration
		calls  int
		failed bool
	}{
		{"acme-key", 0, 1, false}, {"acme-key", time.Minute, 0, false}, {"acme-key", 10 * time.Minute, 1, false}, {"none", 0, 1, true}, {"none", 0, 1, true},
	} {
		b.step(t, test.after)

		if calls, err := look(test.name); calls != test.calls || (err != nil) != test.failed {
			t.Errorf("step %d: %d calls, %v", step, calls, err)
		}
	}
}
