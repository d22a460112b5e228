package rpcserver

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// GetMetadata passes the RPC on.
func (s *server) GetMetadata(
	ctx context.Context, request *tfprotov6.GetMetadataRequest,
) (*tfprotov6.GetMetadataResponse, error) {
	return call(ctx, s, "GetMetadata", "", request, s.inner.GetMetadata, func(f failure) *tfprotov6.GetMetadataResponse {
		return &tfprotov6.GetMetadataResponse{Diagnostics: f.diagnostics()}
	})
}

// GetProviderSchema passes the RPC on.
func (s *server) GetProviderSchema(
	ctx context.Context, request *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	return call(ctx, s, "GetProviderSchema", "", request, s.inner.GetProviderSchema, func(f failure) *tfprotov6.GetProviderSchemaResponse {
		return &tfprotov6.GetProviderSchemaResponse{Diagnostics: f.diagnostics()}
	})
}

// GetResourceIdentitySchemas passes the RPC on.
func (s *server) GetResourceIdentitySchemas(
	ctx context.Context, request *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return call(ctx, s, "GetResourceIdentitySchemas", "", request, s.inner.GetResourceIdentitySchemas, func(f failure) *tfprotov6.GetResourceIdentitySchemasResponse {
		return &tfprotov6.GetResourceIdentitySchemasResponse{Diagnostics: f.diagnostics()}
	})
}

// ValidateProviderConfig passes the RPC on.
func (s *server) ValidateProviderConfig(
	ctx context.Context, request *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return call(ctx, s, "ValidateProviderConfig", "", request, s.inner.ValidateProviderConfig, func(f failure) *tfprotov6.ValidateProviderConfigResponse {
		return &tfprotov6.ValidateProviderConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// ConfigureProvider passes the RPC on.
func (s *server) ConfigureProvider(
	ctx context.Context, request *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	return call(ctx, s, "ConfigureProvider", "", request, s.inner.ConfigureProvider, func(f failure) *tfprotov6.ConfigureProviderResponse {
		return &tfprotov6.ConfigureProviderResponse{Diagnostics: f.diagnostics()}
	})
}

// StopProvider passes the RPC on.
func (s *server) StopProvider(
	ctx context.Context, request *tfprotov6.StopProviderRequest,
) (*tfprotov6.StopProviderResponse, error) {
	return call(ctx, s, "StopProvider", "", request, s.inner.StopProvider, func(f failure) *tfprotov6.StopProviderResponse {
		return &tfprotov6.StopProviderResponse{Error: f.summary() + "\n\n" + f.detail()}
	})
}
