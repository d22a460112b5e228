package alicloud_test

import (
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// Whoever reads that an endpoint cannot be reached has to find where it is set.
func TestWhatNamesAnEndpointIsKnown(t *testing.T) {
	t.Setenv("ALIBABA_CLOUD_ENDPOINT_ECS", "ecs.example.test")
	t.Setenv("ECS_ENDPOINT", "another.example.test")
	t.Setenv("ALIBABA_CLOUD_ENDPOINT_VPC", "  ")
	t.Setenv("VPC_ENDPOINT", "vpc.example.test")
	t.Setenv("ALIBABA_CLOUD_ENDPOINT_STS", "sts.example.test")

	settings := alicloud.Complete(driver.Settings{
		Endpoints: map[string]string{"sts": "given.example.test"}, EndpointOrigins: map[string]string{"sts": "the configuration"},
	}, nil)

	for product, want := range map[string][2]string{
		"ecs": {"ecs.example.test", "the environment variable ALIBABA_CLOUD_ENDPOINT_ECS"},
		"vpc": {"vpc.example.test", "the environment variable VPC_ENDPOINT"},
		"sts": {"given.example.test", "the configuration"},
	} {
		if got := [2]string{settings.Endpoints[product], settings.EndpointOrigins[product]}; got != want {
			t.Errorf("%s: %q, want %q", product, got, want)
		}
	}
}
