package alicloud_test

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/machineopstest"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// TestRegistrationKeepsTheContract runs the contract suite of machineops against the
// registration, under the different readings of what ECS leaves open.
func TestRegistrationKeepsTheContract(t *testing.T) {
	t.Parallel()

	for name, options := range map[string]ecsemulator.Options{
		"as documented":                   {},
		"new machines are listed late":    {NewVisibilityDelay: 12 * time.Second},
		"released machines stay listed":   {ReleasedVisibilityDelay: 12 * time.Second},
		"a release cannot be asked twice": {Behavior: ecsemulator.Behavior{ReleasingRefusesDelete: true}},
		"released tokens are refused":     {Behavior: ecsemulator.Behavior{ReplayAfterRelease: ecsemulator.ReplayFails, TokenBurn: ecsemulator.BurnAlways}},
		"a reboot keeps the start time":   {Behavior: ecsemulator.Behavior{RebootKeepsStartTime: true}},
		"denials are told":                {Behavior: ecsemulator.Behavior{DeniedDescribe: ecsemulator.DenialForbidden, DryRunDeleteCode: "DryRunOperation"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			b := newSteppedBench(t, options)
			machineopstest.Run(t, contractSuite(t, b))
		})
	}
}

func contractSuite(t *testing.T, b *bench) machineopstest.Suite {
	t.Helper()

	return machineopstest.Suite{
		New: func(context.Context) (*machineops.Provider, error) {
			return b.process(t).Registration(), nil
		},
		Class: machineops.ClassRequest{
			ClassName: "worker", ClassUID: "class-uid", SiteName: "platform/test", Auth: b.auth(),
			ProviderConfig: class(t, func(content map[string]any) {
				content["instance_types"] = []string{"ecs.g7.xlarge", "ecs.g6.xlarge"}
				content["capacity_types"] = []string{"spot", "on_demand"}
				content["vswitch_ids"] = []string{"vsw-a", "vsw-b"}
			}),
		},
		InvalidConfig: machineops.ProviderConfig{Data: map[string]string{alicloud.ConfigKey: `{"region": 1}`}},
		Allocation: func(name string) machineops.OperationRequest {
			request := b.allocation(t, name)
			request.OperationUID = types.UID("begin-" + name)

			return request
		},
		Operation: func(kind v1alpha3.OperationKind, allocated machineops.OperationRequest, result machineops.OperationResult) machineops.OperationRequest {
			request := b.hostOperation(kind, result.ProviderID, nil)
			request.MachineName = allocated.MachineName
			request.OperationUID = types.UID(string(kind) + " of " + allocated.MachineName)

			if kind == v1alpha3.OperationHostReplace {
				request.Parameters = map[string]string{alicloud.ParameterImageID: "m-acme2"}
				request.ReplaceUserData = allocated.Allocation.UserData
			}

			return request
		},
		// A machine is stopped before it can be started, and runs when the others come.
		Kinds: []v1alpha3.OperationKind{
			v1alpha3.OperationHostPowerOff, v1alpha3.OperationHostPowerOn, v1alpha3.OperationHostReboot, v1alpha3.OperationHostReplace,
		},
		Secrets: []string{secretMarker, b.key.Secret},
		Output:  b.log.String,
		Effects: func(context.Context) ([]machineopstest.Effect, error) { return b.effects(), nil },
		Calls:   func() int { return len(b.Calls()) },
		Wait: func(ctx context.Context, d time.Duration) error {
			if err := ctx.Err(); err != nil {
				return err
			}

			return b.Step(d)
		},
	}
}

// effects tells what was done to machines as the contract suite wants it.
func (b *bench) effects() []machineopstest.Effect {
	var effects []machineopstest.Effect

	for _, entry := range b.Journal() {
		action := entry.Effect

		switch action {
		case "created":
			action = machineopstest.ActionCreate
		case "releasing":
			action = machineopstest.ActionRemove
		case "started", "stopped", "rebooted":
		case "modified":
			if entry.Detail != "SystemDisk" {
				continue
			}

			action = "reinstalled"
		default:
			continue
		}

		effects = append(effects, machineopstest.Effect{Action: action, Kind: v1alpha3.OwnedResourceInstance, ID: entry.InstanceID})
	}

	return effects
}
