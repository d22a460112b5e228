package acctest

import (
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
	"github.com/terraform-machine/terraform-provider-machine/internal/rpcserver"
)

// Factories returns the provider for terraform-plugin-testing, wired and wrapped
// as the binary is.
func Factories() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		provider.TypeName: rpcserver.WrapWithError(func() (tfprotov6.ProviderServer, error) {
			return providerserver.NewProtocol6WithError(provider.New("test", Connector())())()
		}),
	}
}

// Connector wires the provider to Alibaba Cloud as main does.
func Connector() provider.AlicloudConnector {
	return provider.AlicloudConnector{
		Complete: alicloud.Complete,
		Auth:     alicloud.Auth,
		Connect:  func(settings driver.Settings) (provider.Cloud, error) { return alicloud.New(settings) },
	}
}
