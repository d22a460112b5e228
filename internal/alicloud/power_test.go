package alicloud_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

func (b *bench) hostOperation(kind v1alpha3.OperationKind, machine string, parameters map[string]string) machineops.OperationRequest {
	return machineops.OperationRequest{
		MachineName: "worker", ProviderID: machine, Operation: kind, OperationUID: types.UID("uid-of-" + string(kind)),
		Parameters: parameters, Auth: b.auth(),
	}
}

// end polls the operation until it has ended, moving the emulator's clock.
func (b *bench) end(t *testing.T, request machineops.OperationRequest, handle machineops.ProviderOperation) machineops.PollResult {
	t.Helper()

	for range 50 {
		look, err := b.poll(t, request, handle)
		if err != nil {
			t.Fatal(err)
		}

		if look.State != machineops.ProviderOperationStateInProgress {
			return look
		}

		if look.Reason != v1alpha3.ReasonPowering {
			t.Fatalf("the reason is %q: %s", look.Reason, look.Message)
		}

		b.step(t, look.RequeueAfter)
	}

	t.Fatal("the operation does not end")

	return machineops.PollResult{}
}

func TestAMachineIsPoweredOffAndOnAgain(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	id := b.add(t, ecsemulator.NewInstance{})

	for _, step := range []struct {
		kind   v1alpha3.OperationKind
		action string
		status string
	}{
		{kind: v1alpha3.OperationHostPowerOff, action: "StopInstance", status: "Stopped"},
		{kind: v1alpha3.OperationHostPowerOn, action: "StartInstance", status: "Running"},
	} {
		request := b.hostOperation(step.kind, id.String(), nil)

		var handle machineops.ProviderOperation

		wantCounts(t, b.counted(func() {
			// Begin is repeated as after a lost handle: the effect is not.
			for range 2 {
				begun, err := b.begin(t.Context(), t, request)
				if err != nil {
					t.Fatal(err)
				}

				handle = begun.Operation
			}
		}), map[string]int{"DescribeInstances": 2, step.action: 1})

		if ended := b.end(t, request, handle); ended.State != machineops.ProviderOperationStateSucceeded || ended.Result.ProviderID != id.String() {
			t.Fatalf("%s ended as %+v", step.kind, ended)
		}

		if status := b.instance(t, id.ResourceID).Status; status != step.status {
			t.Fatalf("after %s the machine is %s", step.kind, status)
		}
	}
}

func TestPowerThatIsThereAlreadyIsASuccessWithoutACall(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	id := b.add(t, ecsemulator.NewInstance{})
	request := b.hostOperation(v1alpha3.OperationHostPowerOn, id.String(), nil)

	wantCounts(t, b.counted(func() {
		begun, err := b.begin(t.Context(), t, request)
		if err != nil {
			t.Fatal(err)
		}

		if look, err := b.poll(t, request, begun.Operation); err != nil || look.State != machineops.ProviderOperationStateSucceeded {
			t.Fatalf("poll: %+v, %v", look, err)
		}
	}), map[string]int{"DescribeInstances": 2})
}

func TestPowerOffIsGracefulUnlessForced(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		name       string
		parameters map[string]string
		force      string
		mode       string
	}{
		{name: "by default"},
		{name: "forced", parameters: map[string]string{alicloud.ParameterForce: "true"}, force: "true"},
		{name: "stopping the charge", parameters: map[string]string{alicloud.ParameterForce: "false", alicloud.ParameterStoppedMode: "StopCharging"}, mode: "StopCharging"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			b := newBench(t, ecsemulator.Options{})
			id := b.add(t, ecsemulator.NewInstance{})

			if _, err := b.begin(t.Context(), t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), test.parameters)); err != nil {
				t.Fatal(err)
			}

			for _, call := range b.Calls() {
				if call.Action != "StopInstance" {
					continue
				}

				if call.Parameters["ForceStop"] != test.force || call.Parameters["StoppedMode"] != test.mode {
					t.Errorf("the call was %v", call.Parameters)
				}

				return
			}

			t.Error("StopInstance was not called")
		})
	}
}

func TestHostOperationsThatCannotBeAreRefusedBeforeTheMachineIsTouched(t *testing.T) {
	t.Parallel()

	b := newBench(t, ecsemulator.Options{})
	machine := b.add(t, ecsemulator.NewInstance{}).String()

	for _, test := range []struct {
		name    string
		request machineops.OperationRequest
		reason  string
		text    string
	}{
		{name: "unknown parameter", request: b.hostOperation(v1alpha3.OperationHostPowerOn, machine, map[string]string{"force": "true"}), reason: v1alpha3.ReasonInvalidConfiguration, text: `no parameter "force"`},
		{name: "wrong value", request: b.hostOperation(v1alpha3.OperationHostPowerOff, machine, map[string]string{"force": "yes"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "force is one of true, false"},
		{name: "malformed provider ID", request: b.hostOperation(v1alpha3.OperationHostPowerOff, "worker", nil), reason: v1alpha3.ReasonInvalidConfiguration, text: "not a provider ID"},
		{name: "no such machine", request: b.hostOperation(v1alpha3.OperationHostPowerOff, region+".i-absent", nil), reason: v1alpha3.ReasonNotFound, text: "i-absent does not exist in the region " + region},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.begin(t.Context(), t, test.request)
			wantPermanent(t, err, test.reason, test.text)
		})
	}

	for _, kind := range []v1alpha3.OperationKind{v1alpha3.OperationHostReboot, v1alpha3.OperationHostReplace} {
		if _, registered := b.cloud.Registration().Operation(kind); registered {
			t.Errorf("%s is registered, and its Begin cannot be repeated without a second effect", kind)
		}
	}

	for _, effect := range b.Journal() {
		if effect.Action == "StopInstance" || effect.Action == "StartInstance" {
			t.Errorf("the machine was touched: %+v", effect)
		}
	}
}

func TestAHandleOfAnotherKindIsRefused(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, launched := b.launch(t, allocate)
	power := b.hostOperation(v1alpha3.OperationHostPowerOn, id.String(), nil)

	begun, err := b.begin(t.Context(), t, power)
	if err != nil {
		t.Fatal(err)
	}

	for name, poll := range map[string]func() error{
		"the launch's, polled as power": func() error { _, err := b.poll(t, power, launched); return err },
		"power's, polled as the launch": func() error { _, err := b.poll(t, allocate, begun.Operation); return err },
		"power's, polled as a release":  func() error { _, err := b.poll(t, release(allocate, owned(id)), begun.Operation); return err },
	} {
		t.Run(name, func(t *testing.T) {
			wantPermanent(t, poll(), v1alpha3.ReasonInvalidConfiguration, "resume token")
		})
	}

	if alive := b.alive(); len(alive) != 1 {
		t.Errorf("alive: %v", alive)
	}
}
