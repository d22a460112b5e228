package alicloud_test

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

func (b *bench) observe(t *testing.T, providerID string) (*driver.ObservedMachine, error) {
	t.Helper()

	return b.cloud.Observer().ObserveMachine(t.Context(), &driver.ObserveMachineRequest{ProviderID: providerID, Secret: b.secret()})
}

func TestObservedMachineIsWhatECSTells(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	request := b.allocation(t, "worker-a")
	request.Parameters["tag/team"] = "a"
	id, _ := b.launch(t, request)

	for _, want := range []driver.MachinePhase{driver.MachinePhaseAllocating, driver.MachinePhaseRunning} {
		machine, err := b.observe(t, id.String())
		if err != nil {
			t.Fatal(err)
		}

		if machine.Phase != want || machine.ProviderID != id.String() || machine.Zone != "cn-hangzhou-h" || machine.CapacityType != "on_demand" {
			t.Errorf("observed was %+v, want %s", machine, want)
		}

		if len(machine.Tags) != 1 || machine.Tags["team"] != "a" || machine.TagCount != 7 || machine.Identity.Claim != "claim-of-worker-a" {
			t.Errorf("the tags are %v, %d in all, of %+v", machine.Tags, machine.TagCount, machine.Identity)
		}

		b.step(t, time.Minute)
	}
}

func TestLookThatProvesNothingIsNotAbsence(t *testing.T) {
	t.Parallel()

	for name, want := range map[string]struct {
		rules []ecsemulator.Rule
		code  driver.Code
	}{
		"listing denied":          {[]ecsemulator.Rule{{Kind: ecsemulator.RuleDeny, Action: "DescribeInstances"}}, driver.CodePermissionDenied},
		"listing answered by 404": {[]ecsemulator.Rule{{Kind: ecsemulator.RuleError, Action: "DescribeInstances", Code: "InvalidInstanceId.NotFound", HTTPStatus: 404}}, driver.CodeUnavailable},
		"key disabled":            {[]ecsemulator.Rule{{Kind: ecsemulator.RuleError, Action: "DescribeInstances", Code: "InvalidAccessKeyId.Inactive", HTTPStatus: 400}}, driver.CodeUnauthenticated},
		"dry run refused":         {[]ecsemulator.Rule{{Kind: ecsemulator.RuleError, Action: "DeleteInstances", Code: "InvalidParameter", HTTPStatus: 400}}, driver.CodeInvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			for _, rule := range want.rules {
				b.rule(t, rule)
			}

			_, err := b.observe(t, region+".i-bp1gone")
			wantCode(t, err, want.code, "i-bp1gone")
		})
	}
}

func TestCredentialsThatMayOnlyLookSeeAbsence(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DeleteInstances"})

	_, err := b.observe(t, region+".i-bp1gone")
	wantCode(t, err, driver.CodeNotFound, "i-bp1gone", region)
}

func TestProviderIDIsReadInAllItsForms(t *testing.T) {
	t.Parallel()

	cloud, err := alicloud.New(driver.Settings{})
	if err != nil {
		t.Fatal(err)
	}

	for text, want := range map[string]string{
		"cn-hangzhou.i-bp1abc":            "cn-hangzhou.i-bp1abc",
		"alicloud://ap-southeast-1.i-t4n": "ap-southeast-1.i-t4n",
		"i-bp1abc":                        "cn-beijing.i-bp1abc",
		"alicloud://i-bp1abc":             "cn-beijing.i-bp1abc",
	} {
		if id, err := cloud.Observer().ParseProviderID(text, "cn-beijing"); err != nil || id.String() != want {
			t.Errorf("%s is %s, %v", text, id, err)
		}
	}

	for _, text := range []string{"", ".", "cn-hangzhou.", ".i-bp1abc", "cn-hangzhou.bp1abc", "cn hangzhou.i-bp1abc", "aws:///a/i-bp1abc", "cn-hangzhou.i-bp1abc.x", "cn-hangzhou.i-"} {
		if _, err := cloud.Observer().ParseProviderID(text, "cn-beijing"); driver.CodeOf(err) != driver.CodeInvalidArgument {
			t.Errorf("%q: %v", text, err)
		}
	}

	_, err = cloud.Observer().ParseProviderID("i-bp1abc", "")
	wantCode(t, err, driver.CodeInvalidArgument, "region")
}
