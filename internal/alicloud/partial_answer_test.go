package alicloud_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// scripted is an API that answers each action with a text, for what the emulator,
// whose answers are whole, does not say.
type scripted struct {
	mu      sync.Mutex
	answers map[string]string
	calls   map[string]int
}

func newScripted(t *testing.T, answers map[string]string) (*bench, *scripted) {
	t.Helper()

	api := &scripted{answers: answers, calls: map[string]int{}}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)

	host := strings.TrimPrefix(server.URL, "http://")

	cloud, err := alicloud.New(driver.Settings{Region: region, Endpoints: map[string]string{"ecs": host, "vpc": host}, Protocol: "http"})
	if err != nil {
		t.Fatal(err)
	}

	b := &bench{cloud: cloud}
	b.key.ID, b.key.Secret = "LTAI5tScriptedKey00001", "scripted-secret"
	b.driver = alicloud.NewAlicloudPlugin(b.spi(t))

	return b, api
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()

	action := r.URL.Query().Get("Action")
	if r.URL.Query().Get("DryRun") == "true" {
		action += " dry run"
	}

	s.calls[action]++

	answer, ok := s.answers[action]
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		answer = `"Code":"DryRunOperation","Message":"passed"`
	}

	_, _ = fmt.Fprintf(w, `{"RequestId":"request-1",%s}`, answer) // A client that is gone has nobody to be told to.
}

func (s *scripted) counts() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.calls
}

func instances(fields string) string {
	return `"Instances":{"Instance":[{"InstanceId":"i-bp1abc"` + fields + `}]}`
}

var partialID = driver.ProviderID{Region: region, ResourceID: "i-bp1abc"}

func TestEveryFieldOfAnInstanceMayBeMissing(t *testing.T) {
	t.Parallel()

	b, _ := newScripted(t, map[string]string{
		"DescribeInstances": instances(""), "RunInstances": `"InstanceIdSets":{"InstanceIdSet":["i-bp1abc"]}`,
	})

	observed, err := b.cloud.Observer().ObserveMachine(t.Context(), &driver.ObserveMachineRequest{ProviderID: partialID.String(), Secret: b.secret()})
	if err != nil {
		t.Fatal(err)
	}

	if observed.Phase != driver.MachinePhaseUnknown || observed.NodeName != "izbp1abcz" || observed.PublicIP != "" || !observed.CreatedAt.IsZero() {
		t.Errorf("observed was %+v", observed)
	}

	request := b.allocation(t, "worker-a")

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	looked, err := b.poll(t, request, begun.Operation)
	if err != nil {
		t.Fatal(err)
	}

	if looked.State != machineops.ProviderOperationStateInProgress || looked.Result.Allocation.Zone != "cn-hangzhou-h" || looked.Result.Allocation.InstanceType != "ecs.g7.xlarge" {
		t.Errorf("the look tells %+v", looked)
	}
}

func TestMissingCreationTimeDoesNotMakeAMachineOld(t *testing.T) {
	t.Parallel()

	b, _ := newScripted(t, map[string]string{
		"DescribeInstances": instances(`,"Status":"Running","Tags":{"Tag":[{"TagKey":"` + nameTag + `","TagValue":"worker-z"}]}`),
		"RunInstances":      `"InstanceIdSets":{"InstanceIdSet":["i-bp1abc"]}`,
	})
	request := b.allocation(t, "worker-a")

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	if looked, err := b.poll(t, request, begun.Operation); err != nil || looked.State != machineops.ProviderOperationStateSucceeded {
		t.Errorf("the look tells %+v, %v", looked, err)
	}
}

func TestMachineThatIsTakenBackIsNoSuccess(t *testing.T) {
	t.Parallel()

	for _, spelling := range []string{"Recycling", "recycling"} {
		b, _ := newScripted(t, map[string]string{
			"DescribeInstances": instances(`,"Status":"Running","OperationLocks":{"LockReason":[{"LockReason":"` + spelling + `"}]}`),
			"RunInstances":      `"InstanceIdSets":{"InstanceIdSet":["i-bp1abc"]}`,
		})
		request := b.allocation(t, "worker-a")

		begun, err := b.begin(t.Context(), t, request)
		if err != nil {
			t.Fatal(err)
		}

		looked, err := b.poll(t, request, begun.Operation)
		if err != nil || looked.State != machineops.ProviderOperationStateInProgress || !strings.Contains(looked.Message, "taken back") {
			t.Errorf("the look tells %+v, %v", looked, err)
		}

		observed, err := b.cloud.Observer().ObserveMachine(t.Context(), &driver.ObserveMachineRequest{ProviderID: partialID.String(), Secret: b.secret()})
		if err != nil || observed.Phase != driver.MachinePhaseReclaiming {
			t.Errorf("observed was %+v, %v", observed, err)
		}
	}
}

func TestProtectedMachineIsRefusedBeforeItsDeletion(t *testing.T) {
	t.Parallel()

	for fields, text := range map[string]string{
		`,"Status":"Running","DeletionProtection":true`:      "switch its deletion protection off",
		`,"Status":"Running","InstanceChargeType":"PrePaid"`: "pay-as-you-go",
	} {
		b, api := newScripted(t, map[string]string{"DescribeInstances": instances(fields)})

		_, err := b.begin(t.Context(), t, release(b.allocation(t, "worker-a"), owned(partialID)))
		wantPermanent(t, err, v1alpha3.ReasonRefused, partialID.String(), text)

		_, err = b.driver.DeleteMachine(t.Context(), b.deleteRequest(t, "worker-a", partialID.String()))
		wantCode(t, err, driver.CodeFailedPrecondition, partialID.String(), text)

		wantCounts(t, api.counts(), map[string]int{"DescribeInstances": 2})
	}
}

// catalogueAnswers are what a class is resolved from.
func catalogueAnswers() map[string]string {
	return map[string]string{
		"DescribeVSwitches":         `"VSwitches":{"VSwitch":[{"VSwitchId":"vsw-a","VpcId":"vpc-1","ZoneId":"cn-hangzhou-h","Status":"Available"}]}`,
		"DescribeSecurityGroups":    `"SecurityGroups":{"SecurityGroup":[{"SecurityGroupId":"sg-1","VpcId":"vpc-1"}]}`,
		"DescribeImages":            `"Images":{"Image":[{"ImageId":"m-acme2","Architecture":"x86_64"}]}`,
		"DescribeInstanceTypes":     `"InstanceTypes":{"InstanceType":[{"InstanceTypeId":"ecs.g7.xlarge","CpuArchitecture":"X86","CpuCoreCount":4,"MemorySize":16}]}`,
		"DescribeAvailableResource": `"AvailableZones":{"AvailableZone":[{"ZoneId":"cn-hangzhou-h","AvailableResources":{"AvailableResource":[{"Type":"InstanceType","SupportedResources":{"SupportedResource":[{"Value":"ecs.g7.xlarge","Status":"Available"}]}}]}}]}`,
	}
}

func TestPartialCatalogueAnswers(t *testing.T) {
	t.Parallel()

	t.Run("a status without its category", func(t *testing.T) {
		t.Parallel()

		b, _ := newScripted(t, catalogueAnswers())

		offerings, err := b.resolve(t, nil)
		if err != nil || len(offerings) != 1 || offerings[0].Availability != v1alpha3.AvailabilityAvailable {
			t.Errorf("the offerings are %+v, %v", offerings, err)
		}
	})

	t.Run("no architectures, no VPC and no status of the vSwitch", func(t *testing.T) {
		t.Parallel()

		answers := catalogueAnswers()
		answers["DescribeVSwitches"] = `"VSwitches":{"VSwitch":[{"VSwitchId":"vsw-a","ZoneId":"cn-hangzhou-h"}]}`
		answers["DescribeImages"] = `"Images":{"Image":[{"ImageId":"m-other"},{"ImageId":"m-acme2"}]}`
		answers["DescribeInstanceTypes"] = `"InstanceTypes":{"InstanceType":[{"InstanceTypeId":"ecs.g7.xlarge"}]}`
		b, _ := newScripted(t, answers)

		if offerings, err := b.resolve(t, nil); err != nil || len(offerings) != 1 {
			t.Errorf("the offerings are %+v, %v", offerings, err)
		}
	})

	t.Run("a vSwitch without its zone", func(t *testing.T) {
		t.Parallel()

		answers := catalogueAnswers()
		answers["DescribeVSwitches"] = `"VSwitches":{"VSwitch":[{"VSwitchId":"vsw-a","VpcId":"vpc-1","Status":"Available"}]}`
		b, _ := newScripted(t, answers)

		_, err := b.resolve(t, nil)
		wantRetried(t, err, "vsw-a", "zone")
	})

	t.Run("a group of the classic network", func(t *testing.T) {
		t.Parallel()

		answers := catalogueAnswers()
		answers["DescribeSecurityGroups"] = `"SecurityGroups":{"SecurityGroup":[{"SecurityGroupId":"sg-1","VpcId":""}]}`
		b, _ := newScripted(t, answers)

		_, err := b.resolve(t, nil)
		wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "sg-1", "classic network", "vpc-1")
	})

	t.Run("another image than was asked for", func(t *testing.T) {
		t.Parallel()

		answers := catalogueAnswers()
		answers["DescribeImages"] = `"Images":{"Image":[{"ImageId":"m-other"}]}`
		b, _ := newScripted(t, answers)

		_, err := b.resolve(t, nil)
		wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "m-acme2")
	})
}

func TestThirtyTwoBitImageRunsOnX86(t *testing.T) {
	t.Parallel()

	answers := catalogueAnswers()
	answers["DescribeImages"] = `"Images":{"Image":[{"ImageId":"m-acme2","Architecture":"i386"}]}`
	b, _ := newScripted(t, answers)

	if offerings, err := b.resolve(t, nil); err != nil || len(offerings) != 1 {
		t.Errorf("the offerings are %+v, %v", offerings, err)
	}

	answers = catalogueAnswers()
	answers["DescribeImages"] = `"Images":{"Image":[{"ImageId":"m-acme2","Architecture":"i386"}]}`
	answers["DescribeInstanceTypes"] = strings.Replace(answers["DescribeInstanceTypes"], "X86", "ARM", 1)
	b, _ = newScripted(t, answers)

	_, err := b.resolve(t, nil)
	wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "386", "arm64")
}
