package rpcserver

import (
	"context"
	"errors"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// errEcho is what an echo with fail set returns beside its response.
var errEcho = errors.New("echo was asked to fail")

// echo is a protocol server that keeps the request and the response of its last
// RPC, so that a test can see that both passed through untouched.
type echo struct {
	fail     bool
	rpc      string
	request  any
	response any
	ctx      context.Context
}

func answer[Request, Response any](
	ctx context.Context, e *echo, rpc string, request *Request, response *Response,
) (*Response, error) {
	e.ctx, e.rpc, e.request, e.response = ctx, rpc, request, response
	if e.fail {
		return response, errEcho
	}
	return response, nil
}

func (e *echo) GetMetadata(ctx context.Context, r *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return answer(ctx, e, "GetMetadata", r, &tfprotov6.GetMetadataResponse{})
}

func (e *echo) GetProviderSchema(ctx context.Context, r *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return answer(ctx, e, "GetProviderSchema", r, &tfprotov6.GetProviderSchemaResponse{})
}

func (e *echo) GetResourceIdentitySchemas(ctx context.Context, r *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return answer(ctx, e, "GetResourceIdentitySchemas", r, &tfprotov6.GetResourceIdentitySchemasResponse{})
}

func (e *echo) ValidateProviderConfig(ctx context.Context, r *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return answer(ctx, e, "ValidateProviderConfig", r, &tfprotov6.ValidateProviderConfigResponse{})
}

func (e *echo) ConfigureProvider(ctx context.Context, r *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return answer(ctx, e, "ConfigureProvider", r, &tfprotov6.ConfigureProviderResponse{})
}

func (e *echo) StopProvider(ctx context.Context, r *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return answer(ctx, e, "StopProvider", r, &tfprotov6.StopProviderResponse{})
}

func (e *echo) ValidateResourceConfig(ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return answer(ctx, e, "ValidateResourceConfig", r, &tfprotov6.ValidateResourceConfigResponse{})
}

func (e *echo) UpgradeResourceState(ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(ctx, e, "UpgradeResourceState", r, &tfprotov6.UpgradeResourceStateResponse{})
}

func (e *echo) UpgradeResourceIdentity(ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return answer(ctx, e, "UpgradeResourceIdentity", r, &tfprotov6.UpgradeResourceIdentityResponse{})
}

func (e *echo) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return answer(ctx, e, "ReadResource", r, &tfprotov6.ReadResourceResponse{})
}

func (e *echo) PlanResourceChange(ctx context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return answer(ctx, e, "PlanResourceChange", r, &tfprotov6.PlanResourceChangeResponse{})
}

func (e *echo) ApplyResourceChange(ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return answer(ctx, e, "ApplyResourceChange", r, &tfprotov6.ApplyResourceChangeResponse{})
}

func (e *echo) ImportResourceState(ctx context.Context, r *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return answer(ctx, e, "ImportResourceState", r, &tfprotov6.ImportResourceStateResponse{})
}

func (e *echo) MoveResourceState(ctx context.Context, r *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return answer(ctx, e, "MoveResourceState", r, &tfprotov6.MoveResourceStateResponse{})
}

func (e *echo) GenerateResourceConfig(ctx context.Context, r *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return answer(ctx, e, "GenerateResourceConfig", r, &tfprotov6.GenerateResourceConfigResponse{})
}

func (e *echo) ValidateDataResourceConfig(ctx context.Context, r *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return answer(ctx, e, "ValidateDataResourceConfig", r, &tfprotov6.ValidateDataResourceConfigResponse{})
}

func (e *echo) ReadDataSource(ctx context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return answer(ctx, e, "ReadDataSource", r, &tfprotov6.ReadDataSourceResponse{})
}

func (e *echo) CallFunction(ctx context.Context, r *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return answer(ctx, e, "CallFunction", r, &tfprotov6.CallFunctionResponse{})
}

func (e *echo) GetFunctions(ctx context.Context, r *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return answer(ctx, e, "GetFunctions", r, &tfprotov6.GetFunctionsResponse{})
}

func (e *echo) ValidateEphemeralResourceConfig(ctx context.Context, r *tfprotov6.ValidateEphemeralResourceConfigRequest) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return answer(ctx, e, "ValidateEphemeralResourceConfig", r, &tfprotov6.ValidateEphemeralResourceConfigResponse{})
}

func (e *echo) OpenEphemeralResource(ctx context.Context, r *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return answer(ctx, e, "OpenEphemeralResource", r, &tfprotov6.OpenEphemeralResourceResponse{})
}

func (e *echo) RenewEphemeralResource(ctx context.Context, r *tfprotov6.RenewEphemeralResourceRequest) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return answer(ctx, e, "RenewEphemeralResource", r, &tfprotov6.RenewEphemeralResourceResponse{})
}

func (e *echo) CloseEphemeralResource(ctx context.Context, r *tfprotov6.CloseEphemeralResourceRequest) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return answer(ctx, e, "CloseEphemeralResource", r, &tfprotov6.CloseEphemeralResourceResponse{})
}

func (e *echo) ValidateListResourceConfig(ctx context.Context, r *tfprotov6.ValidateListResourceConfigRequest) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return answer(ctx, e, "ValidateListResourceConfig", r, &tfprotov6.ValidateListResourceConfigResponse{})
}

func (e *echo) ListResource(ctx context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	return answer(ctx, e, "ListResource", r, &tfprotov6.ListResourceServerStream{Results: slices.Values(echoResults())})
}

func (e *echo) ValidateActionConfig(ctx context.Context, r *tfprotov6.ValidateActionConfigRequest) (*tfprotov6.ValidateActionConfigResponse, error) {
	return answer(ctx, e, "ValidateActionConfig", r, &tfprotov6.ValidateActionConfigResponse{})
}

func (e *echo) PlanAction(ctx context.Context, r *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return answer(ctx, e, "PlanAction", r, &tfprotov6.PlanActionResponse{})
}

func (e *echo) InvokeAction(ctx context.Context, r *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	return answer(ctx, e, "InvokeAction", r, &tfprotov6.InvokeActionServerStream{Events: slices.Values(echoEvents())})
}

func (e *echo) ValidateStateStoreConfig(ctx context.Context, r *tfprotov6.ValidateStateStoreConfigRequest) (*tfprotov6.ValidateStateStoreConfigResponse, error) {
	return answer(ctx, e, "ValidateStateStoreConfig", r, &tfprotov6.ValidateStateStoreConfigResponse{})
}

func (e *echo) ConfigureStateStore(ctx context.Context, r *tfprotov6.ConfigureStateStoreRequest) (*tfprotov6.ConfigureStateStoreResponse, error) {
	return answer(ctx, e, "ConfigureStateStore", r, &tfprotov6.ConfigureStateStoreResponse{})
}

func (e *echo) ReadStateBytes(ctx context.Context, r *tfprotov6.ReadStateBytesRequest) (*tfprotov6.ReadStateBytesStream, error) {
	return answer(ctx, e, "ReadStateBytes", r, &tfprotov6.ReadStateBytesStream{Chunks: slices.Values(echoChunks())})
}

func (e *echo) WriteStateBytes(ctx context.Context, r *tfprotov6.WriteStateBytesStream) (*tfprotov6.WriteStateBytesResponse, error) {
	return answer(ctx, e, "WriteStateBytes", r, &tfprotov6.WriteStateBytesResponse{})
}

func (e *echo) GetStates(ctx context.Context, r *tfprotov6.GetStatesRequest) (*tfprotov6.GetStatesResponse, error) {
	return answer(ctx, e, "GetStates", r, &tfprotov6.GetStatesResponse{})
}

func (e *echo) DeleteState(ctx context.Context, r *tfprotov6.DeleteStateRequest) (*tfprotov6.DeleteStateResponse, error) {
	return answer(ctx, e, "DeleteState", r, &tfprotov6.DeleteStateResponse{})
}

func (e *echo) LockState(ctx context.Context, r *tfprotov6.LockStateRequest) (*tfprotov6.LockStateResponse, error) {
	return answer(ctx, e, "LockState", r, &tfprotov6.LockStateResponse{})
}

func (e *echo) UnlockState(ctx context.Context, r *tfprotov6.UnlockStateRequest) (*tfprotov6.UnlockStateResponse, error) {
	return answer(ctx, e, "UnlockState", r, &tfprotov6.UnlockStateResponse{})
}

func echoResults() []tfprotov6.ListResourceResult {
	return []tfprotov6.ListResourceResult{{DisplayName: "first"}, {DisplayName: "second"}}
}

func echoEvents() []tfprotov6.InvokeActionEvent {
	return []tfprotov6.InvokeActionEvent{
		{Type: tfprotov6.ProgressInvokeActionEventType{Message: "half way"}},
		{Type: tfprotov6.CompletedInvokeActionEventType{}},
	}
}

func echoChunks() []tfprotov6.ReadStateByteChunk {
	return []tfprotov6.ReadStateByteChunk{
		{StateByteChunk: tfprotov6.StateByteChunk{Bytes: []byte("one")}},
		{StateByteChunk: tfprotov6.StateByteChunk{Bytes: []byte("two")}},
	}
}
