package alicloud_test

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ofAllocation is an operation that the machine's own allocation causes; each name is
// another one.
func (b *bench) ofAllocation(kind v1alpha3.OperationKind, id driver.ProviderID, name string, parameters map[string]string) machineops.OperationRequest {
	with := map[string]string{v1alpha3.ParameterOfAllocation: "true"}
	maps.Copy(with, parameters)

	request := b.hostOperation(kind, id.String(), with)
	request.OperationName, request.OperationUID = name, types.UID("uid-of-"+name)

	return request
}

// version is a reinstallation with first-boot data of that name.
func (b *bench) version(id driver.ProviderID, name string) machineops.OperationRequest {
	request := b.ofAllocation(v1alpha3.OperationHostReplace, id, name, map[string]string{alicloud.ParameterImageID: "m-acme2"})
	request.ReplaceUserData = name

	return request
}

// takenBack ends a reinstallation in favor of that version.
func (b *bench) takenBack(id driver.ProviderID, name string) machineops.OperationRequest {
	request := b.version(id, name)
	request.OperationUID = "uid-of-what-is-taken-back"
	request.Parameters[v1alpha3.ParameterTakeBack], request.Parameters[v1alpha3.ParameterRepeatable] = "true", "true"

	return request
}

// cutOff has a process begin the operation and be cut off at a call, and returns another
// process.
func (b *bench) cutOff(t *testing.T, request machineops.OperationRequest, action string, at ecsemulator.Moment) *bench {
	t.Helper()

	rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: action, At: at})
	made := b.Counts()[action]

	ctx, kill := context.WithCancel(t.Context())
	defer kill()

	ended := make(chan error, 1)

	go func() {
		_, err := b.begin(ctx, t, request)
		ended <- err
	}()

	// A call that is made again has been cut off before, however slow all is.
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()

	for alive := true; alive; {
		select {
		case err := <-ended:
			if err == nil {
				t.Fatalf("nothing was cut off at %s", action)
			}

			alive = false
		case <-look.C:
			if b.Counts()[action] >= made+2 {
				kill()
			}
		}
	}

	if err := b.RemoveRule(rule); err != nil {
		t.Fatal(err)
	}

	return b.another(t)
}

// However often runs are cut off, what is given up is told from what has taken place: a
// machine without the disk that its allocation tells of gets another one.
func TestAReinstallationThatIsGivenUpGivesTheMachineWhatIsWanted(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		cut         func(t *testing.T, b *bench, id driver.ProviderID) *bench
		stopped     bool
		reinstalled int
		status      string
	}{
		"nothing had begun": {func(_ *testing.T, b *bench, _ driver.ProviderID) *bench { return b }, false, 0, "Running"},
		"its disk is there": {func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()

			return b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentBefore)
		}, false, 0, "Running"},
		"its disk is there, and it did not run": {func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()

			return b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentBefore)
		}, true, 0, "Stopped"},
		"its disk is gone": {func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()

			return b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentAfter)
		}, false, 2, "Running"},
		"its disk is gone, and another version was cut off": {func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()
			b = b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentAfter)

			return b.cutOff(t, b.version(id, "3"), "ReplaceSystemDisk", ecsemulator.MomentBefore)
		}, false, 2, "Running"},
		"its disk is gone, and so was the taking back": {func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()
			b = b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentAfter)

			return b.cutOff(t, b.takenBack(id, "1"), "ReplaceSystemDisk", ecsemulator.MomentBefore)
		}, false, 2, "Running"},
		"its disk is there, and the taking back was cut off": {func(t *testing.T, b *bench, id driver.ProviderID) *bench {
			t.Helper()
			b = b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentBefore)

			return b.cutOff(t, b.takenBack(id, "1"), "StartInstance", ecsemulator.MomentBefore)
		}, false, 0, "Running"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			machine := old()
			machine.Stopped = test.stopped
			id := b.add(t, machine)

			last := test.cut(t, b, id)
			last.complete(t, last.takenBack(id, "1"))

			after := b.instance(t, id.ResourceID)
			if _, there := after.Tags[operationTag]; after.Status != test.status || there {
				t.Errorf("the machine is %s, with the tags %v", after.Status, after.Tags)
			}

			if effects := b.effectsOn(); effects["reinstalled"] != test.reinstalled {
				t.Errorf("effects: %v", effects)
			}
		})
	}
}

// A reinstallation that was cut off after the stop, and is refused by the one that goes
// on, leaves no machine that stands still.
func TestAReinstallationThatIsRefusedAfterACutStartsTheMachine(t *testing.T) {
	t.Parallel()

	b := newSteppedBench(t, ecsemulator.Options{})
	id := b.add(t, old())
	other := b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentBefore)

	if err := b.SetImageStatus("m-acme2", "UnAvailable"); err != nil {
		t.Fatal(err)
	}

	if _, err := other.begin(t.Context(), t, other.version(id, "2")); err == nil {
		t.Fatal("it was not refused")
	}

	b.step(t, time.Minute)

	if after := b.instance(t, id.ResourceID); after.Status != "Running" {
		t.Errorf("the machine is %s", after.Status)
	}
}

// Only what the machine's own allocation causes takes the place of another, and only
// where that is the older one.
func TestWhoseOperationIsTakenOver(t *testing.T) {
	t.Parallel()

	t.Run("not a user's", func(t *testing.T) {
		t.Parallel()

		b := newSteppedBench(t, ecsemulator.Options{})
		id := b.add(t, old())
		other := b.cutOff(t, b.reinstall(id, map[string]string{alicloud.ParameterImageID: "m-acme2"}), "ReplaceSystemDisk", ecsemulator.MomentBefore)

		_, err := other.begin(t.Context(), t, other.version(id, "2"))
		wantOrdinary(t, err, "is under another operation")
	})

	t.Run("not by a user's", func(t *testing.T) {
		t.Parallel()

		b := newSteppedBench(t, ecsemulator.Options{})
		id := b.add(t, old())
		other := b.cutOff(t, b.version(id, "2"), "ReplaceSystemDisk", ecsemulator.MomentBefore)

		_, err := other.begin(t.Context(), t, other.reinstall(id, map[string]string{alicloud.ParameterImageID: "m-acme2"}))
		wantOrdinary(t, err, "is under another operation")
	})

	t.Run("not by an older run", func(t *testing.T) {
		t.Parallel()

		b := newSteppedBench(t, ecsemulator.Options{})
		id := b.add(t, old())
		orphan := b.another(t)

		b.step(t, time.Minute)

		newer := b.another(t)
		newer.cutOff(t, newer.version(id, "3"), "ReplaceSystemDisk", ecsemulator.MomentBefore)

		_, err := orphan.begin(t.Context(), t, orphan.version(id, "2"))

		var permanent *machineops.PermanentError
		if !errors.As(err, &permanent) || permanent.Reason != v1alpha3.ReasonTaken {
			t.Errorf("the error is %v", err)
		}

		if effects := b.effectsOn(); effects["reinstalled"] != 0 {
			t.Errorf("effects: %v", effects)
		}
	})

	t.Run("a stop by a start", func(t *testing.T) {
		t.Parallel()

		b := newSteppedBench(t, ecsemulator.Options{})
		id := b.add(t, old())
		other := b.cutOff(t, b.ofAllocation(v1alpha3.OperationHostPowerOff, id, "off", nil), "StopInstance", ecsemulator.MomentAfter)

		b.step(t, time.Minute)
		other.complete(t, other.ofAllocation(v1alpha3.OperationHostPowerOn, id, "on", map[string]string{v1alpha3.ParameterRepeatable: "true"}))

		after := b.instance(t, id.ResourceID)
		if tag, there := after.Tags[operationTag]; after.Status != "Running" || there {
			t.Errorf("the machine is %s, with the tag %q", after.Status, tag)
		}
	})
}
