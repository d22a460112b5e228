package rpcserver

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateStateStoreConfig passes the RPC on.
func (s *server) ValidateStateStoreConfig(
	ctx context.Context, request *tfprotov6.ValidateStateStoreConfigRequest,
) (*tfprotov6.ValidateStateStoreConfigResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("ValidateStateStoreConfig")
	}
	return call(ctx, s, "ValidateStateStoreConfig", request.TypeName, request, inner.ValidateStateStoreConfig, func(f failure) *tfprotov6.ValidateStateStoreConfigResponse {
		return &tfprotov6.ValidateStateStoreConfigResponse{Diagnostics: f.diagnostics()}
	})
}

// ConfigureStateStore passes the RPC on.
func (s *server) ConfigureStateStore(
	ctx context.Context, request *tfprotov6.ConfigureStateStoreRequest,
) (*tfprotov6.ConfigureStateStoreResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("ConfigureStateStore")
	}
	return call(ctx, s, "ConfigureStateStore", request.TypeName, request, inner.ConfigureStateStore, func(f failure) *tfprotov6.ConfigureStateStoreResponse {
		return &tfprotov6.ConfigureStateStoreResponse{Diagnostics: f.diagnostics()}
	})
}

// ReadStateBytes passes the RPC on. Its context ends when the stream has been read.
func (s *server) ReadStateBytes(
	ctx context.Context, request *tfprotov6.ReadStateBytesRequest,
) (*tfprotov6.ReadStateBytesStream, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("ReadStateBytes")
	}
	invoke := func(ctx context.Context, request *tfprotov6.ReadStateBytesRequest) (iter.Seq[tfprotov6.ReadStateByteChunk], error) {
		stream, err := inner.ReadStateBytes(ctx, request)
		if stream == nil {
			return nil, err
		}
		return stream.Chunks, err
	}
	elements, err := callStream(ctx, s, "ReadStateBytes", request.TypeName, request, invoke, func(f failure) tfprotov6.ReadStateByteChunk {
		return tfprotov6.ReadStateByteChunk{Diagnostics: f.diagnostics()}
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ReadStateBytesStream{Chunks: elements}, nil
}

// WriteStateBytes passes the RPC on.
func (s *server) WriteStateBytes(
	ctx context.Context, request *tfprotov6.WriteStateBytesStream,
) (*tfprotov6.WriteStateBytesResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("WriteStateBytes")
	}
	return call(ctx, s, "WriteStateBytes", "", request, inner.WriteStateBytes, func(f failure) *tfprotov6.WriteStateBytesResponse {
		return &tfprotov6.WriteStateBytesResponse{Diagnostics: f.diagnostics()}
	})
}

// GetStates passes the RPC on.
func (s *server) GetStates(
	ctx context.Context, request *tfprotov6.GetStatesRequest,
) (*tfprotov6.GetStatesResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("GetStates")
	}
	return call(ctx, s, "GetStates", request.TypeName, request, inner.GetStates, func(f failure) *tfprotov6.GetStatesResponse {
		return &tfprotov6.GetStatesResponse{Diagnostics: f.diagnostics()}
	})
}

// DeleteState passes the RPC on.
func (s *server) DeleteState(
	ctx context.Context, request *tfprotov6.DeleteStateRequest,
) (*tfprotov6.DeleteStateResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("DeleteState")
	}
	return call(ctx, s, "DeleteState", request.TypeName, request, inner.DeleteState, func(f failure) *tfprotov6.DeleteStateResponse {
		return &tfprotov6.DeleteStateResponse{Diagnostics: f.diagnostics()}
	})
}

// LockState passes the RPC on.
func (s *server) LockState(
	ctx context.Context, request *tfprotov6.LockStateRequest,
) (*tfprotov6.LockStateResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("LockState")
	}
	return call(ctx, s, "LockState", request.TypeName, request, inner.LockState, func(f failure) *tfprotov6.LockStateResponse {
		return &tfprotov6.LockStateResponse{Diagnostics: f.diagnostics()}
	})
}

// UnlockState passes the RPC on.
func (s *server) UnlockState(
	ctx context.Context, request *tfprotov6.UnlockStateRequest,
) (*tfprotov6.UnlockStateResponse, error) {
	inner, ok := s.inner.(tfprotov6.StateStoreServer)
	if !ok {
		return nil, unimplemented("UnlockState")
	}
	return call(ctx, s, "UnlockState", request.TypeName, request, inner.UnlockState, func(f failure) *tfprotov6.UnlockStateResponse {
		return &tfprotov6.UnlockStateResponse{Diagnostics: f.diagnostics()}
	})
}
