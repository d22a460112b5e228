package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

var _ provider.ProviderWithFunctions = (*machineProvider)(nil)

// Functions implements provider.ProviderWithFunctions. Functions see no provider
// block, so what they ask of the cloud is what it tells without settings and calls.
func (p *machineProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		func() function.Function { return parseProviderIDFunction{cloud: p.unconfigured} },
		func() function.Function { return nodeNameFunction{cloud: p.unconfigured} },
		func() function.Function { return volumeIDsFunction{cloud: p.unconfigured} },
	}
}

// unconfigured is the cloud for what it tells without settings and calls.
func (p *machineProvider) unconfigured() (Cloud, error) {
	return p.connector.Connect(driver.Settings{})
}
