package alicloud_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// wantPermanent checks for a PermanentError of the reason.
func wantPermanent(t *testing.T, err error, reason string, texts ...string) {
	t.Helper()

	var permanent *machineops.PermanentError
	if !errors.As(err, &permanent) || permanent.Reason != reason {
		t.Fatalf("want a PermanentError of the reason %s: %v", reason, err)
	}

	wantTexts(t, err, texts...)
}

// wantRetried checks for an ordinary error, which a caller tries again after.
func wantRetried(t *testing.T, err error, texts ...string) {
	t.Helper()

	var permanent *machineops.PermanentError
	if err == nil || errors.As(err, &permanent) {
		t.Fatalf("want an ordinary error: %v", err)
	}

	wantTexts(t, err, texts...)
}

func TestAllocateIsOneLaunchAndOneLook(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.allocation(t, "worker-a")
	request.Parameters[v1alpha3.ParameterTagPrefix+"team"] = "a"

	var handle machineops.ProviderOperation

	wantCounts(t, b.counted(func() {
		begun, err := b.begin(t.Context(), t, request)
		if err != nil {
			t.Fatal(err)
		}

		handle = begun.Operation
	}), map[string]int{"RunInstances": 1})

	var looked machineops.PollResult

	wantCounts(t, b.counted(func() {
		var err error
		if looked, err = b.poll(t, request, handle); err != nil {
			t.Fatal(err)
		}
	}), map[string]int{"DescribeInstances": 1})

	if looked.State != machineops.ProviderOperationStateSucceeded || looked.Result.Allocation.Image != "m-acme2" {
		t.Errorf("the look tells %+v", looked)
	}

	tags := b.instance(t, looked.Result.Allocation.ProviderResourceID).Tags
	for key, want := range map[string]string{
		"team": "a", nameTag: "worker-a", driver.ReservedTagPrefix + "owner": "platform/test", driver.ReservedTagPrefix + "class-uid": "class-uid",
		driver.ReservedTagPrefix + "claim": "claim-of-worker-a", driver.ReservedTagPrefix + "fingerprint": "fingerprint",
		driver.ReservedTagPrefix + "shard": shardOf("worker-a"),
	} {
		if tags[key] != want {
			t.Errorf("the tag %s is %q, want %q", key, tags[key], want)
		}
	}
}

func TestWrongAllocationIsRefusedBeforeAnyCall(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, wrong := range map[string]struct {
		edit  func(*machineops.OperationRequest)
		texts []string
	}{
		"no UIDs":              {func(r *machineops.OperationRequest) { r.OperationUID = "" }, []string{"UIDs"}},
		"no zone":              {func(r *machineops.OperationRequest) { r.Allocation.Offering.Zone = "" }, []string{"zone"}},
		"another region":       {func(r *machineops.OperationRequest) { r.Allocation.Offering.Region = "cn-beijing" }, []string{"cn-beijing", region}},
		"a subscription":       {func(r *machineops.OperationRequest) { r.Allocation.Offering.CapacityType = "subscription" }, []string{"subscription"}},
		"name":                 {func(r *machineops.OperationRequest) { r.Allocation.Name = "0" }, []string{"name"}},
		"host name":            {func(r *machineops.OperationRequest) { r.Allocation.HostName = "worker_a" }, []string{"host name", "worker_a"}},
		"long host name":       {func(r *machineops.OperationRequest) { r.Allocation.HostName = strings.Repeat("a", 65) }, []string{"host name", "64"}},
		"host name with dots":  {func(r *machineops.OperationRequest) { r.Allocation.HostName = "a..b" }, []string{"host name"}},
		"user data":            {func(r *machineops.OperationRequest) { r.Allocation.UserData = strings.Repeat(secretMarker, 2000) }, []string{"user data", "32768"}},
		"reserved tag":         {func(r *machineops.OperationRequest) { r.Parameters["tag/terraform-machine/settled"] = "yes" }, []string{"reserved"}},
		"tag of Alibaba Cloud": {func(r *machineops.OperationRequest) { r.Parameters["tag/acs:x"] = "" }, []string{"acs:"}},
		"tag value too long":   {func(r *machineops.OperationRequest) { r.Parameters["tag/x"] = strings.Repeat("é", 129) }, []string{"128"}},
		"no class":             {func(r *machineops.OperationRequest) { r.Allocation.ProviderConfig = machineops.ProviderConfig{} }, []string{"alicloud"}},
		"class's tags reserved": {func(r *machineops.OperationRequest) {
			r.Allocation.ProviderConfig = class(t, func(c map[string]any) { c["tags"] = map[string]any{nameTag: "x"} })
		}, []string{"reserved"}},
		"too many tags": {func(r *machineops.OperationRequest) {
			for i := range 15 {
				r.Parameters[fmt.Sprintf("tag/t%d", i)] = "x"
			}
		}, []string{"21", "6 of them", "20"}},
	} {
		t.Run(name, func(t *testing.T) {
			request := b.allocation(t, "worker-a")
			wrong.edit(&request)

			wantCounts(t, b.counted(func() {
				_, err := b.begin(t.Context(), t, request)
				wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, wrong.texts...)
			}), map[string]int{})
		})
	}
}

func TestRefusedLaunchTellsWhy(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for _, refusal := range []struct {
		code   string
		status int
		reason string
	}{
		{"OperationDenied.NoStock", 403, v1alpha3.ReasonInsufficientCapacity},
		{"QuotaExceed.AfterpayInstance", 403, v1alpha3.ReasonQuotaExceeded},
		{"Forbidden.RAM", 403, v1alpha3.ReasonPermissionDenied},
		{"Forbidden.RiskControl", 403, v1alpha3.ReasonRefused},
		{"Forbidden.AccessKeyDisabled", 403, v1alpha3.ReasonCredentialsRefused},
		{"Forbidden.SomethingNew", 403, v1alpha3.ReasonPermissionDenied},
		{"InvalidKeyPairName.NotFound", 404, v1alpha3.ReasonInvalidConfiguration},
		{"IdempotentParameterMismatch", 400, v1alpha3.ReasonTokenSpent},
		{"IdempotentFailed", 400, v1alpha3.ReasonTokenSpent},
	} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: refusal.code, HTTPStatus: refusal.status})

		_, err := b.begin(t.Context(), t, b.allocation(t, "worker-a"))
		wantPermanent(t, err, refusal.reason, refusal.code, "worker-a", "ecs.g7.xlarge", "cn-hangzhou-h", "request ")

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLaunchIntoAVSwitchThatIsBeingMadeIsTriedAgain(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "IncorrectVSwitchStatus", HTTPStatus: 400})

	_, err := b.begin(t.Context(), t, b.allocation(t, "worker-a"))
	wantRetried(t, err, "IncorrectVSwitchStatus")
}

func TestDeadlineIsNoEndOfTheOperation(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "ServiceUnavailable", HTTPStatus: 503})

	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()

	_, err := b.begin(ctx, t, b.allocation(t, "worker-a"))
	wantRetried(t, err, "ServiceUnavailable")

	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error does not say that the time was up: %v", err)
	}
}

func TestFailedLookNeverEndsALaunch(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	request := b.allocation(t, "worker-a")
	_, handle := b.launch(t, request)

	for _, refusal := range []struct {
		code   string
		status int
	}{{"Forbidden.RAM", 403}, {"InvalidAccessKeyId.NotFound", 404}, {"InvalidRegionId.NotFound", 404}, {"InvalidInstanceId.NotFound", 404}} {
		rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "DescribeInstances", Code: refusal.code, HTTPStatus: refusal.status})

		_, err := b.poll(t, request, handle)
		wantRetried(t, err, refusal.code)

		if err := b.RemoveRule(rule); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLookTellsHowFarTheMachineHasCome(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{NewVisibilityDelay: time.Second})
	request := b.allocation(t, "worker-a")

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	for _, want := range []struct {
		step   time.Duration
		state  machineops.ProviderOperationState
		reason string
		text   string
	}{
		{0, machineops.ProviderOperationStateInProgress, v1alpha3.ReasonNotListed, "not listed yet"},
		{1500 * time.Millisecond, machineops.ProviderOperationStateInProgress, v1alpha3.ReasonBooting, "Pending"},
		{5 * time.Second, machineops.ProviderOperationStateInProgress, v1alpha3.ReasonBooting, "Starting"},
		{time.Minute, machineops.ProviderOperationStateSucceeded, "", "Running"},
	} {
		b.step(t, want.step)

		looked, err := b.poll(t, request, begun.Operation)
		if err != nil {
			t.Fatal(err)
		}

		if looked.State != want.state || looked.Reason != want.reason || !strings.Contains(looked.Message, want.text) {
			t.Errorf("the look tells %s %s %q, want %+v", looked.State, looked.Reason, looked.Message, want)
		}

		if looked.Result.ProviderID == "" || (looked.State == machineops.ProviderOperationStateInProgress && looked.RequeueAfter <= 0) {
			t.Errorf("the look names no machine, or no time of the next: %+v", looked)
		}
	}
}

// A launch whose token is known is answered with the machine of an earlier one,
// which is somebody's if it is settled, old, or has another name, owner or class
// since. A record that names the machine knows better.
func TestMachineOfAnEarlierLaunchIsToldFromOurs(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		tags map[string]string
		age  time.Duration
		// fresh is what the look of a launch tells, recorded that of a resumed one.
		fresh, recorded string
	}{
		"renamed":                 {map[string]string{nameTag: "worker-z"}, 0, v1alpha3.ReasonReplayed, ""},
		"of another owner":        {map[string]string{driver.ReservedTagPrefix + "owner": "platform/other"}, 0, v1alpha3.ReasonReplayed, ""},
		"of another class":        {map[string]string{driver.ReservedTagPrefix + "class-uid": "another"}, 0, v1alpha3.ReasonReplayed, ""},
		"settled":                 {map[string]string{driver.ReservedTagPrefix + "settled": "true"}, 0, v1alpha3.ReasonReplayed, ""},
		"old":                     {nil, 73 * time.Hour, v1alpha3.ReasonReplayed, ""},
		"not yet old":             {nil, 71 * time.Hour, "", ""},
		"with stripped tags":      {nil, 0, "", ""},
		"claimed by another run":  {map[string]string{driver.ReservedTagPrefix + "claim": "another"}, 0, v1alpha3.ReasonTaken, v1alpha3.ReasonTaken},
		"settled and of its name": {map[string]string{driver.ReservedTagPrefix + "settled": "true", nameTag: "worker-a"}, 0, v1alpha3.ReasonReplayed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, settled())
			request := b.allocation(t, "worker-a")
			id := b.add(t, ecsemulator.NewInstance{Tags: test.tags, AgeSeconds: test.age.Seconds()})
			handle := b.handleOf(t, request, id)

			b.wantLook(t, request, handle, test.recorded)

			request.Parameters[v1alpha3.ParameterNotBefore] = time.Now().UTC().Add(-72 * time.Hour).Format(time.RFC3339)
			b.wantLook(t, request, handle, test.fresh)
		})
	}
}

// wantLook wants a look to end for the reason; empty is that the machine runs.
func (b *bench) wantLook(t *testing.T, request machineops.OperationRequest, handle machineops.ProviderOperation, reason string) {
	t.Helper()

	looked, err := b.poll(t, request, handle)
	if err != nil {
		t.Fatal(err)
	}

	state := machineops.ProviderOperationStateSucceeded
	if reason != "" {
		state = machineops.ProviderOperationStateFailed
	}

	if looked.State != state || looked.Reason != reason || (looked.Result.Allocation == nil) != (reason != "") {
		t.Errorf("the look tells %+v, want the reason %q", looked, reason)
	}
}

// handleOf returns the handle of a launch as if ECS had answered it with the machine.
func (b *bench) handleOf(t *testing.T, request machineops.OperationRequest, id driver.ProviderID) machineops.ProviderOperation {
	t.Helper()

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	return machineops.ProviderOperation{
		OperationID: begun.Operation.OperationID,
		ResumeToken: editToken(t, begun.Operation.ResumeToken, func(token map[string]any) { token["instance"] = id.ResourceID }),
	}
}

// A refusal that is worth one more try is no end of the operation when the caller
// gives up before that try.
func TestCancellationBetweenTwoTriesIsNoEndOfTheOperation(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	held := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleHold, Action: "RunInstances"})
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "RunInstances", Code: "InvalidSecurityToken.Expired", HTTPStatus: 400})

	ctx, cancel := context.WithCancel(t.Context())
	request, answered := b.allocation(t, "worker-a"), make(chan error, 1)
	operation := b.operation(t, request)

	go func() {
		_, err := operation.Begin(ctx, request)
		answered <- err
	}()

	hold, err := b.WaitHold(t.Context(), held)
	if err != nil {
		t.Fatal(err)
	}

	cancel()

	if err := b.Release(hold.ID, ecsemulator.Proceed); err != nil {
		t.Fatal(err)
	}

	wantRetried(t, <-answered, "InvalidSecurityToken.Expired")
}
