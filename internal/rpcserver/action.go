package rpcserver

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateActionConfig passes the RPC on.
func (s *server) ValidateActionConfig(
	ctx context.Context, request *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	inner, ok := s.inner.(tfprotov6.ActionServer)
	if !ok {
		return nil, unimplemented("ValidateActionConfig")
	}
	return call(ctx, s, "ValidateActionConfig", request.ActionType, request, inner.ValidateActionConfig, func(f failure) *tfprotov6.ValidateActionConfigResponse {
		return &tfprotov6.ValidateActionConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// PlanAction passes the RPC on.
func (s *server) PlanAction(
	ctx context.Context, request *tfprotov6.PlanActionRequest,
) (*tfprotov6.PlanActionResponse, error) {
	inner, ok := s.inner.(tfprotov6.ActionServer)
	if !ok {
		return nil, unimplemented("PlanAction")
	}
	return call(ctx, s, "PlanAction", request.ActionType, request, inner.PlanAction, func(f failure) *tfprotov6.PlanActionResponse {
		return &tfprotov6.PlanActionResponse{Diagnostics: f.diagnostics()}
	})
}

// InvokeAction passes the RPC on. Its context ends when the stream has been read.
func (s *server) InvokeAction(
	ctx context.Context, request *tfprotov6.InvokeActionRequest,
) (*tfprotov6.InvokeActionServerStream, error) {
	inner, ok := s.inner.(tfprotov6.ActionServer)
	if !ok {
		return nil, unimplemented("InvokeAction")
	}
	invoke := func(ctx context.Context, request *tfprotov6.InvokeActionRequest) (iter.Seq[tfprotov6.InvokeActionEvent], error) {
		stream, err := inner.InvokeAction(ctx, request)
		if stream == nil {
			return nil, err
		}
		return stream.Events, err
	}
	elements, err := callStream(ctx, s, "InvokeAction", request.ActionType, request, invoke, func(f failure) tfprotov6.InvokeActionEvent {
		return tfprotov6.InvokeActionEvent{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: f.diagnostics()}}
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: elements}, nil
}
