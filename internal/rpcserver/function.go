package rpcserver

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// CallFunction passes the RPC on.
func (s *server) CallFunction(
	ctx context.Context, request *tfprotov6.CallFunctionRequest,
) (*tfprotov6.CallFunctionResponse, error) {
	return call(ctx, s, "CallFunction", request.Name, request, s.inner.CallFunction, func(f failure) *tfprotov6.CallFunctionResponse {
		return &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: f.summary() + "\n\n" + f.detail()}}
	})
}

// GetFunctions passes the RPC on.
func (s *server) GetFunctions(
	ctx context.Context, request *tfprotov6.GetFunctionsRequest,
) (*tfprotov6.GetFunctionsResponse, error) {
	return call(ctx, s, "GetFunctions", "", request, s.inner.GetFunctions, func(f failure) *tfprotov6.GetFunctionsResponse {
		return &tfprotov6.GetFunctionsResponse{Diagnostics: f.diagnostics()}
	})
}
