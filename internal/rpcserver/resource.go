package rpcserver

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateResourceConfig passes the RPC on.
func (s *server) ValidateResourceConfig(
	ctx context.Context, request *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return call(ctx, s, "ValidateResourceConfig", request.TypeName, request, s.inner.ValidateResourceConfig, func(f failure) *tfprotov6.ValidateResourceConfigResponse {
		return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// UpgradeResourceState passes the RPC on.
func (s *server) UpgradeResourceState(
	ctx context.Context, request *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return call(ctx, s, "UpgradeResourceState", request.TypeName, request, s.inner.UpgradeResourceState, func(f failure) *tfprotov6.UpgradeResourceStateResponse {
		return &tfprotov6.UpgradeResourceStateResponse{Diagnostics: f.diagnostics()}
	})
}

// UpgradeResourceIdentity passes the RPC on.
func (s *server) UpgradeResourceIdentity(
	ctx context.Context, request *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return call(ctx, s, "UpgradeResourceIdentity", request.TypeName, request, s.inner.UpgradeResourceIdentity, func(f failure) *tfprotov6.UpgradeResourceIdentityResponse {
		return &tfprotov6.UpgradeResourceIdentityResponse{Diagnostics: f.diagnostics()}
	})
}

// ReadResource passes the RPC on. After a panic the object is reported as it was.
func (s *server) ReadResource(
	ctx context.Context, request *tfprotov6.ReadResourceRequest,
) (*tfprotov6.ReadResourceResponse, error) {
	return call(ctx, s, "ReadResource", request.TypeName, request, s.inner.ReadResource, func(f failure) *tfprotov6.ReadResourceResponse {
		return &tfprotov6.ReadResourceResponse{
			NewState:    request.CurrentState,
			Private:     request.Private,
			NewIdentity: request.CurrentIdentity,
			Diagnostics: f.diagnostics(),
		}
	})
}

// PlanResourceChange passes the RPC on.
func (s *server) PlanResourceChange(
	ctx context.Context, request *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return call(ctx, s, "PlanResourceChange", request.TypeName, request, s.inner.PlanResourceChange, func(f failure) *tfprotov6.PlanResourceChangeResponse {
		return &tfprotov6.PlanResourceChangeResponse{Diagnostics: f.diagnostics()}
	})
}

// ApplyResourceChange passes the RPC on.
func (s *server) ApplyResourceChange(
	ctx context.Context, request *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return call(ctx, s, "ApplyResourceChange", request.TypeName, request, s.inner.ApplyResourceChange, func(f failure) *tfprotov6.ApplyResourceChangeResponse {
		return applyFailed(request, f)
	})
}

// applyFailed answers an ApplyResourceChange that panicked with the prior state.
//
// A create has none: nothing is saved and nothing is tainted, so the next apply
// creates again, and it is Create's part to find what this one may have begun.
// An update and a delete keep the object as it was recorded, with the planned
// private state, which is what the framework answers for an error before the
// first change; the next refresh finds out how far the operation came.
func applyFailed(request *tfprotov6.ApplyResourceChangeRequest, f failure) *tfprotov6.ApplyResourceChangeResponse {
	response := &tfprotov6.ApplyResourceChangeResponse{
		NewState:    request.PriorState,
		Diagnostics: f.diagnostics(),
	}
	if request.PriorState == nil {
		return response
	}
	// A prior state that cannot be read is treated as an object: keeping too
	// much is repaired by a refresh, keeping too little is not.
	if isNull, err := request.PriorState.IsNull(); err == nil && isNull {
		return response
	}
	response.Private = request.PlannedPrivate
	response.NewIdentity = request.PlannedIdentity
	return response
}

// ImportResourceState passes the RPC on.
func (s *server) ImportResourceState(
	ctx context.Context, request *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, s, "ImportResourceState", request.TypeName, request, s.inner.ImportResourceState, func(f failure) *tfprotov6.ImportResourceStateResponse {
		return &tfprotov6.ImportResourceStateResponse{Diagnostics: f.diagnostics()}
	})
}

// MoveResourceState passes the RPC on.
func (s *server) MoveResourceState(
	ctx context.Context, request *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	return call(ctx, s, "MoveResourceState", request.TargetTypeName, request, s.inner.MoveResourceState, func(f failure) *tfprotov6.MoveResourceStateResponse {
		return &tfprotov6.MoveResourceStateResponse{Diagnostics: f.diagnostics()}
	})
}

// GenerateResourceConfig passes the RPC on.
func (s *server) GenerateResourceConfig(
	ctx context.Context, request *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return call(ctx, s, "GenerateResourceConfig", request.TypeName, request, s.inner.GenerateResourceConfig, func(f failure) *tfprotov6.GenerateResourceConfigResponse {
		return &tfprotov6.GenerateResourceConfigResponse{Diagnostics: f.diagnostics()}
	})
}
