package rpcserver

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// hollowServer has every RPC, and each of them dereferences nil.
type hollowServer struct {
	tfprotov6.ProviderServer
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer
}

// errorTexts returns the summaries and details of all errors in a response,
// whichever way its RPC tells them.
func errorTexts(t *testing.T, response any) (summary, detail string) {
	t.Helper()
	all, ok := stream(response)
	if !ok {
		all = []any{response}
	}
	last := reflect.Indirect(reflect.ValueOf(all[len(all)-1]))
	if event, ok := last.Interface().(tfprotov6.InvokeActionEvent); ok {
		last = reflect.ValueOf(event.Type)
	}
	switch response := last.Interface().(type) {
	case tfprotov6.StopProviderResponse:
		summary, detail, _ = strings.Cut(response.Error, "\n\n")
		return summary, detail
	case tfprotov6.CallFunctionResponse:
		summary, detail, _ = strings.Cut(response.Error.Text, "\n\n")
		return summary, detail
	}
	diagnostics := last.FieldByName("Diagnostics").Interface().([]*tfprotov6.Diagnostic)
	if len(diagnostics) != 1 || diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError {
		t.Fatalf("the diagnostics are %v, want one error", diagnostics)
	}
	return diagnostics[0].Summary, diagnostics[0].Detail
}

func TestAPanicOfAnyRPCBecomesAnError(t *testing.T) {
	t.Parallel()
	running := &activity{}
	wrapped := wrap(func() tfprotov6.ProviderServer { return hollowServer{} }, running)()
	rpcs(t, wrapped, func(t *testing.T, name string, invoke func(reflect.Value) (any, error)) {
		request := newRequest(name)
		for _, field := range []string{"TypeName", "TargetTypeName", "ActionType", "Name"} {
			if f := request.Elem().FieldByName(field); f.IsValid() {
				f.SetString("tiny_thing")
			}
		}
		response, err := invoke(request)
		if err != nil {
			t.Fatalf("the RPC failed as a whole: %v", err)
		}
		summary, detail := errorTexts(t, response)
		if !strings.Contains(summary, "panicked in "+name) {
			t.Errorf("the summary %q does not name the RPC", summary)
		}
		hasType := slices.ContainsFunc([]string{"TypeName", "TargetTypeName", "ActionType", "Name"}, func(field string) bool {
			return request.Elem().FieldByName(field).IsValid()
		})
		if hasType && !strings.HasSuffix(summary, " of tiny_thing") {
			t.Errorf("the summary %q does not name the type", summary)
		}
		if !strings.Contains(detail, "nil pointer dereference") {
			t.Errorf("the detail does not tell the runtime's error:\n%s", detail)
		}
	})
	t.Cleanup(func() {
		if !running.idle() {
			t.Error("a panicked RPC still counts as running")
		}
	})
}

func TestAPanicInApplyLosesNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prior, planned string
		keeps          bool
	}{
		"a create leaves nothing behind":       {prior: nothing, planned: "panic"},
		"an update keeps the object as it was": {prior: "fine", planned: "panic", keeps: true},
		"a delete keeps the object":            {prior: "panic", planned: nothing, keeps: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrapped := Wrap(providerserver.NewProtocol6(&tinyProvider{}))()
			request := applyRequest(t, test.prior, test.planned)
			request.PlannedIdentity = &tfprotov6.ResourceIdentityData{}
			// The framework reads no identity of a resource that has none.
			response, err := wrapped.ApplyResourceChange(t.Context(), withoutIdentity(request))
			if err != nil {
				t.Fatal(err)
			}
			summary, detail := errorTexts(t, response)
			if summary != "The provider panicked in ApplyResourceChange of tiny_thing" {
				t.Errorf("the summary is %q", summary)
			}
			if strings.Contains(detail, secret) || !strings.Contains(detail, "panic: string\n") {
				t.Errorf("the detail should tell the type of the panic value and not the value:\n%s", detail)
			}
			if !reflect.DeepEqual(response.NewState, request.PriorState) {
				t.Errorf("the new state is %v, want the prior state %v", response.NewState, request.PriorState)
			}
			if kept := bytes.Equal(response.Private, request.PlannedPrivate); kept != test.keeps {
				t.Errorf("private state kept: %v, want %v", kept, test.keeps)
			}

			answer := applyFailed(request, failure{})
			if kept := answer.NewIdentity == request.PlannedIdentity; kept != test.keeps {
				t.Errorf("identity kept: %v, want %v", kept, test.keeps)
			}
		})
	}
}

func withoutIdentity(request *tfprotov6.ApplyResourceChangeRequest) *tfprotov6.ApplyResourceChangeRequest {
	copied := *request
	copied.PlannedIdentity = nil
	return &copied
}

func TestAPanicInReadKeepsTheObject(t *testing.T) {
	t.Parallel()
	wrapped := Wrap(providerserver.NewProtocol6(&tinyProvider{}))()
	request := &tfprotov6.ReadResourceRequest{
		TypeName: "tiny_thing", CurrentState: thing(t, "panic"), Private: []byte(`{"record":"eyJhIjoxfQ=="}`),
	}
	response, err := wrapped.ReadResource(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	if response.NewState != request.CurrentState || !bytes.Equal(response.Private, request.Private) {
		t.Errorf("the object is %v %s, want it as it was", response.NewState, response.Private)
	}
	errorTexts(t, response)
}

func TestOtherOperationsGoOnBesideAPanic(t *testing.T) {
	t.Parallel()
	entered := make(chan struct{})
	wrapped := Wrap(providerserver.NewProtocol6(&tinyProvider{entered: func() { close(entered) }}))()
	finished := make(chan *tfprotov6.ApplyResourceChangeResponse, 1)
	go func() {
		response, err := wrapped.ApplyResourceChange(t.Context(), applyRequest(t, nothing, "wait"))
		if err != nil {
			t.Error(err)
		}
		finished <- response
	}()
	<-entered
	if _, err := wrapped.ApplyResourceChange(t.Context(), applyRequest(t, nothing, "panic")); err != nil {
		t.Fatal(err)
	}
	select {
	case <-finished:
		t.Fatal("the panic ended another operation")
	default:
	}
	response, err := wrapped.ApplyResourceChange(t.Context(), applyRequest(t, nothing, "fine"))
	if err != nil || len(response.Diagnostics) != 0 {
		t.Fatalf("after a panic a create answers %v, %v", response, err)
	}
	if _, err := wrapped.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
		t.Fatal(err)
	}
	<-finished
}

func TestThePanicStackNamesTheFaultAndNoValues(t *testing.T) {
	t.Parallel()
	wrapped := Wrap(providerserver.NewProtocol6(&tinyProvider{}))()
	for _, value := range []string{"panic", "index"} {
		response, err := wrapped.ApplyResourceChange(t.Context(), applyRequest(t, nothing, value))
		if err != nil {
			t.Fatal(err)
		}
		_, detail := errorTexts(t, response)
		_, stack, _ := strings.Cut(detail, "panic: ")
		lines := strings.Split(stack, "\n")
		if !strings.HasSuffix(lines[2], ".(*tinyThing).act") || !strings.HasPrefix(lines[3], "    provider_test.go:") {
			t.Errorf("the stack of %q does not begin at the fault:\n%s", value, stack)
		}
		for _, forbidden := range []string{"0x", "goroutine ", "/home/", "/src/runtime/", secret} {
			if forbidden != "" && strings.Contains(stack, forbidden) {
				t.Errorf("the stack of %q holds %q:\n%s", value, forbidden, stack)
			}
		}
	}
}

// chattyRuntimeError claims to be the runtime's.
type chattyRuntimeError struct{}

func (chattyRuntimeError) Error() string { return secret }
func (chattyRuntimeError) RuntimeError() {}

func TestOnlyTheRuntimesOwnPanicTextIsTold(t *testing.T) {
	t.Parallel()
	var nilMap map[string]int
	for name, test := range map[string]struct {
		provoke func()
		want    string
	}{
		"a string":                  {func() { panic(secret) }, "string"},
		"an error":                  {func() { panic(errors.New(secret)) }, "*errors.errorString"},
		"a pretended runtime error": {func() { panic(chattyRuntimeError{}) }, "rpcserver.chattyRuntimeError"},
		"a write to a nil map": {
			func() { nilMap[secret] = 1 },
			"runtime.plainError: assignment to entry in nil map",
		},
		"a failed assertion": {
			func() { _ = any(secret).(int) },
			"*runtime.TypeAssertionError: interface conversion: interface {} is string, not int",
		},
		"nil": {
			func() { panic(nil) },
			"*runtime.PanicNilError: panic called with nil argument",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if got := describePanic(recover()); got != test.want {
					t.Errorf("the panic is told as %q, want %q", got, test.want)
				}
			}()
			test.provoke()
		})
	}
}

func TestAPanicAmidAStreamIsItsLastElement(t *testing.T) {
	t.Parallel()
	var got []any
	inner := func(yield func(any) bool) {
		if yield("first") {
			panic(secret)
		}
	}
	last := func(f failure) any { return f.summary() }
	forward(t.Context(), "ListResource", "tiny_thing", inner, func(element any) bool {
		got = append(got, element)
		return true
	}, last)
	want := []any{"first", "The provider panicked in ListResource of tiny_thing"}
	if !slices.Equal(got, want) {
		t.Errorf("the stream is %v, want %v", got, want)
	}
}

func TestAPanicAfterTheReaderStoppedIsNotYielded(t *testing.T) {
	t.Parallel()
	inner := func(yield func(int) bool) {
		yield(1)
		panic(secret)
	}
	for element := range func(yield func(int) bool) {
		forward(t.Context(), "ListResource", "", inner, yield, func(failure) int { return 2 })
	} {
		if element != 1 {
			t.Errorf("got %d", element)
		}
		break
	}
}

func TestAPanicOfTheReaderIsNotTakenForTheProviders(t *testing.T) {
	t.Parallel()
	defer func() {
		if recovered := recover(); recovered != "reader" {
			t.Errorf("recovered %v, want the reader's own panic", recovered)
		}
	}()
	wrapped := Wrap(func() tfprotov6.ProviderServer { return &echo{} })().(*server)
	response, err := wrapped.ListResource(t.Context(), &tfprotov6.ListResourceRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for range response.Results {
		panic("reader")
	}
}
