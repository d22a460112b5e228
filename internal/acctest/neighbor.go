package acctest

import (
	"context"
	"testing"

	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/lifecycle"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// Tag writes tags on a machine as somebody else who uses the same account would.
func (c *Cloud) Tag(t testing.TB, machine ecsemulator.Instance, tags map[string]string) {
	t.Helper()

	connector := Connector()

	cloud, err := connector.Connect(driver.Settings{
		Region:    machine.RegionID,
		Endpoints: map[string]string{"ecs": c.Endpoint(), "vpc": c.Endpoint(), "sts": c.Endpoint()},
		Protocol:  "http",
	})
	if err != nil {
		t.Fatal(err)
	}

	err = cloud.Tagger().TagMachine(t.Context(), &driver.TagMachineRequest{
		ProviderID: machine.RegionID + "." + machine.ID,
		Secret:     cloud.Secret(connector.Auth(ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret, "")),
		Set:        tags,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// PowerOff stops a machine, as somebody else would, and returns when it is stopped.
func (c *Cloud) PowerOff(t testing.TB, machine ecsemulator.Instance) {
	t.Helper()

	connector := Connector()
	clocks := lifecycle.ScaledClock(clock.RealClock{}, ClockFactor)

	cloud, err := connector.Connect(driver.Settings{
		Region:    machine.RegionID,
		Endpoints: map[string]string{"ecs": c.Endpoint(), "vpc": c.Endpoint(), "sts": c.Endpoint()},
		Protocol:  "http",
		Clock:     clocks,
	})
	if err != nil {
		t.Fatal(err)
	}

	auth := connector.Auth(ecsemulator.DefaultAccessKeyID, ecsemulator.DefaultAccessKeySecret, "")
	runner := &lifecycle.Runner{
		Registration: cloud.Registration(), Clock: clocks,
		Auth: func(context.Context) (*machineops.OperationAuth, error) { return auth, nil },
	}

	_, err = lifecycle.NewOperator(runner).Operate(t.Context(), lifecycle.OperateRequest{
		Owner: "somebody/else", Name: "stop", ProviderID: machine.RegionID + "." + machine.ID, Kind: v1alpha3.OperationHostPowerOff, Repeatable: true,
	})
	if err != nil {
		t.Fatal(err)
	}
}
