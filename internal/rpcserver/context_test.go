package rpcserver

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

type contextKey struct{}

func TestAnRPCContextForwardsUntilItEnds(t *testing.T) {
	t.Parallel()
	deadline := time.Now().Add(time.Hour)
	parent, cancel := context.WithDeadline(context.WithValue(t.Context(), contextKey{}, "value"), deadline)
	defer cancel()

	ctx, end := newRPCContext(parent)
	if got, ok := ctx.Deadline(); !ok || !got.Equal(deadline) {
		t.Errorf("the deadline is %v %v, want %v", got, ok, deadline)
	}
	if got := ctx.Value(contextKey{}); got != "value" {
		t.Errorf("the value is %v", got)
	}
	if err := ctx.Err(); err != nil {
		t.Errorf("a live context has the error %v", err)
	}
	child, cancelChild := context.WithCancel(ctx)
	defer cancelChild()

	end()
	end()

	<-ctx.Done()
	<-child.Done()
	if !errors.Is(ctx.Err(), context.Canceled) || !errors.Is(child.Err(), context.Canceled) {
		t.Errorf("after the end the errors are %v and %v", ctx.Err(), child.Err())
	}
	if got, ok := ctx.Deadline(); !ok || !got.Equal(deadline) {
		t.Errorf("the deadline changed to %v %v", got, ok)
	}
	if got := child.Value(contextKey{}); got != nil {
		t.Errorf("the value %v outlives the RPC", got)
	}
	if !errors.Is(context.Cause(child), context.Canceled) {
		t.Errorf("the cause is %v", context.Cause(child))
	}
	if ctx.state.Load().parent != nil {
		t.Error("the ended context still holds its parent")
	}
}

func TestAnRPCContextKeepsTheReasonOfItsParent(t *testing.T) {
	t.Parallel()
	parent, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	ctx, end := newRPCContext(parent)
	end()
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		t.Errorf("the error is %v, want %v", ctx.Err(), context.DeadlineExceeded)
	}
}

func TestAnRPCContextMayBeUsedWhileItEnds(t *testing.T) {
	t.Parallel()
	for range 200 {
		ctx, end := newRPCContext(context.WithValue(t.Context(), contextKey{}, "value"))
		var users sync.WaitGroup
		for range 4 {
			users.Go(func() {
				child, cancel := context.WithCancel(ctx)
				defer cancel()
				for child.Err() == nil {
					_ = ctx.Value(contextKey{})
					_, _ = ctx.Deadline()
				}
				<-ctx.Done()
				if ctx.Err() == nil {
					t.Error("Done is closed and Err is nil")
				}
			})
		}
		users.Go(end)
		users.Go(end)
		users.Wait()
	}
}

func TestStopProviderCancelsRPCsInFlight(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	inner := providerserver.NewProtocol6(&tinyProvider{entered: func() { close(entered) }})
	wrapped := Wrap(inner)()

	type outcome struct {
		response *tfprotov6.ApplyResourceChangeResponse
		err      error
	}
	finished := make(chan outcome, 1)
	go func() {
		response, err := wrapped.ApplyResourceChange(t.Context(), applyRequest(t, nothing, "wait"))
		finished <- outcome{response, err}
	}()
	<-entered
	if _, err := wrapped.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	got := <-finished
	if got.err != nil {
		t.Fatal(got.err)
	}
	if len(got.response.Diagnostics) != 1 || got.response.Diagnostics[0].Summary != waitCanceled {
		t.Errorf("the diagnostics are %v, want %q", got.response.Diagnostics, waitCanceled)
	}
}

func TestTheContextOfAStreamLivesUntilItIsRead(t *testing.T) {
	t.Parallel()
	inner, running := &echo{}, &activity{}
	wrapped := wrap(func() tfprotov6.ProviderServer { return inner }, running)().(*server)

	response, err := wrapped.InvokeAction(t.Context(), &tfprotov6.InvokeActionRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for range response.Events {
		if inner.ctx.Err() != nil {
			t.Fatal("the context ended while the stream was read")
		}
		if running.idle() {
			t.Fatal("an RPC whose stream is being read does not count as running")
		}
	}
	if inner.ctx.Err() == nil || !running.idle() {
		t.Error("the context outlives its stream")
	}
}

func TestTheContextOfAStreamThatIsNeverReadEndsWithTheTransport(t *testing.T) {
	t.Parallel()
	inner := &echo{}
	wrapped := Wrap(func() tfprotov6.ProviderServer { return inner })().(*server)
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := wrapped.ListResource(ctx, &tfprotov6.ListResourceRequest{}); err != nil {
		t.Fatal(err)
	}
	cancel()
	<-inner.ctx.Done()
}
