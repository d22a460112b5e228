package bench

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
	"github.com/terraform-machine/terraform-provider-machine/internal/rpcserver"
)

const address = "registry.terraform.io/terraform-machine/machine"

// ServeReference serves the provider that mode names until the command lets it go.
func ServeReference(ctx context.Context, mode string) error {
	connector := provider.AlicloudConnector{
		Complete: alicloud.Complete,
		Auth:     alicloud.Auth,
		Connect:  func(settings driver.Settings) (provider.Cloud, error) { return alicloud.New(settings) },
	}

	switch mode {
	case ModeIdle:
		// The stock server, as in a provider that was made from the template.
		return providerserver.Serve(ctx, newIdle(provider.New(providerVersion, connector)), providerserver.ServeOpts{Address: address})
	case ModeNaive:
		connector.Connect = func(settings driver.Settings) (provider.Cloud, error) { return newNaive(settings) }

		return rpcserver.Serve(ctx, providerserver.NewProtocol6(provider.New(providerVersion, connector)()), rpcserver.Options{Address: address})
	default:
		return fmt.Errorf("%s is %q, and has to be %q or %q", ModeVariable, mode, ModeIdle, ModeNaive)
	}
}
