// Command schema-json prints all schemas of the provider in the format of
// `terraform providers schema -json`, straight from the provider's own code. The
// documentation is generated from it: what the CLI prints lacks the kinds of
// schema that are newer than the CLI.
package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "schema-json:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, output io.Writer) error {
	// Schemas are the same however, and whether, a cloud is reached.
	server, err := providerserver.NewProtocol6WithError(provider.New("", provider.AlicloudConnector{})())()
	if err != nil {
		return err
	}

	return write(ctx, server, provider.TypeName, output)
}
