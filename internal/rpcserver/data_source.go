package rpcserver

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateDataResourceConfig passes the RPC on.
func (s *server) ValidateDataResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return call(ctx, s, "ValidateDataResourceConfig", request.TypeName, request, s.inner.ValidateDataResourceConfig, func(f failure) *tfprotov6.ValidateDataResourceConfigResponse {
		return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// ReadDataSource passes the RPC on.
func (s *server) ReadDataSource(
	ctx context.Context, request *tfprotov6.ReadDataSourceRequest,
) (*tfprotov6.ReadDataSourceResponse, error) {
	return call(ctx, s, "ReadDataSource", request.TypeName, request, s.inner.ReadDataSource, func(f failure) *tfprotov6.ReadDataSourceResponse {
		return &tfprotov6.ReadDataSourceResponse{Diagnostics: f.diagnostics()}
	})
}
