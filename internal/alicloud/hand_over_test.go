package alicloud_test

import (
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// handedOver is a change of the type that leaves the machine to what follows.
func (b *bench) handedOver(id driver.ProviderID, types string) machineops.OperationRequest {
	return b.ofAllocation(v1alpha3.OperationHostReplace, id, "type", map[string]string{
		v1alpha3.ParameterInstanceTypes: types, v1alpha3.ParameterRepeatable: "true", v1alpha3.ParameterHandsOver: "true",
	})
}

// alone is the change of the type alone, as one that goes on with it or takes it back.
func (b *bench) alone(id driver.ProviderID, types string) machineops.OperationRequest {
	request := b.handedOver(id, types)
	delete(request.Parameters, v1alpha3.ParameterHandsOver)

	return request
}

func (b *bench) wantReshaped(t *testing.T, id driver.ProviderID, instanceType string, want map[string]int) {
	t.Helper()

	after := b.instance(t, id.ResourceID)
	if after.Status != "Running" || after.InstanceType != instanceType {
		t.Errorf("the machine is %s, and %s", after.InstanceType, after.Status)
	}

	effects := b.effectsOn()
	for _, effect := range []string{"stopped", "reinstalled", "started"} {
		if effects[effect] != want[effect] {
			t.Errorf("effects: %v, want %v", effects, want)
		}
	}
}

// A machine that gets another type and another disk is stopped once, by whichever process
// goes on with it.
func TestAMachineIsStoppedOnceForItsTypeAndItsDisk(t *testing.T) {
	t.Parallel()

	once := map[string]int{"stopped": 1, "reinstalled": 1, "started": 1}

	for name, next := range map[string]func(t *testing.T, b *bench, id driver.ProviderID) *bench{
		"one process": func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()
			b.complete(t, b.handedOver(id, "ecs.g7.xlarge"))

			return b
		},
		"another between the two": func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()
			b.complete(t, b.handedOver(id, "ecs.g7.xlarge"))
			b.step(t, time.Minute)

			other := b.another(t)
			other.complete(t, other.handedOver(id, "ecs.g7.xlarge"))

			return other
		},
		"another in the first": func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()

			other := b.cutOff(t, b.handedOver(id, "ecs.g7.xlarge"), "ModifyInstanceSpec", ecsemulator.MomentBefore)
			other.complete(t, other.handedOver(id, "ecs.g7.xlarge"))

			return other
		},
		"another in the second": func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()
			b.complete(t, b.handedOver(id, "ecs.g7.xlarge"))

			return b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentBefore)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, old())

			// What it began is not what was there before it.
			b.step(t, time.Minute)

			last := next(t, b, id)

			if now := b.instance(t, id.ResourceID); now.Status != "Stopped" || now.Tags[operationTag] == "" {
				t.Fatalf("between the two the machine is %s, with the tag %q", now.Status, now.Tags[operationTag])
			}

			last.complete(t, last.version(id, "2"))
			b.wantReshaped(t, id, "ecs.g7.xlarge", once)

			// Its type, its first-boot data and its disk.
			if b.modified() != 3 {
				t.Errorf("it was changed %d times", b.modified())
			}
		})
	}
}

// What was handed over and is not taken leaves no machine that stands still.
func TestAMachineThatWasHandedOverRunsAgain(t *testing.T) {
	t.Parallel()

	later := func(instanceType string) func(t *testing.T, b *bench, id driver.ProviderID) {
		return func(t *testing.T, b *bench, id driver.ProviderID) {
			t.Helper()
			b.step(t, time.Minute)

			other := b.another(t)
			other.complete(t, other.alone(id, instanceType))
		}
	}

	for name, test := range map[string]struct {
		next    func(t *testing.T, b *bench, id driver.ProviderID)
		wants   string
		resized bool
	}{
		"with its new type":    {later("ecs.g7.xlarge"), "ecs.g7.xlarge", true},
		"with its former type": {later("ecs.g7.large"), "ecs.g7.large", false},
		"as there is no image": {func(t *testing.T, b *bench, id driver.ProviderID) {
			t.Helper()

			if err := b.SetImageStatus("m-acme2", "UnAvailable"); err != nil {
				t.Fatal(err)
			}

			_, err := b.begin(t.Context(), t, b.version(id, "2"))
			wantPermanent(t, err, v1alpha3.ReasonInvalidConfiguration, "is of the type ecs.g7.xlarge, and is being started again")
			b.step(t, time.Minute)
		}, "ecs.g7.xlarge", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, old())
			b.complete(t, b.handedOver(id, "ecs.g7.xlarge"))
			test.next(t, b, id)
			b.wantReshaped(t, id, test.wants, map[string]int{"stopped": 1, "started": 1})

			b.wantResizedAndForgotten(t, id, test.resized)
		})
	}
}

// A machine that did not run is not started in between, nor is one that is what it is to
// become stopped for nothing.
func TestAMachineThatHasNothingToHandOver(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	stopped := old()
	stopped.Stopped = true

	for id, effects := range map[driver.ProviderID]int{b.add(t, stopped): 0, b.add(t, old()): 1} {
		wanted := "ecs.g7.xlarge"
		if effects == 1 {
			wanted = "ecs.g7.large"
		}

		b.complete(t, b.handedOver(id, wanted))
		b.complete(t, b.version(id, "2"))

		if after := b.instance(t, id.ResourceID); after.Status != "Running" || after.InstanceType != wanted {
			t.Errorf("the machine is %s, and %s", after.InstanceType, after.Status)
		}
	}

	if effects := b.effectsOn(); effects["stopped"] != 1 || effects["started"] != 2 || effects["reinstalled"] != 2 {
		t.Errorf("effects: %v", effects)
	}
}

// The tag tells of a reinstallation that ended, until its record is stored or the machine
// has got another disk.
func TestAnEndedReinstallationIsTold(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	told := func() bool {
		machine, err := b.observe(t, id.String())
		if err != nil {
			t.Fatal(err)
		}

		return machine.Reinstalled
	}

	b.complete(t, b.hostOperation(v1alpha3.OperationHostReboot, id.String(), nil))

	if told() {
		t.Error("a reboot is told as a reinstallation")
	}

	first := b.version(id, "2")
	b.complete(t, first)

	if !told() {
		t.Error("it is not told")
	}

	// It is not repeated, and the next one takes its place.
	b.complete(t, first)
	second := b.version(id, "3")
	b.complete(t, second)

	if err := b.operation(t, second).Cleanup(t.Context(), second, machineops.OperationResult{}); err != nil {
		t.Fatal(err)
	}

	if effects := b.effectsOn(); told() || effects["reinstalled"] != 2 {
		t.Errorf("told: %v; effects: %v", told(), effects)
	}

	b.complete(t, first)
	b.complete(t, b.reinstall(id, map[string]string{"image_id": "m-acme1"}))

	if told() {
		t.Error("it is told of a disk that is gone")
	}
}
