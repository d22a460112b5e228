package rpcserver

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Wrap returns a factory of provider servers that pass every RPC on to a server
// made by inner, recover its panics into error diagnostics, and end the context
// of each RPC with the RPC. Values of a context are gone after that: work that
// outlives its RPC needs a context of its own.
//
// A wrapped server has the RPCs of list resources, actions and state stores too;
// if inner's has not, they answer with the gRPC code Unimplemented.
func Wrap(inner func() tfprotov6.ProviderServer) func() tfprotov6.ProviderServer {
	return wrap(inner, &activity{})
}

// WrapWithError is Wrap in the shape that the provider factories of
// terraform-plugin-testing have. An error of inner is returned as it is.
func WrapWithError(
	inner func() (tfprotov6.ProviderServer, error),
) func() (tfprotov6.ProviderServer, error) {
	return func() (tfprotov6.ProviderServer, error) {
		made, err := inner()
		if err != nil {
			return nil, err
		}
		return &server{inner: made, activity: &activity{}}, nil
	}
}

func wrap(inner func() tfprotov6.ProviderServer, activity *activity) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer {
		return &server{inner: inner(), activity: activity}
	}
}

// activity counts the RPCs in flight.
type activity struct {
	running atomic.Int64
}

// idle reports whether no RPC is in flight.
func (a *activity) idle() bool { return a.running.Load() == 0 }

// server is the wrapped provider server. Its RPCs are in the files named after
// what they serve.
type server struct {
	inner    tfprotov6.ProviderServer
	activity *activity
}

var (
	_ tfprotov6.ProviderServer     = (*server)(nil)
	_ tfprotov6.ListResourceServer = (*server)(nil)
	_ tfprotov6.ActionServer       = (*server)(nil)
	_ tfprotov6.StateStoreServer   = (*server)(nil)
)

// begin counts an RPC and returns its context and the function that ends both,
// which may be called more than once and from any goroutine.
func (s *server) begin(ctx context.Context) (context.Context, func()) {
	s.activity.running.Add(1)
	rpcCtx, release := newRPCContext(ctx)
	return rpcCtx, sync.OnceFunc(func() {
		release()
		s.activity.running.Add(-1)
	})
}
