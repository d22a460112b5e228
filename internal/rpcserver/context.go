package rpcserver

import (
	"context"
	"sync/atomic"
	"time"
)

// rpcContext is the context that the inner server gets for one RPC. It forwards
// to the context of the transport until the RPC ends, and lets go of it then.
//
// The framework (1.19) keeps every context that it is given until StopProvider,
// and with it all that the transport hangs on one: the stream, the loggers, the
// request. What it keeps of an rpcContext is a few words.
type rpcContext struct {
	done        <-chan struct{}
	deadline    time.Time
	hasDeadline bool
	state       atomic.Pointer[contextState]
}

// contextState is either live (parent is set) or released (err is set).
type contextState struct {
	parent context.Context
	err    error
}

// newRPCContext returns a context for one RPC and the function that ends it:
// that cancels the context, as the transport does when a handler returns, and
// drops every reference to parent. It may be called more than once and from any
// goroutine.
func newRPCContext(parent context.Context) (*rpcContext, func()) {
	live, cancel := context.WithCancel(parent)
	c := &rpcContext{done: live.Done()}
	c.deadline, c.hasDeadline = live.Deadline()
	c.state.Store(&contextState{parent: live})

	return c, func() {
		cancel()
		state := c.state.Load()
		if state.parent == nil {
			return
		}
		c.state.Store(&contextState{err: state.parent.Err()})
	}
}

// Deadline returns the deadline that the RPC came with, also after its end.
func (c *rpcContext) Deadline() (time.Time, bool) { return c.deadline, c.hasDeadline }

// Done returns a channel that is closed when the RPC is canceled or has ended.
func (c *rpcContext) Done() <-chan struct{} { return c.done }

// Err returns why Done is closed, or nil as long as it is not.
func (c *rpcContext) Err() error {
	state := c.state.Load()
	if state.parent != nil {
		return state.parent.Err()
	}
	return state.err
}

// Value returns the transport's value for key, and nil once the RPC has ended.
func (c *rpcContext) Value(key any) any {
	if state := c.state.Load(); state.parent != nil {
		return state.parent.Value(key)
	}
	return nil
}
