package alicloud_test

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// giveUp cleans up after an operation that nobody goes on with.
func (b *bench) giveUp(t *testing.T, request machineops.OperationRequest) error {
	t.Helper()

	parameters := map[string]string{v1alpha3.ParameterGivenUp: "true"}
	for name, value := range request.Parameters {
		parameters[name] = value
	}

	request.Parameters = parameters

	return b.operation(t, request).Cleanup(t.Context(), request, machineops.OperationResult{})
}

// An operation that is given up leaves no machine that stands still because of it, and
// does nothing else to it.
func TestAMachineThatWasStoppedForWhatIsGivenUpRunsAgain(t *testing.T) {
	t.Parallel()

	replaced := func(b *bench, id driver.ProviderID) machineops.OperationRequest {
		return b.reinstall(id, map[string]string{alicloud.ParameterImageID: "m-acme2"})
	}
	stopped := old()
	stopped.Stopped = true

	for name, test := range map[string]struct {
		machine ecsemulator.NewInstance
		request func(b *bench, id driver.ProviderID) machineops.OperationRequest
		call    string
		at      ecsemulator.Moment
		effects map[string]int
		status  string
	}{
		"before its stop":          {old(), replaced, "StopInstance", ecsemulator.MomentBefore, map[string]int{}, "Running"},
		"on its way down":          {old(), replaced, "StopInstance", ecsemulator.MomentAfter, map[string]int{"stopped": 1, "started": 1}, "Running"},
		"with its disk":            {old(), replaced, "ReplaceSystemDisk", ecsemulator.MomentBefore, map[string]int{"stopped": 1, "started": 1}, "Running"},
		"with another disk":        {old(), replaced, "ReplaceSystemDisk", ecsemulator.MomentAfter, map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}, "Running"},
		"one that did not run":     {stopped, replaced, "ReplaceSystemDisk", ecsemulator.MomentAfter, map[string]int{"reinstalled": 1}, "Stopped"},
		"one that was to be off":   {old(), powerOffOf, "StopInstance", ecsemulator.MomentAfter, map[string]int{"stopped": 1}, "Stopped"},
		"one that was to be reset": {old(), rebootOf, "RebootInstance", ecsemulator.MomentAfter, map[string]int{"rebooted": 1}, "Running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{StopDuration: time.Minute})
			id := b.add(t, test.machine)
			request := test.request(b, id)
			other := b.cutOff(t, request, test.call, test.at)

			if err := other.giveUp(t, request); err != nil {
				t.Fatal(err)
			}

			b.step(t, 5*time.Minute)

			after := b.instance(t, id.ResourceID)
			if after.Status != test.status || after.Tags[operationTag] != "" {
				t.Errorf("the machine is %+v", after)
			}

			effects := b.effectsOn()
			for _, effect := range []string{"stopped", "reinstalled", "started", "rebooted"} {
				if effects[effect] != test.effects[effect] {
					t.Errorf("effects: %v, want %v", effects, test.effects)
				}
			}
		})
	}
}

func powerOffOf(b *bench, id driver.ProviderID) machineops.OperationRequest {
	return b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), nil)
}

func rebootOf(b *bench, id driver.ProviderID) machineops.OperationRequest {
	return b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil)
}

// Where it cannot be started the trace stays for another try; where it may be left
// stopped, a mark takes the place of it that keeps nobody from the machine.
func TestAMachineThatCannotBeStartedAfterWhatIsGivenUp(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	request := b.reinstall(id, map[string]string{alicloud.ParameterImageID: "m-acme2"})
	other := b.cutOff(t, request, "ReplaceSystemDisk", ecsemulator.MomentAfter)

	busy := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "StartInstance", Code: "IncorrectInstanceStatus", HTTPStatus: 403})
	wantOrdinary(t, other.giveUp(t, request), "starting "+id.String()+" again")

	if err := b.RemoveRule(busy); err != nil {
		t.Fatal(err)
	}

	trace := b.tag(t, id)
	if trace == "" {
		t.Error("what stopped the machine is forgotten")
	}

	sold := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "StartInstance", Code: "OperationDenied.NoStock", HTTPStatus: 403})
	wantPermanent(t, other.giveUp(t, request), v1alpha3.ReasonNotStarted, "StartInstance", "OperationDenied.NoStock")

	if err := b.RemoveRule(sold); err != nil {
		t.Fatal(err)
	}

	denied := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "StartInstance"})
	wantPermanent(t, other.giveUp(t, request), v1alpha3.ReasonNotStarted, "StartInstance", "Forbidden.RAM")

	if now := b.tag(t, id); now != trace {
		t.Errorf("the trace became %q", now)
	}

	wantLeft := func(when string, left bool) {
		t.Helper()

		machine, err := other.observe(t, id.String())
		if err != nil || machine.LeftStopped != left {
			t.Fatalf("%s the machine is told of as %+v, %v", when, machine, err)
		}
	}
	wantLeft("before it is left", false)

	request.Parameters[v1alpha3.ParameterLeaveStopped] = "true"
	wantPermanent(t, other.giveUp(t, request), v1alpha3.ReasonNotStarted, "StartInstance", "Forbidden.RAM")
	wantLeft("once it is left", true)

	// An operation that fails leaves the mark as it is.
	on := other.hostOperation(v1alpha3.OperationHostPowerOn, id.String(), nil)
	_, err := other.begin(t.Context(), t, on)
	wantPermanent(t, err, v1alpha3.ReasonPermissionDenied)
	wantLeft("while it may not be started", true)

	if err := b.RemoveRule(denied); err != nil {
		t.Fatal(err)
	}

	// Who starts it by hand does not take the mark away; it is void then, for ever.
	client, err := b.spi(t).NewECSClient(b.secret(), id.Region)
	if err != nil {
		t.Fatal(err)
	}

	marked := b.tag(t, id)

	for _, act := range []error{
		client.StartInstances(t.Context(), id.Region, []string{id.ResourceID}), b.Step(time.Minute),
		client.StopInstances(t.Context(), id.Region, []string{id.ResourceID}, ecs.StopOptions{}), b.Step(time.Minute),
	} {
		if act != nil {
			t.Fatal(act)
		}
	}

	if now := b.instance(t, id.ResourceID); now.Status != "Stopped" || now.Tags[operationTag] != marked {
		t.Fatalf("the machine is %+v", now)
	}

	wantLeft("after somebody has stopped it", false)

	// The next operation takes it off.
	other.complete(t, on)

	if tag := b.tag(t, id); strings.Contains(tag, "~") {
		t.Errorf("the mark stays: %s", tag)
	}
}

// The power of a machine that does not shut down is cut where the operation was allowed
// that, and not before it has had its time.
func TestAMachineThatHangsInWhatIsGivenUpRunsAgain(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{GracefulStop: ecsemulator.ShutdownHangs}})
	id := b.add(t, old())
	request := b.reinstall(id, map[string]string{
		alicloud.ParameterImageID: "m-acme2", alicloud.ParameterGracefulTimeout: "2m", alicloud.ParameterForceAfterTimeout: "true",
	})
	other := b.cutOff(t, request, "StopInstance", ecsemulator.MomentAfter)
	before := b.Now()

	if err := other.giveUp(t, request); err != nil {
		t.Fatal(err)
	}

	if took := b.Now().Sub(before); took < 2*time.Minute {
		t.Errorf("its power was cut within %s", took)
	}

	b.step(t, 5*time.Minute)

	after := b.instance(t, id.ResourceID)
	if after.Status != "Running" || after.Tags[operationTag] != "" {
		t.Errorf("the machine is %+v", after)
	}

	if effects := b.effectsOn(); effects["stopped"] != 2 || effects["started"] != 1 || effects["reinstalled"] != 0 {
		t.Errorf("effects: %v", effects)
	}
}
