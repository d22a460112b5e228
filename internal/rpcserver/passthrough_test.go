package rpcserver

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// rpcCount is the number of RPCs of plugin protocol 6.11.
const rpcCount = 36

// rpcs calls visit for every RPC of wrapped, found by its signature.
func rpcs(t *testing.T, wrapped any, visit func(t *testing.T, name string, invoke func(request reflect.Value) (any, error))) {
	t.Helper()
	value := reflect.ValueOf(wrapped)
	if value.NumMethod() != rpcCount {
		t.Fatalf("the server has %d RPCs, want %d", value.NumMethod(), rpcCount)
	}
	for i := range value.NumMethod() {
		name, method := value.Type().Method(i).Name, value.Method(i)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visit(t, name, func(request reflect.Value) (any, error) {
				out := method.Call([]reflect.Value{reflect.ValueOf(t.Context()), request})
				err, _ := out[1].Interface().(error)
				if out[0].IsNil() {
					return nil, err
				}
				return out[0].Interface(), err
			})
		})
	}
}

func newRequest(name string) reflect.Value {
	method, _ := reflect.TypeFor[*server]().MethodByName(name)
	return reflect.New(method.Type.In(2).Elem())
}

func TestWrapLosesNoCapabilityOfTheFramework(t *testing.T) {
	t.Parallel()
	framework := providerserver.NewProtocol6(&tinyProvider{})()
	wrapped := Wrap(func() tfprotov6.ProviderServer { return framework })()

	for _, capability := range []reflect.Type{
		reflect.TypeFor[tfprotov6.ProviderServer](),
		reflect.TypeFor[tfprotov6.ResourceServer](),
		reflect.TypeFor[tfprotov6.DataSourceServer](),
		reflect.TypeFor[tfprotov6.FunctionServer](),
		reflect.TypeFor[tfprotov6.EphemeralResourceServer](),
		reflect.TypeFor[tfprotov6.ListResourceServer](),
		reflect.TypeFor[tfprotov6.ActionServer](),
		reflect.TypeFor[tfprotov6.StateStoreServer](),
		reflect.TypeFor[tfprotov6.ProviderServerWithListResource](), //nolint:staticcheck // what the transport asserts
		reflect.TypeFor[tfprotov6.ProviderServerWithActions](),      //nolint:staticcheck // what the transport asserts
		reflect.TypeFor[tfprotov6.ProviderServerWithStateStores](),  //nolint:staticcheck // what the transport asserts
	} {
		if reflect.TypeOf(framework).Implements(capability) && !reflect.TypeOf(wrapped).Implements(capability) {
			t.Errorf("the framework's server is a %s, the wrapped one is not", capability)
		}
	}

	// Whatever a later framework adds is found by its methods, not by a name.
	for i := range reflect.TypeOf(framework).NumMethod() {
		method := reflect.TypeOf(framework).Method(i)
		ours, ok := reflect.TypeOf(wrapped).MethodByName(method.Name)
		if !ok {
			t.Errorf("the framework's server has the RPC %s, the wrapped one has not", method.Name)
			continue
		}
		got, want := reflect.ValueOf(wrapped).Method(ours.Index).Type(), reflect.ValueOf(framework).Method(i).Type()
		if got != want {
			t.Errorf("%s has the type %s, the framework's has %s", method.Name, got, want)
		}
	}
}

func TestEveryRPCPassesThroughUntouched(t *testing.T) {
	t.Parallel()
	rpcs(t, &server{}, func(t *testing.T, name string, _ func(reflect.Value) (any, error)) {
		inner := &echo{}
		wrapped := reflect.ValueOf(Wrap(func() tfprotov6.ProviderServer { return inner })())
		request := newRequest(name)
		out := wrapped.MethodByName(name).Call([]reflect.Value{reflect.ValueOf(t.Context()), request})
		if err, _ := out[1].Interface().(error); err != nil {
			t.Fatalf("unexpected error: %v", err)
		}
		if inner.rpc != name {
			t.Fatalf("inner served %q, want %q", inner.rpc, name)
		}
		if inner.request != request.Interface() {
			t.Errorf("inner got another request than was sent")
		}
		if !reflect.DeepEqual(elements(out[0].Interface()), elements(inner.response)) {
			t.Errorf("the response is %v, want %v", out[0].Interface(), inner.response)
		}
		if _, isStream := stream(out[0].Interface()); !isStream && out[0].Interface() != inner.response {
			t.Errorf("the response is not the one that inner returned")
		}
		if inner.ctx.Err() == nil {
			t.Errorf("the context of a finished RPC is still live")
		}
	})
}

func TestAnErrorOfInnerPassesThrough(t *testing.T) {
	t.Parallel()
	rpcs(t, &server{inner: &echo{}, activity: &activity{}}, func(t *testing.T, name string, _ func(reflect.Value) (any, error)) {
		running := &activity{}
		wrapped := reflect.ValueOf(wrap(func() tfprotov6.ProviderServer { return &echo{fail: true} }, running)())
		out := wrapped.MethodByName(name).Call([]reflect.Value{reflect.ValueOf(t.Context()), newRequest(name)})
		if err, _ := out[1].Interface().(error); !errors.Is(err, errEcho) {
			t.Errorf("the error is %v, want %v", err, errEcho)
		}
		if !running.idle() {
			t.Errorf("the failed RPC still counts as running")
		}
	})
}

// plainServer has none of the optional RPCs.
type plainServer struct{ tfprotov6.ProviderServer }

func TestAnOptionalRPCThatInnerLacksIsUnimplemented(t *testing.T) {
	t.Parallel()
	wrapped := Wrap(func() tfprotov6.ProviderServer { return plainServer{} })().(*server)
	for name, invoke := range map[string]func(context.Context) error{
		"ListResource": func(ctx context.Context) error {
			_, err := wrapped.ListResource(ctx, &tfprotov6.ListResourceRequest{})
			return err
		},
		"PlanAction": func(ctx context.Context) error {
			_, err := wrapped.PlanAction(ctx, &tfprotov6.PlanActionRequest{})
			return err
		},
		"ReadStateBytes": func(ctx context.Context) error {
			_, err := wrapped.ReadStateBytes(ctx, &tfprotov6.ReadStateBytesRequest{})
			return err
		},
	} {
		if got := status.Code(invoke(t.Context())); got != codes.Unimplemented {
			t.Errorf("%s answers with the code %s, want %s", name, got, codes.Unimplemented)
		}
	}
}

// silentServer answers GetFunctions with nothing at all.
type silentServer struct{ tfprotov6.ProviderServer }

func (silentServer) GetFunctions(context.Context, *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return nil, nil
}

func TestAnAnswerWithNeitherResponseNorErrorIsAnError(t *testing.T) {
	t.Parallel()
	wrapped := Wrap(func() tfprotov6.ProviderServer { return silentServer{} })()
	if _, err := wrapped.GetFunctions(t.Context(), &tfprotov6.GetFunctionsRequest{}); !errors.Is(err, errNoResponse) {
		t.Errorf("the error is %v, want %v", err, errNoResponse)
	}
}

func TestWrapWithErrorReturnsTheErrorOfTheFactory(t *testing.T) {
	t.Parallel()
	if _, err := WrapWithError(func() (tfprotov6.ProviderServer, error) { return nil, errEcho })(); !errors.Is(err, errEcho) {
		t.Errorf("the error is %v, want %v", err, errEcho)
	}
	made, err := WrapWithError(func() (tfprotov6.ProviderServer, error) { return &echo{}, nil })()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := made.GetMetadata(t.Context(), &tfprotov6.GetMetadataRequest{}); err != nil {
		t.Error(err)
	}
}

// stream returns the elements of a response that is a sequence.
func stream(response any) ([]any, bool) {
	switch response := response.(type) {
	case *tfprotov6.ListResourceServerStream:
		return collect(response.Results), true
	case *tfprotov6.InvokeActionServerStream:
		return collect(response.Events), true
	case *tfprotov6.ReadStateBytesStream:
		return collect(response.Chunks), true
	default:
		return nil, false
	}
}

// elements returns what a response holds: its sequence, or itself.
func elements(response any) any {
	if all, ok := stream(response); ok {
		return all
	}
	return response
}

func collect[Element any](sequence iter.Seq[Element]) []any {
	var all []any
	for element := range sequence {
		all = append(all, element)
	}
	return all
}
