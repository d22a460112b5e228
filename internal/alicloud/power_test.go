package alicloud_test

import (
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

const operationTag = driver.ReservedTagPrefix + "operation"

func (b *bench) hostOperation(kind v1alpha3.OperationKind, machine string, parameters map[string]string) machineops.OperationRequest {
	return machineops.OperationRequest{
		MachineName: "worker", ProviderID: machine, Operation: kind, OperationName: "kernel", OperationUID: types.UID("uid-of-" + string(kind)),
		Parameters: parameters, Auth: b.auth(),
	}
}

// handle begins the operation, which has to be accepted.
func (b *bench) handle(t *testing.T, request machineops.OperationRequest) machineops.ProviderOperation {
	t.Helper()

	begun, err := b.begin(t.Context(), t, request)
	if err != nil {
		t.Fatal(err)
	}

	return begun.Operation
}

// end polls the operation until it has ended, moving the emulator's clock.
func (b *bench) end(t *testing.T, request machineops.OperationRequest, handle machineops.ProviderOperation) machineops.PollResult {
	t.Helper()

	for range 500 {
		look, err := b.poll(t, request, handle)
		if err != nil {
			t.Fatal(err)
		}

		if look.State != machineops.ProviderOperationStateInProgress {
			return look
		}

		if look.Reason == "" || look.Message == "" {
			t.Fatalf("the look tells nothing: %+v", look)
		}

		b.step(t, look.RequeueAfter)
	}

	t.Fatal("the operation does not end")

	return machineops.PollResult{}
}

// complete carries the operation out.
func (b *bench) complete(t *testing.T, request machineops.OperationRequest) machineops.PollResult {
	t.Helper()

	ended := b.end(t, request, b.handle(t, request))
	if ended.State != machineops.ProviderOperationStateSucceeded || ended.Result.ProviderID != request.ProviderID {
		t.Fatalf("%s ended as %+v", request.Operation, ended)
	}

	return ended
}

// effectsOn counts what was done to machines, by effect; a new system disk is
// "reinstalled".
func (b *bench) effectsOn() map[string]int {
	counts := map[string]int{}
	for _, effect := range b.effects() {
		counts[effect.Action]++
	}

	return counts
}

func TestAMachineIsPoweredOffAndOnAgain(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
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

		// The intent is written and read back before the effect. Begin is repeated as after
		// a lost handle: the effect is not.
		wantCounts(t, b.counted(func() {
			for range 2 {
				handle = b.handle(t, request)
			}
		}), map[string]int{"DescribeInstances": 3, "TagResources": 1, step.action: 1})

		ended := b.end(t, request, handle)
		if ended.State != machineops.ProviderOperationStateSucceeded || !strings.Contains(ended.Message, step.status) {
			t.Fatalf("%s ended as %+v", step.kind, ended)
		}

		if status := b.instance(t, id.ResourceID).Status; status != step.status {
			t.Fatalf("after %s the machine is %s", step.kind, status)
		}
	}
}

func TestPowerThatIsThereAlreadyIsASuccessWithoutACall(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, ecsemulator.NewInstance{})
	request := b.hostOperation(v1alpha3.OperationHostPowerOn, id.String(), nil)

	wantCounts(t, b.counted(func() { b.complete(t, request) }), map[string]int{"DescribeInstances": 2})
}

func TestPowerOffIsGracefulUnlessForced(t *testing.T) {
	t.Parallel()

	for _, test := range []struct {
		name       string
		parameters map[string]string
		force      string
		mode       string
		shown      string
	}{
		{name: "by default", shown: "KeepCharging"},
		{name: "forced", parameters: map[string]string{alicloud.ParameterForce: "true"}, force: "true", shown: "KeepCharging"},
		{
			name:       "stopping the charge",
			parameters: map[string]string{alicloud.ParameterForce: "false", alicloud.ParameterStoppedMode: "StopCharging"}, mode: "StopCharging", shown: "StopCharging",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, ecsemulator.NewInstance{})
			ended := b.complete(t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), test.parameters))

			if !strings.Contains(ended.Message, test.shown) {
				t.Errorf("the effective mode is not told: %s", ended.Message)
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

func TestAGuestThatDoesNotShutDown(t *testing.T) {
	t.Parallel()

	for name, behavior := range map[string]ecsemulator.Behavior{
		"stays Stopping":     {GracefulStop: ecsemulator.ShutdownHangs},
		"goes on as Running": {GracefulStop: ecsemulator.ShutdownReverts},
	} {
		t.Run(name+", is never forced unless that is allowed", func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{Behavior: behavior})
			id := b.add(t, ecsemulator.NewInstance{})
			request := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), map[string]string{alicloud.ParameterGracefulTimeout: "2m"})
			began := b.Now()
			ended := b.end(t, request, b.handle(t, request))

			if ended.State != machineops.ProviderOperationStateFailed || ended.Reason != v1alpha3.ReasonNotStopped || !strings.Contains(ended.Message, "2m0s") {
				t.Fatalf("it ended as %+v", ended)
			}

			// The intent stands for 5 s before the call, and looks are 1 to 3 s apart.
			if took := b.Now().Sub(began); took < 2*time.Minute+5*time.Second || took >= 2*time.Minute+8*time.Second {
				t.Errorf("it took %v", took)
			}

			if effects := b.effectsOn(); effects["stopped"] != 1 {
				t.Errorf("effects: %v", effects)
			}

			if tag := b.instance(t, id.ResourceID).Tags[operationTag]; tag != "" {
				t.Errorf("a failed operation keeps the machine: %s", tag)
			}
		})

		t.Run(name+", is forced once where that is allowed", func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{Behavior: behavior})
			id := b.add(t, ecsemulator.NewInstance{})

			b.complete(t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), map[string]string{
				alicloud.ParameterGracefulTimeout: "2m", alicloud.ParameterForceAfterTimeout: "true",
			}))

			forced := 0

			for _, call := range b.Calls() {
				if call.Action == "StopInstance" && call.Parameters["ForceStop"] == "true" {
					forced++
				}
			}

			if forced != 1 {
				t.Errorf("the power was cut %d times", forced)
			}
		})
	}
}

func TestHostOperationsThatCannotBeAreRefusedBeforeTheMachineIsTouched(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	machine := b.add(t, ecsemulator.NewInstance{}).String()
	stopped := b.add(t, ecsemulator.NewInstance{}).String()
	b.complete(t, b.hostOperation(v1alpha3.OperationHostPowerOff, stopped, nil))
	b.ResetCalls()

	on, off, reboot, replace := v1alpha3.OperationHostPowerOn, v1alpha3.OperationHostPowerOff, v1alpha3.OperationHostReboot, v1alpha3.OperationHostReplace
	keep := func(more ...string) map[string]string {
		parameters := map[string]string{alicloud.ParameterKeepUserData: "true", alicloud.ParameterImageID: "m-acme2"}
		for i := 0; i < len(more); i += 2 {
			parameters[more[i]] = more[i+1]
		}

		return parameters
	}

	for _, test := range []struct {
		name    string
		request machineops.OperationRequest
		reason  string
		text    string
	}{
		{name: "unknown parameter", request: b.hostOperation(on, machine, map[string]string{"force": "true"}), reason: v1alpha3.ReasonInvalidConfiguration, text: `no parameter "force"`},
		{name: "wrong value", request: b.hostOperation(off, machine, map[string]string{"force": "yes"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "force is one of true, false"},
		{name: "no duration", request: b.hostOperation(off, machine, map[string]string{"graceful_timeout": "5"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "such as 5m"},
		{name: "force and graceful", request: b.hostOperation(off, machine, map[string]string{"graceful_timeout": "5m", "force": "true"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "have no meaning"},
		{name: "force after nothing", request: b.hostOperation(off, machine, map[string]string{"force_after_timeout": "true"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "needs graceful_timeout"},
		{name: "malformed provider ID", request: b.hostOperation(off, "worker", nil), reason: v1alpha3.ReasonInvalidConfiguration, text: "not a provider ID"},
		{name: "no such machine", request: b.hostOperation(off, region+".i-absent", nil), reason: v1alpha3.ReasonNotFound, text: "i-absent does not exist in the region " + region},
		{name: "reboot of a stopped machine", request: b.hostOperation(reboot, stopped, nil), reason: v1alpha3.ReasonNotRunning, text: "HostReboot is for a machine that runs, and "},
		{name: "replace without image", request: b.hostOperation(replace, machine, map[string]string{"keep_user_data": "true"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "image_id"},
		{name: "replace without data", request: b.hostOperation(replace, machine, map[string]string{"image_id": "m-acme2"}), reason: v1alpha3.ReasonInvalidConfiguration, text: "needs first-boot data"},
		{name: "no such image", request: b.hostOperation(replace, machine, keep("image_id", "m-none")), reason: v1alpha3.ReasonInvalidConfiguration, text: "m-none does not exist"},
		{name: "image of another architecture", request: b.hostOperation(replace, machine, keep("image_id", "m-acme-arm")), reason: v1alpha3.ReasonInvalidConfiguration, text: "architecture"},
		{name: "disk too small", request: b.hostOperation(replace, machine, keep("system_disk_size_gib", "1")), reason: v1alpha3.ReasonInvalidConfiguration, text: "needs a system disk of"},
		{name: "disk too large", request: b.hostOperation(replace, machine, keep("system_disk_size_gib", "2049")), reason: v1alpha3.ReasonInvalidConfiguration, text: "of at most 2048"},
		{name: "image and family", request: b.hostOperation(replace, machine, keep("image_family", "acme-node")), reason: v1alpha3.ReasonInvalidConfiguration, text: "exclude each other"},
		{
			name: "no such family", reason: v1alpha3.ReasonInvalidConfiguration, text: "the image of the family acme-none does not exist",
			request: b.hostOperation(replace, machine, map[string]string{"keep_user_data": "true", "image_family": "acme-none"}),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := b.begin(t.Context(), t, test.request)
			wantPermanent(t, err, test.reason, test.text)
		})
	}

	if counts := b.Counts(); counts["TagResources"]+counts["StopInstance"]+counts["StartInstance"]+counts["RebootInstance"]+counts["ReplaceSystemDisk"]+counts["ModifyInstanceAttribute"] != 0 {
		t.Errorf("the machine was touched: %v", counts)
	}
}

func TestAHandleOfAnotherKindIsRefused(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, settled())
	allocate := b.allocation(t, "worker-a")
	id, launched := b.launch(t, allocate)
	power := b.hostOperation(v1alpha3.OperationHostPowerOn, id.String(), nil)
	reboot := b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
	powered := b.handle(t, power)

	for name, poll := range map[string]func() error{
		"the launch's, polled as power":  func() error { _, err := b.poll(t, power, launched); return err },
		"power's, polled as the launch":  func() error { _, err := b.poll(t, allocate, powered); return err },
		"power's, polled as a release":   func() error { _, err := b.poll(t, release(allocate, owned(id)), powered); return err },
		"power's, polled as of a reboot": func() error { _, err := b.poll(t, reboot, powered); return err },
	} {
		t.Run(name, func(t *testing.T) {
			wantPermanent(t, poll(), v1alpha3.ReasonInvalidConfiguration, "resume token")
		})
	}

	if alive := b.alive(); len(alive) != 1 {
		t.Errorf("alive: %v", alive)
	}
}
