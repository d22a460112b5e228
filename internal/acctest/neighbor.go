package acctest

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
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
		Secret:     cloud.Secret(Auth(t)),
		Set:        tags,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Auth are operation credentials of the key that every cloud knows.
func Auth(t testing.TB) *machineops.OperationAuth {
	t.Helper()

	auth, err := Connector().Auth(driver.Settings{}, map[string]string{
		alicloud.SecretAccessKeyID: ecsemulator.DefaultAccessKeyID, alicloud.SecretAccessKeySecret: ecsemulator.DefaultAccessKeySecret,
	})
	if err != nil {
		t.Fatal(err)
	}

	return auth
}
