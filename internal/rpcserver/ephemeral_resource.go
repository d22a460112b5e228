package rpcserver

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateEphemeralResourceConfig passes the RPC on.
func (s *server) ValidateEphemeralResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return call(ctx, s, "ValidateEphemeralResourceConfig", request.TypeName, request, s.inner.ValidateEphemeralResourceConfig, func(f failure) *tfprotov6.ValidateEphemeralResourceConfigResponse {
		return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// OpenEphemeralResource passes the RPC on.
func (s *server) OpenEphemeralResource(
	ctx context.Context, request *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return call(ctx, s, "OpenEphemeralResource", request.TypeName, request, s.inner.OpenEphemeralResource, func(f failure) *tfprotov6.OpenEphemeralResourceResponse {
		return &tfprotov6.OpenEphemeralResourceResponse{Diagnostics: f.diagnostics()}
	})
}

// RenewEphemeralResource passes the RPC on. After a panic the private data is kept, because Close still needs it.
func (s *server) RenewEphemeralResource(
	ctx context.Context, request *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return call(ctx, s, "RenewEphemeralResource", request.TypeName, request, s.inner.RenewEphemeralResource, func(f failure) *tfprotov6.RenewEphemeralResourceResponse {
		return &tfprotov6.RenewEphemeralResourceResponse{
			Private:     request.Private,
			Diagnostics: f.diagnostics(),
		}
	})
}

// CloseEphemeralResource passes the RPC on.
func (s *server) CloseEphemeralResource(
	ctx context.Context, request *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return call(ctx, s, "CloseEphemeralResource", request.TypeName, request, s.inner.CloseEphemeralResource, func(f failure) *tfprotov6.CloseEphemeralResourceResponse {
		return &tfprotov6.CloseEphemeralResourceResponse{Diagnostics: f.diagnostics()}
	})
}
