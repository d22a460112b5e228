package alicloud_test

import (
	"errors"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func wantBlocked(t *testing.T, err error, reason string, texts ...string) {
	t.Helper()

	var (
		blocked   *machineops.BlockedError
		permanent *machineops.PermanentError
	)

	if !errors.As(err, &blocked) || blocked.Reason != reason || errors.As(err, &permanent) {
		t.Fatalf("the error is %v, want a blocked one of reason %s", err, reason)
	}

	// What is hidden of the cause is not what ECS said.
	if said, requestID := machineops.Refused(err); said == "" || requestID == "" {
		t.Errorf("%v has no answer of ECS: %q, %q", err, said, requestID)
	}

	wantTexts(t, err, texts...)
}

// until polls until a look fails, and returns what it failed with.
func (b *bench) until(t *testing.T, request machineops.OperationRequest, handle machineops.ProviderOperation) error {
	t.Helper()

	for range 100 {
		look, err := b.poll(t, request, handle)
		if err != nil {
			return err
		}

		if look.State != machineops.ProviderOperationStateInProgress {
			t.Fatalf("it ended as %+v", look)
		}

		b.step(t, look.RequeueAfter)
	}

	t.Fatal("no look failed")

	return nil
}

// A machine that is what it was to become, and may not be started, waits for somebody to
// act. What is done stands, and whoever goes on only starts it.
func TestAChangedMachineWhoseStartIsRefusedWaitsForSomebodyToAct(t *testing.T) {
	t.Parallel()

	image := map[string]string{alicloud.ParameterImageID: "m-acme2"}

	for name, test := range map[string]struct {
		request func(b *bench, id driver.ProviderID) machineops.OperationRequest
		became  string
		effect  string
	}{
		"another disk":   {func(b *bench, id driver.ProviderID) machineops.OperationRequest { return b.reinstall(id, image) }, "has its new system disk, and is stopped", "reinstalled"},
		"another type":   {func(b *bench, id driver.ProviderID) machineops.OperationRequest { return b.resize(id, "ecs.g7.xlarge") }, "is of the type ecs.g7.xlarge, and is stopped", ""},
		"its allocation": {func(b *bench, id driver.ProviderID) machineops.OperationRequest { return b.version(id, "2") }, "has its new system disk, and is stopped", "reinstalled"},
	} {
		for refusal, rule := range map[string]ecsemulator.Rule{
			v1alpha3.ReasonPermissionDenied: {Kind: ecsemulator.RuleDeny, Action: "StartInstance"},
			v1alpha3.ReasonRefused:          {Kind: ecsemulator.RuleError, Action: "StartInstance", Code: "Account.Arrearage", HTTPStatus: 403},
		} {
			t.Run(name+", "+refusal, func(t *testing.T) {
				t.Parallel()

				b := newSteppedBench(t, ecsemulator.Options{})
				id := b.add(t, old())
				request := test.request(b, id)
				refused := b.rule(t, rule)

				err := b.until(t, request, b.handle(t, request))
				wantBlocked(t, err, refusal, id.String(), test.became, "its start was refused", "StartInstance", "does nothing twice")

				if b.tag(t, id) == "" || b.instance(t, id.ResourceID).Status != "Stopped" {
					t.Errorf("the machine is %+v", b.instance(t, id.ResourceID))
				}

				if err := b.RemoveRule(refused); err != nil {
					t.Fatal(err)
				}

				b.another(t).complete(t, request)

				effects := b.effectsOn()
				if effects["stopped"] != 1 || effects["started"] != 1 || (test.effect != "" && effects[test.effect] != 1) || (test.effect == "" && b.modified() != 1) {
					t.Errorf("effects: %v", effects)
				}
			})
		}
	}
}

// What is refused for a while is asked again.
func TestAStartThatFindsNoCapacityIsAskedAgain(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	request := b.resize(id, "ecs.g7.xlarge")
	rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "StartInstance", Code: "OperationDenied.NoStock", HTTPStatus: 403})
	handle := b.handle(t, request)

	wantOrdinary(t, b.until(t, request, handle), "is of the type ecs.g7.xlarge, and could not be started yet", "OperationDenied.NoStock")

	if err := b.RemoveRule(rule); err != nil {
		t.Fatal(err)
	}

	b.end(t, request, handle)

	if after := b.instance(t, id.ResourceID); after.Status != "Running" {
		t.Errorf("the machine is %s", after.Status)
	}
}

// A machine whose change is refused, and which may not be started again either, keeps its
// intent: nothing else tells that it ran.
func TestAMachineThatStaysWhatItWasAndMayNotBeStartedIsNotForgotten(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	request := b.resize(id, "ecs.g7.xlarge")
	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyInstanceSpec", Code: "DependencyViolation.InstanceType", HTTPStatus: 400})
	refused := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})

	_, err := b.begin(t.Context(), t, request)
	wantBlocked(t, err, v1alpha3.ReasonPermissionDenied, "stays what it was", "DependencyViolation.InstanceType", "its start was refused", "StartInstance")

	if b.tag(t, id) == "" {
		t.Error("what stopped the machine is forgotten")
	}

	if err := b.RemoveRule(refused); err != nil {
		t.Fatal(err)
	}

	_, err = b.another(t).begin(t.Context(), t, request)
	wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "is being started again")
	b.step(t, time.Minute)

	if after := b.instance(t, id.ResourceID); after.Status != "Running" || after.Tags[operationTag] != "" {
		t.Errorf("the machine is %+v", after)
	}
}
