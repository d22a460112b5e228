package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// write asks the provider server for its schemas and writes them as one JSON
// document in which the provider goes by name. A diagnostic of the server is an
// error.
func write(ctx context.Context, server tfprotov6.ProviderServer, name string, output io.Writer) error {
	schemas, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return fmt.Errorf("asking for the schemas: %w", err)
	}

	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return fmt.Errorf("asking for the identity schemas: %w", err)
	}

	if err := errors.Join(diagnosed(schemas.Diagnostics), diagnosed(identities.Diagnostics)); err != nil {
		return err
	}

	document, err := newDocument(name, schemas, identities.IdentitySchemas)
	if err != nil {
		return err
	}

	encoder := json.NewEncoder(output)
	encoder.SetEscapeHTML(false)

	return encoder.Encode(document)
}

func diagnosed(diagnostics []*tfprotov6.Diagnostic) error {
	var problems []error
	for _, diagnostic := range diagnostics {
		problems = append(problems, fmt.Errorf("%s: %s: %s", diagnostic.Severity, diagnostic.Summary, diagnostic.Detail))
	}

	return errors.Join(problems...)
}
