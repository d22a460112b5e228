package alicloud_test

import (
	"maps"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// hanging is a machine that somebody has asked to shut down, and that does not.
func hanging(t *testing.T) (*bench, driver.ProviderID) {
	t.Helper()

	b := newSteppedBench(t, ecsemulator.Options{Behavior: ecsemulator.Behavior{GracefulStop: ecsemulator.ShutdownHangs}})
	id := b.add(t, old())
	off := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), map[string]string{alicloud.ParameterGracefulTimeout: "1m"})

	if ended := b.end(t, off, b.handle(t, off)); ended.Reason != v1alpha3.ReasonNotStopped {
		t.Fatalf("its shutdown ended as %+v", ended)
	}

	return b, id
}

// Whoever may cut the power of a machine gets it off also where another's shutdown hangs on
// it, with one cut.
func TestAShutdownThatHangsIsEndedByWhoMayCutThePower(t *testing.T) {
	t.Parallel()

	force := map[string]string{alicloud.ParameterForce: "true"}
	escalation := map[string]string{alicloud.ParameterGracefulTimeout: "1m", alicloud.ParameterForceAfterTimeout: "true"}

	for name, test := range map[string]struct {
		kind        v1alpha3.OperationKind
		allowed     map[string]string
		status      string
		reinstalled int
	}{
		"HostPowerOff by force":           {v1alpha3.OperationHostPowerOff, force, "Stopped", 0},
		"HostPowerOff by force in time":   {v1alpha3.OperationHostPowerOff, escalation, "Stopped", 0},
		"HostReplace with force":          {v1alpha3.OperationHostReplace, force, "Running", 1},
		"HostReplace with force, in time": {v1alpha3.OperationHostReplace, escalation, "Running", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b, id := hanging(t)
			request := b.hostOperation(test.kind, id.String(), maps.Clone(test.allowed))

			if test.kind == v1alpha3.OperationHostReplace {
				parameters := maps.Clone(test.allowed)
				parameters[alicloud.ParameterImageID] = "m-acme2"
				request = b.reinstall(id, parameters)
			}

			b.complete(t, request)

			after := b.instance(t, id.ResourceID)
			if _, forced := b.stops(); after.Status != test.status || forced != 1 || b.effectsOn()["reinstalled"] != test.reinstalled {
				t.Errorf("the machine is %s, its power was cut %d times, effects: %v", after.Status, forced, b.effectsOn())
			}
		})
	}
}

// A cut of the power that was asked for by a run that was killed then is not made again.
func TestAPowerCutOfAHangingMachineIsMadeOnce(t *testing.T) {
	t.Parallel()

	b, id := hanging(t)
	request := b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), map[string]string{alicloud.ParameterForce: "true"})
	b.handle(t, request)
	b.another(t).complete(t, request)

	if _, forced := b.stops(); forced != 1 || b.instance(t, id.ResourceID).Status != "Stopped" {
		t.Errorf("its power was cut %d times, and it is %s", forced, b.instance(t, id.ResourceID).Status)
	}
}

// A machine that takes longer to shut down than its HostReplace lets it is told of, and is
// seen to have been left.
func TestAMachineThatShutsDownAfterItsOperationHasFailed(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{StopDuration: 3 * time.Minute})
	id := b.add(t, old())
	request := b.reinstall(id, map[string]string{alicloud.ParameterImageID: "m-acme2", alicloud.ParameterGracefulTimeout: "1m"})

	_, err := b.begin(t.Context(), t, request)
	wantPermanent(t, err, v1alpha3.ReasonNotStopped, "Its shutdown goes on, and nothing starts it again")

	b.step(t, 3*time.Minute)

	if machine, err := b.observe(t, id.String()); err != nil || !machine.LeftStopped {
		t.Errorf("it is told of as %+v, %v", machine, err)
	}

	b.complete(t, request)

	if machine, err := b.observe(t, id.String()); err != nil || machine.LeftStopped || machine.Phase != driver.MachinePhaseRunning {
		t.Errorf("after the operation it is told of as %+v, %v", machine, err)
	}
}

// A cut of the power that takes a minute is waited for, and not made again.
func TestAPowerCutThatTakesItsTimeIsMadeOnce(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{StopDuration: time.Minute, Behavior: ecsemulator.Behavior{GracefulStop: ecsemulator.ShutdownHangs}})
	id := b.add(t, old())

	b.complete(t, b.hostOperation(v1alpha3.OperationHostPowerOff, id.String(), map[string]string{
		alicloud.ParameterGracefulTimeout: "1m", alicloud.ParameterForceAfterTimeout: "true",
	}))

	if graceful, forced := b.stops(); graceful != 1 || forced != 1 {
		t.Errorf("it was asked to shut down %d times, and its power cut %d times", graceful, forced)
	}
}
