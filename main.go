// Command terraform-provider-machine serves the Terraform provider.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
	"github.com/terraform-machine/terraform-provider-machine/internal/rpcserver"
)

// version is set when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger: print the TF_REATTACH_PROVIDERS line to use")
	flag.Parse()

	server := providerserver.NewProtocol6(provider.New(version, alicloudConnector())())

	err := rpcserver.Serve(context.Background(), server, rpcserver.Options{
		Address: "registry.terraform.io/terraform-machine/machine",
		Debug:   *debug,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// alicloudConnector wires the provider to Alibaba Cloud.
func alicloudConnector() provider.AlicloudConnector {
	return provider.AlicloudConnector{
		Complete: alicloud.Complete,
		Auth:     alicloud.Auth,
		Connect:  func(settings driver.Settings) (provider.Cloud, error) { return alicloud.New(settings) },
	}
}
