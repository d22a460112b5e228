package rpcserver

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateListResourceConfig passes the RPC on.
func (s *server) ValidateListResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	inner, ok := s.inner.(tfprotov6.ListResourceServer)
	if !ok {
		return nil, unimplemented("ValidateListResourceConfig")
	}
	return call(ctx, s, "ValidateListResourceConfig", request.TypeName, request, inner.ValidateListResourceConfig, func(f failure) *tfprotov6.ValidateListResourceConfigResponse {
		return &tfprotov6.ValidateListResourceConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// ListResource passes the RPC on. Its context ends when the stream has been read.
func (s *server) ListResource(
	ctx context.Context, request *tfprotov6.ListResourceRequest,
) (*tfprotov6.ListResourceServerStream, error) {
	inner, ok := s.inner.(tfprotov6.ListResourceServer)
	if !ok {
		return nil, unimplemented("ListResource")
	}
	invoke := func(ctx context.Context, request *tfprotov6.ListResourceRequest) (iter.Seq[tfprotov6.ListResourceResult], error) {
		stream, err := inner.ListResource(ctx, request)
		if stream == nil {
			return nil, err
		}
		return stream.Results, err
	}
	elements, err := callStream(ctx, s, "ListResource", request.TypeName, request, invoke, func(f failure) tfprotov6.ListResourceResult {
		return tfprotov6.ListResourceResult{Diagnostics: f.diagnostics()}
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ListResourceServerStream{Results: elements}, nil
}
