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

// The products, as Settings call them.
const (
	productECS = "ecs"
	productVPC = "vpc"
	productSTS = "sts"
)

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

	origins := maps.Clone(settings.EndpointOrigins)
	if origins == nil {
		origins = map[string]string{}
	}

	hosts, variables := byProduct(ecs.EndpointsFromEnvironment(os.LookupEnv)), byProduct(ecs.EndpointVariables(os.LookupEnv))
	for product, host := range hosts {
		if endpoints[product] == "" && host != "" {
			endpoints[product] = host
			origins[product] = "the environment variable " + variables[product]
		}
	}

	settings.Endpoints, settings.EndpointOrigins = endpoints, origins

	return settings
}

// byProduct are the endpoints by what Settings call their products.
func byProduct(endpoints ecs.Endpoints) map[string]string {
	return map[string]string{productECS: endpoints.ECS, productVPC: endpoints.VPC, productSTS: endpoints.STS}
}

// endpointsOf are what Settings say of the products.
func endpointsOf(products map[string]string) ecs.Endpoints {
	return ecs.Endpoints{ECS: products[productECS], VPC: products[productVPC], STS: products[productSTS]}
}
