package alicloud

import (
	"maps"
	"os"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/credentials"
	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

// protocolVariable names the protocol of endpoints that carry no scheme.
const protocolVariable = "TF_MACHINE_PROTOCOL"

// Complete returns the settings with what they leave open taken from the
// environment: region, endpoints and protocol. Arguments are those of Auth; the
// region of the profile that they name, or that is current, is the last resort.
func Complete(settings driver.Settings, arguments map[string]string) driver.Settings {
	if settings.Region == "" {
		settings.Region = ecs.RegionFromEnvironment(os.LookupEnv)
	}

	if settings.Region == "" {
		options := credentialOptions(os.LookupEnv)
		options.Profile, options.ProfileFile = arguments[SecretProfile], arguments[SecretProfileFile]
		settings.Region = credentials.Region(options)
	}

	if settings.Protocol == "" {
		settings.Protocol = os.Getenv(protocolVariable)
	}

	endpoints := maps.Clone(settings.Endpoints)
	if endpoints == nil {
		endpoints = map[string]string{}
	}

	environment := ecs.EndpointsFromEnvironment(os.LookupEnv)
	for product, host := range map[string]string{"ecs": environment.ECS, "vpc": environment.VPC, "sts": environment.STS} {
		if endpoints[product] == "" {
			endpoints[product] = host
		}
	}

	settings.Endpoints = endpoints

	return settings
}
