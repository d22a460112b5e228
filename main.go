// Command terraform-provider-machine serves the Terraform provider.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
	"github.com/terraform-machine/terraform-provider-machine/internal/rpcserver"
)

// flushTimeout is how long background work may go on after the end.
const flushTimeout = 1800 * time.Millisecond

// version is set when a release is built.
var version = "dev"

func main() {
	debug := flag.Bool("debug", false, "serve for a debugger: print the TF_REATTACH_PROVIDERS line to use")
	flag.Parse()

	background := &provider.Background{}
	server := providerserver.NewProtocol6(provider.New(version, alicloudConnector(), provider.WithBackground(background))())

	err := rpcserver.Serve(context.Background(), server, rpcserver.Options{
		Address: "registry.terraform.io/terraform-machine/machine",
		Debug:   *debug,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}

	// Terraform kills a provider two seconds after it told it to end.
	ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
	defer cancel()

	background.Flush(ctx)
}

// alicloudConnector wires the provider to Alibaba Cloud.
func alicloudConnector() provider.AlicloudConnector {
	return provider.AlicloudConnector{
		Complete: alicloud.Complete,
		Auth:     alicloud.Auth,
		Connect:  func(settings driver.Settings) (provider.Cloud, error) { return alicloud.New(settings) },
	}
}
