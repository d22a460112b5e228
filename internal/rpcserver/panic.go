package rpcserver

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// maxStackFrames bounds the stack in a diagnostic.
const maxStackFrames = 48

// errNoResponse reports an inner server that returned neither a response nor an
// error, which the transport would answer with a nil dereference.
var errNoResponse = errors.New("the provider returned neither a response nor an error")

// failure is a recovered panic, told without any value that may be secret.
type failure struct {
	rpc      string
	typeName string
	kind     string
	stack    string
}

// recoveredFailure describes the panic that was just recovered. It must be called
// in the deferred function that recovered, so that the stack still shows where
// the panic began.
func recoveredFailure(rpc, typeName string, recovered any) failure {
	return failure{rpc: rpc, typeName: typeName, kind: describePanic(recovered), stack: panicStack()}
}

// summary says what happened, in which RPC and for which type.
func (f failure) summary() string {
	if f.typeName == "" {
		return fmt.Sprintf("The provider panicked in %s", f.rpc)
	}
	return fmt.Sprintf("The provider panicked in %s of %s", f.rpc, f.typeName)
}

// detail says what that means for the user and where it happened.
func (f failure) detail() string {
	return "This is a bug in the provider. Only this operation failed; all others go on. " +
		"Please report it with the text below, which holds no values of your configuration.\n\n" +
		"panic: " + f.kind + "\n\n" + f.stack
}

// diagnostic returns the failure as an error diagnostic.
func (f failure) diagnostic() *tfprotov6.Diagnostic {
	return &tfprotov6.Diagnostic{
		Severity: tfprotov6.DiagnosticSeverityError,
		Summary:  f.summary(),
		Detail:   f.detail(),
	}
}

// diagnostics returns the failure as the only entry of a response's diagnostics.
func (f failure) diagnostics() []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{f.diagnostic()}
}

// describePanic returns the type of a panic value. The text is added only if the
// Go runtime itself wrote it (an index, a nil dereference, a failed assertion):
// any other may hold a password or a user's script.
func describePanic(recovered any) string {
	typeOf := reflect.TypeOf(recovered)
	if typeOf == nil {
		return "nil"
	}
	runtimeError, ok := recovered.(runtime.Error)
	if !ok {
		return typeOf.String()
	}
	named := typeOf
	if named.Kind() == reflect.Pointer {
		named = named.Elem()
	}
	if named.PkgPath() != "runtime" {
		return typeOf.String()
	}
	return typeOf.String() + ": " + runtimeError.Error()
}

// panicStack returns the frames below the panic, one a line, as function name and
// file:line. Unlike debug.Stack it has no arguments, and no directories of the
// machine that built the binary.
func panicStack() string {
	pcs := make([]uintptr, 2*maxStackFrames)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])

	var lines []string
	below := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			// The innermost panic is the one that was recovered; what was
			// gathered so far is only the recovery itself.
			below = true
			lines = lines[:0]
		case below && len(lines) < maxStackFrames && !isPanicMachinery(frame.Function):
			lines = append(lines, fmt.Sprintf("%s\n    %s:%d", frame.Function, filepath.Base(frame.File), frame.Line))
		}
		if !more {
			return strings.Join(lines, "\n")
		}
	}
}

// isPanicMachinery tells the runtime's own frames between a faulting line and the
// panic that it raised.
func isPanicMachinery(function string) bool {
	return strings.HasPrefix(function, "runtime.panic") || strings.HasPrefix(function, "runtime.sigpanic") ||
		strings.HasPrefix(function, "runtime.goPanic")
}
