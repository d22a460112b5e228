package alicloud_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// resize makes the machine one of the types, divided by commas.
func (b *bench) resize(id driver.ProviderID, types string) machineops.OperationRequest {
	return b.hostOperation(v1alpha3.OperationHostReplace, id.String(), map[string]string{
		v1alpha3.ParameterInstanceTypes: types, v1alpha3.ParameterRepeatable: "true",
	})
}

func TestAMachineBecomesTheFirstTypeThatItCan(t *testing.T) {
	t.Parallel()

	for name, test := range map[string]struct {
		types   string
		rule    *ecsemulator.Rule
		stopped bool
		want    string
		effects map[string]int
	}{
		"the first":                    {types: "ecs.g7.xlarge,ecs.g6.xlarge", want: "ecs.g7.xlarge", effects: map[string]int{"stopped": 1, "started": 1}},
		"one that was stopped":         {types: "ecs.g7.xlarge", stopped: true, want: "ecs.g7.xlarge", effects: map[string]int{}},
		"what it is already":           {types: "ecs.g7.xlarge,ecs.g7.large", want: "ecs.g7.large", effects: map[string]int{}},
		"one that there is":            {types: "ecs.none.large,ecs.g6.xlarge", want: "ecs.g6.xlarge", effects: map[string]int{"stopped": 1, "started": 1}},
		"the one that is not refused":  {types: "ecs.g7.xlarge,ecs.g6.xlarge", rule: &ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyInstanceSpec", Parameters: map[string]string{"InstanceType": "ecs.g7.xlarge"}, Code: "OperationDenied.NoStock", HTTPStatus: 403}, want: "ecs.g6.xlarge", effects: map[string]int{"stopped": 1, "started": 1}},
		"it, after a lost answer":      {types: "ecs.g7.xlarge", rule: &ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "ModifyInstanceSpec", At: ecsemulator.MomentAfter, Times: 1}, want: "ecs.g7.xlarge", effects: map[string]int{"stopped": 1, "started": 1}},
		"it, after a call that failed": {types: "ecs.g7.xlarge", rule: &ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "ModifyInstanceSpec", Times: 1}, want: "ecs.g7.xlarge", effects: map[string]int{"stopped": 1, "started": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			machine := old()
			machine.Stopped = test.stopped
			id := b.add(t, machine)
			before := b.instance(t, id.ResourceID)

			if test.rule != nil {
				b.rule(t, *test.rule)
			}

			ended := b.complete(t, b.resize(id, test.types))
			after := b.instance(t, id.ResourceID)

			if after.InstanceType != test.want || after.Status != before.Status || after.PrivateAddress != before.PrivateAddress || after.DiskIDs[0] != before.DiskIDs[0] {
				t.Errorf("the machine was %+v, and is %+v (%s)", before, after, ended.Message)
			}

			b.wantResizedAndForgotten(t, id, test.want != before.InstanceType)

			effects := b.effectsOn()
			for _, effect := range []string{"stopped", "started"} {
				if effects[effect] != test.effects[effect] {
					t.Errorf("effects: %v, want %v", effects, test.effects)
				}
			}
		})
	}
}

// wantResizedAndForgotten wants a machine that tells whether it was made what it is, until
// the record of that is known to be stored.
func (b *bench) wantResizedAndForgotten(t *testing.T, id driver.ProviderID, resized bool) {
	t.Helper()

	if machine, err := b.observe(t, id.String()); err != nil || machine.Resized != resized || machine.Unfinished != driver.UnfinishedNone {
		t.Errorf("the machine is told of as %+v, %v", machine, err)
	}

	stored := b.resize(id, b.instance(t, id.ResourceID).InstanceType)
	stored.Parameters[v1alpha3.ParameterOperationID] = "ended"

	if err := b.operation(t, stored).Cleanup(t.Context(), stored, machineops.OperationResult{}); err != nil {
		t.Error(err)
	}

	if tag := b.tag(t, id); tag != "" {
		t.Errorf("it left its trace: %s", tag)
	}
}

// A run that is cut off anywhere is gone on with, and the machine is changed once.
func TestAResizeThatWasCutOffIsGoneOnWith(t *testing.T) {
	t.Parallel()

	for _, action := range []string{"StopInstance", "ModifyInstanceSpec", "StartInstance"} {
		for _, at := range []ecsemulator.Moment{ecsemulator.MomentBefore, ecsemulator.MomentAfter} {
			t.Run(string(at)+" "+action, func(t *testing.T) {
				t.Parallel()

				b := newSteppedBench(t, ecsemulator.Options{})
				id := b.add(t, old())
				request := b.resize(id, "ecs.g7.xlarge")
				rule := b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: action, At: at})

				// The process that is cut off learns nothing of what it asked for last. Where it
				// comes less far than that on a slow machine, there is more to go on with.
				ctx, kill := context.WithTimeout(t.Context(), time.Second)
				defer kill()

				if handle, err := b.begin(ctx, t, request); err == nil {
					for range 100 {
						look, err := b.operation(t, request).Poll(ctx, request, handle.Operation)
						if err != nil {
							break
						}

						b.step(t, look.RequeueAfter)
					}
				}

				if err := b.RemoveRule(rule); err != nil {
					t.Fatal(err)
				}

				b.another(t).complete(t, request)

				after := b.instance(t, id.ResourceID)
				if after.InstanceType != "ecs.g7.xlarge" || after.Status != "Running" {
					t.Errorf("the machine is %s, and %s", after.InstanceType, after.Status)
				}

				if effects := b.effectsOn(); effects["stopped"] != 1 || effects["started"] != 1 || b.modified() != 1 {
					t.Errorf("effects: %v", effects)
				}
			})
		}
	}
}

// A resize that was cut off, and that nobody wants any more, leaves a machine that runs
// again as what it was: it is only started, or changed back first.
func TestAResizeThatWasCutOffAndIsGivenUpIsTakenBack(t *testing.T) {
	t.Parallel()

	for at, changes := range map[ecsemulator.Moment]int{ecsemulator.MomentBefore: 0, ecsemulator.MomentAfter: 2} {
		t.Run(string(at)+" the change", func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, old())
			was := b.instance(t, id.ResourceID).InstanceType
			other := b.cutOff(t, b.resize(id, "ecs.g7.xlarge"), "ModifyInstanceSpec", at)

			if stopped := b.instance(t, id.ResourceID); stopped.Status != "Stopped" || (stopped.InstanceType == was) != (changes == 0) {
				t.Fatalf("the machine is %s, and %s", stopped.InstanceType, stopped.Status)
			}

			other.complete(t, b.resize(id, was))

			if after := b.instance(t, id.ResourceID); after.InstanceType != was || after.Status != "Running" {
				t.Errorf("the machine is %s, and %s", after.InstanceType, after.Status)
			}

			if effects := b.effectsOn(); effects["stopped"] != 1 || effects["started"] != 1 || b.modified() != changes {
				t.Errorf("%d changes, want %d; effects: %v", b.modified(), changes, effects)
			}
		})
	}
}

func TestAResizeThatCannotBeLeavesTheMachineRunning(t *testing.T) {
	t.Parallel()

	refuse := func(code string, status int) *ecsemulator.Rule {
		return &ecsemulator.Rule{Kind: ecsemulator.RuleError, Action: "ModifyInstanceSpec", Code: code, HTTPStatus: status}
	}
	subscribed := old()
	subscribed.ChargeMode, subscribed.ExpiresInSeconds = ecsemulator.ChargePrePaid, 30*86400

	for name, test := range map[string]struct {
		machine ecsemulator.NewInstance
		types   string
		rule    *ecsemulator.Rule
		reason  string
		text    string
		stops   int
	}{
		"no such type":           {machine: old(), types: "ecs.none.large", reason: v1alpha3.ReasonInvalidConfiguration, text: "ecs.none.large does not exist in the region"},
		"a type for other chips": {machine: old(), types: "ecs.g8y.large", reason: v1alpha3.ReasonInvalidConfiguration, text: "is for arm64, and the machine is for amd64"},
		"a subscription":         {machine: subscribed, types: "ecs.g7.xlarge", reason: v1alpha3.ReasonRefused, text: "is a subscription"},
		"no stock after all":     {machine: old(), types: "ecs.g7.xlarge,ecs.g6.xlarge", rule: refuse("OperationDenied.NoStock", 403), reason: v1alpha3.ReasonInsufficientCapacity, text: "stays what it was, and is being started again", stops: 1},
		"no way to that family":  {machine: old(), types: "ecs.g7.xlarge", rule: refuse("DependencyViolation.InstanceType", 400), reason: v1alpha3.ReasonInvalidConfiguration, text: "stays what it was, and is being started again", stops: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, ecsemulator.Options{})
			id := b.add(t, test.machine)

			if test.rule != nil {
				b.rule(t, *test.rule)
			}

			_, err := b.begin(t.Context(), t, b.resize(id, test.types))
			wantPermanent(t, err, test.reason, test.text)
			b.step(t, time.Minute)

			after := b.instance(t, id.ResourceID)
			if strings.HasPrefix(after.Status, "Stop") || after.InstanceType != "ecs.g7.large" || after.Tags[operationTag] != "" {
				t.Errorf("the machine is %+v", after)
			}

			if effects := b.effectsOn(); effects["stopped"] != test.stops {
				t.Errorf("effects: %v", effects)
			}
		})
	}
}
