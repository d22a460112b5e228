package rpcserver

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-log/tflog"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// call runs one RPC of the inner server under a context that ends with it. A
// panic is answered with what onPanic makes of it.
func call[Request, Response any](
	ctx context.Context,
	s *server,
	rpc, typeName string,
	request *Request,
	invoke func(context.Context, *Request) (*Response, error),
	onPanic func(failure) *Response,
) (response *Response, err error) {
	rpcCtx, end := s.begin(ctx)
	defer end()
	defer func() {
		if recovered := recover(); recovered != nil {
			response, err = onPanic(recoveredFailure(rpc, typeName, recovered)), nil
		}
	}()

	response, err = invoke(rpcCtx, request)
	if response == nil && err == nil {
		return nil, errNoResponse
	}
	return response, err
}

// callStream is call for an RPC that answers with a sequence. Its context ends
// when the sequence has been read, or when the transport cancels ctx, if the
// sequence never is. A panic, also one while the sequence is read, becomes the
// last element.
func callStream[Request, Element any](
	ctx context.Context,
	s *server,
	rpc, typeName string,
	request *Request,
	invoke func(context.Context, *Request) (iter.Seq[Element], error),
	onPanic func(failure) Element,
) (elements iter.Seq[Element], err error) {
	rpcCtx, end := s.begin(ctx)
	stop := context.AfterFunc(ctx, end)
	finish := func() {
		stop()
		end()
	}
	defer func() {
		if recovered := recover(); recovered != nil {
			last := onPanic(recoveredFailure(rpc, typeName, recovered))
			finish()
			elements, err = func(yield func(Element) bool) { yield(last) }, nil
		}
	}()

	inner, err := invoke(rpcCtx, request)
	if err != nil || inner == nil {
		finish()
		if err == nil {
			err = errNoResponse
		}
		return nil, err
	}
	return func(yield func(Element) bool) {
		defer finish()
		forward(ctx, rpc, typeName, inner, yield, onPanic)
	}, nil
}

// forward yields what inner yields. Only a panic of inner is recovered: one of
// the reader passes through, as the language demands of a sequence.
func forward[Element any](
	ctx context.Context,
	rpc, typeName string,
	inner iter.Seq[Element],
	yield func(Element) bool,
	onPanic func(failure) Element,
) {
	reading, stopped := false, false
	defer func() {
		if reading {
			return
		}
		recovered := recover()
		if recovered == nil {
			return
		}
		f := recoveredFailure(rpc, typeName, recovered)
		if stopped {
			// Nobody reads on, so the log is the only place left to say it.
			tflog.Error(ctx, f.summary(), map[string]any{"detail": f.detail()})
			return
		}
		yield(onPanic(f))
	}()
	inner(func(element Element) bool {
		reading = true
		more := yield(element)
		reading = false
		stopped = !more
		return more
	})
}

// unimplemented is what the transport itself answers for an RPC that the provider
// server does not have.
func unimplemented(rpc string) error {
	return status.Errorf(codes.Unimplemented, "the provider does not implement %s", rpc)
}
